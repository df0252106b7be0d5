"""I2C: one bus of the kernel, the TCA9548A in between, and the cure for each way it fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Protocol

I2C_SLAVE = 0x0703
"""ioctl of <linux/i2c-dev.h>: which address read() and write() talk to."""

CHUNK = 4096
"""Data bytes in one transfer. i2c-dev takes 8192; luma's own code falls to 32 on a bus that it is given."""

NACKS = frozenset({errno.EREMOTEIO, errno.ENXIO, errno.EIO})
"""What adapters report when nobody acknowledges (i2c-bcm2835: EREMOTEIO, the DesignWare of a Pi 5: EIO or ENXIO)."""


class Bus(Protocol):
    """A bus that carries whole messages. All three raise ``OSError`` as the kernel does."""

    def write(self, address: int, payload: bytes) -> None:
        """One message to a 7-bit address."""
        ...

    def read(self, address: int, count: int) -> bytes:
        """One message of ``count`` bytes from a 7-bit address."""
        ...

    def close(self) -> None: ...


OpenBus = Callable[[str], Bus]
"""Opens a bus by its name in the settings, ``i2c-1``; raises ``OSError``."""


class LinuxBus:
    """/dev/i2c-N by plain read() and write(): one message each, without smbus2 and its ctypes buffers."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._address = -1

    def _select(self, address: int) -> None:
        if address != self._address:
            import fcntl

            self._address = -1
            fcntl.ioctl(self._fd, I2C_SLAVE, address)
            self._address = address

    def write(self, address: int, payload: bytes) -> None:
        self._select(address)
        if os.write(self._fd, payload) != len(payload):
            raise OSError(errno.EIO, "the adapter took a part of the message only")

    def read(self, address: int, count: int) -> bytes:
        self._select(address)
        return os.read(self._fd, count)

    def close(self) -> None:
        os.close(self._fd)


def open_linux_bus(name: str) -> Bus:
    """The kernel's bus called ``i2c-N``."""
    return LinuxBus(f"/dev/{name}")


class SharedBus:
    """A bus with its multiplexers, opened when first used and again after a failure.

    Not thread-safe on purpose: one worker per bus is what keeps messages apart.
    """

    def __init__(self, name: str, open_bus: OpenBus = open_linux_bus) -> None:
        self.name = name
        self._open = open_bus
        self._bus: Bus | None = None
        self._channels: dict[int, int | None] = {}
        """What each multiplexer is set to, as a bit mask; None: not known."""

    def add_mux(self, mux: int) -> None:
        """Says that there is a TCA9548A at this address."""
        self._channels[mux] = None

    def write(self, mux: int | None, channel: int, address: int, payload: bytes) -> None:
        """Writes to a device behind ``mux`` (None: straight on the bus)."""
        try:
            self._route(mux, channel).write(address, payload)
        except OSError as e:
            self._failed(e)
            raise

    def read(self, mux: int | None, channel: int, address: int, count: int) -> bytes:
        """Reads from a device behind ``mux`` (None: straight on the bus)."""
        try:
            return self._route(mux, channel).read(address, count)
        except OSError as e:
            self._failed(e)
            raise

    def close(self) -> None:
        """Lets go of the bus; the next message opens it again."""
        bus, self._bus = self._bus, None
        self._forget()
        if bus is not None:
            bus.close()

    def _forget(self) -> None:
        for mux in self._channels:
            self._channels[mux] = None

    def _route(self, mux: int | None, channel: int) -> Bus:
        if self._bus is None:
            self._bus = self._open(self.name)
        bus = self._bus
        # Close the other multiplexers first: two open channels could hold two panels of one address.
        for other, mask in self._channels.items():
            if other != mux and mask != 0 and mux is not None:
                self._channels[other] = None
                bus.write(other, b"\x00")
                self._channels[other] = 0
        if mux is not None and self._channels.get(mux) != 1 << channel:
            self._channels[mux] = None
            try:
                bus.write(mux, bytes([1 << channel]))
            except OSError as e:
                raise MuxError(e.errno, f"the multiplexer at 0x{mux:02x} does not answer") from e
            self._channels[mux] = 1 << channel
        return bus

    def _failed(self, error: OSError) -> None:
        """A multiplexer that lost its power lost its channel too; a bus that is gone must be opened anew."""
        self._forget()
        if error.errno not in NACKS and error.errno != errno.ETIMEDOUT and self._bus is not None:
            bus, self._bus = self._bus, None
            bus.close()


class MuxError(OSError):
    """The TCA9548A itself did not answer."""


class I2CPort:
    """One device on a shared bus, as luma wants its serial interface.

    The first byte of each message is the control byte (SSD1306 data sheet 8.1.5.2): 0x00, commands follow;
    0x40, data follows.
    """

    def __init__(self, bus: SharedBus, address: int, mux: int | None = None, channel: int = 0) -> None:
        self._bus = bus
        self._mux = mux
        self._channel = channel
        self._address = address
        if mux is not None:
            bus.add_mux(mux)

    def command(self, *cmd: int) -> None:
        """Sends command bytes in one message."""
        self._bus.write(self._mux, self._channel, self._address, b"\x00" + bytes(cmd))

    def data(self, data: bytes) -> None:
        """Sends picture bytes in messages as long as the kernel takes."""
        for start in range(0, len(data), CHUNK):
            self._bus.write(self._mux, self._channel, self._address, b"\x40" + bytes(data[start : start + CHUNK]))

    def status(self) -> int:
        """The controller's status byte; bit 6 is set while the display is off."""
        return self._bus.read(self._mux, self._channel, self._address, 1)[0]

    def cleanup(self) -> None:
        """luma calls this at exit; the bus is the worker's to close."""


def explain(error: Exception, bus: str, address: int) -> str:
    """What a bus error means and what to do about it, in one line."""
    where = f"0x{address:02x} on {bus}"
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, MuxError):
        return f"{error.strerror} on {bus}: check its wires and its address jumpers (screen.mux)"
    if number == errno.ENOENT:
        cure = "dtparam=i2c_arm=on" if bus == "i2c-1" else f"the dtoverlay that makes {bus}"
        return f"there is no /dev/{bus}: write {cure} into /boot/firmware/config.txt and start again"
    if number in (errno.EACCES, errno.EPERM):
        return f"may not open /dev/{bus}: add the service's user to the group i2c"
    if number == errno.EBUSY:
        return f"{where} belongs to a kernel driver: remove its dtoverlay"
    if number == errno.ETIMEDOUT:
        return f"{bus} hangs: a device holds SDA or SCL low; check the wiring, then cut its power once"
    if number in NACKS or type(error).__name__ == "DeviceNotFoundError":
        return f"nothing answers at {where}: check its four wires and its address (0x3C or 0x3D, screen.address)"
    return f"{where}: {error or type(error).__name__}"
