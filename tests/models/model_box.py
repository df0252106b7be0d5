"""The box on models of its chips: real drivers for buttons, lamps and screens, in virtual time.

It has the hands and eyes of ``VirtualBox``, so whole games and table scripts run on the very drivers that run on a Pi,
down to the bytes on the I2C bus and the edges of the GPIO lines.
"""

from __future__ import annotations

import asyncio
import errno
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

from PIL import Image

from mind_box.devices.gpio.gpiod_factory import GpiodFactory
from mind_box.devices.gpio.pins import open_pins
from mind_box.devices.oled.screens import Clock, Closable, Worker, open_screens
from mind_box.devices.ports import Devices, Reader
from mind_box.settings.schema import GpioSettings, ScreenSettings
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Input, Post, Scan
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip, SSD1309Chip
from tests.models.gpio_chip import ModelChip, ModelGpio

HEADER = "/dev/gpiochip0"
MUX = 0x70


def all_screens(seats: int = 4) -> tuple[ScreenSettings, ...]:
    """Two table screens straight on the bus, and one for each seat behind a multiplexer, of all kinds."""
    kinds = (("ssd1306", 64), ("sh1106", 64), ("ssd1306", 32), ("sh1106", 64))
    seat = [
        ScreenSettings(seat=n, driver=driver, height=height, mux=MUX, channel=n - 1)
        for n, (driver, height) in zip(range(1, seats + 1), kinds * 2, strict=False)
    ]
    return (ScreenSettings(address=0x3D), ScreenSettings(table=2, driver="ssd1309", address=0x3E), *seat)


class LoopWorker(Worker):
    """A worker without a thread: it works in the loop's turns, in virtual time."""

    def __init__(self, name: str, bus: Closable, clock: Clock) -> None:
        super().__init__(name, bus, clock)
        self.loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self.changed = _Telling(self._soon)

    def start(self) -> None:
        """The first turn initialises the screens."""
        self._soon()

    def drain(self, done: Callable[[], bool]) -> None:
        """Does at once what there is to do."""
        while self.due() and not done():
            self.step()

    def _soon(self) -> None:
        self.loop.call_soon(self._turn)

    def _turn(self) -> None:
        while self.due():
            self.step()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        patience = self.patience()
        if patience is not None:
            self._timer = self.loop.call_later(patience, self._turn)


class _Telling(threading.Condition):
    """A condition that also calls somebody."""

    def __init__(self, told: Callable[[], None]) -> None:
        super().__init__()
        self._told = told

    def notify_all(self) -> None:
        super().notify_all()
        self._told()


class _Reader:
    def close(self) -> None:
        """Scans are handed over without a device."""


class ModelBox:
    """A box of real drivers over models; to be made in a loop. ``bus.trouble`` makes the screens fail."""

    def __init__(
        self,
        seats: int = 4,
        gpio: GpioSettings | None = None,
        screens: Sequence[ScreenSettings] | None = None,
    ) -> None:
        self.seats = seats
        self.gpio = gpio or GpioSettings()
        self.screens = tuple(all_screens(seats) if screens is None else screens)
        self.panels: dict[str, OledChip] = {}
        self.bus = ModelBus()
        for settings in self.screens:
            self._wire(settings)
        self.chip = ModelChip(HEADER, clock_ns=self._now_ns)
        self._chips = ModelGpio(self.chip)
        self.loop = asyncio.get_running_loop()
        self._last_ns = 0
        self._post: Post = _nobody
        self.down: set[int] = set()
        self.unplugged: set[str] = set()
        self.bus.trouble = self._pulled

    def _wire(self, settings: ScreenSettings) -> None:
        kind = {"ssd1306": SSD1306Chip, "ssd1309": SSD1309Chip, "sh1106": SH1106Chip}[settings.driver]
        column = settings.column if settings.column is not None else (2 if settings.driver == "sh1106" else 0)
        panel = kind(settings.height, column, seed=len(self.panels))
        self.panels[settings.name] = panel
        if settings.mux is None:
            self.bus.slaves[settings.address] = panel
        else:
            mux = self.bus.slaves.setdefault(settings.mux, TCA9548A())
            assert isinstance(mux, TCA9548A)
            mux.channels[settings.channel][settings.address] = panel

    def _now_ns(self) -> int:
        """The kernel's clock; each reading is later than the one before."""
        self._last_ns = max(self._last_ns + 1, math.ceil(self.loop.time() * 1e9))
        return self._last_ns

    def open(self, post: Post) -> Devices:
        """The ports for a daemon that has just started."""
        self._post = post
        buttons, lamps = open_pins(self.gpio, self.seats, post, self.loop, self._factory)
        screens = open_screens(
            self.screens, post, open_bus=lambda _: self.bus, clock=self.loop.time, make_worker=LoopWorker
        )
        return Devices(buttons, lamps, screens, [self._reader(post)])

    def _reader(self, post: Post) -> Reader:
        if "reader" in self.unplugged:
            post(DeviceLost("reader", "unplugged", self.loop.time()))
        return _Reader()

    def _factory(self, settings: GpioSettings, loop: asyncio.AbstractEventLoop, lost: Any) -> tuple[Any, str]:
        return GpiodFactory(HEADER, loop=loop, on_lost=lost, open_chip=self._chips.open), settings.factory

    def cut_power(self) -> None:
        """The daemon is gone, and the power with it: panels forget everything."""
        self._post = _nobody
        for panel in self.panels.values():
            panel.power_cycle()

    # hands

    def pin(self, button: int) -> int:
        """The GPIO number of a button."""
        return self.gpio.star_button if button == STAR else self.gpio.seat_buttons[button - 1]

    def press(self, button: int, told: bool = True) -> None:
        """The button goes down; pressing what is down changes nothing. ``told`` false: the kernel loses the edge."""
        self.down.add(button)
        self.chip.drive(self.pin(button), False, told)

    def lift(self, button: int, told: bool = True) -> None:
        """The button comes up."""
        self.down.discard(button)
        self.chip.drive(self.pin(button), None, told)

    def scan(self, payload: str) -> None:
        """A card is shown and taken away; an unplugged reader sees nothing."""
        if "reader" not in self.unplugged:
            self._post(Scan(payload, self.loop.time()))

    def unplug(self, device: str) -> None:
        """Pulls a screen's or the reader's cable; ``buttons`` and ``lamps`` are the GPIO chip as a whole."""
        if device in self.unplugged:
            return
        self.unplugged.add(device)
        if device == "reader":
            self._post(DeviceLost(device, "unplugged", self.loop.time()))
        elif device in ("buttons", "lamps"):
            self.unplugged |= {"buttons", "lamps"}
            self.chip.remove()

    def plug(self, device: str) -> None:
        """Puts it back; a screen comes up with random RAM, a GPIO chip as a new one."""
        if device not in self.unplugged:
            return
        self.unplugged.discard(device)
        if device == "reader":
            self._post(DeviceBack(device, self.loop.time()))
        elif device in ("buttons", "lamps"):
            self.unplugged -= {"buttons", "lamps"}
            self.chip = ModelChip(HEADER, clock_ns=self._now_ns)
            for button in self.down:
                self.chip.drive(self.pin(button), False)
            self._chips.plug(self.chip)
        else:
            self.panels[device].power_cycle()

    def _pulled(self, address: int, _: bytes | None) -> None:
        """No unplugged panel acknowledges."""
        reached = self.bus.reached(address)
        if any(panel in reached and name in self.unplugged for name, panel in self.panels.items()):
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    # eyes

    def glass(self, screen: str) -> Image.Image:
        """What an eye sees on a screen."""
        return self.panels[screen].picture()

    def lit(self) -> LampPattern:
        """What an eye sees of the lamps. Raises ``ValueError`` where life or star lamps have a gap."""
        lives, stars, seats = (
            [self.chip.lines[pin].holder is not None and self.chip.lines[pin].level for pin in pins]
            for pins in (self.gpio.life_lamps, self.gpio.star_lamps, self.gpio.seat_lamps)
        )
        for lamps in (lives, stars):
            if lamps != sorted(lamps, reverse=True):
                raise ValueError(f"the lamps have a gap: {lamps}")
        return LampPattern(sum(lives), sum(stars), frozenset(n for n, on in enumerate(seats, 1) if on))


def _nobody(_: Input) -> None:
    """No daemon is running."""
