"""Debounce, hold and ritual: what a finger may do and what it may not (FIELD_NOTES: GPIO)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.table.debounce import Debounce, Stable
from mind_box.table.inputs import STAR, Edge
from tests.table.gestures import Gestures


def test_a_spike_of_a_millisecond_is_nothing() -> None:
    debounce = Debounce(0.025)
    debounce.edge(1, True, 0.0)
    debounce.edge(1, False, 0.001)
    assert debounce.due is None
    assert debounce.settle(1.0) == []


def test_a_level_counts_when_it_has_been_stable_on_both_edges() -> None:
    debounce = Debounce(0.025)
    debounce.edge(1, True, 0.0)
    assert debounce.settle(0.024) == []
    assert debounce.due == 0.025
    assert debounce.settle(0.025) == [Stable(1, True, 0.0)]
    debounce.edge(1, False, 1.0)
    assert debounce.settle(1.024) == []
    assert debounce.settle(1.03) == [Stable(1, False, 1.0)]


def test_two_edges_of_one_kind_in_a_row_mean_that_one_was_missed() -> None:
    debounce = Debounce(0.025)
    debounce.edge(1, True, 0.0)
    debounce.edge(1, True, 0.02)  # it was up in between
    assert debounce.settle(0.03) == []
    assert debounce.settle(0.045) == [Stable(1, True, 0.02)]


def test_a_button_down_at_start_is_nothing_until_it_has_been_seen_up() -> None:
    table = Gestures(held=(1, STAR))
    table.wait(5)
    assert table.view.menu is None
    assert not table.view.hands_down
    table.up(1, STAR)
    table.wait(0.1)
    assert table.view.variant == "classic"  # the star's release was no tap
    table.down(1)
    table.wait(0.1)
    assert table.view.hands_down == (1,)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.floats(0, 0.05)), max_size=60))
def test_changes_alternate_and_the_last_level_wins(edges: list[tuple[int, bool, float]]) -> None:
    """Whatever the chatter: down and up take turns, and after rest the level that counts is the real one."""
    debounce = Debounce(0.025)
    now, seen, raw = 0.0, dict.fromkeys(range(4), False), dict.fromkeys(range(4), False)
    for button, down, gap in edges:
        now += gap
        for change in debounce.settle(now):
            assert change.down != seen[change.button]
            seen[change.button] = change.down
        debounce.edge(button, down, now)
        raw[button] = down
    for change in debounce.settle(now + 1):
        assert change.down != seen[change.button]
        seen[change.button] = change.down
    assert seen == raw


def test_chatter_around_a_press_is_one_stop() -> None:
    table = Gestures()
    table.hands(1, 2)
    table.hands()
    rng = random.Random(1)
    for _ in range(40):
        table.put(Edge(1, rng.random() < 0.5, table.now))
        table.wait(rng.random() * 0.004)
    table.down(1)
    table.wait(0.2)
    assert table.view.reason == "stop"
    assert sum(type(e).__name__ == "Stopped" for e in table.events) == 1


@pytest.mark.parametrize("seconds", [1.44, 1.6])
def test_what_acts_on_hold_does_not_act_on_release(seconds: float) -> None:
    table = Gestures()
    table.hold(seconds, STAR)
    assert (table.view.menu is None) == (seconds < 1.5)
    assert table.view.variant == ("reverse" if seconds < 1.5 else "classic")


def test_a_hold_that_is_just_being_let_go_is_not_a_hold() -> None:
    table = Gestures()
    table.down(STAR)
    table.wait(1.49)
    table.up(STAR)  # not yet stable at 1.5 s
    table.wait(0.5)
    assert table.view.menu is None
    assert table.view.variant == "reverse"


def test_one_hold_is_one_gesture() -> None:
    table = Gestures()
    table.hold(20, STAR)
    assert table.view.menu == "start"


def test_gathering_needs_the_same_hands_for_two_seconds() -> None:
    table = Gestures()
    table.down(1, 2)
    table.wait(1.9)
    table.down(3)  # a third hand comes: the wait begins anew
    table.wait(1.9)
    table.up(1)
    table.wait(0.1)
    assert table.view.phase == "lobby"
    table.up(2, 3)
    table.wait(0.1)
    table.hands(1, 2, 3)
    assert table.view.seats == (1, 2, 3)


def test_an_idle_table_wants_no_time() -> None:
    table = Gestures()
    assert table.table.deadline is None
    table.hands(1, 2)
    assert table.table.deadline is None
    table.hands()
    assert table.view.phase == "play"
    assert table.table.deadline is None  # R18: nothing periodic while a level is played


def test_inputs_that_come_late_are_not_taken_back_in_time() -> None:
    table = Gestures()
    table.wait(10)
    table.put(Edge(1, True, 3.0))
    table.wait(0.1)
    assert table.view.hands_down == (1,)


def test_a_press_whose_edge_was_lost_counts_when_its_level_was_seen_and_its_release_is_told() -> None:
    """On a busy machine: the press was never told, somebody looked twice while it lasted, and then the release came."""
    debounce = Debounce(0.025)
    debounce.reread(1, True, 1.0)
    debounce.reread(1, False, 1.06)  # that soon nobody takes it for lost
    debounce.expect(1, False, 1.055)
    assert debounce.settle(1.055) == [Stable(1, True, 1.0, told=False)]
    debounce.edge(1, False, 1.055)
    assert debounce.settle(1.09) == [Stable(1, False, 1.055)]


@pytest.mark.parametrize(("seen", "gone", "told"), [(1.0, 1.06, 1.02), (1.0, 1.06, 5.0), (1.0, 1.01, 1.01)])
def test_a_release_alone_proves_no_press(seen: float, gone: float, told: float) -> None:
    """The level was seen for less than the window, or was up again long before the edge."""
    debounce = Debounce(0.025)
    debounce.reread(1, True, seen)
    debounce.reread(1, False, gone)
    debounce.expect(1, False, told)
    debounce.edge(1, False, told)
    assert debounce.settle(told + 1) == []


def test_others_wait_for_a_doubt_that_began_before_their_window_ended_but_not_longer() -> None:
    debounce = Debounce(0.025, held=(2,))
    debounce.edge(1, True, 1.0)
    debounce.reread(1, True, 1.0)  # it came at once
    debounce.reread(2, False, 1.02)
    debounce.reread(3, True, 1.03)
    assert debounce.settle(1.069) == []
    debounce.reread(2, False, 1.07)
    assert debounce.settle(1.07) == [Stable(1, True, 1.0)]
