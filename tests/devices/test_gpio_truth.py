"""Edges that never come or come late, and levels that are read too early: what counts is what a finger did.

The whole box on the model of its chip, in virtual time, with a loop that can be kept from running.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from mind_box.config import Config, GpioSettings
from mind_box.journal import Journal
from mind_box.referee import Referee
from mind_box.table.debounce import Stable
from mind_box.table.inputs import STAR
from mind_box.table.view import View
from mind_box.virtual.clock import VirtualLoop, run_virtual
from mind_box.virtual.model_box import ModelBox

WINDOW = Config().table.debounce


class Table:
    """Fingers on a box, and eyes on what it makes of them."""

    def __init__(self, box: ModelBox | None = None) -> None:
        self.box = box or ModelBox()
        self.turns = 0
        self.counted: list[Stable] = []
        self.referee = Referee(Config(), Journal.in_memory())
        self.referee.start(self.box.open)
        self._watch(self.referee)

    def _watch(self, referee: Referee) -> None:
        assert referee._table is not None
        turn, settle = referee.turn, referee._table._debounce.settle

        def watched() -> None:
            self.turns += 1
            turn()

        def noted(now: float) -> list[Stable]:
            changes = settle(now)
            self.counted += changes
            return changes

        referee.turn = watched  # type: ignore[method-assign]
        referee._table._debounce.settle = noted  # type: ignore[method-assign]

    @property
    def view(self) -> View:
        return self.referee.view

    async def hands(self, *seats: int) -> None:
        for seat in seats:
            self.box.press(seat)
        await asyncio.sleep(2.5)
        for seat in seats:
            self.box.lift(seat)
        await asyncio.sleep(0.1)


def table(test: Callable[[Table], Awaitable[None]]) -> Callable[[], None]:
    """Runs a test with a table, in virtual time."""

    def run() -> None:
        async def main() -> None:
            bench = Table()
            await asyncio.sleep(1.0)
            await test(bench)
            bench.referee.close()

        run_virtual(main())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


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
    assert t.view.hands_down == (1, 2)
    t.box.lift(1, told=False)
    await asyncio.sleep(0.4)
    assert t.view.hands_down == (2,)
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


@table
async def test_won_asks_for_the_same_two_seconds(t: Table) -> None:
    await t.hands(1, 2)
    assert t.referee._table is not None
    t.referee._table.game = replace(t.referee._table.game, phase="won")
    t.box.press(1)
    t.box.press(2)
    await asyncio.sleep(1.9)
    t.box.lift(1, told=False)
    await asyncio.sleep(0.2)
    t.box.lift(2)
    await asyncio.sleep(2)
    assert t.view.phase == "won"


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


# -- edges that are late


class World:
    """What happens at set times, also while the loop is kept from running: then edges wait that nobody reads."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self._loop = loop
        self._plan: list[tuple[float, int, Callable[[], None]]] = []
        self._number = itertools.count()
        self._free = 0.0

    def at(self, time: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._plan, (time, next(self._number), act))
        self._loop.call_at(time, self._until, time)

    def _until(self, end: float) -> None:
        while self._plan and self._plan[0][0] <= end:
            time, _, act = heapq.heappop(self._plan)
            self._loop.jump(max(0.0, time - self._loop.time()))
            act()

    def starve(self, seconds: float) -> None:
        """Something else has the processor; then all that waits is done at once, and the box has a moment."""
        now = self._loop.time()
        if now >= self._free:
            self._until(now + seconds)
            self._loop.jump(max(0.0, now + seconds - self._loop.time()))
            self._free = self._loop.time() + 0.05


def presses(rng: random.Random, buttons: range) -> list[tuple[float, int, bool]]:
    """Each longer than the debounce window, and as far from the next one; in any order of the buttons."""
    plan = []
    for button in buttons:
        at = 1.0
        for _ in range(12):
            at += WINDOW + rng.choice((0.002, 0.02, 0.15, 1.0)) + rng.random() / 100
            down = at
            at += WINDOW + rng.choice((0.002, 0.02, 0.125)) + rng.random() / 100
            plan += [(down, button, True), (at, button, False)]
    return plan


class ThreadPin(MockPin):
    """A pin whose edges come from a library's own thread, as lgpio's: stamped by the kernel, told some time later."""

    hand_over: Callable[[Callable[[], None]], object]

    def _call_when_changed(self) -> None:
        at, state = asyncio.get_running_loop().time(), self._state
        self.hand_over(lambda: MockPin.__base__._call_when_changed(self, at, state))


class MockBox(ModelBox):
    """The real drivers on pins of gpiozero's mock factory, or on such whose edges come from a thread."""

    def __init__(self, pin_class: type[MockPin]) -> None:
        super().__init__(screens=())
        self._pins = MockFactory(pin_class=pin_class)

    def _factory(self, settings: GpioSettings, loop: asyncio.AbstractEventLoop, lost: Any) -> tuple[Any, str]:
        del settings, loop, lost
        return self._pins, "lgpio"

    def press(self, button: int, told: bool = True) -> None:
        assert told
        self._pins.pin(self.pin(button)).drive_low()

    def lift(self, button: int, told: bool = True) -> None:
        assert told
        self._pins.pin(self.pin(button)).drive_high()


class Later:
    """Hands edges over up to 40 ms late, in their order."""

    def __init__(self, rng: random.Random, world: World) -> None:
        self._rng = rng
        self._world = world
        self._last = 0.0
        self._now = asyncio.get_running_loop().time

    def __call__(self, tell: Callable[[], None]) -> None:
        self._last = max(self._last, self._now() + self._rng.choice((0, self._rng.random() * 0.04)))
        self._world.at(self._last, tell)


def starving_box(kind: str, later: Later) -> ModelBox:
    if kind == "gpiod":
        return ModelBox(screens=())
    if kind == "gpiod, late":
        box = ModelBox(screens=())
        box.chip.hand_over = later
        return box
    if kind == "mock":
        return MockBox(MockPin)

    class Pin(ThreadPin):
        hand_over = staticmethod(later)  # type: ignore[assignment]

    return MockBox(Pin)


@pytest.mark.parametrize("kind", ["gpiod", "gpiod, late", "mock", "thread"])
def test_on_a_starved_machine_each_press_counts_with_its_own_times(kind: str) -> None:
    for seed in range(25):

        async def main(seed: int = seed) -> None:
            rng, world = random.Random(seed), World()
            t = Table(starving_box(kind, Later(rng, world)))
            plan = presses(rng, range(STAR, 5))
            for at, button, down in plan:
                world.at(at, partial(t.box.press if down else t.box.lift, button))
                for moment in (at, at + 0.01, at + WINDOW):  # where it hurts: an edge has come, its window is over
                    if rng.random() < 0.2:
                        t.box._loop.call_at(moment, world.starve, rng.choice((0.005, 0.03, 0.12, 0.4)))
            await asyncio.sleep(max(plan)[0] + 3)
            told = [(c.button, c.down, pytest.approx(c.at)) for c in sorted(t.counted, key=lambda c: (c.at, c.button))]
            assert [(b, d, at) for at, b, d in sorted(plan)] == told, f"seed {seed}"
            t.referee.close()

        run_virtual(main())
