"""The PN532 model behind I2C and SPI: a ready bit, frames one by one, bytes the wrong way round."""

from __future__ import annotations

from collections.abc import Callable

from tests.models.pn532_chip import Pn532Chip


class _Frames:
    """What both buses share: the frame that the host may read now."""

    def __init__(self, chip: Pn532Chip, clock: Callable[[], float]) -> None:
        self._chip = chip
        self._clock = clock
        self._ready: list[bytes] = []
        self.stuck: int | None = None
        """What every byte from the chip is, while its line is held low (0) or high (255)."""

    def _write(self, frame: bytes) -> None:
        """A frame from the host. The one that wakes the chip is lost."""
        if self._chip.wake():
            return
        self._ready.clear()
        self._chip.feed(frame, self._clock())

    def _next(self) -> bytes | None:
        """The frame that is ready; it stays until ``_done``."""
        self._ready += self._chip.frames(self._clock())
        return self._ready[0] if self._ready else None

    def _done(self) -> None:
        if self._ready:
            del self._ready[0]


class Pn532I2c(_Frames):
    """Address 0x24. Every read begins with a ready byte; what is read of a frame and not to its end is lost."""

    def write(self, data: bytes) -> bool:
        """A write transaction; false when nobody acknowledged it."""
        if self._chip.dead:
            return False
        self._write(data)
        return True

    def read(self, count: int) -> bytes | None:
        """A read transaction of ``count`` bytes; None when nobody acknowledged it."""
        if self.stuck is not None:
            return bytes((self.stuck,)) * count
        if self._chip.dead:
            return None
        frame = self._next()
        if frame is None:
            return b"\x00" + bytes(count - 1)
        if count > 1:
            self._done()
        return (b"\x01" + frame + bytes(count))[:count]


class Pn532Spi(_Frames):
    """Lowest bit first. A transfer lasts while chip select is low."""

    def __init__(self, chip: Pn532Chip, clock: Callable[[], float]) -> None:
        super().__init__(chip, clock)
        self._taken = b""
        self._answer: bytes = b""

    def select(self, low: bool) -> None:
        """The chip select line."""
        if not low and self._taken[:1] == b"\x01":
            self._write(self._taken[1:])
        if not low and self._taken[:1] == b"\x03":
            self._done()
        self._taken = self._answer = b""

    def transfer(self, data: bytes) -> bytes:
        """Bytes both ways at once."""
        answer = bytes(_turned(self._byte(_turned(byte))) for byte in data)
        return answer if self.stuck is None else bytes((self.stuck,)) * len(data)

    def _byte(self, byte: int) -> int:
        kind = self._taken[:1]
        self._taken += bytes((byte,))
        if self._chip.dead or kind not in (b"\x02", b"\x03"):
            return 0
        if kind == b"\x02":
            return int(self._next() is not None)
        if len(self._taken) == 2:
            self._answer = self._next() or b""
        return self._answer[len(self._taken) - 2] if len(self._taken) - 2 < len(self._answer) else 0


def _turned(byte: int) -> int:
    return int(f"{byte:08b}"[::-1], 2)
