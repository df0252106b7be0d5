"""gpiozero's mock pins, driven over a socket: so that a test can press the buttons of a box in another process.

Only with ``gpio.factory = "mock"``, and only when ``MIND_BOX_PIN_SOCKET`` names the path of a Unix datagram socket.
``drive <pin> <0|1>`` sets an input's level (buttons close to ground: 0 is down); ``read <pin>`` is answered with
``0`` or ``1``. Whatever fails is answered with ``error: ...``. A sender that wants answers binds its own socket.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from typing import Any

log = logging.getLogger(__name__)

VARIABLE = "MIND_BOX_PIN_SOCKET"


def make_mock(loop: asyncio.AbstractEventLoop) -> tuple[Any, str]:
    """A mock pin factory and its description for the log."""
    from gpiozero.pins.mock import MockFactory, MockPWMPin

    factory = MockFactory(pin_class=MockPWMPin)
    path = os.environ.get(VARIABLE)
    if not path:
        return factory, "mock pins"
    PinSocket(factory, path, loop)
    return factory, f"mock pins, driven through {path}"


class PinSocket:
    """Answers datagrams in the loop for as long as it runs."""

    def __init__(self, factory: Any, path: str, loop: asyncio.AbstractEventLoop) -> None:
        self._factory = factory
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        if os.path.exists(path):
            os.unlink(path)
        self._socket.bind(path)
        loop.add_reader(self._socket.fileno(), self._readable)

    def _readable(self) -> None:
        try:
            data, sender = self._socket.recvfrom(256)
        except OSError as e:
            log.debug("pin socket: %s", e)
            return
        answer = self._answer(data.decode("ascii", "replace").split())
        if sender:
            try:
                self._socket.sendto(answer.encode(), sender)
            except OSError as e:
                log.debug("pin socket: %s is gone: %s", sender, e)

    def _answer(self, words: list[str]) -> str:
        try:
            match words:
                case ["drive", pin, ("0" | "1") as level]:
                    line = self._factory.pin(int(pin))
                    if level == "1":
                        line.drive_high()
                    else:
                        line.drive_low()
                    return "ok"
                case ["read", pin]:
                    return str(int(bool(self._factory.pin(int(pin)).state)))
        except Exception as e:
            return f"error: {type(e).__name__}: {e}"
        return "error: say drive <pin> <0|1> or read <pin>"
