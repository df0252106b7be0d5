"""Edges that come late to a loop that is kept from running: each press counts, with its own times."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from gpiozero.pins.mock import MockPin

from mind_box.settings.schema import Config
from mind_box.table.inputs import STAR
from mind_box.virtual.scripts.clock import VirtualLoop, run_virtual
from tests.devices.driven import MockBox, Table
from tests.models.model_box import ModelBox

WINDOW = Config().table.debounce
PRESSES = 40


class World:
    """What happens at set times, also while the loop is kept from running: then edges wait that nobody reads."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self.loop = loop
        self._plan: list[tuple[float, int, Callable[[], None]]] = []
        self._number = itertools.count()
        self._free = 0.0

    def at(self, time: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._plan, (time, next(self._number), act))
        self.loop.call_at(time, self._until, time)

    def _until(self, end: float) -> None:
        while self._plan and self._plan[0][0] <= end:
            time, _, act = heapq.heappop(self._plan)
            self.loop.jump(max(0.0, time - self.loop.time()))
            act()

    def starve(self, seconds: float) -> None:
        """Something else has the processor; then all that waits is done at once, and the box has a moment."""
        now = self.loop.time()
        if now >= self._free:
            self._until(now + seconds)
            self.loop.jump(max(0.0, now + seconds - self.loop.time()))
            self._free = self.loop.time() + 0.05


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


class ThreadPin(MockPin):  # type: ignore[misc]
    """A pin whose edges come from a library's own thread, as lgpio's: stamped by the kernel, told some time later."""

    hand_over: Callable[[Callable[[], None]], object]

    def _call_when_changed(self) -> None:
        at, state = asyncio.get_running_loop().time(), self._state
        self.hand_over(lambda: super(MockPin, self)._call_when_changed(at, state))


class Later:
    """Hands edges over late, in their order."""

    def __init__(self, delay: Callable[[], float], world: World) -> None:
        self._delay = delay
        self._world = world
        self._last = 0.0
        self._now = asyncio.get_running_loop().time

    def __call__(self, tell: Callable[[], None]) -> None:
        self._last = max(self._last, self._now() + self._delay())
        self._world.at(self._last, tell)


def starving_box(kind: str, later: Later) -> ModelBox:
    if kind == "gpiod":
        return ModelBox(screens=())
    if kind.startswith("gpiod"):
        box = ModelBox(screens=())
        box.chip.hand_over = later
        return box
    if kind == "mock":
        return MockBox(MockPin)

    class Pin(ThreadPin):
        hand_over = staticmethod(later)

    return MockBox(Pin)


@pytest.mark.parametrize("kind", ["gpiod", "gpiod, late", "gpiod, very late", "mock", "thread"])
def test_on_a_starved_machine_each_press_counts_with_its_own_times(kind: str) -> None:
    for seed in range(25):

        async def main(seed: int = seed) -> None:
            rng, world = random.Random(seed), World()
            delay = (lambda: 0.3) if "very" in kind else lambda: rng.choice((0, rng.random() * 0.04))
            t = Table(starving_box(kind, Later(delay, world)))
            plan = presses(rng, range(STAR, 5))
            for at, button, down in plan:
                world.at(at, partial(t.box.press if down else t.box.lift, button))
                for moment in (at, at + 0.01, at + WINDOW):  # where it hurts: an edge has come, its window is over
                    if rng.random() < 0.2:
                        t.box.loop.call_at(moment, world.starve, rng.choice((0.005, 0.03, 0.12, 0.4)))
            await asyncio.sleep(max(plan)[0] + 3)
            told: list[Any] = [
                (c.button, c.down, pytest.approx(c.at)) for c in sorted(t.counted, key=lambda c: (c.at, c.button))
            ]
            assert [(b, d, at) for at, b, d in sorted(plan)] == told, f"seed {seed}"
            t.referee.close()

        run_virtual(main())


@pytest.mark.parametrize(("held", "menu"), [(0.2, None), (1.45, None), (1.52, "start"), (3.0, "start")])
@pytest.mark.parametrize(("frozen", "until"), [(0.01, 1.6), (0.1, 4.0), (1.0, 2.0), (1.4, 1.51), (1.49, 1.7)])
@pytest.mark.parametrize("kind", ["gpiod", "gpiod, late", "thread"])
def test_a_hold_is_as_long_as_the_finger_made_it(
    kind: str, held: float, menu: str | None, frozen: float, until: float
) -> None:
    async def main() -> None:
        world = World()
        t = Table(starving_box(kind, Later(lambda: 0.04, world)))
        await asyncio.sleep(1.0)
        start = asyncio.get_running_loop().time()
        world.at(start, partial(t.box.press, STAR))
        world.at(start + held, partial(t.box.lift, STAR))
        t.box.loop.call_at(start + frozen, world.starve, until - frozen)
        await asyncio.sleep(8.0)
        assert (t.view.menu, t.view.variant) == (menu, "classic" if menu else "reverse")
        t.referee.close()

    run_virtual(main())


@pytest.mark.parametrize("order", list(itertools.permutations(("press", "card", "other press"))))
def test_what_waited_is_taken_in_the_order_in_which_it_happened(order: tuple[str, ...]) -> None:
    """A press stops the game before the card that was shown after it, however long nobody could look."""

    async def main() -> None:
        world = World()
        t = Table(ModelBox(screens=()))
        await t.hands(1, 2)
        await t.hands(1, 2)
        assert t.view.phase == "play"
        start = asyncio.get_running_loop().time()
        acts = {"press": partial(t.box.press, 1), "other press": partial(t.box.press, 2)}
        for n, what in enumerate(order, 1):
            world.at(start + n / 10, acts.get(what) or partial(t.box.scan, "40"))
        t.box.loop.call_at(start + 0.05, world.starve, 1.0)
        await asyncio.sleep(2.0)
        assert t.view.pile == ((40,) if order[0] == "card" else ())
        assert [e.at for e in t.counted[-2:]] == sorted(e.at for e in t.counted[-2:])
        t.referee.close()

    run_virtual(main())


async def test_beside_real_load_each_press_counts_with_the_kernels_times() -> None:
    """No limit in time: threads that compute keep the loop waiting, a finger of its own presses meanwhile."""
    box = ModelBox(screens=())
    stamps: list[tuple[bool, float]] = []

    def stamped() -> int:
        stamps.append((not stamps or not stamps[-1][0], now := time.monotonic_ns()))
        return now

    box.chip.clock_ns = stamped
    t = Table(box)
    over, all_counted = threading.Event(), asyncio.Event()

    def told() -> None:
        if len(t.counted) >= 2 * PRESSES:
            all_counted.set()

    t.told = told

    def compute() -> None:
        while not over.is_set():
            sum(range(1000))

    def press() -> None:
        for _ in range(PRESSES):
            box.press(STAR)
            over.wait(2 * WINDOW)
            box.lift(STAR)
            over.wait(2 * WINDOW)

    threads = [threading.Thread(target=target) for target in (compute, compute, compute, press)]
    for thread in threads:
        thread.start()
    try:
        await asyncio.wait_for(all_counted.wait(), 60)
    finally:
        over.set()
        for thread in threads:
            thread.join()
        t.referee.close()
    counted: list[Any] = [(c.down, pytest.approx(c.at, abs=1e-6)) for c in t.counted]
    assert counted == [(d, at / 1e9) for d, at in stamps]
