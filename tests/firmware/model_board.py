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


class ModelBoard:
    """The firmware's Outbox with a clock of its own, on a line that may damage what it carries."""

    def __init__(self, harm: Callable[[bytes], bytes] = lambda data: data, drift: float = 0.0) -> None:
        self._harm = harm
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
        self._started = now
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
        self._out += self._harm(data)

    @property
    def due(self) -> float | None:
        """When the firmware has something to do, if nothing comes in before."""
        if not self.on:
            return None
        if self._out:
            return 0.0
        box = self.outbox
        times = [box._beat + outbox._BEAT]
        if box._queue:
            soon = box._sent + outbox._RESEND
            times.append(soon if box.attended(soon) else box._sent + outbox._RESEND_ALONE)
            times.append(box._queue[0][1] + outbox._EXPIRE + 1)
        due: float = self._started + (min(times) + 0.001) / 1000 / self._rate
        return due

    def feed(self, data: bytes, now: float) -> None:
        if self.on:
            self.outbox.feed(self._harm(data), self.ms(now))

    def take(self, now: float) -> bytes:
        if not self.on:
            return b""
        self.outbox.tick(self.ms(now))
        data, self._out = self._out, b""
        return data
