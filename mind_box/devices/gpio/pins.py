"""The header's pins: one factory, the buttons and lamps on it, and whatever is missing tried again."""

from __future__ import annotations

import asyncio
import errno
import logging
from dataclasses import replace
from typing import Any

from gpiozero import Device

from mind_box.devices.fault import Fault
from mind_box.devices.gpio.buttons import PinButtons, close_quietly
from mind_box.devices.gpio.lamps import Output, PinLamps
from mind_box.devices.gpio.pin_factory import Choose, NoFactory, choose
from mind_box.settings.schema import LOCK_OUT, GpioSettings, locks_out
from mind_box.table.inputs import STAR, Post

log = logging.getLogger(__name__)


class Header:
    """Owns the pin factory; opens what is not open, with a timer only while something is missing."""

    def __init__(
        self,
        settings: GpioSettings,
        seats: int,
        post: Post,
        loop: asyncio.AbstractEventLoop,
        make_factory: Choose = choose,
    ) -> None:
        self._settings = settings
        self._loop = loop
        self._make = make_factory
        self._factory: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._incomplete = Fault(clock=loop.time)
        pins = {STAR: settings.star_button} | dict(enumerate(settings.seat_buttons[:seats], 1))
        self.buttons = PinButtons(pins, post, loop, self._port_closed)
        self.lamps = PinLamps(settings, post, loop, self._lamp_failed, self._port_closed)
        self._try()

    def _try(self) -> None:
        self._timer = None
        if self._factory is None:
            try:
                self._factory, name = self._make(self._settings, self._loop, self._chip_gone)
            except Exception as e:
                self._missing(str(e))
                return
            # What was chosen once stays: a chip that is away for a moment must not bring up another library.
            self._settings = replace(self._settings, factory=name)
            if locks_out(self._settings):
                log.warning("%s", LOCK_OUT)
                self._settings = replace(self._settings, kernel_debounce=0.0)
            Device.pin_factory = self._factory
        wrong_buttons = (
            [] if self.buttons.closed else self.buttons.acquire(self._factory, self._settings.kernel_debounce)
        )
        wrong_lamps = [] if self.lamps.closed else self.lamps.acquire(self._factory)
        for wrong in (*wrong_buttons, *wrong_lamps):
            if isinstance(wrong, OSError) and wrong.errno == errno.ENODEV:
                self._drop(wrong)
                return
        if wrong_buttons:
            self.buttons.fault.begin("; ".join(map(_say, wrong_buttons)))
        else:
            self.buttons.fault.end()
        self.lamps.wrong("header", "; ".join(map(_say, wrong_lamps)) or None)
        if wrong_buttons or wrong_lamps:
            self._later()
        else:
            self._incomplete.end()

    def _missing(self, why: str) -> None:
        self.buttons.fault.begin(why)
        self.lamps.wrong("header", why)
        self._later()

    def _later(self) -> None:
        """Something is missing: sets the timer of the next try."""
        if self._timer is None and not (self.buttons.closed and self.lamps.closed):
            self._incomplete.failed("something is missing")
            self._timer = self._loop.call_at(self._incomplete.retry_at, self._try)

    def _lamp_failed(self, error: Exception) -> None:
        if not self.lamps.closed:
            self.lamps.wrong("header", _say(error))
            self._later()

    def _chip_gone(self, error: OSError) -> None:
        """Called while an edge is read: the pins are closed in the loop's next turn."""
        self._loop.call_soon(self._drop, error)

    def _drop(self, error: OSError) -> None:
        self._release()
        self._missing(f"the GPIO chip is gone: {error.strerror or error}")

    def _release(self) -> None:
        self.buttons.release()
        self.lamps.release()
        factory, self._factory = self._factory, None
        if factory is not None:
            Device.pin_factory = None
            close_quietly(factory)

    def _port_closed(self) -> None:
        if self.buttons.closed and self.lamps.closed:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._release()


def open_pins(
    settings: GpioSettings,
    seats: int,
    post: Post,
    loop: asyncio.AbstractEventLoop,
    make_factory: Choose = choose,
) -> tuple[PinButtons, PinLamps]:
    """The box's buttons and lamps; to be called, used and closed in the loop's thread.

    Never fails for absent hardware: that is posted as ``DeviceLost`` of ``buttons`` or ``lamps``, and tried again.
    The factory that is chosen is gpiozero's default one from then on.
    """
    header = Header(settings, seats, post, loop, make_factory)
    return header.buttons, header.lamps


def header_factory() -> Any:
    """The pin factory that ``open_pins`` chose, for other drivers. Raises ``NoFactory`` while there is none."""
    if Device.pin_factory is None:  # gpiozero would make one up
        raise NoFactory("the header's pins cannot be had: see what the log says of buttons and lamps")
    return Device.pin_factory


def header_output(pin: int) -> Output:
    """An output for other drivers (BCM number), low at first. Raises ``NoFactory`` and what the factory raises."""
    return Output(pin, False, header_factory())


_CURES = (
    ("busy", "another program or an overlay has it; gpioinfo says who"),
    ("edge detection", 'RPi.GPIO finds no edges on kernel 6.6 and newer; set gpio.factory = "gpiod"'),
)
"""What other libraries say of a pin, and what to do; our own factory says it itself."""


def _say(error: Exception) -> str:
    where = getattr(error, "__notes__", [""])[-1]
    what = str(error) or type(error).__name__
    cures = [cure for word, cure in _CURES if word in what.lower()]
    return ": ".join((where, what, *cures))
