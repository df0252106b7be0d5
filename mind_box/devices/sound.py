"""The optional piezo: short tunes on a gpiozero TonalBuzzer, timed by the loop, silent and idle in between."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from mind_box.show.sounds import TUNES, Note

log = logging.getLogger(__name__)


class Buzzer:
    """The ``Sound`` port. A new tune cuts the old one off."""

    def __init__(
        self, buzzer: Any, loop: asyncio.AbstractEventLoop, tunes: Mapping[str, tuple[Note, ...]] = TUNES
    ) -> None:
        self._buzzer = buzzer
        self._loop = loop
        self._tunes = tunes
        self._timer: asyncio.TimerHandle | None = None

    def play(self, tune: str) -> None:
        notes = self._tunes.get(tune)
        if notes:
            self._next(notes)

    def close(self) -> None:
        self._next(())
        try:
            self._buzzer.close()
        except Exception as e:
            log.debug("buzzer: %s while closing", e)

    def _next(self, notes: tuple[Note, ...]) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            if notes and notes[0][0] is not None:
                self._buzzer.play(notes[0][0])
            else:
                self._buzzer.stop()
        except Exception as e:
            log.error("the piezo failed, this tune is not played: %s", e)
            return
        if notes:
            self._timer = self._loop.call_later(notes[0][1], self._next, notes[1:])


def open_sound(pin: int, loop: asyncio.AbstractEventLoop, factory: Any = None) -> Buzzer | None:
    """The piezo on a header pin (BCM number); None, and said in the log, where it cannot be driven."""
    from gpiozero import TonalBuzzer

    try:
        return Buzzer(TonalBuzzer(pin, octaves=2, pin_factory=factory), loop)
    except Exception as e:
        log.error("no sound: the piezo on GPIO%d cannot be driven: %s", pin, e)
        return None
