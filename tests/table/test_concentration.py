"""Concentration: when hands that are down already count no longer, and have to be put down anew."""

from __future__ import annotations

from mind_box.table.inputs import STAR
from tests.table.gestures import Gestures


def in_level(level: int) -> Gestures:
    """Three seats that play a level; what lies on the pile before is low."""
    table = Gestures()
    table.hands(1, 2, 3)
    table.hands()
    for done in range(1, level):
        for card in range(1, 3 * done + 1):
            table.scan(card)
        table.hands()
    assert (table.view.phase, table.view.level) == ("play", level)
    return table


def two_down(table: Gestures) -> Gestures:
    table.down(1, 2)
    table.wait(0.1)
    assert (table.view.phase, table.view.hands_down) == ("focus", (1, 2))
    return table


def test_a_card_laid_too_early_in_a_free_stop_begins_concentration_anew() -> None:
    table = in_level(2)
    table.scan(50)
    table.tap(1)
    two_down(table)
    table.scan(20)
    assert (table.view.reason, table.view.hands_down) == ("error", ())


def test_another_error_in_focus_begins_it_anew() -> None:
    table = in_level(2)
    table.scan(50)
    table.scan(20)
    two_down(table)
    table.scan(10)
    assert (table.view.reason, table.view.aside, table.view.hands_down) == ("error", (10, 20), ())


def test_another_star_in_focus_begins_it_anew() -> None:
    table = in_level(3)
    assert table.view.stars == 2
    table.tap(STAR)
    table.hands()
    two_down(table)
    table.scan(50)  # put aside: nothing that hands have to hear of
    assert (table.view.reason, table.view.hands_down) == ("star", (1, 2))
    table.up(1, 2)
    table.wait(0.1)
    table.tap(STAR)
    table.hands()
    assert (table.view.phase, table.view.reason, table.view.stars, table.view.hands_down) == ("focus", "star", 0, ())


def test_a_card_that_is_refused_leaves_the_hands_where_they_are() -> None:
    table = in_level(2)
    table.scan(50)
    table.scan(20)
    two_down(table)
    table.scan(50)
    assert (table.view.reason, table.view.hands_down) == ("error", (1, 2))
