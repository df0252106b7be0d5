"""The table: what no table script can say as well."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.game.cards import VARIANTS, Card
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Edge, Input, Scan
from tests.game.playing import check
from tests.table.gestures import Gestures


def playing(*seats: int, enrolled: Mapping[str, Card] | None = None, **setup: Any) -> Gestures:
    table = Gestures(enrolled=enrolled, **setup)
    table.hands(*(seats or (1, 2, 3)))
    table.hands()
    assert table.view.phase == "play"
    return table


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_any_gestures_keep_the_invariants(seed: int) -> None:
    """Buttons and scans at random, sensible ones more often; the fold is checked after each (see Gestures)."""
    rng = random.Random(seed)
    table = Gestures(variant=rng.choice(VARIANTS), hands=rng.choice(["known", "unknown"]),
                     blind=rng.choice(["no", "as_played", "at_end"]))  # fmt: skip
    table.hands(*rng.sample(range(1, 5), rng.randint(2, 4)))
    for _ in range(60):
        before, kept = table.table.game, len(table.events)
        match rng.randrange(12):
            case 0:
                table.put(Edge(rng.randint(0, 4), rng.random() < 0.5, table.now))
            case 1:
                table.wait(rng.choice([0.01, 0.03, 0.5, 1.6, 2.1, 31]))
            case 2:
                table.hands(*rng.sample(range(1, 5), rng.randint(1, 4)))
            case 3 | 4:
                table.hands(*(table.view.seats or (1, 2)))
            case 5:
                table.tap(STAR)
            case 6:
                table.hold(2, STAR)
            case 7:
                table.tap(rng.randint(1, 4))
            case 8:
                faults: list[Input] = [DeviceLost("reader", "", table.now), DeviceBack("reader", table.now)]
                table.put(rng.choice(faults))
            case _:
                held = [c for hand in table.table.game.hands.values() for c in hand]
                table.scan(rng.choice(held or list(range(1, 101))) if rng.random() < 0.8 else rng.choice(["x", 0, 101]))
        check(table.table.game)
        view = table.view
        assert set(view.agreed) | set(view.waiting) <= set(view.seats)
        assert len(set(view.notices)) == len(view.notices)
        if view.ended is not None:  # nobody has gone on yet: no hand is down, no card was dealt
            at_level = view.phase in ("deal", "vote") or view.reason == "level"
            assert view.phase in ("won", "lost") or (at_level and not view.hands_down and not table.table.game.dealt)
        if len(table.events) == kept:
            assert table.table.game == before


def test_of_two_scans_at_once_none_is_dropped() -> None:
    table = playing()
    for card in (10, 20):
        table.put(Scan(str(card), table.now))
    assert table.view.pile == (10, 20)


def test_an_unknown_payload_is_said() -> None:
    table = playing()
    for payload in ("", "foo", "MB1:42:00", "-5", "٣"):
        table.scan(payload)
        assert table.view.notices == ("unknown_card",)


def test_an_enrolled_tag_is_its_card() -> None:
    table = playing(enrolled={"04A1B2C3": 42})
    table.scan("04:a1:b2:c3")
    assert table.view.pile == (42,)


@pytest.mark.parametrize("item", ["end-game", "shut-down"])
def test_what_cannot_be_taken_back_lightly_asks_for_a_second_hold(item: str) -> None:
    table = playing()
    table.menu(item)
    assert table.view.asking == item
    table.tap(STAR)
    assert [table.view.asking, table.view.phase] == [None, "focus"]
    table.menu(item)
    table.wait(31)
    assert table.view.asking is None
    table.menu(item)
    table.hold(2, STAR)
    assert table.view.asking is None
    assert (table.view.phase == "lobby") == (item == "end-game")
    assert table.effects == (["shut-down"] if item == "shut-down" else [])


def test_a_game_ended_by_mistake_comes_back_whole() -> None:
    table = playing()
    table.scan(10)
    table.menu("end-game")
    table.hold(2, STAR)
    table.menu("undo")
    assert (table.view.phase, table.view.reason, table.view.pile) == ("focus", "stop", (10,))


@pytest.mark.parametrize("item", ["language", "sound", "self-test"])
def test_the_lobbys_other_items_are_the_machines_business(item: str) -> None:
    table = Gestures()
    table.menu(item)
    assert table.effects == [item]
    assert table.events == []


@pytest.mark.parametrize(
    ("item", "field", "values"),
    [
        ("variant", "variant", ["reverse", "fifty", "tens", "extreme", "classic"]),
        ("hands", "hands", ["known", "unknown"]),
        ("stars", "no_stars", [True, False]),
        ("blind", "check", ["as_played", "at_end", None]),
    ],
)
def test_the_lobbys_choices_go_round(item: str, field: str, values: list[object]) -> None:
    table = Gestures()
    for value in values:
        table.menu(item)
        assert getattr(table.view, field) == value


def test_the_lobby_starts_with_the_seats_held() -> None:
    table = Gestures()
    table.down(2, 4)
    table.wait(0.1)
    table.menu("start")
    assert (table.view.phase, table.view.seats) == ("focus", (2, 4))
    table.up(2, 4)
    table.wait(0.1)
    assert table.view.phase == "focus"


def test_level_done_waits_for_all_hands_and_a_scan_or_a_star_tap_cancels_it() -> None:
    table = playing()
    for cancel in (partial(table.tap, STAR), partial(table.scan, 5)):
        table.menu("level-done")
        assert table.view.asking == "level-done"
        cancel()
        assert table.view.asking is None
        assert table.view.level == 1
    table.menu("level-done")
    table.hands()
    assert (table.view.level, table.view.phase) == (2, "focus")  # that lift starts nothing else


def test_a_vote_in_focus_comes_back_to_where_it_was() -> None:
    table = playing()
    table.tap(2)
    table.tap(STAR)
    assert table.view.phase == "vote"
    assert (table.view.reason, table.view.star_left) == (None, None)
    table.scan(50)  # as in that focus: refused, and the vote stays
    assert (table.view.phase, table.view.notices) == ("vote", ("paused",))
    table.wait(30.1)
    assert (table.view.phase, table.view.reason, table.view.notices) == ("focus", "stop", ("star_off",))


@pytest.mark.parametrize("in_focus", [False, True])
def test_a_menu_out_of_a_vote_says_that_all_agree_before_that_is_chosen(in_focus: bool) -> None:
    table = playing(1, 2)
    table.hold(2, STAR)
    while table.view.menu != "all-hands":
        table.tap(STAR)
    assert table.view.notices == ()  # here it would do what hands do
    table.tap(1)
    if not in_focus:
        table.hands()
    table.tap(STAR)
    table.hold(2, STAR)
    assert list(table.view.notices) == (["star_off"] if in_focus else ["star_off", "stopped"])
    for _ in range(20):
        assert ("all_agree" in table.view.notices) == (table.view.menu == "all-hands")
        table.tap(STAR)
    while table.view.menu != "all-hands":
        table.tap(STAR)
    table.put(DeviceLost("seat-screen 2", "no answer", table.now))
    assert list(table.view.notices) == ["screen_lost", "all_agree"]
    table.hold(2, STAR)
    assert [table.view.reason, *table.view.notices, table.view.stars] == ["star", "star_used", 0]


@pytest.mark.parametrize("blind", ["no", "as_played", "at_end"])
def test_the_ten_is_shown_in_tens_and_nowhere_while_blind(blind: str) -> None:
    for variant in VARIANTS:
        table = Gestures(variant=variant, blind=blind)
        shown = 0 if variant == "tens" and blind == "no" else None
        assert table.view.ten == shown
        table.hands(1, 2)
        assert table.view.ten == shown
        table.hands()
        assert (table.view.phase, table.view.ten) == ("play", shown)


def test_a_second_hold_says_yes_and_nothing_that_was_told_before_stands() -> None:
    table = playing(1, 2)
    table.menu("shut-down")
    table.put(DeviceLost("seat-screen 2", "no answer", table.now))
    table.hold(2, STAR)
    assert (table.effects, table.view.asking, table.view.notices) == (["shut-down"], None, ())


def test_a_seat_closes_the_menu_and_that_press_is_nothing_else() -> None:
    table = playing(1, 2)
    table.hold(2, STAR)
    assert (table.view.menu, table.view.notices) == ("undo", ("stopped",))
    table.down(3)  # also one that does not play
    table.wait(0.1)
    assert (table.view.menu, table.view.notices, table.view.hands_down) == (None, (), ())
    table.hold(2, STAR)
    table.tap(STAR)
    assert (table.view.menu, table.view.notices) == ("level-done", ())
    table.down(1)
    table.wait(0.1)
    assert (table.view.menu, table.view.hands_down) == (None, ())


def test_a_scan_closes_the_menu_and_counts_as_in_the_phase_beneath() -> None:
    table = playing(1, 2, 3)
    table.scan(50)
    table.hold(2, STAR)
    table.scan(20)  # late
    assert (table.view.menu, table.view.reason, table.view.aside) == (None, "error", (20,))
    table.hold(2, STAR)
    table.scan("foo")
    assert (table.view.menu, table.view.notices) == (None, ("unknown_card",))


@pytest.mark.parametrize(("blind", "hands"), [("no", "known"), ("as_played", "known"), ("at_end", "unknown")])
def test_where_the_pile_is_shown_at_the_end_the_box_counts(blind: str, hands: str) -> None:
    """R28: also said in the lobby, where the choice is made."""
    table = Gestures(blind=blind, hands="known")
    assert table.view.hands == hands
    table.hands(1, 2)
    assert (table.view.hands, table.view.phase) == (hands, "deal" if hands == "known" else "focus")


def test_agreeing_is_no_concentration() -> None:
    table = playing(1, 2)
    table.tap(STAR)
    table.hands()
    assert (table.view.phase, table.view.reason) == ("focus", "star")


def test_the_check_runs_by_itself_card_by_card() -> None:
    table = playing(1, 2, blind="as_played")
    table.scan(50)
    table.scan(20)
    assert (table.view.phase, table.view.piles) == ("reveal", ((),))
    table.wait(0.79)
    assert table.view.piles == ((),)
    table.wait(0.02)
    assert table.view.pile == (50,)
    table.wait(0.8)
    assert table.view.notices == ("error", "level_complete")
    assert table.table.deadline is None


def test_lost_devices_are_told_once() -> None:
    table = Gestures()
    table.put(DeviceLost("seat-screen 2", "no answer", 0.0))
    table.put(DeviceLost("reader", "unplugged", 0.0))
    assert table.view.faults == ("reader", "seat-screen 2")
    assert list(table.view.notices) == ["reader_lost"]
    table.tap(STAR)
    table.put(DeviceLost("reader", "unplugged", table.now))
    assert list(table.view.notices) == []
    table.put(DeviceBack("seat-screen 2", table.now))
    assert table.view.notices == ("screen_back",)
