"""The reader: one loop that carries bytes between the chip, the box and the lamp. Nothing in it waits."""

import binascii
import gc
import os
import select
import sys
import time

import led
import machine
import micropython
import settings
from outbox import Outbox

from mind_box.devices.nfc.presence import Sink

_HANG = 8000
"""ms without a turn of the loop after which the watchdog restarts the board; 8388 is the RP2040's most."""
_UPDATE = 300
"""Seconds that an update may take until the watchdog starts the reader again."""


_GARBAGE = 4096
"""Bytes after which rubbish is collected: often and little, so that the memory stays in large pieces."""


class Ticks:
    """Milliseconds since the start, which never wrap."""

    def __init__(self) -> None:
        self._last = time.ticks_ms()
        self._total = 0

    def now(self) -> int:
        ticks = time.ticks_ms()
        self._total += time.ticks_diff(ticks, self._last)
        self._last = ticks
        return self._total


class Host:
    """The USB line to the box."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def read(self) -> bytes:
        """What has come, at most 64 bytes: the loop must turn."""
        data = b""
        while len(data) < 64 and self._poll.poll(0):
            byte = sys.stdin.buffer.read(1)
            if not byte:
                break
            data += byte
        return data

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)


class Reader(Sink):
    """Everything put together."""

    def __init__(self) -> None:
        self._ticks = Ticks()
        self._now = self._ticks.now()
        self._host = Host()
        unit = binascii.hexlify(machine.unique_id()).decode()
        boot = binascii.hexlify(os.urandom(3)).decode()
        self._outbox = Outbox(self._host.write, unit, boot, self._now)
        gc.collect()  # what the imports left behind: the next ones need the room in one piece
        if settings.CHIP == "rc522":
            from rc522 import Chip
        elif settings.CHIP == "pn532":
            from pn532 import Chip
        else:
            raise ValueError('settings.py: CHIP must be "pn532" or "rc522"')
        self._chip = Chip(settings, self)
        self._lamp = None if settings.LED is None else machine.Pin(settings.LED, machine.Pin.OUT)
        self._lit = None
        self._card = -led.CARD

    def turn(self) -> bool:
        """One turn of the loop; false when the box wants to update us."""
        self._now = self._ticks.now()
        data = self._host.read()
        if data:
            self._outbox.feed(data, self._now)
        self._chip.step(self._now)
        self._outbox.tick(self._now)
        if self._lamp is not None:
            since = self._now - self._card
            lit = led.lit(self._outbox.chip, self._outbox.attended(self._now), since, self._now)
            if lit != self._lit:  # a Pico W's lamp hangs on its radio, which is slow to talk to
                self._lit = lit
                self._lamp.value(lit)
        return not self._outbox.update

    def card(self, uid: bytes, text, at: int) -> None:
        self._card = self._now
        self._outbox.card(uid, text, at, self._now)

    def gone(self, uid: bytes) -> None:
        self._outbox.gone(uid, self._now)

    def two(self, first: bytes, second: bytes) -> None:
        self._outbox.two(first, second, self._now)

    def up(self, version: bytes) -> None:  # noqa: ARG002 - the box asks only whether it answers
        self._outbox.state("ok", self._now)

    def down(self, why: str) -> None:  # noqa: ARG002 - the box has its own words for it
        self._outbox.state("silent", self._now)


def run() -> None:
    """Never returns, but for an update."""
    gc.threshold(_GARBAGE)
    micropython.kbd_intr(-1)  # a 0x03 on the line is junk, not Ctrl-C
    dog = machine.WDT(timeout=_HANG) if settings.WATCHDOG else None
    try:
        reader = Reader()
        while reader.turn():
            if dog is not None:
                dog.feed()
            time.sleep_ms(1)
    except Exception as e:
        sys.print_exception(e)  # to the box as lines that are no messages, to a person as what they are
        time.sleep_ms(1000)
        machine.reset()
    micropython.kbd_intr(3)
    if dog is not None:
        Keeper(dog)


class Keeper:
    """Keeps the watchdog quiet during an update, but not for ever: a reader left at the prompt comes back."""

    def __init__(self, dog) -> None:
        self._dog = dog
        self._left = _UPDATE
        self._timer = machine.Timer(period=1000, mode=machine.Timer.PERIODIC, callback=self._tick)

    def _tick(self, timer) -> None:  # noqa: ARG002 - what Timer hands over
        self._left -= 1
        if self._left > 0:
            self._dog.feed()
