"""One OLED panel and its health: initialised as often as it takes, refreshed now and then, asked whether it forgot."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Any, Protocol

from PIL import Image

from mind_box.devices.oled import DirtySH1106, DirtySSD1306, pack

log = logging.getLogger(__name__)

NOPS = (0xE3,) * 6
"""Sent before the initialisation. A program that was killed in mid-command left the controller waiting for up to six
arguments (scroll set-up, SSD1306 data sheet table 9): these take their place. As commands they do nothing."""

REFRESH = 300.0
"""Seconds after which a changed picture comes with all settings: what a spark has flipped in the controller would stay
so for ever. A panel that cannot be asked how it is gets the picture whole too: it may have been without power."""

REFRESH_WHOLE = 1200.0
"""The same for the picture of a panel that is asked: single dots, most of which the next pictures put right anyway."""

_OFF = 0x40
"""Bit of the status byte: the display is off."""
_KINDS = {0x08: "sh1106", 0x03: "ssd1306", 0x06: "ssd1306", 0x07: "ssd1306"}
"""Low half of the status byte by controller: not in the data sheets, but what modules answer."""


class Port(Protocol):
    """The way to the controller. An I2C port also has ``status()``; SPI has no way back."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: bytes) -> None: ...
    def cleanup(self) -> None: ...
    def explain(self, error: Exception) -> str: ...


class _Recorder:
    """Stands in for the port while luma's constructor says how to initialise the controller."""

    def __init__(self) -> None:
        self.commands: list[tuple[int, ...]] = []

    def command(self, *cmd: int) -> None:
        self.commands.append(cmd)

    def data(self, data: bytes) -> None:
        """luma's blank picture; the panel's first one is sent when there is one."""

    def cleanup(self) -> None:
        """Nothing is held."""


@cache
def _luma(driver: str, height: int, rotate: int, column: int | None) -> tuple[Any, list[tuple[int, ...]]]:
    """One of luma's devices and what its constructor sends.

    luma initialises in its constructor and registers an exit handler there, so devices made anew at each retry
    would pile up. Here one of a kind is made, and luma's own sequence is kept and sent again. Panels have copies of
    it: luma's constructor fills tables for each pixel, which on a Pi takes longer than to draw the first picture.
    """
    recorder = _Recorder()
    kind: type[Any] = {"ssd1306": DirtySSD1306, "sh1106": DirtySH1106}[driver]
    device = kind(recorder, height=height, rotate=rotate, **({} if column is None else {"column": column}))
    device.persist = True  # the picture stays on the glass when the program ends
    return device, recorder.commands


class Panel:
    """A luma device that outlives its faults. Methods raise whatever the port raises."""

    def __init__(
        self,
        driver: str,
        port: Port,
        height: int = 64,
        rotate: int = 0,
        column: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        device, commands = _luma(driver, height, rotate, column)
        self._device = copy(device)
        self._device._serial_interface = port
        self._init = commands[0]
        self._contrast = commands[1][1]
        self.driver = driver
        self.size: tuple[int, int] = self._device.size
        self._port = port
        self._clock = clock
        self._status: Callable[[], int] | None = None
        """Asks the panel; None where it cannot be asked or does not answer as the data sheet says."""
        self._identity = -1
        self._level: int | None = None
        self._lit = False
        self._whole_at = 0.0
        self._set_at = 0.0

    def initialise(self) -> None:
        """Brings the controller from any state to a known one: dark, its RAM unknown."""
        self._device.forget()
        self._lit = False
        self._port.command(*NOPS)
        self._port.command(*self._init)
        self._set_at = self._clock()
        self._ask_in_the_dark()

    def pack(self, image: Image.Image) -> bytes:
        """The picture as ``update`` wants it. Raises ``ValueError`` for a wrong size or mode."""
        if image.mode != "1" or image.size != self.size:
            raise ValueError(f"the picture is {image.mode} {image.size}, the screen 1 {self.size}")
        return pack(image, self._device.rotate == 2)

    def update(self, frame: bytes) -> None:
        """Brings a packed picture onto the glass. What is there already costs nothing."""
        if self._device.shows(frame):
            return
        if self._forgot():
            log.warning("the %s was without power: initialising it again", self.driver)
            self.initialise()
            self._update(frame)
            self.light(self._level)
        elif self._lit and self._clock() - self._set_at >= REFRESH:
            if self._status is None or self._clock() - self._whole_at >= REFRESH_WHOLE:
                self._device.forget()
            self._set_at = self._clock()
            self._port.command(*self._init[1:])  # all but the first, which would switch the display off
            self._update(frame)
            self._port.command(0x81, self._contrast if self._level is None else self._level)
            self._port.command(0xAF)  # a panel that cannot be asked may have been without power
        else:
            self._update(frame)

    def light(self, level: int | None) -> None:
        """0 switches the panel off, 1 to 255 is its contrast; None: as luma sets it."""
        self._level = level
        if level == 0:
            self._port.command(0xAE)
            self._lit = False
            return
        self._port.command(0x81, self._contrast if level is None else level)
        if not self._lit:
            self._port.command(0xAF)
            self._lit = True
            if self._status is not None and self._status() & _OFF:
                self._status = None  # on, and it still says off: not to be believed

    def explain(self, error: Exception) -> str:
        """What an error means and what to do about it, in one line."""
        return self._port.explain(error)

    @property
    def wrong_driver(self) -> str | None:
        """The driver that the controller asks for, where that is another than the one in the settings."""
        kind = _KINDS.get(self._identity)
        return kind if kind not in (None, self.driver) else None

    def _update(self, frame: bytes) -> None:
        if self._device.unknown:
            self._whole_at = self._clock()
        self._device.update(frame)

    def _ask_in_the_dark(self) -> None:
        """Finds out whether the panel can be asked, now that it has been switched off."""
        status: Callable[[], int] | None = getattr(self._port, "status", None)
        self._status = None
        self._identity = -1
        if status is None:
            return
        try:
            answer = status()
        except OSError:  # a bus for writing only
            return
        if answer & _OFF:
            self._status = status
            self._identity = answer & 0x0F

    def _forgot(self) -> bool:
        """Whether the display is off although it was switched on: its supply went away for a moment."""
        return self._lit and self._status is not None and bool(self._status() & _OFF)
