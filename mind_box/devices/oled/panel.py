"""One OLED panel and its health: what stands in the controller is written again before anybody has to believe it.

A spark flips registers and RAM, a loose wire takes the power for a moment, and the panel acknowledges as before. It
can be asked one thing, whether it is on (over SPI not even that). So all of it comes again: on a timer while no level
is played, and with pictures while one is, in as few bytes as that takes.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cache
from typing import Any, Protocol

from PIL import Image

from mind_box.devices.oled.drivers import DirtySH1106, DirtySSD1306, SerialInterface, pack

log = logging.getLogger(__name__)

NOPS = (0xE3,) * 7
"""Sent before the initialisation. A program that was killed in mid-command left the controller waiting for up to six
arguments (scroll set-up, SSD1306 data sheet table 9; an SSD1309's has seven): these take their place. As commands they
do nothing."""

HEALTH = 9.5
"""Seconds after which something comes again. A table is promised ten, and a whole picture takes a tenth of one."""

_MORE = {"ssd1306": (0x2E,), "ssd1309": (0x2E, 0xDB, 0x34), "sh1106": (0xAD, 0x8B)}
"""What luma's initialisation leaves as it is: a scroll that was set off goes on, a converter that went off stays off.
The RAM has to be written after the 0x2E (SSD1306 data sheet, table 9). The SSD1309 gets its own reset value of VCOMH:
luma has one class for both, and with the SSD1306's value it would be at its palest."""
_UNLOCK = {"ssd1306": (), "ssd1309": (0xFD, 0x12), "sh1106": ()}
"""An SSD1309 that is locked takes neither command nor data but this (its data sheet, command lock)."""
_VITAL = {"ssd1306": frozenset({0x20, 0x8D}), "ssd1309": frozenset({0x20, 0xDB}), "sh1106": frozenset({0xAD})}
"""Which settings come first: those without which there is no picture or a mirrored, torn or inverted one."""
_VITAL_TO_BOTH = frozenset({0x40, 0xA0, 0xA1, 0xA6})
_FOREIGN = {"ssd1306": frozenset[int](), "ssd1309": frozenset({0x8D, 0xDB}), "sh1106": frozenset({0x20, 0x8D})}
"""Commands, or values of them, of another controller in luma's initialisation."""
_WITH_ARGUMENT = frozenset({0x20, 0x8D, 0xA8, 0xAD, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB})

_OFF = 0x40
"""Bit of the status byte: the display is off."""
_KINDS = {0x08: "sh1106", 0x03: "ssd1306", 0x06: "ssd1306", 0x07: "ssd1306"}
"""Low half of the status byte by controller: not in the data sheets, but what modules answer."""


class Interface(SerialInterface, Protocol):
    """The way to the controller. One over I2C also has ``status()`` and ``aim()``; SPI has no way back."""

    def explain(self, error: Exception) -> str: ...


class _Recorder:
    """Stands in for the interface while luma's constructor says how to initialise the controller."""

    def __init__(self) -> None:
        self.commands: list[tuple[int, ...]] = []

    def command(self, *cmd: int) -> None:
        self.commands.append(cmd)

    def data(self, data: bytes) -> None:
        """luma's blank picture; the panel's first one is sent when there is one."""

    def cleanup(self) -> None:
        """Nothing is held."""


def _commands(sequence: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """An initialisation, command by command."""
    rest = iter(sequence)
    for command in rest:
        yield (command, next(rest)) if command in _WITH_ARGUMENT else (command,)


@cache
def _luma(driver: str, height: int, rotate: int, column: int | None) -> tuple[Any, list[tuple[int, ...]]]:
    """One of luma's devices and what its constructor sends.

    luma initialises in its constructor and registers an exit handler there, so devices made anew at each retry
    would pile up. Here one of a kind is made, and luma's own sequence is kept and sent again. Panels have copies of
    it: luma's constructor fills tables for each pixel, which on a Pi takes longer than to draw the first picture.
    """
    recorder = _Recorder()
    kind: type[Any] = {"ssd1306": DirtySSD1306, "ssd1309": DirtySSD1306, "sh1106": DirtySH1106}[driver]
    device = kind(recorder, height=height, rotate=rotate, **({} if column is None else {"column": column}))
    device.persist = True  # the picture stays on the glass when the program ends
    return device, recorder.commands


class Panel:
    """A luma device that outlives its faults. Methods raise whatever the interface raises."""

    def __init__(
        self,
        driver: str,
        interface: Interface,
        height: int = 64,
        rotate: int = 0,
        column: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        device, commands = _luma(driver, height, rotate, column)
        self._device = copy(device)
        self._device._serial_interface = interface  # noqa: SLF001 - luma takes it in its constructor only
        lumas = (byte for c in _commands(commands[0]) if c[0] not in _FOREIGN[driver] for byte in c)
        self._init = (*lumas, *_MORE[driver])
        self._contrast = commands[1][1]
        no_setting = {0xAE, 0x2E, *range(0x20), *range(0xB0, 0xC0)}  # on, off, and where data go
        settings = [command for command in _commands(self._init) if command[0] not in no_setting]
        vital = _VITAL[driver] | _VITAL_TO_BOTH
        unlock = _UNLOCK[driver]
        self._wake = (*NOPS, *unlock)
        self._settings = (*unlock, *(byte for command in settings for byte in command))
        self._vital = (*unlock, *(byte for command in settings if command[0] in vital for byte in command))
        self._others = itertools.cycle([c for c in settings if c[0] not in vital])
        self.driver = driver
        self.size: tuple[int, int] = self._device.size
        self._whole_at = 0.0
        """When all of the controller was written last."""
        self._set_at = 0.0
        """When its vital settings were."""
        self._interface = interface
        self._aim: Callable[[], None] = getattr(interface, "aim", lambda: None)
        self._clock = clock
        self._status: Callable[[], int] | None = None
        """Asks the panel; None where it cannot be asked or does not answer as the data sheet says."""
        self._identity = -1
        self._level: int | None = None
        self._lit = False
        self._frame: bytes | None = None

    def initialise(self) -> None:
        """Brings the controller from any state to a known one: dark, its RAM unknown."""
        self._device.forget()
        self._lit = False
        self._aim()
        self._interface.command(*self._wake, *self._init)
        self._ask_in_the_dark()

    def pack(self, image: Image.Image) -> bytes:
        """The picture as ``update`` wants it. Raises ``ValueError`` for a wrong size or mode."""
        if image.mode != "1" or image.size != self.size:
            raise ValueError(f"the picture is {image.mode} {image.size}, the screen 1 {self.size}")
        return pack(image, self._device.rotate)

    def update(self, frame: bytes, thrifty: bool = True) -> None:
        """Brings a packed picture onto the glass. What is there already costs nothing.

        With it comes what a spark may have flipped since. ``thrifty``: only what no picture can do without, and
        something of the rest in turn, every ``HEALTH`` seconds: the wire carries the pictures of a level, and ``look``
        is called when there is time. Else all settings, and every ``HEALTH`` seconds the whole picture; so too for a
        panel that cannot be asked, which may have been without power.
        """
        if self._device.shows(frame):
            return
        self._aim()
        self._frame = frame
        if not self._lit:
            self._send()
        elif self._forgot():
            self._send_all()
        elif not thrifty or self._status is None:
            if self._old(self._whole_at):
                self._send_all()
            else:
                self._send(*NOPS, *self._settings, *self._light())
        elif self._old(self._set_at):
            self._send(*self._vital, *self._light(), *next(self._others))
        else:
            self._send()

    @property
    def look_at(self) -> float:
        """When ``look`` is due."""
        return self._whole_at + HEALTH

    def look(self) -> None:
        """Writes all of it again, and sees what became of it. Nobody sees anything, unless something was wrong."""
        self._aim()
        self._forgot()
        self._send_all()

    def light(self, level: int | None) -> None:
        """0 switches the panel off, 1 to 255 is its contrast; None: as luma sets it."""
        self._level = level
        self._aim()
        waking = level != 0 and not self._lit and self._frame is not None
        if self._forgot() or (waking and self._old(self._whole_at)):
            self._send_all()
        else:
            self._shine()

    def explain(self, error: Exception) -> str:
        """What an error means and what to do about it, in one line."""
        return self._interface.explain(error)

    @property
    def wrong_driver(self) -> str | None:
        """The driver that the controller asks for, where that is another than the one in the settings."""
        kind = None if self.driver == "ssd1309" else _KINDS.get(self._identity)  # what one answers is not known
        return kind if kind not in (None, self.driver) else None

    def _old(self, at: float) -> bool:
        return self._clock() - at >= HEALTH

    def _send(self, *settings: int) -> None:
        """The picture, behind settings in the same message: what differs, or all of it where nothing is known."""
        now = self._clock()
        if self._device.unknown:
            self._whole_at = now
        if settings or self._device.unknown:
            self._set_at = now
        assert self._frame is not None
        self._device.update(self._frame, settings)

    def _send_all(self) -> None:
        """All there is, from whatever state, and the light last: nobody sees RAM that is not the picture yet."""
        self._device.forget()
        self._send(*self._wake, *self._init[1:])  # all but the first, which would switch the display off
        self._shine()

    def _light(self) -> tuple[int, int]:
        return (0x81, self._contrast if self._level is None else self._level)

    def _shine(self) -> None:
        """Switches the panel on or off. One that still says off then is not to be believed."""
        self._lit = self._level != 0
        if not self._lit:
            self._interface.command(0xAE)
            return
        self._interface.command(*self._light(), 0xAF)
        if self._status is not None and self._status() & _OFF:
            self._status = None

    def _ask_in_the_dark(self) -> None:
        """Finds out whether the panel can be asked, now that it has been switched off."""
        status: Callable[[], int] | None = getattr(self._interface, "status", None)
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
        forgot = self._lit and self._status is not None and bool(self._status() & _OFF)
        if forgot:
            log.warning("the %s was without power: all of it is written again", self.driver)
        return forgot
