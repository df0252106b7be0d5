"""What goes wrong with readers, for every campaign. Only what carries a check is damaged: a bare ``42`` cut to ``4`` is
a card."""

from __future__ import annotations

import binascii
import errno
import random
import termios
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import serial

from mind_box.table.payload import parse

ERRORS: tuple[Callable[[], Exception], ...] = (
    lambda: OSError(errno.EIO, "Input/output error"),
    lambda: OSError(errno.ENODEV, "No such device"),
    lambda: OSError(errno.ETIMEDOUT, "Connection timed out"),
    lambda: RuntimeError("a library's own fault"),
    lambda: TypeError(),
)
"""What a device, or a library above it, raises at any time."""
OPENING: tuple[Callable[[], Exception], ...] = (
    *ERRORS,
    lambda: OSError(errno.EACCES, "Permission denied"),
    lambda: serial.SerialException("Could not exclusively lock port"),
    lambda: serial.SerialException(errno.ENOENT, "could not open port"),
    lambda: termios.error(errno.EIO, "Input/output error"),
    lambda: ValueError("Not a valid baudrate"),
)
"""And when it is opened."""


class Injector:
    """Decides which faults strike, and counts them by kind. While ``on`` is false nothing does."""

    def __init__(self, rng: random.Random, on: bool = True) -> None:
        self.rng = rng
        self.on = on
        self.struck: Counter[str] = Counter()
        self.raised: list[Exception] = []

    def hit(self, what: str, chance: float = 1.0) -> bool:
        """Whether this one strikes here."""
        if self.on and self.rng.random() < chance:
            self.struck[what] += 1
            return True
        return False

    def error(self, kinds: Sequence[Callable[[], Exception]]) -> Exception:
        """One of these, to be raised; remembered, so that nobody takes it for an error of the box."""
        self.raised.append(self.rng.choice(kinds)())
        return self.raised[-1]


def says_a_card(data: bytes) -> bool:
    """True when a part of these bytes happens to be a card without a check."""
    for end in (b"\n", b"\t", b"\x02", b"\x03"):
        data = data.replace(end, b"\r")
    return any(parse(part.decode("latin-1")) is not None for part in data.split(b"\r"))


def rubbish(rng: random.Random, most: int = 40) -> bytes:
    """Bytes that are no card: any, or a text that does not end."""
    if rng.random() < 0.5:
        return b"x" * (20 * most)
    while says_a_card(data := rng.randbytes(rng.randint(1, most)).replace(b"\x02", b"?")):
        continue
    return data


def spoilt(
    rng: random.Random,
    code: bytes,
    whole: Callable[[bytes], bool] = says_a_card,
    letters: bytes = bytes(range(256)),
) -> bytes:
    """A code that went wrong on the wire (cut, a byte lost or another), so that its check can tell.

    ``whole`` says that it cannot; ``letters`` are the bytes that may stand there instead.
    """
    while True:
        at = rng.randrange(len(code))
        other = bytes((rng.choice(letters),))
        bad = rng.choice((code[:at], code[at:], code[:at] + code[at + 1 :], code[:at] + other + code[at + 1 :]))
        if not whole(bad):
            return bad


def answer(value: bytes = b"\x00", head: int = 2) -> bytes:
    """What a GM65 sends for a command (``head`` 3: for the question whether it is there)."""
    body = bytes((0, len(value))) + value
    return bytes((head, 0)) + body + binascii.crc_hqx(body, 0).to_bytes(2, "big")


def trickle(rng: random.Random, data: bytes, unit: int = 1, slow: float = 0.04) -> Iterator[tuple[bytes, float]]:
    """The bytes one by one, or so many, each with a pause behind it, shorter than the silence that ends a code."""
    for at in range(0, len(data), unit):
        yield data[at : at + unit], rng.uniform(0, slow)
