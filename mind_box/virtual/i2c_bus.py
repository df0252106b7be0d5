"""A model of an I2C bus: chips that acknowledge or do not, the TCA9548A, and a bus that is a file of its traffic."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from typing import Protocol

from mind_box.devices.oled.i2c import Bus, open_linux_bus


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


class CaptureBus:
    """A bus that is a file or FIFO: every message is appended as one line, ``<address> <payload>`` in hex."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)

    def write(self, address: int, payload: bytes) -> None:
        os.write(self._fd, f"{address:02x} {payload.hex()}\n".encode())

    def read(self, address: int, count: int) -> bytes:  # noqa: ARG002
        """Nobody is there to answer."""
        raise OSError(errno.EREMOTEIO, "a capture cannot be read from")

    def close(self) -> None:
        os.close(self._fd)


def play(capture: str, bus: ModelBus) -> None:
    """Sends what a ``CaptureBus`` wrote to the chips on a model bus. Raises ``ValueError`` for a broken line."""
    for line in capture.splitlines():
        address, _, payload = line.partition(" ")
        bus.write(int(address, 16), bytes.fromhex(payload))


def open_bus(name: str) -> Bus:
    """For ``open_screens``: ``sim:<path>`` is a ``CaptureBus``, any other name a bus of the kernel."""
    path = name.removeprefix("sim:")
    return open_linux_bus(name) if path == name else CaptureBus(path)
