"""The libgpiod pin factory on the model of a kernel chip, under plain gpiozero devices."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import threading
from collections.abc import AsyncIterator

import pytest
from gpiozero import LED, Button, DigitalInputDevice, DigitalOutputDevice, TonalBuzzer
from gpiozero.exc import (
    BadPinFactory,
    GPIOPinInUse,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinInvalidState,
    PinPWMFixedValue,
    PinSetInput,
)

from mind_box.devices.gpio.gpiod_factory import EVENTS_KEPT, GpiodFactory
from tests.models.gpio_chip import ModelChip, ModelGpio

PATH = "/dev/gpiochip0"


@pytest.fixture
def chip() -> ModelChip:
    return ModelChip(PATH)


@pytest.fixture
async def factory(chip: ModelChip) -> AsyncIterator[GpiodFactory]:
    factory = GpiodFactory(PATH, open_chip=ModelGpio(chip).open)
    yield factory
    factory.close()


async def turn() -> None:
    """Lets the loop look at its descriptors."""
    for _ in range(3):
        await asyncio.sleep(0)


class Ear(DigitalInputDevice):  # type: ignore[misc]
    """Keeps each change with its time."""

    def __init__(self, pin: int, factory: GpiodFactory, **options: object) -> None:
        self.heard: list[tuple[float, bool]] = []
        super().__init__(pin, pin_factory=factory, **options)

    def _pin_changed(self, ticks: float, state: bool) -> None:
        self.heard.append((ticks, bool(state)))


async def test_edges_come_in_order_with_the_kernels_time(chip: ModelChip, factory: GpiodFactory) -> None:
    times = iter(range(10**9, 10**12, 10**7))
    chip.clock_ns = lambda: next(times)
    ear = Ear(17, factory, pull_up=True)
    for _ in range(3):
        chip.drive(17, False)
        chip.drive(17, True)
    assert ear.heard == []
    await turn()
    assert [state for _, state in ear.heard] == [False, True] * 3
    assert [at for at, _ in ear.heard] == [pytest.approx(1 + 0.01 * n) for n in range(6)]


async def test_buttons_and_leds_of_gpiozero_work(chip: ModelChip, factory: GpiodFactory) -> None:
    pressed = []
    button = Button(5, pin_factory=factory)
    button.when_pressed = lambda: pressed.append(1)
    led = LED(6, pin_factory=factory, initial_value=True)
    assert chip.lines[6].level
    led.off()
    assert not chip.lines[6].level
    assert not button.is_pressed
    chip.drive(5, False)
    await turn()
    assert pressed == [1]
    assert button.is_pressed
    button.close()
    led.close()
    assert not chip.requests


async def test_an_idle_pin_costs_no_thread_and_no_wake_up(chip: ModelChip, factory: GpiodFactory) -> None:
    before = threading.active_count()
    devices = [Ear(pin, factory, pull_up=True) for pin in range(4, 9)]
    lamps = [DigitalOutputDevice(pin, pin_factory=factory) for pin in range(9, 21)]
    assert threading.active_count() == before
    await turn()
    assert all(not d.heard for d in devices)
    assert len(chip.requests) == len(devices) + len(lamps)


async def test_pull_bounce_and_edges_make_one_request(chip: ModelChip, factory: GpiodFactory) -> None:
    device = Ear(5, factory, pull_up=True, bounce_time=0.02)
    (request,) = chip.requests
    settings = request.settings_of(chip.lines[5])
    assert settings.debounce_period.total_seconds() == 0.02
    assert (device.pin.bounce, device.pin.edges, device.pin.pull) == (0.02, "both", "up")
    device.pin.edges = "falling"
    (request,) = chip.requests
    chip.drive(5, False)
    chip.drive(5, True)
    await turn()
    assert [state for _, state in device.heard] == [False]


async def test_gpiozero_1151_a_taken_line_is_named_with_its_holder_and_the_cure(
    chip: ModelChip, factory: GpiodFactory
) -> None:
    """gpiozero#1151 #1057, Blinka#847: a second process, 1-Wire on GPIO4."""
    cures = {"onewire@0": "w1-gpio", "spi0 CS0": "dtparam=spi", "mind-box": "systemctl stop", "gpiomon": "another pin"}
    for holder, cure in cures.items():
        chip.take(4, holder)
        with pytest.raises(GPIOPinInUse, match=f"GPIO4 is taken by '{holder}'.*{cure}"):
            Ear(4, factory, pull_up=True)
        chip.give_back(4)
    device = Ear(4, factory, pull_up=True)  # and free again, it is had
    assert device.pin.state


async def test_an_exception_in_a_handler_costs_neither_the_batch_nor_the_others(
    chip: ModelChip, factory: GpiodFactory, caplog: pytest.LogCaptureFixture
) -> None:
    """Seen: an exception in a gpiozero/lgpio callback kills the one notify thread, every button is dead."""

    class Broken(Ear):
        def _pin_changed(self, ticks: float, state: bool) -> None:
            super()._pin_changed(ticks, state)
            raise RuntimeError("a handler's own fault")

    broken, other = Broken(5, factory, pull_up=True), Ear(6, factory, pull_up=True)
    for pin in (5, 6):
        chip.drive(pin, False)
        chip.drive(pin, True)
    await turn()
    assert (len(broken.heard), len(other.heard)) == (2, 2)
    assert sum("handler of GPIO5" in r.getMessage() for r in caplog.records) == 2


async def test_gpiozero_959_a_device_with_an_owner_stays_after_a_collection(
    chip: ModelChip, factory: GpiodFactory
) -> None:
    """gpiozero#959: a device object without an owner is collected and goes silent."""
    devices = {1: Ear(5, factory, pull_up=True)}
    gc.collect()
    chip.drive(5, False)
    await turn()
    assert len(devices[1].heard) == 1


async def test_lost_edges_are_told_and_the_level_is_right(
    chip: ModelChip, factory: GpiodFactory, caplog: pytest.LogCaptureFixture
) -> None:
    ear = Ear(5, factory, pull_up=True)
    for n in range(EVENTS_KEPT + 21):
        chip.drive(5, n % 2 == 1)
    await turn()
    assert len(ear.heard) == EVENTS_KEPT
    assert "21 edges lost" in caplog.text
    assert ear.heard[-1][1] is False
    assert ear.pin.state == 0


async def test_a_handler_may_close_its_device(chip: ModelChip, factory: GpiodFactory) -> None:
    class Once(Ear):
        def _pin_changed(self, ticks: float, state: bool) -> None:
            super()._pin_changed(ticks, state)
            self.close()

    once = Once(5, factory, pull_up=True)
    for level in (False, True, False):
        chip.drive(5, level)
    await turn()
    assert len(once.heard) == 1
    assert not chip.requests


async def test_a_chip_that_goes_away_is_told_once_and_does_not_spin(chip: ModelChip) -> None:
    lost: list[OSError] = []
    gpio = ModelGpio(chip)
    factory = GpiodFactory(PATH, open_chip=gpio.open, on_lost=lost.append)
    ears = [Ear(pin, factory, pull_up=True) for pin in (5, 6, 7)]
    lamp = DigitalOutputDevice(8, pin_factory=factory)
    chip.remove()
    await turn()
    assert [e.errno for e in lost] == [errno.ENODEV]
    loop = asyncio.get_running_loop()
    for request in chip.requests:
        assert not loop.remove_reader(request.fd)  # nothing of it is watched any more
    with pytest.raises(OSError, match="No such device"):
        lamp.on()
    with pytest.raises(OSError, match="No such device"):
        _ = ears[0].value
    for device in (*ears, lamp):
        device.close()
    factory.close()
    gpio.plug(ModelChip(PATH))
    again = GpiodFactory(PATH, open_chip=gpio.open)
    assert Ear(5, again, pull_up=True).value == 0
    again.close()


async def test_a_lost_chip_without_somebody_to_tell_is_logged(
    chip: ModelChip, caplog: pytest.LogCaptureFixture
) -> None:
    factory = GpiodFactory(PATH, open_chip=ModelGpio(chip).open)
    ear = Ear(5, factory, pull_up=True)
    chip.remove()
    await turn()
    assert [r.levelno for r in caplog.records] == [logging.ERROR]
    ear.close()
    factory.close()


async def test_close_leaves_an_output_as_an_input(chip: ModelChip, factory: GpiodFactory) -> None:
    lamp = DigitalOutputDevice(8, pin_factory=factory, initial_value=True)
    (request,) = chip.requests
    lamp.close()
    assert request.settings_of(chip.lines[8]).direction.name == "INPUT"
    assert not chip.lines[8].level


async def test_a_closed_factory_says_so(chip: ModelChip) -> None:
    factory = GpiodFactory(PATH, open_chip=ModelGpio(chip).open)
    assert factory.chip == f"{PATH} (pinctrl-bcm2711)"
    pin = factory.pin(5)
    factory.close()
    assert factory.chip == "no chip"
    with pytest.raises(BadPinFactory, match="closed"):
        _ = pin.state


def test_no_chip_no_factory() -> None:
    with pytest.raises(BadPinFactory, match="gpiochip9 cannot be opened: No such file"):
        GpiodFactory("/dev/gpiochip9", open_chip=ModelGpio().open)


@pytest.mark.parametrize("found", ["no board", "an unreadable /proc", "no number"])
async def test_proc_subset_pid_the_boards_revision_may_be_hidden(
    factory: GpiodFactory, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    """``ProcSubset=pid`` hides the board revision that gpiozero reads."""
    denied = PermissionError(errno.EACCES, "Permission denied")
    errors = {"no board": None, "an unreadable /proc": denied, "no number": ValueError()}

    def revision() -> int:
        raise errors[found] or LookupError

    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", revision)
    assert factory.board_info.headers["J8"].pins[11].name == "GPIO17"


async def test_what_a_pin_refuses(chip: ModelChip, factory: GpiodFactory) -> None:
    pin = factory.pin(5)
    with pytest.raises(PinInvalidFunction):
        pin.function = "i2c"
    with pytest.raises(PinInvalidPull):
        pin.pull = "sideways"
    with pytest.raises(PinInvalidBounce):
        pin.bounce = -1
    with pytest.raises(PinInvalidEdges):
        pin.edges = "all"
    with pytest.raises(PinSetInput):
        pin.state = 1
    with pytest.raises(PinPWMFixedValue):
        pin.frequency = 100
    with pytest.raises(PinFixedPull, match="physical"):
        factory.pin(2).pull = "down"
    pin.function = "output"
    with pytest.raises(PinFixedPull):
        pin.pull = "up"
    with pytest.raises(PinInvalidState):
        pin.state = 2
    pin.state = 1
    assert pin.state == 1
    pin.input_with_pull("down")
    assert (pin.state, pin.function, chip.lines[5].bias.name) == (0, "input", "PULL_DOWN")


async def test_a_piezo_sounds_and_stops(chip: ModelChip, factory: GpiodFactory) -> None:
    """libgpiod cannot pulse; a thread does, and only while a tone sounds."""
    before = threading.active_count()
    buzzer = TonalBuzzer(18, octaves=2, pin_factory=factory)
    assert threading.active_count() == before
    changes: list[bool] = []
    enough = threading.Event()

    def count() -> None:
        changes.append(chip.lines[18].level)
        if len(changes) > 20:
            enough.set()

    chip.written = count
    buzzer.play("A4")
    assert buzzer.tone is not None
    assert await asyncio.to_thread(enough.wait, 20)
    buzzer.stop()
    assert threading.active_count() == before or all("pwm" not in t.name for t in threading.enumerate())
    assert not chip.lines[18].level
    assert set(changes[:20]) == {True, False}
    assert buzzer.tone is None
    buzzer.play("C5")
    buzzer.close()
    assert all("pwm" not in t.name for t in threading.enumerate())


async def test_a_piezo_on_a_chip_that_goes_away_ends_its_thread(chip: ModelChip, factory: GpiodFactory) -> None:
    buzzer = TonalBuzzer(18, octaves=2, pin_factory=factory)
    buzzer.play("A4")
    (thread,) = [t for t in threading.enumerate() if t.name == "pwm"]
    chip.remove()
    await asyncio.to_thread(thread.join, 20)
    assert not thread.is_alive()
    buzzer.close()  # nothing to be raised: the line is gone, and a device half closed would try again when collected
    assert buzzer.closed


# Without a loop: any gpiozero program.


def test_without_a_loop_one_sleeping_thread_reads_the_edges(chip: ModelChip) -> None:
    factory = GpiodFactory(PATH, open_chip=ModelGpio(chip).open)
    before = threading.active_count()
    buttons = [Button(pin, pin_factory=factory) for pin in (5, 6)]
    waiting = [t for t in threading.enumerate() if t.name == "gpio edges"]
    assert len(waiting) == 1
    told = threading.Event()
    buttons[1].when_pressed = told.set
    chip.drive(6, False)
    assert told.wait(20)
    chip.drive(5, False)
    assert buttons[0].wait_for_press(20)
    for button in buttons:
        button.close()
    factory.close()
    waiting[0].join(20)
    assert threading.active_count() <= before


def test_without_a_loop_a_broken_handler_keeps_the_thread(chip: ModelChip, caplog: pytest.LogCaptureFixture) -> None:
    factory = GpiodFactory(PATH, open_chip=ModelGpio(chip).open)
    button = Button(5, pin_factory=factory)
    button.when_pressed = lambda: 1 / 0
    told = threading.Event()
    button.when_released = told.set
    chip.drive(5, False)
    chip.drive(5, True)
    assert told.wait(20)
    assert "handler of GPIO5" in caplog.text
    button.close()
    factory.close()


def test_without_a_loop_a_handler_may_close_the_factory(chip: ModelChip) -> None:
    factory = GpiodFactory(PATH, open_chip=ModelGpio(chip).open)
    button = Button(5, pin_factory=factory)
    button.when_pressed = factory.close
    (thread,) = [t for t in threading.enumerate() if t.name == "gpio edges"]
    chip.drive(5, False)
    thread.join(20)
    assert not thread.is_alive()
