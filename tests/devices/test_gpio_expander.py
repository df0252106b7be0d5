"""Lamps on an expander: written by a thread, found again, and never waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from mind_box.devices.gpio.expander import ExpanderLamps, open_named_chip
from mind_box.devices.gpio.gpiod_factory import GpiodFactory
from mind_box.devices.gpio.header_chip import NoChip
from mind_box.devices.gpio.pins import open_pins
from mind_box.settings.schema import GpioSettings
from mind_box.show.lamps import LampPattern
from tests.devices.aids import Inbox, wait_until
from tests.models.gpio_chip import ModelChip, ModelGpio

PATH = "/dev/gpiochip2"


class Told(list[str | None]):
    """What the thread said; can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._news = threading.Condition()

    def __call__(self, why: str | None) -> None:
        with self._news:
            self.append(why)
            self._news.notify_all()

    def wait(self, until: Callable[[], bool]) -> bool:
        with self._news:
            return self._news.wait_for(until, 20)


@pytest.fixture
def chip() -> ModelChip:
    return ModelChip(PATH, "mcp23017", 16)


def lit(chip: ModelChip) -> set[int]:
    return {n for n, line in enumerate(chip.lines) if line.output}


def test_the_newest_levels_arrive_and_close_puts_them_out(chip: ModelChip) -> None:
    told = Told()
    lamps = ExpanderLamps(PATH, told, ModelGpio(chip).open)
    lamps.show({0: True, 1: False, 15: True})
    lamps.show({0: False, 1: True, 15: True})
    wait_until(lambda: lit(chip) == {1, 15})
    lamps.close()
    assert lit(chip) == set()
    assert not chip.requests
    assert told == []
    lamps.show({0: True})
    assert lit(chip) == set()


def test_a_missing_expander_is_told_and_found_again(chip: ModelChip) -> None:
    told = Told()
    gpio = ModelGpio()
    lamps = ExpanderLamps(PATH, told, gpio.open)
    lamps.show({3: True})
    assert told.wait(lambda: bool(told))
    gpio.plug(chip)
    assert told.wait(lambda: told[-1] is None)
    assert [why is not None and "expander" in why for why in told] == [True, False]
    assert lit(chip) == {3}
    chip.remove()
    count = len(told)
    lamps.show({3: False})
    assert told.wait(lambda: len(told) > count)
    again = ModelChip(PATH, "mcp23017", 16)
    gpio.plug(again)
    assert told.wait(lambda: told[-1] is None)
    assert lit(again) == set()
    lamps.close()
    assert not again.requests


def test_a_taken_line_is_named(chip: ModelChip) -> None:
    told = Told()
    chip.take(7, "gpiomon")
    lamps = ExpanderLamps(PATH, told, ModelGpio(chip).open)
    lamps.show({6: True, 7: True})
    assert told.wait(lambda: bool(told))
    assert told[0] is not None
    assert "line 7 is taken by 'gpiomon'" in told[0]
    lamps.close()


def test_a_slow_expander_holds_nobody_up(chip: ModelChip) -> None:
    in_write, go_on = threading.Event(), threading.Event()
    gpio = ModelGpio(chip)

    def slow(path: str) -> object:
        in_write.set()
        go_on.wait(20)
        return gpio.open(path)

    lamps = ExpanderLamps(PATH, Told(), slow)
    for n in range(1000):
        lamps.show({0: n % 2 == 0})
    assert in_write.wait(20)
    lamps.close()  # waits its share, then lets go
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == f"lamps {PATH}":
            thread.join(20)
    assert lit(chip) == set()


def test_no_such_expander_here() -> None:
    with pytest.raises(NoChip, match="no-such-label"):
        open_named_chip("no-such-label")


async def test_the_lamps_of_a_box_with_an_expander(
    chip: ModelChip, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = ModelChip("/dev/gpiochip0")
    gpio = ModelGpio(header)
    settings = GpioSettings(expander=PATH, life_lamps=(100, 101, 102, 103, 104), star_lamps=(110, 111, 9))
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()

    def post(message: object) -> None:
        inbox.append(message)  # type: ignore[arg-type]
        changed.set()

    monkeypatch.setattr(
        "mind_box.devices.gpio.expander.ExpanderLamps", lambda name, told: ExpanderLamps(name, told, gpio.open)
    )

    def make(_: GpioSettings, loop: asyncio.AbstractEventLoop, lost: Callable[[OSError], None]) -> tuple[object, str]:
        return GpiodFactory("/dev/gpiochip0", loop=loop, on_lost=lost, open_chip=gpio.open), "gpiod"

    buttons, lamps = open_pins(settings, 4, post, loop, make)
    lamps.show(LampPattern(2, 3, frozenset({1})))
    await asyncio.wait_for(changed.wait(), 20)
    assert inbox.faults == [("lamps", True)]
    assert PATH in inbox.why("lamps")
    assert header.lines[9].output
    assert header.lines[12].output
    changed.clear()
    gpio.plug(chip)
    await asyncio.wait_for(changed.wait(), 20)
    assert inbox.faults == [("lamps", True), ("lamps", False)]
    assert lit(chip) == {0, 1, 10, 11}
    lamps.close()
    buttons.close()
    assert lit(chip) == set()
    assert not header.lines[9].output
