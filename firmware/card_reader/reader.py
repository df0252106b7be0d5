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
from outbox import Outbox

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


class Reader:
    """Everything put together."""

    def __init__(self) -> None:
        self._ticks = Ticks()
        self._now = self._ticks.now()
        self._host = Host()
        unit = binascii.hexlify(machine.unique_id()).decode()
        boot = binascii.hexlify(os.urandom(3)).decode()
        self.outbox = Outbox(self._host.write, unit, boot, self._now)
        self._chip = self._lamp = self._lit = None
        self._card = -led.CARD
        self._end = None  # when it restarts, if it is broken; 0: that would not help
        self.watched = None
        gc.collect()  # what the imports left behind: the next ones need the room in one piece
        try:
            self._build()
        except Exception as e:
            self.fail(e)

    def _build(self) -> None:
        """The lamp and the chip of the settings. Raises anything: people write settings."""
        import checked
        import settings

        why = checked.wrong(settings)
        del checked, sys.modules["checked"]  # it has done its work, and takes room
        gc.collect()
        if why:
            raise ValueError(why)
        if settings.LED is not None:
            self._lamp = machine.Pin(settings.LED, machine.Pin.OUT)
        if settings.CHIP == "rc522":
            from rc522 import Chip
        else:
            from pn532 import Chip
        self._chip = Chip(settings, self)
        self.watched = settings.WATCHDOG

    def fail(self, error) -> None:
        """It cannot go on like this: it says why, and leaves the prompt open."""
        self._chip = None
        gc.collect()
        if self._end is None:
            from safe import excuse

            why, self._end, self._lamp = excuse(error, self._now, self.watched, self._lamp)
            self.outbox.broken(why, self._now)

    def turn(self) -> None:
        """One turn of the loop."""
        self._now = self._ticks.now()
        if self._end and self._now >= self._end:
            machine.reset()
        data = self._host.read()
        if data:
            self.outbox.feed(data, self._now)
        if self._chip is not None:
            self._chip.step(self._now)
        self.outbox.tick(self._now)
        if self._lamp is not None:
            since = self._now - self._card
            lit = led.lit(self.outbox.chip, self.outbox.attended(self._now), since, self._now)
            if lit != self._lit:  # a Pico W's lamp hangs on its radio, which is slow to talk to
                self._lit = lit
                self._lamp.value(lit)

    def card(self, uid: bytes, text, at: int) -> None:
        self._card = self._now
        self.outbox.card(uid, text, at, self._now)

    def gone(self, uid: bytes) -> None:
        self.outbox.gone(uid, self._now)

    def two(self, first: bytes, second: bytes) -> None:
        self.outbox.two(first, second, self._now)

    def up(self, version: bytes) -> None:  # noqa: ARG002 - the box asks only whether it answers
        self.outbox.state("ok", self._now)

    def down(self, why: str) -> None:  # noqa: ARG002 - the box has its own words for it
        self.outbox.state("silent", self._now)


def run() -> None:
    """Never returns, but for an update, or by Ctrl-C from a reader that is broken."""
    gc.threshold(_GARBAGE)
    micropython.kbd_intr(-1)  # a 0x03 on the line is junk, not Ctrl-C
    dog = None
    try:
        reader = Reader()
        if reader.watched:
            dog = machine.WDT(timeout=_HANG)
        while not reader.outbox.update:
            try:
                reader.turn()
            except Exception as e:
                reader.fail(e)
            if dog is not None:
                dog.feed()
            time.sleep_ms(1)
    finally:
        micropython.kbd_intr(3)
        if dog is not None:  # nothing stops it any more
            keep(dog)


def keep(dog) -> None:
    """Keeps the watchdog quiet during an update, but not for ever: a reader left at the prompt comes back."""
    left = [_UPDATE]

    def tick(timer) -> None:  # noqa: ARG001 - what Timer hands over
        left[0] -= 1
        if left[0] > 0:
            dog.feed()

    _kept.append(machine.Timer(period=1000, mode=machine.Timer.PERIODIC, callback=tick))


_kept = []
"""What nobody holds is collected, and its timer with it."""
