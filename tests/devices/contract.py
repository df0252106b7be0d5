"""Boxes that the contract suite runs on: each gives the ports, and hands and eyes to work them from outside.

A new kind of port joins by another class here: everything in ``test_contract.py`` then holds for it too.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import tempfile
import tty
from collections.abc import Iterable
from typing import Any, Protocol

from PIL import Image

from mind_box.devices.gpio.mock_pins import BoxMockFactory
from mind_box.devices.ports import Devices, Reader
from mind_box.devices.readers import open_reader
from mind_box.settings.schema import GpioSettings, ReaderSettings
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import Post
from mind_box.virtual.scripts.box import VirtualBox
from tests.models.model_box import ModelBox


class Box(Protocol):
    """A box with four seats, a table screen, seat screens and one reader; in a loop of virtual time."""

    can_lose: frozenset[str]
    """Devices that can be unplugged."""

    def open(self, post: Post) -> Devices:
        """Makes the ports; what is unplugged at this time is absent at start."""
        ...

    def press(self, button: int) -> None: ...
    def lift(self, button: int) -> None: ...
    def scan(self, payload: str) -> None: ...

    def lit(self) -> LampPattern:
        """What an eye sees of the lamps."""
        ...

    def glass(self, screen: str) -> Image.Image:
        """What an eye sees on a screen."""
        ...

    def unplug(self, device: str) -> None: ...
    def plug(self, device: str) -> None: ...
    def throw_away(self) -> None: ...


SCREENS = frozenset({"table-screen", "seat-screen 1", "seat-screen 3"})


class Virtual(VirtualBox):
    """The box without hardware."""

    can_lose = SCREENS | {"reader"}

    def __init__(self) -> None:
        super().__init__(4, asyncio.get_running_loop().time)

    def lit(self) -> LampPattern:
        return self.lamps.pattern

    def glass(self, screen: str) -> Image.Image:
        port = self.screens[screen]
        return Image.new("1", port.size) if port.picture is None or port.level == 0 else port.picture()

    def throw_away(self) -> None:
        """Nothing is held."""


class Real(ModelBox):
    """The real drivers over models of the chips, and a pty for the scanner."""

    can_lose = SCREENS | {"reader", "buttons", "lamps"}

    def __init__(self) -> None:
        super().__init__()
        self._dir = tempfile.TemporaryDirectory()
        self._name = os.path.join(self._dir.name, "scanner")
        self._ends: tuple[int, int] = self._cable()

    def _cable(self) -> tuple[int, int]:
        """A scanner is plugged in; a link has its lasting name.

        The kernel gives numbers of ptys away again: a box that somebody left running may still look for its own
        scanner under this one, and take it. The lock keeps it out until ``open``.
        """
        far, near = pty.openpty()
        fcntl.flock(near, fcntl.LOCK_EX | fcntl.LOCK_NB)
        tty.setraw(near)
        os.symlink(os.ttyname(near), self._name)
        return far, near

    def _reader(self, post: Post) -> Reader:
        if self._ends:
            fcntl.flock(self._ends[1], fcntl.LOCK_UN)
        return open_reader(ReaderSettings(device=self._name), post, asyncio.get_running_loop())

    def scan(self, payload: str) -> None:
        far, near = self._ends
        os.write(far, payload.encode() + b"\r\n")
        select.select([near], [], [], 20)  # the kernel carries it over in a thread of its own

    def unplug(self, device: str) -> None:
        if device != "reader":
            super().unplug(device)
        else:
            os.unlink(self._name)
            self.throw_away()

    def plug(self, device: str) -> None:
        if device != "reader":
            super().plug(device)
        else:
            self._ends = self._cable()
            fcntl.flock(self._ends[1], fcntl.LOCK_UN)

    def throw_away(self) -> None:
        for end in self._ends:
            os.close(end)
        self._ends = ()  # type: ignore[assignment]


class RealOnMockPins(Real):
    """The real drivers on gpiozero's mock pins, as in a test of a whole process."""

    can_lose = SCREENS | {"reader"}

    def _factory(self, settings: GpioSettings, loop: asyncio.AbstractEventLoop, lost: Any) -> tuple[Any, str]:
        del settings, lost
        self._pins = BoxMockFactory(loop)
        return self._pins, "mock"

    def press(self, button: int, told: bool = True) -> None:
        del told
        self._pins.pin(self.pin(button)).drive_low()

    def lift(self, button: int, told: bool = True) -> None:
        del told
        self._pins.pin(self.pin(button)).drive_high()

    def lit(self) -> LampPattern:
        lives, stars, seats = (
            [bool(self._pins.pin(pin).state) for pin in pins]
            for pins in (self.gpio.life_lamps, self.gpio.star_lamps, self.gpio.seat_lamps)
        )
        return LampPattern(sum(lives), sum(stars), frozenset(n for n, on in enumerate(seats, 1) if on))


BOXES: Iterable[type[Box]] = (Virtual, Real, RealOnMockPins)
