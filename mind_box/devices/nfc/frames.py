"""PN532 frames: commands to bytes, bytes to answers (NXP user manual UM0701-02, 6.2.1)."""

ACK = b"\x00\x00\xff\x00\xff\x00"
"""From the chip: command taken. From the host: stop what you are doing."""
NACK = b"\x00\x00\xff\xff\x00\x00"
"""From the host: send the last answer again."""
WAKE = b"\x55\x55" + bytes(14)
"""Wakes the chip on a serial line, and gives it the time it needs before the first frame."""
ERROR = b"\x7f"
"""The chip's answer to what it does not understand."""

LONGEST = 265
"""Bytes of the longest answer, from 0xD5 on."""


def command(code: int, params: bytes = b"") -> bytes:
    """The frame of a command with at most 252 bytes of parameters."""
    data = bytes((0xD4, code)) + params
    if len(data) > 254:
        raise ValueError("too many parameters for one frame")
    return b"\x00\x00\xff" + bytes((len(data), -len(data) & 255)) + data + bytes((-sum(data) & 255, 0))


def size(data: bytes) -> int:
    """How long the first frame of ``data`` is, counted from its first byte; 0 while that cannot be told."""
    start = data.find(b"\x00\xff")
    if start < 0 or len(data) < start + 4:
        return 0
    kind, head, length = _header(data, start)
    if kind == -2:
        return head + 1
    return head + length + 2 if kind > 0 else 0


def _header(data: bytes, start: int) -> tuple[int, int, int]:
    """What stands at a start code: (1, where the data begins, its length), or 0: wait, -1: no frame, -2: ACK.

    Needs four bytes from ``start`` on.
    """
    length = data[start + 2]
    if length == 0 and data[start + 3] == 0xFF:
        return -2, start + 4, 0
    if length == 0xFF and data[start + 3] == 0xFF:  # extended: two bytes of length
        if len(data) < start + 7:
            return 0, 0, 0
        high, low = data[start + 4], data[start + 5]
        length = high << 8 | low
        right = not (high + low + data[start + 6]) & 255 and 0 < length <= LONGEST
        return (1 if right else -1), start + 7, length
    return (1 if length and not (length + data[start + 3]) & 255 else -1), start + 4, length


class Decoder:
    """Finds frames in a stream of bytes, by their length field, whatever stands between them.

    Holds at most one unfinished frame. A frame with a wrong checksum is no frame; the search goes on inside it.
    """

    def __init__(self) -> None:
        self._buffer = b""

    @property
    def pending(self) -> bool:
        """True while something that looks like a frame has begun."""
        return b"\x00\xff" in self._buffer

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that these bytes complete: ``b""`` for an ACK, ``ERROR``, or the data from 0xD5 on."""
        frames = []
        b = self._buffer + data
        while True:
            start = b.find(b"\x00\xff")
            if start < 0:
                b = b[-1:] if b[-1:] == b"\x00" else b""
                break
            b = b[start:]
            if len(b) < 4:
                break
            kind, head, length = _header(b, 0)
            if kind == 0 or (kind > 0 and len(b) < head + length + 1):
                break
            if kind == -2:
                frames.append(b"")
                b = b[head:]
            elif kind > 0 and not sum(b[head : head + length + 1]) & 255:
                frames.append(bytes(b[head : head + length]))
                b = b[head + length + 1 :]
            else:
                b = b[2:]
        self._buffer = bytes(b)
        return frames

    def give_up(self) -> list[bytes]:
        """Silence: what looked like the beginning of a frame was none. Frames may stand inside it."""
        frames: list[bytes] = []
        while self.pending and not frames:
            behind, self._buffer = self._buffer[2:], b""
            frames = self.feed(behind)
        return frames

    def reset(self) -> None:
        """Forgets what was received."""
        self._buffer = b""
