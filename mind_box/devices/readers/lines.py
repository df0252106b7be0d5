"""Barcode scanners on a serial line: bytes in, payloads out.

Scanners end a code with CR, LF, CRLF, ETX or TAB, or with nothing at all: then silence ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mind_box.devices.readers.driver import Action, Say, Seen, Working
from mind_box.devices.readers.resting import Resting

SILENCE: Final = 0.08
"""Seconds without a byte that end a code. At 9600 baud a byte takes 0.001, a USB adapter holds it up to 0.016."""
LONGEST: Final = 256
"""Bytes of the longest code; a QR version 1 holds 25."""

NO_CODE: Final = (
    "bytes come that make no code: check reader.baud, and that the scanner sends 8N1, plain text and a line end "
    "(a keyboard: country USA)"
)

_STX, _ETX = 0x02, 0x03
_ENDS = frozenset((0x09, 0x0A, 0x0D, _ETX))


class LineFramer:
    """Cuts a stream of bytes into payloads. Holds at most ``LONGEST`` bytes, whatever comes.

    Rubbish (control characters, bytes that are not UTF-8, a code without an end) is dropped up to the next end:
    a code of which a part is damaged is no code.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._spoilt = False
        self.dropped = 0
        """Codes dropped as rubbish so far."""

    @property
    def pending(self) -> bool:
        """True while a code has begun and its end is not there yet."""
        return bool(self._pending) or self._spoilt

    def feed(self, data: bytes) -> Iterator[str]:
        """The payloads that these bytes complete."""
        for byte in data:
            if byte in _ENDS:
                yield from self.end()
            elif byte == _STX:  # a frame begins here: what came before it lost its end
                self.reset()
            elif byte < 0x20 or byte == 0x7F or len(self._pending) >= LONGEST:
                self._spoilt = True
                self._pending.clear()
            elif not self._spoilt:
                self._pending.append(byte)

    def end(self) -> Iterator[str]:
        """Silence: the payload that it completes, if any."""
        code, spoilt = bytes(self._pending), self._spoilt
        self._pending.clear()
        self._spoilt = False
        if spoilt:
            self.dropped += 1
            return
        try:
            text = code.decode("utf-8").strip()
        except UnicodeDecodeError:
            self.dropped += 1
            return
        if text:
            yield text

    def reset(self) -> None:
        """Forgets a code that has begun."""
        if self.pending:
            self.dropped += 1
        self._pending.clear()
        self._spoilt = False


class LineDriver:
    """A scanner that sends lines. It cannot be asked whether it is there: an open port is a working reader."""

    def __init__(self, same_card_seconds: float) -> None:
        self._framer = LineFramer()
        self._resting = Resting(same_card_seconds)
        self._last = 0.0
        self._said = False
        """``NO_CODE`` was said, and no good code has come since."""

    @property
    def deadline(self) -> float | None:
        return self._last + SILENCE if self._framer.pending else None

    def opened(self, now: float) -> Sequence[Action]:
        self._framer.reset()
        self._last = now
        return (Working(),)

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        self._last = now
        return self._seen(self._framer.feed(data))

    def wake(self, now: float) -> Sequence[Action]:
        if self.deadline is None or now < self.deadline:
            return ()
        return self._seen(self._framer.end())

    def _seen(self, payloads: Iterator[str]) -> Sequence[Action]:
        dropped = self._framer.dropped
        codes = list(payloads)
        actions: list[Action] = [Seen(p, self._last) for p in codes if self._resting.is_new(p, self._last)]
        if self._framer.dropped > dropped:
            if not self._said:
                actions.append(Say(NO_CODE))
            self._said = True
        elif any(code.isascii() for code in codes):  # as every card is; rubbish may happen to be UTF-8
            self._said = False
        return actions
