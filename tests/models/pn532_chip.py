"""A PN532 without hardware: takes the very bytes a driver sends and answers as the chip does, with its times.

Written from NXP's UM0701-02. It never met a real chip: the times are the sums of what ISO 14443 gives for the
air (106 kbit/s) and a few milliseconds for the chip's own firmware, to be corrected when someone measures.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.models.tags import Field, Tag

ATTEMPT: Final = 0.005
"""Seconds of one call for new tags that nobody answers."""
ACTIVATE: Final = {4: 0.008, 7: 0.012, 10: 0.016}
"""Seconds from the call until a tag is selected: one round for each part of its UID."""
READ: Final = 0.004
"""Seconds to read four pages."""
THINK: Final = 0.0005
"""Seconds until a command is acknowledged, and that a command without air takes."""

ACK: Final = b"\x00\x00\xff\x00\xff\x00"
ERROR: Final = b"\x00\x00\xff\x01\xff\x7f\x81\x00"
VERSION: Final = b"\x32\x01\x06\x07"


@dataclass
class Faults:
    """How badly the line treats frames: chances from 0 to 1, each for one frame."""

    rng: random.Random
    cut: float = 0
    """Some bytes of the frame are lost."""
    flip: float = 0
    """One byte arrives wrong."""
    noise: float = 0
    """Rubbish before the frame."""
    mute: float = 0
    """The frame never comes."""
    late: float = 0
    """It comes up to 0.4 s late."""
    missed: float = 0
    """A call for tags that no tag hears."""
    calm: Callable[[], bool] = lambda: False
    """While this says true nothing goes wrong."""

    def happens(self, what: str) -> bool:
        chance: float = getattr(self, what)
        return chance > 0 and not self.calm() and self.rng.random() < chance

    def spoil(self, frame: bytes) -> tuple[bytes, float]:
        """What arrives of a frame, and how late in seconds."""
        rng = self.rng
        if self.happens("mute"):
            return b"", 0
        if self.happens("cut"):
            start = rng.randrange(len(frame))
            frame = frame[:start] + frame[start + rng.randint(1, len(frame)) :]
        if frame and self.happens("flip"):
            at = rng.randrange(len(frame))
            frame = frame[:at] + bytes((frame[at] ^ rng.randint(1, 255),)) + frame[at + 1 :]
        if self.happens("noise"):
            frame = rng.randbytes(rng.randint(1, 12)) + frame
        return frame, rng.uniform(0.02, 0.4) if self.happens("late") else 0


class Pn532Chip:
    """One chip. Bytes and time in (seconds of any clock that only counts up), bytes out."""

    def __init__(self, field: Field, byte_time: float = 0, faults: Faults | None = None, asleep: bool = True) -> None:
        """``byte_time``: seconds a byte takes on the wire, 1 / 11520 on a serial line of 115200 baud."""
        self._field = field
        self._byte_time = byte_time
        self._faults = faults or Faults(random.Random(0))
        self._asleep = asleep
        self._input = b""
        self._output: list[tuple[float, bytes, bool]] = []
        """When, what, and whether it is on its way already, held up somewhere: that can no more be stopped."""
        self._last = b""
        self._selected: list[Tag] = []
        self.retries = 0xFF
        self._most = 0
        """Tags that a list command under way is looking for; 0: none is."""
        self._attempts = 0
        self._next_attempt = 0.0
        self.dead = False
        """True: it answers nothing at all."""
        self.field_on = True
        """False: a glitch took the field; it is there again when it is switched on anew."""
        self.normal = True
        """False: a glitch took the SAM's mode, so that it hears no tag until that is set anew."""
        self.trouble: Callable[[bytes], bytes | None] = lambda _: None
        """Asked with each command: None, it is carried out; empty, it is not even acknowledged; else the frame that is
        answered in its place."""
        self.commands: list[bytes] = []
        """Every command taken, from its code on."""

    def restart(self) -> None:
        """Its power failed for a moment: it sleeps, and has forgotten everything."""
        self._asleep = True
        self._input = b""
        self._output.clear()
        self._selected.clear()
        self.retries = 0xFF
        self._most = 0
        self.field_on = self.normal = True

    @property
    def due(self) -> float | None:
        """When ``take`` may have something; None: only after bytes or tags came in."""
        times = [at for at, _, _ in self._output]
        if self._most and (self.retries != 0xFF or len(self._field)):
            times.append(self._next_attempt)
        return min(times, default=None)

    def feed(self, data: bytes, now: float) -> None:
        """Bytes from the host."""
        if self.dead:
            return
        if self._asleep and b"\x55" in data:
            self._asleep = False
        if self._asleep:
            return
        self._input += data
        now += len(data) * self._byte_time
        while (frame := self._frame()) is not None:
            self._command(frame, now)

    def take(self, now: float) -> bytes:
        """What the chip has sent by now."""
        return b"".join(self.frames(now))

    def frames(self, now: float) -> list[bytes]:
        """The same, frame by frame, as the buses with a ready bit hand them out."""
        while self._most and self._next_attempt <= now and (self.retries != 0xFF or len(self._field)):
            self._attempt(max(self._next_attempt, now - 1))
        ready = [frame for at, frame, _ in self._output if at <= now]
        self._output = [o for o in self._output if o[0] > now]
        return [] if self.dead else ready

    def wake(self) -> bool:
        """Chip select or its address wakes it; false when it was awake already."""
        slept, self._asleep = self._asleep, False
        return slept

    def _frame(self) -> bytes | None:
        """The next command from its code on; ``b""`` for ACK and NACK, which are carried out at once."""
        while (start := self._input.find(b"\x00\xff")) >= 0:
            b = self._input[start + 2 :]
            if len(b) < 2:
                return None
            if b[:2] in (b"\x00\xff", b"\xff\x00"):
                self._input = b[2:]
                return b[:1]
            if (b[0] + b[1]) & 255 or not b[0]:
                self._input = b
                continue
            if len(b) < b[0] + 3:
                return None
            data = b[2 : 2 + b[0]]
            if (sum(data) + b[2 + b[0]]) & 255 or data[0] != 0xD4 or len(data) < 2:
                self._input = b
                continue
            self._input = b[b[0] + 3 :]
            return data[1:]
        self._input = self._input[-1:]
        return None

    def _command(self, data: bytes, now: float) -> None:
        self._most = 0  # whatever was under way is over
        if data == b"\x00":  # ACK: stop
            self._stop()
            return
        if data == b"\xff":  # NACK: the last answer again
            self._send(self._last, now)
            return
        self.commands.append(data)
        self._stop()
        instead = self.trouble(data)
        if instead == b"":
            return
        self._send(ACK, now + THINK)
        now += 2 * THINK + len(ACK) * self._byte_time
        if instead is not None:
            self._send(instead, now)
            return
        code, params = data[0], data[1:]
        if code == 0x02:
            self._reply(code, VERSION, now)
        elif code == 0x14:
            self.normal = self.normal or params[:1] == b"\x01"
            self._reply(code, b"", now)
        elif code == 0x32:
            if params[:1] == b"\x05" and len(params) == 4:
                self.retries = params[3]
            if params[:1] == b"\x01" and len(params) == 2:
                self.field_on = bool(params[1] & 1)
            self._reply(code, b"", now)
        elif code == 0x4A and len(params) == 2 and params[0] in (1, 2):
            self._most, self._attempts, self._next_attempt = params[0], 0, now
        elif code == 0x40 and len(params) >= 1:
            self._exchange(params, now)
        else:
            self._send(ERROR, now)

    def _stop(self) -> None:
        self._output = [o for o in self._output if o[2]]

    def _attempt(self, now: float) -> None:
        """One call for new tags."""
        self._attempts += 1
        self._selected = []
        with self._field.tags() as tags:
            heard = tags and self.field_on and self.normal and not self._faults.happens("missed")
            for tag in tags if heard else ():
                if tag.uid in [other.uid for other in self._selected]:  # they answer as one
                    continue
                if tag.active:
                    tag.active = False
                elif len(self._selected) < self._most:
                    tag.active = True
                    self._selected.append(tag)
        if not self._selected and (self.retries == 0xFF or self._attempts <= self.retries):
            self._next_attempt = now + ATTEMPT
            return
        took = sum(ACTIVATE[len(t.uid)] for t in self._selected)
        if len(self._selected) < self._most:
            took += ATTEMPT
        self._most = 0
        answer = bytes((len(self._selected),))
        for number, tag in enumerate(self._selected, 1):
            answer += bytes((number, tag.atqa >> 8, tag.atqa & 255, tag.sak, len(tag.uid))) + tag.uid + tag.ats
        self._reply(0x4A, answer, now + took)

    def _exchange(self, params: bytes, now: float) -> None:
        """InDataExchange with a tag that was listed."""
        number, answer = params[0], None
        if 1 <= number <= len(self._selected):
            tag = self._selected[number - 1]
            with self._field.tags() as tags:
                if self.field_on and tag in tags and tag.active:
                    answer = tag.answer(params[1:])
                    if any(other.uid == tag.uid and other.answer(params[1:]) != answer for other in tags):
                        answer = None  # both speak at once, and not the same
        self._reply(0x40, b"\x01" if answer is None else b"\x00" + answer, now + READ)

    def _reply(self, code: int, data: bytes, now: float) -> None:
        body = bytes((0xD5, code + 1)) + data
        frame = b"\x00\x00\xff" + bytes((len(body), -len(body) & 255)) + body + bytes((-sum(body) & 255, 0))
        self._last = frame
        self._send(frame, now)

    def _send(self, frame: bytes, now: float) -> None:
        arrived, late = self._faults.spoil(frame)
        at = now + len(frame) * self._byte_time + late
        if self._output:  # a line keeps its order: what is held up holds up what follows
            at = max(at, self._output[-1][0])
        if arrived:
            self._output.append((at, arrived, late > 0))
