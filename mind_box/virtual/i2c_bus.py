"""A model of an I2C bus: chips that acknowledge or do not, and the TCA9548A."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from typing import Protocol


class Slave(Protocol):
    """A chip on the bus."""

    def write(self, payload: bytes) -> None: ...
    def read(self, count: int) -> bytes: ...


class TCA9548A:
    """Texas Instruments TCA9548A: one control register, a bit for each of eight channels; 0 after power-up."""

    def __init__(self) -> None:
        self.mask = 0
        self.stuck = False
        """It acknowledges, and its register stays as it is."""
        self.channels: tuple[dict[int, Slave], ...] = tuple({} for _ in range(8))

    def power_cycle(self) -> None:
        """All channels closed."""
        self.mask = 0

    def write(self, payload: bytes) -> None:
        """The last byte of a message is the register."""
        if payload and not self.stuck:
            self.mask = payload[-1]

    def read(self, count: int) -> bytes:
        return bytes([self.mask]) * count

    def behind(self, address: int) -> Iterator[Slave]:
        """The chips of this address on the open channels."""
        for number, channel in enumerate(self.channels):
            if self.mask >> number & 1 and address in channel:
                yield channel[address]


class ModelBus:
    """A ``mind_box.devices.oled.i2c.Bus`` with chips on it, and the face of an ``smbus2.SMBus`` for stock luma.

    ``trouble`` is asked before each message, as ``trouble(address, payload)`` (payload None for a read); what
    it raises is what the adapter reports.
    """

    def __init__(self, slaves: dict[int, Slave] | None = None) -> None:
        self.slaves: dict[int, Slave] = slaves if slaves is not None else {}
        self.trouble: Callable[[int, bytes | None], None] | None = None
        self.messages = 0
        self.bytes = 0
        """All bytes on the wire, each message's address byte included."""
        self.closed = False

    def reached(self, address: int) -> list[Slave]:
        """The chips that a message to this address reaches now."""
        found = [self.slaves[address]] if address in self.slaves else []
        for slave in self.slaves.values():
            if isinstance(slave, TCA9548A):
                found += slave.behind(address)
        return found

    def _acknowledging(self, address: int) -> list[Slave]:
        found = self.reached(address)
        if not found:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        return found

    def write(self, address: int, payload: bytes) -> None:
        """One message. Raises ``OSError`` 121 when no chip acknowledges."""
        self.messages += 1
        self.bytes += 1 + len(payload)
        if self.trouble is not None:
            self.trouble(address, payload)
        for slave in self._acknowledging(address):
            slave.write(payload)

    def read(self, address: int, count: int) -> bytes:
        """One message; chips that answer together pull the line low together."""
        self.messages += 1
        self.bytes += 1 + count
        if self.trouble is not None:
            self.trouble(address, None)
        answers = [slave.read(count) for slave in self._acknowledging(address)]
        return bytes(min(together) for together in zip(*answers, strict=True))

    def close(self) -> None:
        self.closed = True

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        """As smbus2: at most 32 data bytes."""
        if len(data) > 32:
            raise ValueError("an SMBus block holds 32 bytes")
        self.write(address, bytes([register, *data]))
