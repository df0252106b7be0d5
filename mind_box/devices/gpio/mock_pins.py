"""gpiozero's mock pins, driven over a socket: so that a test can press the buttons of a box in another process.

Only with ``gpio.factory = "mock"``, and only when ``MIND_BOX_PIN_SOCKET`` names the path of a Unix datagram socket.
``drive <pin> <0|1>`` sets an input's level (buttons close to ground: 0 is down); ``read <pin>`` is answered with
``0`` or ``1``, lines of the expander from 100. Every datagram is answered, ``error: ...`` if it failed; a sender that
wants answers binds its own socket.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Mapping

from gpiozero.pins.mock import MockFactory, MockPWMPin

from mind_box.settings.schema import EXPANDER_PINS

log = logging.getLogger(__name__)

VARIABLE = "MIND_BOX_PIN_SOCKET"


class MockExpander:
    """An expander that only remembers."""

    def __init__(self) -> None:
        self.levels: dict[int, bool] = {}

    def show(self, levels: Mapping[int, bool]) -> None:
        self.levels = dict(levels)

    def close(self) -> None:
        self.levels = dict.fromkeys(self.levels, False)


class BoxMockFactory(MockFactory):  # type: ignore[misc]
    """gpiozero's mock factory with an expander beside it, and with the socket if the environment asks for it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(pin_class=MockPWMPin)
        self.expander = MockExpander()
        self._loop = loop
        self._socket: socket.socket | None = None
        path = os.environ.get(VARIABLE)
        self.description = f"mock pins, driven through {path}" if path else "mock pins"
        if path:
            self._listen(path)

    def close(self) -> None:
        super().close()
        if self._socket is not None:
            self._loop.remove_reader(self._socket)
            self._socket.close()
            self._socket = None

    def _listen(self, path: str) -> None:
        if os.path.exists(path):
            os.unlink(path)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listening.setblocking(False)
        listening.bind(path)
        self._socket = listening
        self._loop.add_reader(listening, self._readable, listening)

    def _readable(self, listening: socket.socket) -> None:
        data, sender = listening.recvfrom(256)
        answer = self.answer(data.decode("ascii", "replace"))
        if sender:
            try:
                listening.sendto(answer.encode(), sender)
            except OSError as e:
                log.debug("%s does not listen any more: %s", sender, e)

    def answer(self, request: str) -> str:
        """Does what one datagram asks for."""
        try:
            match request.split():
                case ["drive", pin, ("0" | "1") as level]:
                    line = self.pin(int(pin))
                    if level == "1":
                        line.drive_high()
                    else:
                        line.drive_low()
                    return "ok"
                case ["read", pin] if int(pin) in EXPANDER_PINS:
                    return str(int(self.expander.levels[int(pin) - EXPANDER_PINS.start]))
                case ["read", pin]:
                    return str(int(bool(self.pin(int(pin)).state)))
        except Exception as e:
            return f"error: {type(e).__name__}: {e}"
        return "error: say drive <pin> <0|1> or read <pin>"
