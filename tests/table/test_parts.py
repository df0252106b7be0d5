"""The table's small parts, each by itself: menu, notices, star, hands, looks, and the View's order of things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.state import Error, Game, Phase, Setup
from mind_box.table.hands import Hands, restarts_focus
from mind_box.table.looks import LONGEST, Looks
from mind_box.table.menu import LOBBY_ITEMS, Menu, items, move_of, next_choice
from mind_box.table.notices import Notice, device_notice, in_order, notices_of
from mind_box.table.payload import label_begins, label_ends, whole_label
from mind_box.table.star import Star, Vote, tap_of
from mind_box.table.viewing import Surroundings, view_of

CORRECTIONS = ("life-up", "life-down", "star-up", "star-down")
SECOND_HOLD = ("end-game", "shut-down")


# -- the menu


@pytest.mark.parametrize(
    ("phase", "known", "offered"),
    [
        ("lobby", False, LOBBY_ITEMS),
        ("deal", True, ("undo", "count", *CORRECTIONS, *SECOND_HOLD)),
        ("focus", False, ("undo", "level-done", "all-hands", *CORRECTIONS, *SECOND_HOLD)),
        ("focus", True, ("undo", "level-done", "all-hands", "count", *CORRECTIONS, *SECOND_HOLD)),
        ("reveal", False, ("undo", "level-done", "all-hands", *CORRECTIONS, *SECOND_HOLD)),
        ("reveal", True, ("undo", "level-done", "all-hands", "count", *CORRECTIONS, *SECOND_HOLD)),
        ("won", True, ("undo", "all-hands", "story", *SECOND_HOLD)),
        ("lost", True, ("undo", "all-hands", "story", *SECOND_HOLD)),
    ],
)
def test_what_the_menu_offers_in_each_phase(phase: Phase, known: bool, offered: tuple[str, ...]) -> None:
    assert items(Game(phase=phase, known=known)) == offered


@pytest.mark.parametrize(
    ("item", "move"),
    [
        ("start", mv.Start((1, 3))),
        ("undo", mv.Undo()),
        ("count", mv.CountFromHere()),
        ("life-up", mv.Correct("life-up")),
        ("star-down", mv.Correct("star-down")),
        ("variant", mv.Configure("variant", "reverse")),
        ("deck", mv.Configure("deck", "extreme")),
        ("hands", mv.Configure("hands", "known")),
        ("blind", mv.Configure("blind", "as_played")),
        ("stars", mv.Configure("no_stars", True)),
    ],
)
def test_the_move_behind_an_item(item: Any, move: mv.Move) -> None:
    assert move_of(item, Setup(), {3, 1}) == move


def test_choices_go_round() -> None:
    assert next_choice("variant", Setup(variant="extreme")) == mv.Configure("variant", "classic")
    assert next_choice("challenge", Setup(challenge="as_played")) == mv.Configure("challenge", "at_end")


def test_an_open_menu_steps_round_relights_and_closes_in_time() -> None:
    menu, game = Menu(), Game(phase="won")
    assert menu.times_out(30.0) is None
    menu.open(game, 5.0, out_of_vote=True)
    assert (menu.item, menu.times_out(30.0), menu.all_agree) == ("undo", 35.0, False)
    lit = []
    for at in (6.0, 7.0, 8.0, 9.0, 9.5):
        menu.step(game, at)
        assert menu.times_out(30.0) == at + 30.0
        lit.append(menu.item)
        assert menu.all_agree == (menu.item == "all-hands")
    assert lit == ["all-hands", "story", "end-game", "shut-down", "undo"]
    menu.step(game, 10.0)
    menu.relight(Game(phase="focus"))
    assert menu.item == "all-hands"  # on offer there too
    menu.relight(Game())
    assert menu.item == "start"
    closed = Menu()
    closed.relight(Game())
    assert closed.item is None


def test_a_second_hold_is_waited_for_and_hands_are_asked_for_for_ever() -> None:
    menu = Menu()
    for item in SECOND_HOLD:
        menu.ask(item, 7.0)  # type: ignore[arg-type]
        assert (menu.asks_second_hold, menu.times_out(30.0)) == (True, 37.0)
        menu.drop_second_hold()
        assert menu.asking is None
    menu.ask("level-done", 7.0)
    menu.drop_second_hold()
    assert (menu.asking, menu.asks_second_hold, menu.times_out(30.0)) == ("level-done", False, None)


# -- notices


@pytest.mark.parametrize(
    ("event", "codes"),
    [
        (ev.Configured("deck", "extreme"), ["deck_extreme"]),
        (ev.Configured("deck", "original"), ["deck_original"]),
        (ev.Configured("variant", "extreme"), []),
        (ev.Stopped(by_press=True), ["stopped"]),
        (ev.Erred(9, (8,), paid=True), ["error"]),
        (ev.Erred(9, (7,), paid=False), ["late"]),
        (ev.StarUsed(()), ["star_used"]),
        (ev.LevelCompleted(1, None), ["level_complete"]),
        (ev.LevelCompleted(2, "star"), ["level_complete", "reward_star"]),
        (ev.LevelCompleted(3, "life"), ["level_complete", "reward_life"]),
        (ev.LevelCompleted(3, "void"), ["level_complete", "reward_void"]),
        (ev.Won(), ["game_won"]),
        (ev.Lost(), ["game_lost"]),
        (ev.Corrected("life-up"), ["corrected"]),
        (ev.Counted(), ["corrected"]),
        (ev.Undone(), ["undone"]),
        (ev.ChallengeUndone(), ["undone"]),
        (ev.TakenBack(), ["undone"]),
        (ev.Laid(5), []),
    ],
)
def test_what_is_told_of_an_event(event: ev.Event, codes: list[str]) -> None:
    assert notices_of([event]) == codes


def test_notices_come_once_and_in_their_order_a_refusal_last() -> None:
    codes: list[Notice] = ["paused", "reward_star", "level_complete", "error", "star_off", "error"]
    assert in_order(codes) == ("star_off", "error", "level_complete", "reward_star", "paused")


@pytest.mark.parametrize(
    ("device", "kind"),
    [
        ("reader", "reader"), ("reader 2", "reader"), ("table-screen", "screen"), ("seat-screen 2", "screen"),
        ("journal", "journal"), ("buttons", "device"),
    ],
)  # fmt: skip
def test_what_is_told_of_a_device(device: str, kind: str) -> None:
    assert (device_notice(device, lost=True), device_notice(device, lost=False)) == (f"{kind}_lost", f"{kind}_back")


# -- the star button


@pytest.mark.parametrize("phase", get_args(Phase))
def test_what_a_tap_of_star_means(phase: Phase) -> None:
    usual = {
        "lobby": "next-variant", "deal": "take-back", "focus": "propose", "play": "propose", "reveal": None,
        "won": "leave", "lost": "leave",
    }  # fmt: skip
    assert tap_of(phase, Menu(), None) == usual[phase]
    assert tap_of(phase, Menu(), Vote(0.0)) == "call-off"
    assert tap_of(phase, Menu(asking="level-done"), Vote(0.0)) == "decline"
    assert tap_of(phase, Menu(item="undo", asking="level-done"), Vote(0.0)) == "next-item"


def test_a_tap_does_what_it_was_pressed_for_or_nothing() -> None:
    star = Star()
    assert star.release(None) is None
    star.press(3.0, "propose")
    assert star.since == 3.0
    assert star.release("propose") == "propose"
    assert star.since is None
    assert star.release("propose") is None
    star.press(4.0, "propose")
    assert star.release("call-off") is None
    star.press(5.0, "propose")
    star.spend()
    assert star.release("propose") is None


# -- hands

TWO = replace(Game(), seats=(1, 2))


def test_all_hands_down_and_the_last_one_lifted() -> None:
    hands = Hands(0.0)
    hands.put(1, TWO)
    assert not hands.armed
    assert not hands.lift(1, (1, 2))
    hands.put(1, TWO)
    hands.put(2, TWO)
    assert hands.armed
    assert not hands.lift(1, (1, 2))
    assert hands.armed  # all of them were down
    hands.put(1, TWO)
    assert not hands.lift(2, (1, 2))
    assert hands.lift(1, (1, 2))
    assert not hands.armed
    assert not hands.lift(1, (1, 2))


def test_a_hand_that_is_lost_was_not_lifted() -> None:
    hands = Hands(0.0)
    hands.put(1, TWO)
    hands.put(2, TWO)
    hands.lose(3)
    assert hands.armed
    hands.lose(2)
    assert (hands.down, hands.armed) == ({1}, False)


def test_since_when_nothing_has_changed() -> None:
    hands = Hands(10.0)
    assert hands.unchanged(12.0, 2.0)
    assert not hands.unchanged(11.9, 2.0)
    hands.changed(11.0)
    hands.changed(10.5)  # an edge that came late changes nothing of it
    assert hands.since == 11.0


@pytest.mark.parametrize(
    ("before", "after", "anew"),
    [
        ({"reason": "level"}, {"reason": "level"}, False),
        ({"reason": "level"}, {"reason": "error"}, True),
        ({"reason": "error", "last_error": Error(9, (8,), True)}, {"reason": "error"}, False),
        ({"reason": "error"}, {"reason": "error", "last_error": Error(9, (8,), True)}, True),
        (
            {"reason": "error", "last_error": Error(9, (8,), True)},
            {"reason": "error", "last_error": Error(9, (8,), True)},
            False,
        ),
        ({"reason": "star", "stars": 2}, {"reason": "star", "stars": 1}, True),
        ({"reason": "star", "stars": 1}, {"reason": "star", "stars": 1}, False),
        ({"reason": "stop", "stars": 2}, {"reason": "stop", "stars": 1}, False),
    ],
)
def test_when_hands_have_to_be_put_down_anew(before: dict[str, Any], after: dict[str, Any], anew: bool) -> None:
    assert restarts_focus(Game(phase="focus", **before), Game(phase="focus", **after)) is anew
    assert not restarts_focus(Game(phase="focus", **before), Game(phase="play", **after))


# -- looks


def test_looks_become_rarer_up_to_the_longest_pause_and_begin_anew_with_a_change() -> None:
    looks = Looks(0.0)
    assert looks.due(None) == 0.0
    looks.looked(0.0)
    assert looks.due(None) == LONGEST
    looks.changed(10.0)
    pauses, now = [], 10.0
    for _ in range(5):
        due = looks.due(None)
        looks.looked(due - 0.01)  # sooner than is wanted
        assert looks.due(None) == due
        looks.looked(due)
        pauses.append(due - now)
        now = due
    assert pauses == pytest.approx([LONGEST / 8, LONGEST / 4, LONGEST / 2, LONGEST, LONGEST])


def test_a_look_when_hands_begin_to_count() -> None:
    looks = Looks(0.0)
    looks.looked(0.0)
    assert looks.due(1.0) == 1.0
    assert looks.due(LONGEST + 1) == LONGEST
    looks.looked(1.0)
    assert looks.due(1.0) == LONGEST  # that was it


# -- labels


def test_which_texts_are_or_may_become_labels() -> None:
    assert [label_begins(text) for text in ("", "m", "MB1:", "mb1:042", "MB2", "42", "B1:")] == [True] * 4 + [False] * 3
    ends = {"MB1:042:F2": True, "mb1:042:00": True, "MB1:042": False, "MB1:042:F": False, "MB1:042:F2 ": False}
    assert {text: label_ends(text) for text in ends} == ends
    labels = {
        "MB1:042:F2": "MB1:042:F2", "xxmb1:042:f2": "mb1:042:f2", "MB1:042:00": "", "MB1:042": "", "": "",
        "MB1:1MB1:042:F2": "MB1:042:F2", "MB1:042:F2x": "",
    }  # fmt: skip
    assert {text: whole_label(text) for text in labels} == labels


# -- the View


def test_faults_stand_in_their_order_and_hands_of_no_seat_do_not_stand_there() -> None:
    faults = ("saving", "seat-screen 2", "journal", "seat-screen 1", "reader", "table-screen")
    game = Game(phase="focus", seats=(1, 2))
    view = view_of(game, Surroundings(down={3, 2}, faults=faults))
    assert view.faults == ("reader", "table-screen", "seat-screen 1", "seat-screen 2", "journal", "saving")
    assert (view.hands_down, view.waiting) == ((2,), (1,))
    assert view_of(Game(), Surroundings(down={3, 2})).hands_down == (2, 3)


@pytest.mark.parametrize(
    ("game", "table", "waiting"),
    [
        ({"phase": "focus"}, {"agreed": {2}}, (1, 3)),
        ({"phase": "deal", "next_seat": 3}, {}, (3,)),
        ({"phase": "deal"}, {}, ()),
        ({"phase": "play"}, {}, ()),
        ({"phase": "won"}, {}, ()),
        ({"phase": "reveal"}, {"asking": "level-done"}, (1, 2, 3)),
        ({"phase": "focus", "choosing": frozenset({3, 1})}, {}, (1, 3)),
        ({"phase": "focus", "choosing": frozenset({3, 1})}, {"asking": "level-done", "down": {1}}, (2, 3)),
        ({"phase": "focus"}, {"down": {1}}, (2, 3)),
        ({"phase": "focus"}, {"down": {1}, "armed": True}, (1,)),
    ],
)
def test_who_is_waited_for(game: dict[str, Any], table: dict[str, Any], waiting: tuple[int, ...]) -> None:
    assert view_of(Game(seats=(1, 2, 3), **game), Surroundings(**table)).waiting == waiting


def test_the_setup_is_shown_in_the_lobby_and_the_game_outside_of_it() -> None:
    blind = Setup(hands="known", blind="as_played")
    view = view_of(Game(setup=blind), Surroundings())
    assert (view.check, view.blind, view.hands, view.counts, view.aside_by) == ("as_played", True, "known", {}, {})
    view = view_of(Game(setup=blind, phase="focus", seats=(1, 2)), Surroundings())
    assert (view.check, view.blind, view.hands, view.counts, view.aside_by) == (None, False, "unknown", None, None)
    known = Game(phase="focus", seats=(1, 2), known=True, hands={1: (5,)}, aside_by={2: (7,), 1: (3, 4)})
    view = view_of(known, Surroundings())
    assert (view.counts, list((view.aside_by or {}).items())) == ({1: 1, 2: 0}, [(1, (3, 4)), (2, (7,))])


def test_ten_star_left_and_best_are_shown_where_they_mean_something() -> None:
    tens = Game(setup=Setup(variant="tens"), phase="focus", seats=(1, 2), ten=30, bests={(2, "tens", False): 7})
    view = view_of(tens, Surroundings())
    assert (view.ten, view.best, view.star_left) == (30, 7, None)
    blind = view_of(tens.changed(check="at_end", bests={(2, "tens", True): 3}), Surroundings())
    assert (blind.ten, blind.best) == (None, 3)
    assert view_of(tens.changed(setup=Setup()), Surroundings()).ten is None
    star = tens.changed(reason="star", star_left=2, level=2)
    assert view_of(star, Surroundings()).star_left == 2
    assert view_of(star.changed(level=1, aside=frozenset({5})), Surroundings()).star_left == 1
    assert view_of(star.changed(known=True, choosing=frozenset({1})), Surroundings()).star_left == 1
    voting = view_of(star, Surroundings(agreed=()))
    assert (voting.phase, voting.reason, voting.star_left, voting.agreed) == ("vote", None, None, ())
