"""Buttons and lamps of the box over the libgpiod factory and the model of the chip; what is missing comes back."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
from functools import partial
from typing import Any

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from mind_box.devices.gpio.buttons import SETTLE, RawInput
from mind_box.devices.gpio.gpiod_factory import GpiodFactory
from mind_box.devices.gpio.lamps import Output
from mind_box.devices.gpio.pin_factory import NoFactory
from mind_box.devices.gpio.pins import header_factory, header_output, open_pins
from mind_box.settings.schema import GpioSettings
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import Edge
from mind_box.virtual.scripts.clock import run_virtual
from tests.devices.aids import Inbox
from tests.models.gpio_chip import ModelChip, ModelGpio

PATH = "/dev/gpiochip0"
SETTINGS = GpioSettings()
ALL = (*SETTINGS.life_lamps, *SETTINGS.star_lamps, *SETTINGS.seat_lamps)


class Bench:
    """A box on a model chip; to be made in a loop of virtual time."""

    def __init__(self, settings: GpioSettings = SETTINGS, seats: int = 4, chip: ModelChip | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.chip = chip or self.new_chip()
        self.gpio = ModelGpio(self.chip)
        self.inbox = Inbox()
        self.made = 0
        self.names: list[str] = []
        self.buttons, self.lamps = open_pins(settings, seats, self.inbox.append, self.loop, self._make)

    def new_chip(self) -> ModelChip:
        return ModelChip(PATH, clock_ns=lambda: int(self.loop.time() * 1e9))

    def _make(self, settings: GpioSettings, loop: asyncio.AbstractEventLoop, on_lost: Any) -> tuple[GpiodFactory, str]:
        self.made += 1
        self.names.append(settings.factory)
        factory = GpiodFactory(PATH, consumer="mind-box", loop=loop, on_lost=on_lost, open_chip=self.gpio.open)
        return factory, "gpiod"

    def lit(self) -> set[int]:
        return {pin for pin in ALL if self.chip.lines[pin].level and self.chip.lines[pin].holder}

    def close(self) -> None:
        self.buttons.close()
        self.lamps.close()


async def rest(seconds: float = 0.0) -> None:
    await asyncio.sleep(seconds)
    for _ in range(4):
        await asyncio.sleep(0)


def virtual(test: Any) -> Any:
    """Runs a test in a loop of virtual time."""

    def run() -> None:
        run_virtual(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def near(at: float) -> Any:
    return pytest.approx(at)


@virtual
async def test_raw_edges_with_their_times() -> None:
    bench = Bench()
    await rest(1.0)
    bench.chip.drive(SETTINGS.star_button, False)
    pressed = bench.loop.time()
    await rest(0.5)
    bench.chip.drive(SETTINGS.star_button, True)
    bench.chip.drive(SETTINGS.seat_buttons[3], False)
    await rest(0.5)
    assert bench.inbox == [
        Edge(0, True, near(pressed)),
        Edge(0, False, near(pressed + 0.5)),
        Edge(4, True, near(pressed + 0.5)),
    ]
    assert bench.buttons.level(4)
    assert not bench.buttons.level(0)
    bench.close()


@virtual
async def test_boardgame_io_828_edges_of_one_moment_go_out_in_the_order_they_happened() -> None:
    """boardgame.io#828: of two moves at once, none may be dropped. The loop finds ready pins in any order."""
    bench = Bench()
    times = iter(range(10**9, 10**10, 10**6))
    bench.chip.clock_ns = lambda: next(times)
    order = [3, 1, 4, 2, 0, 1, 3]
    await rest(5.0)
    for button in order:
        pin = SETTINGS.star_button if button == 0 else SETTINGS.seat_buttons[button - 1]
        bench.chip.drive(pin, not bench.chip.lines[pin].level)
    await rest(0.1)
    assert [button for button, _ in bench.inbox.edges] == order
    bench.close()


@virtual
async def test_makerspace_auth_52_a_spike_is_told_as_it_was() -> None:
    """makerspace-auth PR#52: EMI spikes become presses. Both edges are told; the table's debounce drops them."""
    bench = Bench()
    bench.chip.drive(5, False)
    await rest(0.001)
    bench.chip.drive(5, True)
    await rest(0.1)
    assert bench.inbox.edges == [(1, True), (1, False)]
    assert bench.inbox[1].at - bench.inbox[0].at == pytest.approx(0.001)
    bench.close()


@virtual
async def test_the_level_is_read_again_after_the_last_edge() -> None:
    """Below 3 ms the kernel loses edges; the level is right."""
    bench = Bench()
    bench.chip.drive(5, False)
    await rest()
    bench.chip.lines[5].driven = True  # an edge that the kernel did not tell
    await rest(2 * SETTLE)
    assert bench.inbox.edges == [(1, True), (1, False)]
    await rest(1.0)
    assert len(bench.inbox) == 2
    bench.close()


@virtual
async def test_two_edges_of_one_kind_in_a_row_are_passed_on() -> None:
    bench = Bench()
    bench.chip.drive(5, False)
    bench.chip.lines[5].driven = True
    bench.chip.drive(5, False)
    await rest(0.1)
    assert bench.inbox.edges == [(1, True), (1, True)]
    bench.close()


@virtual
async def test_an_edge_with_another_clocks_time_gets_ours() -> None:
    bench = Bench()
    await rest(100.0)
    for strange in (0, 10**18):
        bench.inbox.clear()
        bench.chip.clock_ns = partial(int, strange)
        bench.chip.drive(5, not bench.chip.lines[5].level)
        await rest()
        (edge,) = bench.inbox
        assert edge.at == pytest.approx(bench.loop.time())
    bench.close()


@virtual
async def test_a_button_held_at_start_is_no_edge() -> None:
    chip = ModelChip(PATH)
    chip.lines[5].driven = False
    bench = Bench(chip=chip)
    await rest(1.0)
    assert bench.inbox == []
    assert bench.buttons.level(1)
    bench.close()


@virtual
async def test_buttons_beyond_the_seats_are_left_alone() -> None:
    bench = Bench(seats=2)
    assert bench.chip.lines[SETTINGS.seat_buttons[2]].holder is None
    assert not bench.buttons.level(3)
    bench.close()


@virtual
async def test_lamps_show_exactly_the_pattern() -> None:
    bench = Bench()
    assert bench.lit() == set()
    bench.lamps.show(LampPattern(3, 1, frozenset({2, 4})))
    life, star, seat = SETTINGS.life_lamps, SETTINGS.star_lamps, SETTINGS.seat_lamps
    assert bench.lit() == {*life[:3], star[0], seat[1], seat[3]}
    bench.lamps.show(LampPattern(5, 3, frozenset({1, 2, 3, 4})))
    assert bench.lit() == set(ALL)
    bench.lamps.show(LampPattern(5, 3, frozenset({1, 9})))
    assert bench.lit() == {*life, *star, seat[0]}
    bench.lamps.close()
    assert bench.lit() == set()
    bench.lamps.show(LampPattern(1, 1))
    assert bench.lit() == set()
    bench.close()


@virtual
async def test_the_same_pattern_again_writes_nothing() -> None:
    bench = Bench()
    bench.lamps.show(LampPattern(2))
    writes: list[Any] = []
    for request in bench.chip.requests:
        request.set_values = lambda values: writes.append(values)  # type: ignore[method-assign]
    bench.lamps.show(LampPattern(2))
    assert writes == []
    bench.lamps.show(LampPattern(3))
    assert len(writes) == 1
    bench.close()


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
    assert not bench.loop._scheduled  # type: ignore[attr-defined]
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
    bench = Bench()
    failures = []
    bench.loop.set_exception_handler(lambda _, context: failures.append(context["exception"]))
    append, calls = bench.inbox.append, []

    def post(message: Any) -> None:
        calls.append(message)
        if len(calls) == 1:
            raise RuntimeError("inbox")
        append(message)

    bench.buttons._post = post
    bench.chip.drive(5, False)
    await rest(0.1)
    bench.chip.drive(6, False)
    await rest(0.1)
    assert (2, True) in bench.inbox.edges
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
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record)  # type: ignore[method-assign]
    logger = logging.getLogger("mind_box.devices")
    logger.addHandler(handler)
    try:
        bench = Bench(chip=ModelChip(PATH, gone=True))
        await rest(20.0)
        bench.gpio.plug(bench.new_chip())
        await rest(2.0)
        bench.close()
    finally:
        logger.removeHandler(handler)
    loud = [(r.levelno, r.getMessage().split(":")[0]) for r in records if r.levelno >= logging.WARNING]
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
