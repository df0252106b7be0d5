"""RDM6300 and its kin for 125 kHz tags: STX, ten hex digits, their XOR in two more, ETX; again and again while the tag
is there. An ID-12LA or ID-20LA sends the same once, with CR LF before the ETX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mind_box.devices.readers.driver import Action, Resting, Say, Seen, Working
from mind_box.settings.schema import ReaderSettings

_STX, _ETX = 0x02, 0x03
_LINE_ENDS: Final = frozenset(b"\r\n")
_DIGITS: Final = frozenset(b"0123456789ABCDEFabcdef")
_LENGTH: Final = 12
STRAY: Final = 12
"""Bytes outside of frames after which they are no noise of a plug."""

NO_TAG: Final = (
    "bytes come that make no tag: check reader.baud (9600), and that the data wire is the TTL one, not inverted "
    '(RS-232); a reader that sends plain lines, a decimal number say, is kind = "serial"'
)


class RdmFramer:
    """Finds tag numbers in a stream of bytes. What has a wrong digit, length or checksum is no tag."""

    def __init__(self) -> None:
        self._digits: bytearray | None = None
        self._stray = 0
        self.dropped = 0
        """Frames dropped so far; so many bytes outside of any count as one."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The tag numbers, five bytes each, that these bytes complete."""
        for byte in data:
            if byte == _STX:
                self.reset()
                self._digits = bytearray()
            elif self._digits is None:
                self._stray += byte != _ETX and byte not in _LINE_ENDS
                self.dropped += self._stray == STRAY
            elif byte in _DIGITS and len(self._digits) < _LENGTH:
                self._digits.append(byte)
            else:
                ended = byte == _ETX or byte in _LINE_ENDS
                number = bytes.fromhex(self._digits.decode()) if ended and len(self._digits) == _LENGTH else b""
                self._digits = None
                if number and not number[0] ^ number[1] ^ number[2] ^ number[3] ^ number[4] ^ number[5]:
                    self._stray = 0
                    yield number[:5]
                else:
                    self.dropped += 1

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
        self._said = False
        """``NO_TAG`` was said, and no tag has come since."""

    def opened(self, now: float) -> Sequence[Action]:  # noqa: ARG002 - it has no time of its own
        self._framer.reset()
        return (Working(),)

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        dropped = self._framer.dropped
        names = [number.hex(":").upper() for number in self._framer.feed(data)]
        actions: list[Action] = [Seen(name, now) for name in names if self._resting.is_new(name, now)]
        if names:
            self._said = False
        elif self._framer.dropped > dropped:
            if not self._said:
                actions.append(Say(NO_TAG))
            self._said = True
        return actions

    def wake(self, now: float) -> Sequence[Action]:  # noqa: ARG002
        return ()


def driver(settings: ReaderSettings, mark: Path | None) -> RdmDriver:  # noqa: ARG001
    """The driver of such a reader."""
    return RdmDriver(settings.same_card_seconds)
