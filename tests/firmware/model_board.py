"""The firmware's side of the line protocol on CPython, in virtual time."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

FIRMWARE = Path(__file__).parents[2] / "firmware" / "card_reader"


def module(name: str) -> ModuleType:
    """One of the firmware's own files, on CPython."""
    spec = importlib.util.spec_from_file_location(f"firmware_{name}", FIRMWARE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


outbox = module("outbox")

EVERY = 0.02
"""Seconds from one look of its loop at the outbox to the next."""


class ModelBoard:
    """The firmware's Outbox with a clock of its own, on a line that may damage what it carries."""

    def __init__(self, harm: Callable[[bytes], bytes] = lambda data: data, drift: float = 0.0) -> None:
        self.harm = harm
        self.deaf = False
        """Nothing of the box arrives."""
        self.wakes = 0
        """How often it has sent something."""
        self._rate = 1 + drift
        self._started = 1000.0
        self._out = b""
        self._boots = 0
        self.on = False
        self.said = b""

    def ms(self, now: float) -> int:
        return int((now - self._started) * 1000 * self._rate)

    def start(self, now: float) -> None:
        """Power: a new life, with a new name and a clock at zero."""
        self._boots += 1
        self._started = self._looked = now
        self._out = b""
        self.on = True
        self.outbox = outbox.Outbox(self._write, "e661385283", f"{self._boots:06x}", 0)
        self.outbox.state("ok", 0)

    def stop(self) -> None:
        self.on = False
        self._out = b""

    def card(self, uid: bytes, text: str | None, now: float) -> None:
        self.outbox.card(uid, text, self.ms(now), self.ms(now))

    def gone(self, uid: bytes, now: float) -> None:
        self.outbox.gone(uid, self.ms(now))

    def _write(self, data: bytes) -> None:
        self.said += data
        self._out += self.harm(data)

    @property
    def due(self) -> float | None:
        """When the firmware has something to do, if nothing comes in before."""
        if not self.on:
            return None
        if self._out:
            return 0.0
        return self._looked + EVERY

    def feed(self, data: bytes, now: float) -> None:
        if self.on and not self.deaf:
            self.outbox.feed(self.harm(data), self.ms(now))

    def take(self, now: float) -> bytes:
        if not self.on:
            return b""
        self._looked = now
        self.outbox.tick(self.ms(now))
        data = self.unheard()
        self.wakes += bool(data)
        return data

    def unheard(self) -> bytes:
        """What is on the line and has reached nobody, who will not get it any more."""
        data, self._out = self._out, b""
        return data
