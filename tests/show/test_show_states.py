"""Every phase, reason, notice, menu item, question and fault has an answer on the screens."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from mind_box.game.cards import VARIANTS
from mind_box.game.moves import Refused
from mind_box.game.state import Ended, Reason
from mind_box.show import sentences
from mind_box.show.pictures import seat_picture, table_picture
from mind_box.show.samples import SAMPLES
from mind_box.show.words import LANGUAGES, words_for
from mind_box.table import menu
from mind_box.table.notices import Notice
from mind_box.table.view import View, ViewPhase

REFUSALS = {*get_args(Refused), "unknown_card"}
EN = words_for("en")


def test_there_is_a_sample_of_every_state() -> None:
    views = SAMPLES.values()
    assert {v.phase for v in views} == set(get_args(ViewPhase))
    assert {v.reason for v in views if v.reason} == set(get_args(Reason))
    assert {v.variant for v in views} == set(VARIANTS)
    assert set(get_args(Notice)) - {code for v in views for code in v.notices} == set()
    assert set(get_args(menu.Item)) - {v.menu for v in views} == set()
    assert {v.asking for v in views if v.asking} == set(get_args(menu.Question))
    faults = {fault.split(" ")[0] for v in views for fault in v.faults}
    missing = {"reader", "reader-setting", "table-screen", "seat-screen", "buttons", "lamps"}
    assert faults == missing | {"journal", "saving"}


def test_the_samples_are_views_as_the_table_makes_them() -> None:
    for name, v in SAMPLES.items():
        assert (v.phase == "focus") == (v.reason is not None), name
        assert len(v.piles) == (2 if v.variant == "extreme" else 1) or v.phase == "lobby", name
        assert v.blind == (v.check is not None), name
        in_game = v.phase != "lobby"
        known = set(v.seats) if v.hands == "known" else set(v.ghosts)
        assert (v.counts is not None) == (v.aside_by is not None) == bool(known), name
        assert (v.star_left is not None) == (v.reason == "star"), name
        assert (v.next_seat is not None) == (v.phase == "deal"), name
        assert bool(v.seats) == in_game, name
        assert set(v.waiting) <= set(v.seats) and v.lives <= 5 and v.stars <= 3, name
        if v.counts is not None:
            assert set(v.counts) == known, name
            assert sum(v.counts.values()) <= v.remaining and (v.hands == "unknown" or known == set(v.seats)), name
            assert v.hands == "unknown" or sum(v.counts.values()) == v.remaining, name


@pytest.mark.parametrize("code", sorted(REFUSALS))
def test_a_refusal_says_what_is_wrong_and_how_to_put_it_right(code: str) -> None:
    refused = [v for v in SAMPLES.values() if code in v.notices]
    assert refused
    for view in refused:
        said = sentences.saying(view, EN)
        assert said.loud and said.what and said.how
        calm = replace(view, notices=())
        for language in LANGUAGES:
            words = words_for(language)
            assert table_picture(view, words).tobytes() != table_picture(calm, words).tobytes()


@pytest.mark.parametrize("code", sorted(sentences.NEWS))
def test_news_are_said_wherever_they_can_come(code: Notice) -> None:
    view = next(v for v in SAMPLES.values() if v.notices == (code,))
    assert EN.say(sentences.NEWS[code]) in sentences.saying(view, EN).what


def test_a_lost_device_is_told_until_it_is_back_even_in_play() -> None:
    play = SAMPLES["play"]
    lost = replace(play, faults=("reader",))
    said = sentences.saying(lost, EN)
    assert said.loud and "reader" in said.what.lower() and said.how
    assert table_picture(lost, EN).tobytes() != table_picture(play, EN).tobytes()


def test_a_lost_seat_screen_does_not_disturb_the_play_of_the_others() -> None:
    play = SAMPLES["play"]
    assert table_picture(replace(play, faults=("seat-screen 2",)), EN).tobytes() == table_picture(play, EN).tobytes()


def test_the_house_rule_is_shown_for_more_than_four_players_and_only_for_them() -> None:
    from mind_box.show.table_screen import draw_table

    def texts(view: View) -> str:
        return " ".join(mark.what for mark in draw_table(view, EN, (128, 64)).marks)

    for n in range(2, 9):
        seats = tuple(range(1, n + 1))
        level = replace(SAMPLES["level-first"], seats=seats, waiting=seats)
        deal = replace(SAMPLES["deal"], seats=seats, counts=dict.fromkeys(seats, 0))
        lobby = View(hands_down=seats)
        playing = [replace(SAMPLES[name], seats=seats) for name in ("play", "play-extreme", "stop", "vote")]
        for view in (level, deal, lobby, *playing):
            assert ("house rule" in texts(view).lower()) == (n > 4), (n, view.phase)


@pytest.mark.parametrize("last", [8, 10, 12])
def test_a_void_reward_is_told_as_what_it_would_have_been_in_every_level(last: int) -> None:
    """R19: a life after 3, 6 and 9, a star after 2, 5 and 8."""
    for level in (2, 3, 5, 6, 8, 9):
        ended = Ended(level, (17, 28), (), reward="void")
        if level < last:
            view = replace(SAMPLES["level-done-void-life"], level=level + 1, last_level=last, ended=ended)
        else:
            view = replace(SAMPLES["won"], level=level, last_level=last, ended=ended)
        assert sentences.reward(view, EN) == ("♥ is full" if level % 3 == 0 else "★ is full")


def test_a_void_reward_says_why() -> None:
    said = {name: sentences.saying(SAMPLES[name], EN).what for name in SAMPLES if name.startswith("level-done-")}
    assert "full" in said["level-done-void-life"] and "♥" in said["level-done-void-life"]
    assert "full" in said["level-done-void-star"] and "★" in said["level-done-void-star"]
    assert "no stars" in said["level-done-no-stars"]
    assert "+1★" in said["level-done-star"] and "+1♥" in said["level-done-life"]


def test_the_ten_is_shown_and_moves_with_the_view() -> None:
    shown = {table_picture(replace(SAMPLES["play-tens"], ten=ten), EN).tobytes() for ten in range(0, 101, 10)}
    assert len(shown) == 11


def test_no_card_is_shown_while_blind() -> None:
    from mind_box.show.table_screen import draw_table

    for name in ("play-blind", "play-blind-at-end", "stop-blind", "vote-blind"):
        view = SAMPLES[name]
        canvas = draw_table(view, EN, (128, 64))
        assert max(m.box[3] - m.box[1] for m in canvas.marks if m.what not in ("blind",)) < 18, name
        assert any(m.what == "blind" for m in canvas.marks)


@pytest.mark.parametrize("size", [(128, 64), (128, 32)])
def test_pictures_have_exactly_the_size_and_mode_of_the_screen(size: tuple[int, int]) -> None:
    picture = seat_picture(SAMPLES["stop"], 2, EN, size)
    assert (picture.mode, picture.size) == ("1", size)
    table = table_picture(SAMPLES["stop"], EN)
    assert (table.mode, table.size) == ("1", (128, 64))


def test_a_seat_is_told_what_it_should_do_now() -> None:
    from mind_box.show.seat_screen import instruction

    def title(sample: str, seat: int) -> str:
        told = instruction(SAMPLES[sample], seat, EN)
        return " ".join(filter(None, (told.title, told.mark)))

    assert title("deal", 3) == "Your card" and title("deal", 1) == "Wait"
    assert title("stop", 1) == "Hold button" and title("stop", 2) == "Hold button ✓"
    assert title("stop-lift", 1) == "Let go ▲" and title("stop-lift", 2) == "Let go ✓"
    assert title("vote", 1) == "Use ★?" and title("vote", 2) == "Yes"
    assert title("star-extreme", 2) == "Choose" and title("star-extreme", 1) == "Wait"
    assert title("stop", 4) == "Not playing"
    assert instruction(SAMPLES["error-known"], 2, EN).detail == "Aside: 24"
