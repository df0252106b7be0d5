"""The optional piezo: short tunes, timed by the loop; silent and idle in between.

The kernel's PWM plays them where the boot settings have given it the pin; else a gpiozero TonalBuzzer does, whose
pulses come from a thread, lower, softer and not quite steady.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from mind_box.devices.fault import Fault
from mind_box.devices.gpio.buttons import close_quietly
from mind_box.devices.gpio.kernel_pwm import KernelBuzzer, channel_of
from mind_box.show.sounds import TUNES, Note

log = logging.getLogger(__name__)


class Piezo:
    """The ``Sound`` port, for the loop's thread. A new tune cuts the old one off.

    The pin is asked for by the first tune, and again by the next one after a failure: a box without its piezo plays
    on in silence.
    """

    def __init__(
        self,
        open_buzzer: Callable[[], Any],
        loop: asyncio.AbstractEventLoop,
        tunes: Mapping[str, tuple[Note, ...]] = TUNES,
    ) -> None:
        self._open = open_buzzer
        self._loop = loop
        self._tunes = tunes
        self._buzzer: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._fault = Fault(_say_silent)
        self._closed = False

    def play(self, tune: str) -> None:
        notes = self._tunes.get(tune)
        if notes and not self._closed:
            self._sound(notes)

    def close(self) -> None:
        if not self._closed:
            if self._timer is not None:
                self._sound(())
            self._closed = True
            self._drop()

    def _sound(self, notes: tuple[Note, ...]) -> None:
        """Sounds the first note, or silence, and sets the timer for the rest."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            if self._buzzer is None:
                self._buzzer = self._open()
            if notes and notes[0][0] is not None:
                self._buzzer.play(notes[0][0])
            else:
                self._buzzer.stop()
        except Exception as e:
            self._fault.begin(str(e) or type(e).__name__)
            self._drop()
            return
        self._fault.end()
        if notes:
            self._timer = self._loop.call_later(notes[0][1], self._sound, notes[1:])

    def _drop(self) -> None:
        buzzer, self._buzzer = self._buzzer, None
        if buzzer is not None:
            close_quietly(buzzer)


def _say_silent(why: str | None) -> None:
    if why is not None:
        log.error("the piezo is silent: %s", why)


def open_sound(pin: int, loop: asyncio.AbstractEventLoop) -> Piezo:
    """The piezo on a header pin (BCM number), on the pin factory that ``open_pins`` chose."""

    def open_buzzer() -> Any:
        channel = channel_of(pin)
        if channel is not None:
            return KernelBuzzer(channel)
        from gpiozero import TonalBuzzer

        from mind_box.devices.gpio.pins import header_factory

        return TonalBuzzer(pin, octaves=2, pin_factory=header_factory())

    return Piezo(open_buzzer, loop)
