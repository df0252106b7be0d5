"""Pins that are taken, a chip that is away or goes, a library's own words: what is missing is told and comes back."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
from typing import Any

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from mind_box.devices.gpio.buttons import RawInput
from mind_box.devices.gpio.lamps import Output
from mind_box.devices.gpio.pin_factory import NoFactory
from mind_box.devices.gpio.pins import header_factory, header_output, open_pins
from mind_box.settings.schema import GpioSettings
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import DeviceLost, Edge
from mind_box.virtual.scripts.clock import VirtualLoop, run_virtual
from tests.devices.aids import Inbox
from tests.devices.pin_bench import ALL, PATH, SETTINGS, Bench, rest, virtual
from tests.models.gpio_chip import ModelChip


class Records(logging.Handler):
    """Keeps all that is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.all.append(record)


@virtual
async def test_gpiozero_1151_a_taken_pin_costs_its_own_button_only() -> None:
    chip = ModelChip(PATH)
    chip.take(6, "w1")
    bench = Bench(chip=chip)
    assert bench.inbox.faults == [("buttons", True)]
    why = bench.inbox.why("buttons")
    assert "seat 2" in why and "GPIO6" in why and "'w1'" in why and "w1-gpio" in why
    bench.chip.drive(5, False)
    await rest(10.0)
    assert bench.inbox.edges == [(1, True)]
    assert len(bench.inbox.faults) == 1
    bench.chip.give_back(6)
    await rest(2.0)  # found again within two seconds
    assert bench.inbox.faults == [("buttons", True), ("buttons", False)]
    bench.chip.drive(6, False)
    await rest(0.1)
    assert bench.inbox.edges == [(1, True), (2, True)]
    assert bench.made == 1
    bench.close()


@virtual
async def test_a_taken_lamp_is_lit_when_it_is_free() -> None:
    chip = ModelChip(PATH)
    chip.take(17, "gpiomon")
    bench = Bench(chip=chip)
    assert bench.inbox.faults == [("lamps", True)]
    bench.lamps.show(LampPattern(2))
    assert bench.lit() == {SETTINGS.life_lamps[1]}
    bench.chip.give_back(17)
    await rest(2.0)
    assert bench.lit() == set(SETTINGS.life_lamps[:2])
    assert bench.inbox.faults == [("lamps", True), ("lamps", False)]
    bench.close()


@virtual
async def test_a_failed_try_leaves_no_device_to_the_collector() -> None:
    """gpiozero closes what is collected; a collection while it holds its lock of reservations waits for ever."""
    chip = ModelChip(PATH)
    for pin in (5, 17):
        chip.take(pin, "gpiomon")
    gc.collect()
    gc.disable()
    try:
        bench = Bench(chip=chip)
        await rest(10.0)
        there = [o for o in gc.get_objects() if isinstance(o, RawInput | Output)]
        assert sum(not device.closed for device in there) == 5 + 12 - 2
        bench.close()
    finally:
        gc.enable()


@virtual
async def test_the_chip_goes_away_and_comes_back() -> None:
    bench = Bench()
    bench.lamps.show(LampPattern(2, 1))
    lit = bench.lit()
    bench.chip.drive(5, False)
    await rest(0.1)
    bench.chip.remove()
    await rest(30.0)
    assert bench.inbox.faults == [("buttons", True), ("lamps", True)]
    assert "GPIO chip is gone" in bench.inbox.why("buttons")
    assert bench.buttons.level(1)  # as it was last seen
    bench.lamps.show(LampPattern(3, 1))
    bench.chip = bench.new_chip()
    bench.gpio.plug(bench.chip)
    await rest(2.0)
    assert bench.inbox.faults == [("buttons", True), ("lamps", True), ("buttons", False), ("lamps", False)]
    assert bench.lit() == lit | {SETTINGS.life_lamps[2]}
    assert bench.inbox.edges == [(1, True), (1, False)]  # it was let go of meanwhile
    bench.chip.drive(19, False)
    await rest(0.1)
    assert bench.inbox.edges[-1] == (4, True)
    assert bench.names == ["auto"] + ["gpiod"] * (bench.made - 1)  # never another library half-way
    bench.close()


@virtual
async def test_what_was_pressed_while_the_chip_was_away_is_told_when_it_is_back() -> None:
    bench = Bench()
    bench.chip.remove()
    await rest(30.0)
    (lost,) = [event for event in bench.inbox if isinstance(event, DeviceLost) and event.device == "buttons"]
    assert lost.at < 1.0
    bench.chip = bench.new_chip()
    bench.chip.lines[SETTINGS.star_button].driven = False
    bench.gpio.plug(bench.chip)
    await rest(2.0)
    (edge,) = [event for event in bench.inbox if isinstance(event, Edge)]
    assert (edge.button, edge.down, bench.buttons.level(0)) == (0, True, True)
    assert 30.0 <= edge.at <= bench.loop.time()
    bench.close()


@virtual
async def test_a_taken_star_button_is_named() -> None:
    chip = ModelChip(PATH)
    chip.take(SETTINGS.star_button, "w1")
    bench = Bench(chip=chip)
    assert "the star button (GPIO" in bench.inbox.why("buttons")
    bench.close()


@virtual
async def test_a_lamp_that_fails_is_the_first_to_notice() -> None:
    bench = Bench()
    bench.chip.gone = True  # nobody has told the descriptors yet
    bench.lamps.show(LampPattern(1))
    assert bench.inbox.faults == [("lamps", True)]
    await rest(1.0)
    assert bench.inbox.faults == [("lamps", True), ("buttons", True)]
    bench.close()


@virtual
async def test_no_chip_at_start_and_a_late_one() -> None:
    gone = ModelChip(PATH, gone=True)
    bench = Bench(chip=gone)
    assert bench.inbox.faults == [("buttons", True), ("lamps", True)]
    assert not bench.buttons.level(0)
    bench.lamps.show(LampPattern(1))
    await rest(60.0)
    assert len(bench.inbox.faults) == 2
    assert bench.made <= 60 / 2 + 6  # rarer and rarer, then every two seconds
    bench.chip = bench.new_chip()
    bench.gpio.plug(bench.chip)
    await rest(2.0)
    assert bench.inbox.faults[2:] == [("buttons", False), ("lamps", False)]
    assert bench.lit() == {SETTINGS.life_lamps[0]}
    bench.close()


@virtual
async def test_nothing_is_scheduled_while_nothing_happens() -> None:
    bench = Bench()
    bench.chip.drive(5, False)
    await rest(1.0)
    assert isinstance(bench.loop, VirtualLoop)
    assert bench.loop.timers == 0
    bench.close()


@virtual
async def test_after_close_nothing_is_posted_and_every_line_is_free() -> None:
    bench = Bench()
    bench.chip.drive(5, False)
    bench.buttons.close()
    bench.chip.drive(5, True)
    await rest(1.0)
    assert bench.inbox == []
    assert Device.pin_factory is not None
    bench.lamps.close()
    assert Device.pin_factory is None
    assert not bench.chip.requests
    bench.close()
    await rest(10.0)
    assert bench.inbox == []


@virtual
async def test_closed_while_lost() -> None:
    bench = Bench(chip=ModelChip(PATH, gone=True))
    bench.close()
    made = bench.made
    await rest(60.0)
    assert bench.made == made
    assert len(bench.inbox.faults) == 2


@virtual
async def test_only_one_port_closed_while_lost() -> None:
    bench = Bench(chip=ModelChip(PATH, gone=True))
    bench.lamps.close()
    bench.chip = bench.new_chip()
    bench.gpio.plug(bench.chip)
    await rest(2.0)
    assert bench.inbox.faults == [("buttons", True), ("lamps", True), ("buttons", False)]
    assert bench.chip.lines[17].holder is None
    bench.close()


@virtual
async def test_kernel_debounce_is_a_setting() -> None:
    bench = Bench(GpioSettings(kernel_debounce=0.005))
    line = bench.chip.lines[5]
    assert line.holder is not None
    assert line.holder.settings_of(line).debounce_period.total_seconds() == 0.005
    bench.close()
    plain = Bench()
    line = plain.chip.lines[5]
    assert line.holder is not None
    assert not line.holder.settings_of(line).debounce_period
    plain.close()


@virtual
async def test_a_post_that_fails_does_not_stop_the_buttons() -> None:
    failures, calls, inbox = [], [], Inbox()

    def post(message: Any) -> None:
        calls.append(message)
        if len(calls) == 1:
            raise RuntimeError("inbox")
        inbox.append(message)

    bench = Bench(post=post)
    bench.loop.set_exception_handler(lambda _, context: failures.append(context["exception"]))
    bench.chip.drive(5, False)
    await rest(0.1)
    bench.chip.drive(6, False)
    await rest(0.1)
    assert (2, True) in inbox.edges
    bench.close()


@virtual
async def test_other_drivers_get_pins_of_the_same_factory() -> None:
    with pytest.raises(NoFactory, match="pins cannot be had"):
        header_factory()
    bench = Bench()
    output = header_output(23 if 23 not in ALL else 8)
    output.light(True)
    assert bench.chip.lines[8].level
    output.close()
    bench.close()


@virtual
async def test_faults_are_logged_once_at_each_edge() -> None:
    records = Records()
    logger = logging.getLogger("mind_box.devices")
    logger.addHandler(records)
    try:
        bench = Bench(chip=ModelChip(PATH, gone=True))
        await rest(20.0)
        bench.gpio.plug(bench.new_chip())
        await rest(2.0)
        bench.close()
    finally:
        logger.removeHandler(records)
    loud = [(r.levelno, r.getMessage().split(":")[0]) for r in records.all if r.levelno >= logging.WARNING]
    assert loud == [
        (logging.ERROR, "buttons"),
        (logging.ERROR, "lamps"),
        (logging.WARNING, "buttons"),
        (logging.WARNING, "lamps"),
    ]


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (RuntimeError("'GPIO busy'"), "gpioinfo"),  # lgpio
        (RuntimeError("Failed to add edge detection"), 'gpio.factory = "gpiod"'),  # RPi.GPIO
    ],
)
def test_gpiozero_1131_what_other_libraries_say_gets_a_cure(error: Exception, cure: str) -> None:
    """gpiozero#1131 #1136, raspberrypi/linux#6037: kernel 6.6 moved the sysfs numbers, RPi.GPIO edges fail."""

    class Factory(MockFactory):  # type: ignore[misc]
        def pin(self, name: int) -> Any:
            if name == 13:
                raise error
            return super().pin(name)

    async def main() -> None:
        inbox = Inbox()
        loop = asyncio.get_running_loop()
        buttons, lamps = open_pins(SETTINGS, 4, inbox.append, loop, lambda *_: (Factory(), "lgpio"))
        assert inbox.faults == [("buttons", True)]
        assert "GPIO13" in inbox.why("buttons")
        assert cure in inbox.why("buttons")
        buttons.close()
        lamps.close()

    run_virtual(main())


@pytest.mark.parametrize("error", [OSError(errno.EPERM, "no"), RuntimeError("odd"), NoFactory("none")])
def test_whatever_a_factory_says_the_box_starts(error: Exception) -> None:
    async def main() -> None:
        inbox = Inbox()

        def make(*_: Any) -> Any:
            raise error

        buttons, lamps = open_pins(SETTINGS, 4, inbox.append, asyncio.get_running_loop(), make)
        await rest(10.0)
        assert inbox.faults == [("buttons", True), ("lamps", True)]
        buttons.close()
        lamps.close()

    run_virtual(main())
