"""Edges that are never told, and a chip that is lost in mid-hold: what counts is what a finger did.

The whole box on the model of its chip, in virtual time.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from gpiozero.pins.mock import MockPin

from mind_box.game.state import Check, Phase
from mind_box.settings.schema import GpioSettings
from mind_box.table.inputs import STAR
from mind_box.virtual.scripts.clock import run_virtual
from tests.devices.driven import MockBox, Table, table
from tests.models.model_box import ModelBox

# -- edges that are never told


@table
async def test_a_tap_of_star_whose_release_is_never_told_is_a_tap(t: Table) -> None:
    t.box.press(STAR)
    await asyncio.sleep(0.08)
    t.box.lift(STAR, told=False)
    await asyncio.sleep(0.4)
    assert t.view.variant == "reverse"
    await asyncio.sleep(3)
    assert t.view.menu is None


@pytest.mark.parametrize(("held", "told"), [(1.45, True), (1.45, False), (1.52, True), (1.52, False)])
def test_a_hold_of_star_is_1_5_seconds_whether_its_end_is_told_or_not(held: float, told: bool) -> None:
    @table
    async def run(t: Table) -> None:
        t.box.press(STAR)
        await asyncio.sleep(held)
        t.box.lift(STAR, told=told)
        await asyncio.sleep(2)
        assert (t.view.menu, t.view.variant) == ((None, "reverse") if held < 1.5 else ("start", "classic"))

    run()


@table
async def test_a_seat_whose_release_is_never_told_is_up(t: Table) -> None:
    t.box.press(1)
    t.box.press(2)
    await asyncio.sleep(0.08)
    assert list(t.view.hands_down) == [1, 2]
    t.box.lift(1, told=False)
    await asyncio.sleep(0.4)
    assert list(t.view.hands_down) == [2]
    await asyncio.sleep(20)
    t.box.lift(2, told=False)
    await asyncio.sleep(1.5)  # rarer looks by now
    assert t.view.hands_down == ()


@table
async def test_hands_that_were_not_there_at_the_end_of_two_seconds_are_no_game(t: Table) -> None:
    t.box.press(1)
    t.box.press(2)
    t.box.press(3)
    await asyncio.sleep(1.9)  # between two looks
    t.box.lift(3, told=False)
    await asyncio.sleep(0.2)
    t.box.lift(1)
    await asyncio.sleep(0.01)
    t.box.lift(2)
    await asyncio.sleep(3)
    assert t.view.phase == "lobby"
    await t.hands(1, 2)
    assert t.view.seats == (1, 2)


@pytest.mark.parametrize("told", [(), (1,), (2,), (1, 2)])
def test_hands_held_for_two_seconds_are_a_game_though_nobody_tells_that_they_were_lifted(told: tuple[int]) -> None:
    @table
    async def run(t: Table) -> None:
        t.box.press(1)
        t.box.press(2)
        await asyncio.sleep(2.1)
        for seat in (1, 2):
            t.box.lift(seat, told=seat in told)
        await asyncio.sleep(2)
        assert t.view.seats == (1, 2)

    run()


@pytest.mark.parametrize("before", [0.0, 0.01, 0.02, 0.06, 0.5, 1.2])
def test_play_does_not_begin_with_a_hand_that_was_lifted_before_the_last_came(before: float) -> None:
    @table
    async def run(t: Table) -> None:
        await t.hands(1, 2)
        t.box.press(1)
        await asyncio.sleep(5)
        t.box.lift(1, told=False)
        await asyncio.sleep(before)
        t.box.press(2)
        await asyncio.sleep(0.2)
        assert t.view.hands_down == (2,)
        t.box.lift(2)
        await asyncio.sleep(2)
        assert t.view.phase == "focus"
        await t.hands(1, 2)
        assert t.view.phase == "play"

    run()


@pytest.mark.parametrize(("phase", "check"), [("won", None), ("won", "at_end"), ("lost", None)])
@pytest.mark.parametrize(("held", "told"), [(1.9, True), (1.9, False), (2.1, True), (2.1, False)])
def test_won_and_lost_ask_for_the_same_two_seconds(phase: Phase, check: Check | None, held: float, told: bool) -> None:
    @table
    async def run(t: Table) -> None:
        await t.hands(1, 2)
        assert t.referee.table is not None
        t.referee.table.game = replace(t.referee.table.game, phase=phase, check=check)
        t.box.press(1)
        t.box.press(2)
        await asyncio.sleep(held)
        t.box.lift(1, told=told)
        await asyncio.sleep(0.1)
        t.box.lift(2)
        await asyncio.sleep(2)
        after = "focus" if (phase, check) == ("won", None) else "lobby"
        assert t.view.phase == (phase if held < 2 else after)

    run()


@table
async def test_a_press_that_is_never_told_counts_when_it_is_seen(t: Table) -> None:
    """Nothing wakes the box for it; but whatever does, sees it."""
    t.box.press(STAR, told=False)
    turns = t.turns
    await asyncio.sleep(60)
    assert t.turns == turns
    t.box.scan("17")
    await asyncio.sleep(1.4)
    assert t.view.menu is None
    await asyncio.sleep(0.2)
    assert t.view.menu == "start"
    t.box.lift(STAR, told=False)
    await asyncio.sleep(5)
    assert t.view.menu == "start"
    t.box.press(STAR)
    await asyncio.sleep(0.1)
    t.box.lift(STAR)
    await asyncio.sleep(0.1)
    assert t.view.menu == "variant"


def test_a_button_stuck_at_start_works_when_it_is_free_though_nobody_tells_it() -> None:
    async def main() -> None:
        box = ModelBox()
        box.press(STAR)
        t = Table(box)
        await asyncio.sleep(10)
        assert t.view.menu is None
        box.lift(STAR, told=False)
        await asyncio.sleep(1.5)
        assert t.view.variant == "classic"
        box.press(STAR)
        await asyncio.sleep(0.1)
        box.lift(STAR)
        await asyncio.sleep(0.1)
        assert t.view.variant == "reverse"
        t.referee.close()

    run_virtual(main())


@table
async def test_a_level_without_its_edge_is_nothing_for_a_moment_only(t: Table) -> None:
    """A spike whose end was lost is no press, and a short press after it counts with its own times."""
    t.box.press(1)
    await asyncio.sleep(0.001)
    t.box.lift(1, told=False)
    await asyncio.sleep(0.2)
    assert (t.counted, t.view.hands_down) == ([], ())
    t.box.press(1)
    await asyncio.sleep(0.03)
    t.box.lift(1)
    await asyncio.sleep(0.2)
    assert [c.down for c in t.counted] == [True, False]


# -- the chip is lost in mid-hold


@pytest.mark.parametrize("away", [0.01, 0.5, 5.0])
@pytest.mark.parametrize("lifted", [False, True])
def test_a_lost_chip_lets_no_hold_go_on(away: float, lifted: bool) -> None:
    @table
    async def run(t: Table) -> None:
        t.box.press(STAR)
        t.box.press(1)
        await asyncio.sleep(1.0)
        t.box.unplug("buttons")
        await asyncio.sleep(away)
        assert t.view.hands_down == ()
        if lifted:
            t.box.lift(STAR)
            t.box.lift(1)
        t.box.plug("buttons")
        await asyncio.sleep(5)
        assert (t.view.menu, t.view.variant, t.view.hands_down) == (None, "classic", ())
        t.box.lift(STAR)
        t.box.lift(1)
        await asyncio.sleep(1)
        assert (t.view.menu, t.view.variant, t.view.phase) == (None, "classic", "lobby")
        await t.hands(1, 2)
        assert t.view.phase == "focus"

    run()


@table
async def test_hands_that_a_lost_chip_hid_begin_no_level(t: Table) -> None:
    await t.hands(1, 2)
    t.box.press(1)
    t.box.press(2)
    await asyncio.sleep(1)
    t.box.unplug("buttons")
    t.box.lift(1)
    t.box.lift(2)
    await asyncio.sleep(1)
    assert (t.view.hands_down, t.view.waiting) == ((), (1, 2))
    t.box.plug("buttons")
    await asyncio.sleep(3)
    assert t.view.phase == "focus"
    await t.hands(1, 2)
    assert t.view.phase == "play"


def test_a_chip_that_is_lost_while_one_button_is_missing_already_lets_no_hold_go_on() -> None:
    """The fault of the buttons is told once; that they are all gone now shows where they are read."""

    async def main() -> None:
        box = ModelBox()
        box.chip.take(box.pin(3), "w1")
        t = Table(box)
        assert t.view.faults == ("buttons",)
        box.press(STAR)
        await asyncio.sleep(1.0)
        box.unplug("buttons")
        await asyncio.sleep(3.0)
        assert t.view.menu is None
        t.referee.close()

    run_virtual(main())


# -- what it costs


@table
async def test_a_hand_that_stays_wakes_the_box_less_than_once_a_second_and_none_never(t: Table) -> None:
    t.box.press(1)
    await asyncio.sleep(5)
    before = t.turns
    await asyncio.sleep(60)
    assert 40 <= t.turns - before <= 50
    t.box.lift(1)
    await asyncio.sleep(1)
    before = t.turns
    await asyncio.sleep(600)
    assert t.turns == before


# -- libraries that lose edges


class LockOutPin(MockPin):  # type: ignore[misc]
    """A pin as RPi.GPIO's: for ``bounce`` seconds after an edge that was told it tells none, and none later instead."""

    def _call_when_changed(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - getattr(self, "_last_told", -1.0) > (self._bounce or 0.0):
            self._last_told = now
            super()._call_when_changed()


@pytest.mark.parametrize("name", ["auto", "rpigpio"])
def test_a_lock_out_is_not_used_as_a_debounce_and_the_log_says_so(name: str, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        box = MockBox(LockOutPin, GpioSettings(factory=name, kernel_debounce=0.1), "rpigpio")
        t = Table(box)
        for wait in (0.04, 5.0, 0.08, 0.12, 0.15, 1.0):
            (box.lift if STAR in box.down else box.press)(STAR)
            await asyncio.sleep(wait)
        assert [c.down for c in t.counted] == [True, False] * 3
        t.referee.close()

    run_virtual(main())
    said = [r.getMessage() for r in caplog.records if "kernel_debounce" in r.getMessage()]
    assert len(said) == 1 and "RPi.GPIO" in said[0] and 'gpio.factory = "gpiod"' in said[0]


def test_a_library_that_locks_out_whatever_it_is_told_still_gives_each_press_of_a_finger() -> None:
    class Deaf(LockOutPin):
        _bounce = property(lambda _: 0.1, lambda *_: None)

    async def main() -> None:
        box = MockBox(Deaf, name="lgpio")
        t = Table(box)
        for _ in range(10):
            box.press(1)
            await asyncio.sleep(0.06)
            box.lift(1)
            await asyncio.sleep(0.4)
        assert [c.down for c in t.counted] == [True, False] * 10
        t.referee.close()

    run_virtual(main())
