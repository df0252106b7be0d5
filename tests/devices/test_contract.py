"""What every port promises, held to the real drivers (over models of the chips) and to the virtual box alike."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial, wraps
from typing import Any

import pytest

from mind_box.devices.ports import Devices
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import STAR, Edge, Input, Scan
from mind_box.virtual.scripts.clock import run_virtual
from tests.devices.aids import Inbox, picture, same
from tests.devices.contract import BOXES, SCREENS, Box

MICROSECOND = 1e-6
PATIENCE = 2.5
"""Virtual seconds: what was plugged in again is found within 2, and one try takes a moment."""


async def settle(seconds: float = 0.1) -> None:
    """Lets time go by, and everything in flight arrive."""
    await asyncio.sleep(seconds)
    for _ in range(5):
        await asyncio.sleep(0)


class Bench:
    """One box with its ports open."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.inbox = Inbox()
        self.now = asyncio.get_running_loop().time
        self.ports: Devices = box.open(self.post)

    def post(self, message: Input) -> None:
        self.inbox.append(message)


def on_each_box(test: Callable[[Bench], Awaitable[None]]) -> object:
    """Runs a promise on a fresh box of each kind."""

    @pytest.mark.parametrize("make", BOXES, ids=lambda make: make.__name__)
    @wraps(test)
    def run(make: Callable[[], Box]) -> None:
        async def main() -> None:
            bench = Bench(make())
            try:
                await settle()
                await test(bench)
            finally:
                bench.ports.close()
                bench.box.throw_away()

        run_virtual(main())

    del run.__wrapped__  # pytest would take the test's own argument for a fixture
    return run


def on_each_device(test: Callable[[Callable[[], Box], str], Coroutine[Any, Any, None]]) -> object:
    """Runs a promise for each device of each kind of box that can be unplugged."""
    pairs = [pytest.param(make, name, id=f"{make.__name__}-{name}") for make in BOXES for name in sorted(make.can_lose)]

    @pytest.mark.parametrize(("make", "device"), pairs)
    @wraps(test)
    def run(make: Callable[[], Box], device: str) -> None:
        run_virtual(test(make, device))

    del run.__wrapped__
    return run


# Buttons


@on_each_box
async def test_a_press_is_an_edge_down_and_a_lift_an_edge_up(bench: Bench) -> None:
    for button in (STAR, 1, 4):
        for down, act in ((True, bench.box.press), (False, bench.box.lift)):
            bench.inbox.clear()
            before = bench.now()
            act(button)
            await settle()
            (edge,) = bench.inbox
            assert isinstance(edge, Edge)
            assert (edge.button, edge.down) == (button, down)
            assert before <= edge.at <= bench.now() + MICROSECOND
            assert bench.ports.buttons.level(button) is down


@on_each_box
async def test_what_is_down_cannot_be_pressed(bench: Bench) -> None:
    bench.box.press(2)
    bench.box.press(2)
    await settle()
    assert bench.inbox.edges == [(2, True)]


@on_each_box
async def test_edges_of_several_buttons_keep_their_order(bench: Bench) -> None:
    order = [3, 1, STAR, 4, 2]
    for button in order:
        bench.box.press(button)
    await settle(0.001)
    for button in reversed(order):
        bench.box.lift(button)
    await settle()
    assert bench.inbox.edges == [(b, True) for b in order] + [(b, False) for b in reversed(order)]
    times = [e.at for e in bench.inbox if isinstance(e, Edge)]
    assert times == sorted(times)


@on_each_box
async def test_closed_buttons_are_silent(bench: Bench) -> None:
    bench.ports.buttons.close()
    bench.box.press(1)
    await settle()
    assert bench.inbox == []
    bench.ports.buttons.close()


# Lamps


@on_each_box
async def test_lamps_show_exactly_what_is_asked_for(bench: Bench) -> None:
    assert bench.box.lit() == LampPattern()
    for pattern in (
        LampPattern(5, 3, frozenset({1, 2, 3, 4})),
        LampPattern(1, 0, frozenset({3})),
        LampPattern(1, 0, frozenset({3})),
        LampPattern(4, 2),
    ):
        bench.ports.lamps.show(pattern)
        await settle()
        assert bench.box.lit() == pattern
    bench.ports.lamps.close()
    assert bench.box.lit() == LampPattern()
    bench.ports.lamps.close()


# Screens


@on_each_box
async def test_screens_have_a_name_and_a_size(bench: Bench) -> None:
    for name, screen in bench.ports.screens.items():
        assert screen.name == name
        assert screen.size in ((128, 64), (128, 32))
        assert screen.size == bench.box.glass(name).size


@on_each_box
async def test_the_newest_picture_is_on_the_glass(bench: Bench) -> None:
    for name, screen in bench.ports.screens.items():
        for text in ("1", "2", "3", "3"):
            screen.show(partial(picture, f"{text} {name}", screen.size))
        await settle()
        assert same(bench.box.glass(name), picture(f"3 {name}", screen.size))


@on_each_box
async def test_a_dark_screen_shows_the_newest_picture_when_it_is_lit_again(bench: Bench) -> None:
    screen = bench.ports.screens["table-screen"]
    screen.show(lambda: picture("1"))
    await settle()
    screen.brightness(0)
    await settle()
    assert not bench.box.glass("table-screen").getbbox()
    screen.show(lambda: picture("2"))
    await settle()
    assert not bench.box.glass("table-screen").getbbox()
    screen.brightness(128)
    await settle()
    assert same(bench.box.glass("table-screen"), picture("2"))


@on_each_box
async def test_a_closed_screen_keeps_its_picture(bench: Bench) -> None:
    screen = bench.ports.screens["table-screen"]
    screen.show(lambda: picture("last"))
    await settle()
    screen.close()
    screen.close()
    await settle()
    assert same(bench.box.glass("table-screen"), picture("last"))


@on_each_box
async def test_a_screen_at_rest_that_goes_is_told_though_nothing_changes(bench: Bench) -> None:
    for screen in bench.ports.screens.values():
        screen.show(partial(picture, "rests", screen.size))
        screen.resting(True)
    await settle(20)
    assert bench.inbox == []
    bench.box.unplug("table-screen")
    await settle(10)
    assert bench.inbox.faults == [("table-screen", True)]
    bench.box.plug("table-screen")
    await settle(PATIENCE)
    assert bench.inbox.faults == [("table-screen", True), ("table-screen", False)]
    for name, screen in bench.ports.screens.items():
        assert same(bench.box.glass(name), picture("rests", screen.size))
        screen.close()
        screen.resting(False)
        screen.resting(True)


# Reader


@on_each_box
async def test_a_card_shown_is_one_scan(bench: Bench) -> None:
    for payload in ("MB1:042", "17"):
        bench.inbox.clear()
        before = bench.now()
        bench.box.scan(payload)
        await settle(2)
        (scan,) = bench.inbox
        assert isinstance(scan, Scan)
        assert scan.payload == payload
        assert before <= scan.at <= bench.now()


@on_each_box
async def test_a_closed_reader_is_silent(bench: Bench) -> None:
    bench.ports.readers[0].close()
    bench.box.scan("42")
    await settle(2)
    assert bench.inbox == []
    bench.ports.readers[0].close()


# Faults: the same for every device


async def works(bench: Bench, device: str) -> bool:
    """Whether a device does what it is for."""
    bench.inbox.clear()
    if device == "reader":
        bench.box.scan("MB1:042")
        await settle(2)
        return [type(i) for i in bench.inbox] == [Scan]
    if device == "buttons":
        bench.box.press(1)
        bench.box.lift(1)
        await settle()
        return bench.inbox.edges == [(1, True), (1, False)]
    if device == "lamps":
        bench.ports.lamps.show(LampPattern(3, 2, frozenset({2})))
        return bench.box.lit() == LampPattern(3, 2, frozenset({2}))
    screen = bench.ports.screens[device]
    screen.show(lambda: picture("works", screen.size))
    await settle()
    return same(bench.box.glass(device), picture("works", screen.size))


def faults_of(inbox: Inbox, device: str) -> list[bool]:
    return [lost for name, lost in inbox.faults if name == device]


def use(bench: Bench) -> None:
    """Everything a daemon may ask for, of whatever is missing."""
    bench.ports.lamps.show(LampPattern(2, 1))
    bench.ports.lamps.show(LampPattern(2, 2))
    for screen in bench.ports.screens.values():
        screen.show(partial(picture, "used", screen.size))
        screen.brightness(20)
    assert bench.ports.buttons.level(1) is False


@on_each_device
async def test_a_device_that_goes_is_told_once_and_comes_back(make: Callable[[], Box], device: str) -> None:
    bench = Bench(make())
    await settle()
    assert await works(bench, device)
    bench.inbox.clear()
    bench.box.unplug(device)
    use(bench)
    await settle(30)
    use(bench)
    await settle(30)
    assert faults_of(bench.inbox, device) == [True]
    assert bench.inbox.why(device)
    bench.box.plug(device)
    await settle(PATIENCE)
    assert faults_of(bench.inbox, device) == [True, False]
    assert await works(bench, device)
    bench.ports.close()
    bench.box.throw_away()


@on_each_device
async def test_a_device_that_is_absent_at_start_is_told_and_found(make: Callable[[], Box], device: str) -> None:
    box = make()
    box.unplug(device)
    bench = Bench(box)
    use(bench)
    await settle(30)
    assert faults_of(bench.inbox, device) == [True]
    box.plug(device)
    await settle(PATIENCE)
    assert faults_of(bench.inbox, device) == [True, False]
    assert await works(bench, device)
    bench.ports.close()
    box.throw_away()


@on_each_device
async def test_after_close_a_missing_device_is_not_told(make: Callable[[], Box], device: str) -> None:
    bench = Bench(make())
    await settle()
    bench.ports.close()
    bench.inbox.clear()
    bench.box.unplug(device)
    await settle(10)
    assert bench.inbox == []
    bench.box.throw_away()


@on_each_device
async def test_one_missing_device_leaves_the_others_alone(make: Callable[[], Box], device: str) -> None:
    bench = Bench(make())
    await settle()
    bench.box.unplug(device)
    use(bench)
    await settle(5)
    together = {"buttons", "lamps"} if device in ("buttons", "lamps") else {device}  # they share a chip
    for other in sorted((SCREENS | {"buttons", "lamps", "reader"}) - together):
        assert await works(bench, other), other
    assert {name for name, _ in bench.inbox.faults} <= together
    bench.ports.close()
    bench.box.throw_away()
