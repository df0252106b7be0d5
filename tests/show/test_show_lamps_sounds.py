"""Lamps: counts, and whose move is awaited. Sounds: on events only, never while play goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mind_box.show.lamps import LampPattern, lamps
from mind_box.show.samples import SAMPLES
from mind_box.show.sentences import REFUSED
from mind_box.show.sounds import TUNES, tune_for
from mind_box.show.table_screen import draw_table
from mind_box.show.words import words_for
from mind_box.table.notices import Notice
from mind_box.table.view import GhostLaid, View


@pytest.mark.parametrize("name", list(SAMPLES))
def test_lives_and_stars_are_counts_and_seat_lamps_say_who_is_waited_for(name: str) -> None:
    view = SAMPLES[name]
    pattern = lamps(view)
    assert (pattern.lives, pattern.stars) == (view.lives, view.stars)
    expected = {view.next_seat} if view.phase == "deal" else set(view.waiting)
    if view.phase == "play":  # R40: from its row somebody takes the card
        expected = {view.ghost.seat} if view.ghost else set()
    assert set(pattern.seats) == expected


def test_in_play_no_seat_is_singled_out() -> None:
    assert lamps(replace(SAMPLES["play"], waiting=(1,))).seats == frozenset()


def test_a_pattern_is_the_same_for_the_same_view() -> None:
    view = SAMPLES["vote"]
    assert lamps(view) == lamps(replace(view)) == LampPattern(3, 1, frozenset({1, 3}))


def after(phase: str, *notices: str, **more: object) -> View:
    return replace(SAMPLES["play"], phase=phase, notices=notices, **more)  # type: ignore[arg-type]


PLAY = SAMPLES["play"]
EN = words_for("en")


@pytest.mark.parametrize(
    ("view", "tune"),
    [
        (after("focus", "error", reason="error"), "error"),
        (after("focus", "late", reason="error"), "late"),
        (after("focus", "star_used", reason="star"), "star_used"),
        (after("focus", "level_complete", "reward_star", reason="level"), "level_complete"),
        (after("focus", "star_used", "level_complete", reason="level"), "level_complete"),
        (after("won", "level_complete", "reward_star", "game_won"), "game_won"),
        (after("lost", "error", "game_lost"), "game_lost"),
        (after("focus", "stopped", reason="stop"), "stopped"),
    ],
)
def test_each_event_has_its_tune(view: View, tune: str) -> None:
    assert tune_for(PLAY, view) == tune
    assert tune in TUNES


@pytest.mark.parametrize("code", [*sorted(REFUSED), "star_off", "reader_lost", "paused"])
def test_play_and_vote_are_silent_whatever_is_told(code: str) -> None:
    for before in ("play", "vote"):
        for now in ("play", "vote"):
            assert tune_for(after(before), after(now, code)) is None


@pytest.mark.parametrize("code", [*sorted(REFUSED), "paused", "no_game", "reader_lost"])
def test_a_refusal_out_of_play_is_heard(code: Notice) -> None:
    stop = SAMPLES["resume"]
    assert tune_for(replace(stop, notices=()), replace(stop, notices=(code,))) == "refused"


def test_nothing_sounds_twice() -> None:
    error = SAMPLES["error"]
    assert tune_for(error, replace(error, faults=("lamps",))) is None
    assert tune_for(error, error) is None


def test_each_error_of_a_check_sounds() -> None:
    first = SAMPLES["check-error"]
    second = replace(first, errors=2, lives=1)
    assert tune_for(first, second) == "error"


def test_a_tune_is_notes_that_a_piezo_can_play() -> None:
    from gpiozero.tones import Tone

    for notes in TUNES.values():
        assert sum(seconds for _, seconds in notes) < 2
        for note, _ in notes:
            if note is not None:
                assert 220 <= Tone(note).frequency <= 2000


def test_a_ghosts_card_is_heard_once_and_its_error_instead_of_it() -> None:
    """R40; R44: the plan before it is silent, as nothing of it is in a View."""
    ghost = GhostLaid(3, 42, 1)
    laid = after("play", "ghost_laid", ghost=ghost, ghosts=(3,), piles=((7, 42),))
    assert tune_for(PLAY, laid) == "ghost_laid"
    assert tune_for(laid, replace(laid, faults=("lamps",))) is None
    assert tune_for(laid, after("play", ghost=ghost, ghosts=(3,))) is None
    error = after("focus", "ghost_laid", "error", reason="error", ghost=ghost, ghosts=(3,))
    assert tune_for(PLAY, error) == "error"


def test_a_ghosts_card_is_announced_for_the_other_side_of_the_table() -> None:
    """Whose it is as large as a title, the card as large as ever; blind no number at all."""
    marks = {mark.what: mark.box[3] - mark.box[1] for mark in draw_table(SAMPLES["play-ghost"], EN, (128, 64)).marks}
    assert marks["35"] >= 48 and marks["Seat 3"] >= 12
    texts = " ".join(mark.what for mark in draw_table(SAMPLES["play-ghost-blind"], EN, (128, 64)).marks)
    assert "Seat 3" in texts and "Card 2 of its row" in texts and "35" not in texts
