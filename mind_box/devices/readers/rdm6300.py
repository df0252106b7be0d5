"""RDM6300 and its kin for 125 kHz tags: STX, ten hex digits, their XOR in two more, ETX; again and again while
the tag is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mind_box.devices.readers.driver import Action, Seen, Working
from mind_box.devices.readers.resting import Resting

_STX, _ETX = 0x02, 0x03
_DIGITS: Final = frozenset(b"0123456789ABCDEFabcdef")
_LENGTH: Final = 12


class RdmFramer:
    """Finds tag numbers in a stream of bytes. What has a wrong digit, length or checksum is no tag."""

    def __init__(self) -> None:
        self._digits: bytearray | None = None
        self.dropped = 0
        """Frames dropped so far."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The tag numbers, five bytes each, that these bytes complete."""
        for byte in data:
            if byte == _STX:
                self.reset()
                self._digits = bytearray()
            elif self._digits is None:
                continue
            elif byte in _DIGITS and len(self._digits) < _LENGTH:
                self._digits.append(byte)
            else:
                number = bytes.fromhex(self._digits.decode()) if byte == _ETX and self._full else b""
                self._digits = None
                if number and not number[0] ^ number[1] ^ number[2] ^ number[3] ^ number[4] ^ number[5]:
                    yield number[:5]
                else:
                    self.dropped += 1

    @property
    def _full(self) -> bool:
        return self._digits is not None and len(self._digits) == _LENGTH

    def reset(self) -> None:
        """Forgets a frame that has begun."""
        self.dropped += self._digits is not None
        self._digits = None


class RdmDriver:
    """A reader that only speaks when a tag is there; an open port is a working reader."""

    deadline = None

    def __init__(self, same_card_seconds: float) -> None:
        self._framer = RdmFramer()
        self._resting = Resting(same_card_seconds)

    def opened(self, now: float) -> Sequence[Action]:  # noqa: ARG002 - it has no time of its own
        self._framer.reset()
        return (Working(),)

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        names = (number.hex(":").upper() for number in self._framer.feed(data))
        return [Seen(name, now) for name in names if self._resting.is_new(name, now)]

    def wake(self, now: float) -> Sequence[Action]:  # noqa: ARG002
        return ()
