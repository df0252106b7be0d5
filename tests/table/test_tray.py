"""The pile under its own reader: real driver and table, in virtual time, under a modelled scanner and pile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.devices.readers.driver import Action, Emptied, Seen
from mind_box.devices.readers.lines import LineDriver
from mind_box.devices.readers.tray import EMPTY, TrayDriver
from mind_box.game.cards import Card
from mind_box.table.inputs import Scan, TrayEmpty
from mind_box.table.payload import TRAY
from tests.models.pile_scanner import KIND, PERIOD, WORST, Manners, PileScanner
from tests.table.gestures import AWAY, Gestures

CLEARED = EMPTY * AWAY + 2 * PERIOD
"""Seconds after which an empty tray is known to be empty."""


class AtTray(Gestures):
    """A table with its pile under a scanner. Time passes picture by picture."""

    def __init__(self, manners: Manners = KIND, seed: int = 0, floor: bool = False, **setup: Any) -> None:
        self.scanner = PileScanner(manners, seed, floor)
        self.driver = TrayDriver(LineDriver(0.0), AWAY)
        self.told: list[str] = []
        super().__init__(**setup)
        self.carry_out(self.driver.opened(0.0))
        self.wait(CLEARED)

    def carry_out(self, actions: Sequence[Action]) -> None:
        for action in actions:
            if isinstance(action, Seen):
                self.put(Scan(action.payload, action.at, tray=True))
            elif isinstance(action, Emptied):
                self.put(TrayEmpty(action.at, action.seen))
            self.told += [code for code in self.view.notices if code in ("missed", "clear_tray", "unknown_card")]

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now + PERIOD <= end + 1e-9:
            super().wait(PERIOD)
            data = self.scanner.picture()
            if data:
                self.carry_out(self.driver.received(data, self.now))
            if self.driver.deadline is not None and self.driver.deadline <= self.now:
                self.carry_out(self.driver.wake(self.now))
        super().wait(max(end - self.now, 0.0))

    def lay(self, *cards: Card, apart: float = 2.0) -> None:
        for card in cards:
            self.scanner.pile.append(card)
            self.wait(apart)

    def lift(self, seconds: float = 2.0) -> Card:
        """Takes the top card into the hand."""
        card = self.scanner.pile.pop()
        self.wait(seconds)
        return card

    def clear(self) -> None:
        self.scanner.pile.clear()
        self.wait(CLEARED)

    def at_level(self, level: int, seats: int = 3) -> None:
        """The level's start, with the tray empty."""
        self.hands(*range(1, seats + 1))
        for n in range(1, level):
            self.hands()
            self.lay(*range(1, n * seats + 1))
            self.clear()
        assert (self.view.phase, self.view.level) == ("deal" if self.view.hands == "known" else "focus", level)

    def in_play(self, level: int, seats: int = 3) -> None:
        self.at_level(level, seats)
        self.hands()
        assert self.view.phase == "play"


def test_cards_laid_on_the_pile_are_scanned_and_those_that_lie_there_are_not() -> None:
    table = AtTray()
    table.in_play(2)
    table.lay(4, 17)
    table.wait(600)
    assert (table.view.phase, table.view.pile, table.told) == ("play", (4, 17), [])


def test_two_cards_a_third_of_a_second_apart_are_both_read() -> None:
    table = AtTray()
    table.in_play(2)
    table.lay(4, 17, 21, apart=0.3)
    assert table.view.pile == (4, 17, 21)


def test_cards_that_are_lifted_to_look_below_and_laid_back_are_nothing() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4, 17, 21)
    held = [table.lift(), table.lift()]
    table.lay(*reversed(held))
    assert (table.view.pile, table.view.notices) == ((4, 17, 21), ())
    table.lay(30)
    assert table.view.pile == (4, 17, 21, 30)


def test_a_card_taken_back_counts_when_it_is_laid_anew() -> None:
    """Not while it lies there, nor when a hand was over it."""
    table = AtTray()
    table.in_play(3)
    table.lay(4, 17)
    table.menu("undo")
    table.scanner.hidden = True
    table.wait(1.5)
    table.scanner.hidden = False
    table.wait(5)
    assert (table.view.pile, table.view.reason, table.view.notices) == ((4,), "stop", ("undone",))
    table.lift()
    table.hands()
    table.lay(17)
    assert (table.view.pile, table.view.phase) == ((4, 17), "play")


def test_of_two_cards_taken_back_the_lower_one_coming_to_light_is_no_scan() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4, 17, 21)
    table.menu("undo")
    table.menu("undo")
    table.lift()
    assert (table.view.pile, table.view.notices) == ((4,), ("undone",))
    table.lift()
    table.hands()
    table.lay(17, 21)
    assert table.view.pile == (4, 17, 21)


def test_the_only_card_taken_back_counts_when_the_tray_was_empty() -> None:
    table = AtTray()
    table.in_play(2)
    table.lay(17)
    table.menu("undo")
    table.clear()
    table.hands()
    table.lay(17)
    assert table.view.pile == (17,)


def test_a_late_card_that_was_put_aside_by_undo_is_no_error_again() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(17, 4)
    assert table.view.errors == 1
    table.lift()
    table.lay(4)
    assert table.view.errors == 1
    table.menu("undo")
    table.wait(5)
    assert (table.view.errors, table.view.aside) == (0, ())


def test_after_a_level_nothing_counts_until_the_tray_was_empty() -> None:
    table = AtTray(hands="known")
    table.hands(1, 2)
    table.lay(5, 9)  # dealt
    assert table.view.phase == "focus"
    table.clear()
    table.hands()
    table.lay(5, 9)
    assert (table.view.phase, table.view.level) == ("deal", 2)
    table.lift()
    table.wait(5)
    assert (table.view.counts, table.told) == ({1: 0, 2: 0}, [])
    table.lay(30)
    assert (table.view.counts, table.view.notices) == ({1: 0, 2: 0}, ("clear_tray",))
    table.clear()
    table.lay(5)
    assert table.view.counts == {1: 1, 2: 0}


def test_an_undo_over_the_end_of_a_level_goes_on_with_the_pile_that_lies_there() -> None:
    table = AtTray()
    table.in_play(1)
    table.lay(5, 9, 12)
    assert table.view.level == 2
    table.menu("undo")
    assert (table.view.level, table.view.pile) == (1, (5, 9))
    table.lift()
    table.hands()
    table.lay(14)
    assert table.view.level == 2
    table.lay(20)
    assert (table.view.level, table.view.notices) == (2, ("clear_tray",))


def test_the_end_of_a_game_closes_the_pile_too() -> None:
    table = AtTray()
    table.in_play(1)
    table.lay(5, 9)
    table.menu("end-game")
    table.hold(2.0, 0)
    table.hands(1, 2)
    table.lift()
    table.hands()
    table.lay(9)
    assert (table.view.phase, table.view.pile) == ("play", ())
    table.clear()
    table.lay(9)
    assert table.view.pile == (9,)


def test_a_card_that_lay_unseen_is_missed_and_is_laid_anew() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4)
    table.scanner.pile.append(10)  # covered before the scanner saw it
    table.lay(17)
    assert table.view.pile == (4, 17)
    table.menu("undo")
    table.lift()
    assert (table.view.pile, table.view.notices) == ((4,), ("missed",))
    table.lift()
    table.hands()
    table.lay(10, 17)
    assert table.view.pile == (4, 10, 17)


def test_a_card_that_turns_up_among_lifted_ones_is_missed() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4)
    table.scanner.pile += [10]
    table.lay(17)
    del table.scanner.pile[1:]  # both at once
    table.wait(2)
    table.lay(10)
    assert (table.view.pile, table.view.errors, table.view.notices) == ((4, 17), 0, ("missed",))
    table.lay(17, 21)
    assert table.view.pile == (4, 17, 21)


def test_a_late_card_in_focus_is_an_error_as_at_a_slot() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4, 17)
    table.tap(1)
    table.lay(10)
    assert (table.view.aside, table.view.errors) == ((10,), 1)


def test_a_card_refused_in_focus_makes_hands_anew_and_counts_when_laid_anew() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4)
    table.tap(1)
    table.down(1, 2, 3)
    table.wait(1)
    table.lay(30)
    assert (table.view.notices, table.view.hands_down) == (("paused",), ())
    table.up(1, 2, 3)
    table.wait(1)
    table.lift()
    table.hands()
    table.lay(30)
    assert table.view.pile == (4, 30)


def test_star_cards_go_aside_at_first_sight() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4)
    table.tap(0)
    for seat in (1, 2, 3):
        table.tap(seat)
    assert table.view.reason == "star"
    table.lay(20, apart=0.3)
    table.lay(30)
    table.lift()
    table.lay(40)
    assert (table.view.aside, table.view.pile) == ((20, 30, 40), (4,))


def test_in_a_blind_check_the_pile_is_taken_off_card_by_card() -> None:
    table = AtTray(blind="at_end")
    table.in_play(1)
    table.wait(10)  # face down: nothing is read
    table.scanner.pile = [30, 12, 5]  # turned over
    for _ in range(3):
        table.wait(1)
        table.lift(0.0)
    assert (table.view.level, table.view.errors) == (2, 0)


def test_dealing_through_the_tray_first_sight_counts_and_what_was_dealt_can_be_laid() -> None:
    table = AtTray(hands="known")
    table.hands(1, 2)
    for card in (50, 9):
        table.scanner.pile = [card]
        table.wait(0.3)
        table.scanner.pile = []
        table.wait(0.5)
    assert (table.view.phase, table.view.counts) == ("focus", {1: 1, 2: 1})
    table.hands()
    table.lay(9, 50)
    assert (table.view.level, table.view.lives) == (2, 2)


def test_after_a_power_cut_the_pile_that_lies_there_is_known_from_the_game() -> None:
    table = AtTray()
    table.in_play(3)
    table.lay(4, 17)
    table.cut_power()
    table.driver = TrayDriver(LineDriver(0.0), AWAY)
    table.carry_out(table.driver.opened(table.now))
    table.wait(5)
    table.hands()
    table.lift()
    table.lay(17, 30)
    assert (table.view.pile, table.told) == ((4, 17, 30), [])


def test_a_scanner_that_sees_nothing_for_a_moment_sees_no_empty_tray() -> None:
    table = AtTray()
    table.in_play(1)
    table.lay(5, 9, 12)
    table.scanner.hidden = True
    table.wait(CLEARED - 1)
    table.scanner.hidden = False
    table.wait(1)
    table.lay(20)
    assert (table.view.level, table.view.notices) == (2, ("clear_tray",))


def test_with_a_label_on_its_floor_an_empty_tray_is_seen_and_silence_is_none() -> None:
    """A pile that is taken and laid down again at once, a hand, a pile face down: nothing of it is an empty tray."""
    table = AtTray(floor=True)
    assert table.table.floor_label
    table.in_play(1)
    table.lay(5, 9, 12)
    table.scanner.hidden = True
    table.wait(10 * CLEARED)
    table.scanner.hidden = False
    held, table.scanner.pile = table.scanner.pile, []
    table.wait(AWAY - 2 * PERIOD)
    table.scanner.pile = held
    table.lay(20)
    assert (table.view.level, table.view.notices) == (2, ("clear_tray",))
    table.scanner.pile = []
    table.wait(AWAY + 2 * PERIOD)  # no longer
    table.hands()
    table.lay(12)
    assert table.view.pile == (12,)


def test_without_a_label_silence_is_an_empty_tray() -> None:
    table = AtTray()
    assert not table.table.floor_label
    table.in_play(1)
    table.lay(5, 9, 12)
    table.scanner.hidden = True
    table.wait(CLEARED)
    table.scanner.pile, table.scanner.hidden = [], False
    table.hands()
    table.lay(20)
    assert (table.view.pile, table.table.floor_label) == ((20,), False)


def test_a_label_on_the_floor_that_is_read_badly_is_seen_all_the_same() -> None:
    table = AtTray(WORST, floor=True)
    table.in_play(1)
    table.lay(5, 9, 12)
    table.scanner.pile = []
    table.wait(3 * AWAY)
    table.hands()
    table.lay(20)
    assert (table.view.pile, set(table.told) - {"unknown_card"}) == ((20,), set())


def test_the_label_of_the_floor_is_no_card_anywhere() -> None:
    table = AtTray()
    table.in_play(1)
    for payload in (TRAY, "mb1:tray\r"):
        table.put(Scan(payload, table.now))
        table.put(Scan(payload, table.now, tray=True))
    assert (table.view.phase, table.view.notices, table.told) == ("play", (), [])


@settings(max_examples=40)
@given(
    cards=st.lists(st.integers(1, 100), min_size=6, max_size=6, unique=True).map(sorted),
    peeks=st.lists(st.integers(0, 3), min_size=6, max_size=6),
    seed=st.integers(0, 2**32),
)
def test_whatever_the_scanner_s_manners_a_level_is_what_was_laid(cards: list[int], peeks: list[int], seed: int) -> None:
    """Random cards, each with a look under so many of the pile afterwards."""
    table = AtTray(WORST, seed)
    table.hands(1, 2, 3)
    table.hands()
    table.lay(1, 2, 3)
    table.clear()
    table.hands()
    for n, (card, deep) in enumerate(zip(cards, peeks, strict=True), 1):
        table.lay(card)
        if n == len(cards):
            break
        assert (table.view.phase, table.view.pile) == ("play", tuple(cards[:n]))
        held = [table.lift() for _ in range(min(deep, n - 1))]
        table.lay(*reversed(held))
        assert table.view.pile == tuple(cards[:n])
    assert (table.view.level, table.view.lives) == (3, 3)
    assert set(table.told) <= {"unknown_card"}  # the same wrong text twice in a row


@pytest.mark.parametrize("period", [0.03, 0.3])
def test_the_driver_tells_changes_alone(period: float) -> None:
    driver = TrayDriver(LineDriver(0.0), AWAY)
    told: list[Action] = list(driver.opened(0.0))
    at = 0.0
    for card in (7, 12, 7):
        for _ in range(100):
            at += period
            told += driver.received(f"{card}\r".encode(), at)
    assert [a.payload for a in told if isinstance(a, Seen)] == ["7", "12", "7"]
    assert driver.deadline == pytest.approx(at + EMPTY * AWAY)
    assert list(driver.wake(at + EMPTY * AWAY)) == [Emptied(at + EMPTY * AWAY)]
    assert driver.deadline is None  # an empty tray costs no wake-up


def test_one_bad_picture_of_a_label_is_nothing_and_two_are_an_unknown_card() -> None:
    driver = TrayDriver(LineDriver(0.0), AWAY)
    lines = ["MB1:042:F2", "MB1:043:F2", "MB1:042:F2", "MB1:047:F2", "MB1:047:F2"]
    told = [a for n, line in enumerate(lines) for a in driver.received(f"{line}\r\n".encode(), n * PERIOD)]
    assert [a.payload for a in told if isinstance(a, Seen)] == ["MB1:042:F2", "MB1:047:F2"]
