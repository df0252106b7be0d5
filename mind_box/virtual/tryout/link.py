"""The wire between a real daemon and a box that another process holds: pins, I2C messages, Views and tunes.

Everything goes through one Unix socket, each connection in lines of text. The first line says what it is for:

``box``       the box sends ``level <pin> <0|1>`` (after the first ones ``ready``), the daemon ``lamp <pin> <0|1>``,
              ``view <language> <json>`` and ``tune <name>``. When the box goes away, so does the daemon.
``bus <name>``  the daemon sends ``write <address> <hex>`` or ``read <address> <count>``, each answered with
              ``ok [hex]`` or with an ``errno``.

This module is the daemon's end; ``mind_box.virtual.tryout.machine`` is the box's.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import socket
from collections.abc import Mapping
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from mind_box.devices.gpio.pin_factory import OnLost
from mind_box.devices.gpio.pins import open_pins
from mind_box.devices.oled.i2c import Bus
from mind_box.devices.oled.screens import open_screens
from mind_box.devices.ports import Devices
from mind_box.devices.readers import open_reader
from mind_box.settings.schema import EXPANDER_PINS, Config, GpioSettings
from mind_box.table.inputs import Post
from mind_box.table.view import View

ANSWER = 5.0
"""Seconds without an answer after which a bus counts as hanging."""


class Link:
    """The daemon's end of the ``box`` connection; call ``listen`` in the loop's thread."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.levels: dict[int, bool] = {}
        """The inputs' levels as the box last told them: true is high, a button that is up."""
        self._socket = _connect(path, "box")
        self._rest = b""
        self._pins: dict[int, MockPin] = {}
        while not self._take(self._socket.recv(4096)):
            pass
        self._socket.settimeout(ANSWER)

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on the box moves the pins."""
        loop.add_reader(self._socket, self._readable, loop)

    def own(self, pin: MockPin, number: int) -> None:
        """This pin follows the box's level from now on, while it is an input."""
        self._pins[number] = pin

    def show(self, view: View, language: str) -> None:
        """Tells the box what everyone may see, and in which language its screens say so."""
        self.send(f"view {language} {json.dumps(view.to_json(), separators=(',', ':'))}")

    def send(self, line: str) -> None:
        """Sends one line; to be called in the loop's thread."""
        try:
            self._socket.sendall(line.encode() + b"\n")
        except OSError:
            os.kill(os.getpid(), signal.SIGTERM)

    def _readable(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            data = self._socket.recv(4096)
        except OSError:
            data = b""
        if not data:
            loop.remove_reader(self._socket)
            os.kill(os.getpid(), signal.SIGTERM)
            return
        self._take(data)

    def _take(self, data: bytes) -> bool:
        """Bytes from the box; true once it has told all levels. Raises ``ConnectionError`` when it is gone."""
        if not data:
            raise ConnectionError(f"{self.path}: the box hung up")
        *lines, self._rest = (self._rest + data).split(b"\n")
        ready = False
        for line in lines:
            match line.decode().split():
                case ["level", number, level]:
                    self._level(int(number), level == "1")
                case ["ready"]:
                    ready = True
        return ready

    def _level(self, number: int, high: bool) -> None:
        self.levels[number] = high
        pin = self._pins.get(number)
        if pin is not None and pin.function == "input":
            (pin.drive_high if high else pin.drive_low)()


def _connect(path: str, purpose: str) -> socket.socket:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    s.connect(path)
    s.sendall(purpose.encode() + b"\n")
    return s


class LinkPin(MockPin):  # type: ignore[misc]
    """A pin of the box: an input takes its level from there, an output tells it."""

    def __init__(self, factory: LinkFactory, info: Any) -> None:
        super().__init__(factory, info)
        self._link = factory.link
        self._number = int(info.name.removeprefix("GPIO"))
        self._link.own(self, self._number)

    def _set_pull(self, value: str) -> None:
        self._pull = value
        level = self._link.levels.get(self._number, value == "up")
        (self.drive_high if level else self.drive_low)()

    def _change_state(self, value: bool) -> bool:
        changed: bool = super()._change_state(value)
        if changed and self._function == "output":
            self._link.send(f"lamp {self._number} {int(value)}")
        return changed


class LinkLines:
    """The lamps on an expander: its lines are pins from 100 on."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._levels: dict[int, bool] = {}

    def show(self, levels: Mapping[int, bool]) -> None:
        for line, level in levels.items():
            if self._levels.get(line, False) != level:
                self._link.send(f"lamp {EXPANDER_PINS.start + line} {int(level)}")
        self._levels = dict(levels)

    def close(self) -> None:
        self.show(dict.fromkeys(self._levels, False))


class LinkFactory(MockFactory):  # type: ignore[misc]
    """gpiozero's mock pins, with the box at their other ends."""

    description = "virtual pins"

    def __init__(self, link: Link) -> None:
        self.link = link
        self.expander = LinkLines(link)
        super().__init__(pin_class=LinkPin)


class LinkBus:
    """An I2C bus whose chips are in the box. Used by one worker thread, which waits for each answer."""

    def __init__(self, path: str, name: str) -> None:
        self._socket = _connect(path, f"bus {name}")
        self._socket.settimeout(ANSWER)
        self._lines = self._socket.makefile("r")

    def write(self, address: int, payload: bytes) -> None:
        self._ask(f"write {address} {payload.hex()}")

    def read(self, address: int, count: int) -> bytes:
        return bytes.fromhex(self._ask(f"read {address} {count}"))

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def _ask(self, message: str) -> str:
        try:
            self._socket.sendall(message.encode() + b"\n")
            word, _, rest = self._lines.readline().strip().partition(" ")
        except TimeoutError as e:
            raise OSError(errno.ETIMEDOUT, "the bus hangs") from e
        if word != "ok":
            number = int(word or errno.EIO)
            raise OSError(number, os.strerror(number))
        return rest


class LinkSound:
    """The ``Sound`` port: the page plays the tunes."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def play(self, tune: str) -> None:
        self._link.send(f"tune {tune}")

    def close(self) -> None:
        """A page that plays a tune plays it to its end."""


def open_linked(link: Link, config: Config, post: Post, loop: asyncio.AbstractEventLoop) -> Devices:
    """The box's ports: the real drivers, with the link where the header, the buses and the piezo would be.

    The reader is a real serial port: a pseudo-terminal that the box holds the other end of.
    """

    def choose(_settings: GpioSettings, _loop: asyncio.AbstractEventLoop, _lost: OnLost) -> tuple[Any, str]:
        return LinkFactory(link), "mock"

    def open_bus(name: str) -> Bus:
        return LinkBus(link.path, name)

    buttons, lamps = open_pins(config.gpio, config.box.seats, post, loop, choose)
    screens = open_screens(config.screen, post, open_bus=open_bus)
    readers = [open_reader(settings, post, loop) for settings in config.reader]
    link.listen(loop)
    return Devices(buttons, lamps, screens, readers, LinkSound(link))
