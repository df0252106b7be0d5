"""I2C: a bus of the kernel, the multiplexers on it, and one device's place on it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Protocol

I2C_SLAVE = 0x0703
"""ioctl of <linux/i2c-dev.h>: which address read() and write() talk to."""

CHUNK = 4096
"""Data bytes in one message. i2c-dev takes 8192; luma's own code falls to 32 on a bus that it is given."""

NACKS = frozenset({errno.EREMOTEIO, errno.ENXIO, errno.EIO})
"""What adapters report when nobody acknowledges: EREMOTEIO on a Pi 0 to 4, EIO or ENXIO on other controllers."""


class Bus(Protocol):
    """A bus that carries whole messages. All raise ``OSError`` as the kernel does."""

    def write(self, address: int, payload: bytes) -> None:
        """One message to a 7-bit address."""
        ...

    def read(self, address: int, count: int) -> bytes:
        """One message of ``count`` bytes from a 7-bit address."""
        ...

    def close(self) -> None: ...


OpenBus = Callable[[str], Bus]
"""Opens a bus by its name in the settings, ``i2c-1`` or ``sim:PATH``; raises ``OSError``."""


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
            raise OSError(errno.EIO, "the adapter took only a part of the message")

    def read(self, address: int, count: int) -> bytes:
        self._select(address)
        return os.read(self._fd, count)

    def close(self) -> None:
        os.close(self._fd)


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


def open_bus(name: str) -> Bus:
    """The kernel's bus called ``i2c-N``, or for ``sim:PATH`` one that only writes down what would have been sent."""
    return CaptureBus(name[4:]) if name.startswith("sim:") else LinuxBus(f"/dev/{name}")


class MuxError(OSError):
    """The TCA9548A itself did not answer, or did not do what it was told."""


class SharedBus:
    """A bus with its multiplexers, opened when first used and again after it was lost.

    Not thread-safe on purpose: one worker per bus is what keeps messages apart.
    """

    def __init__(self, name: str, open_bus: OpenBus = open_bus) -> None:
        self.name = name
        self._open = open_bus
        self._bus: Bus | None = None
        self._masks: dict[int, int | None] = {}
        """What each multiplexer is set to, one bit a channel; None: not known."""

    def add_mux(self, mux: int) -> None:
        """Says that there is a TCA9548A at this address."""
        self._masks[mux] = None

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

    def aim(self, mux: int | None, channel: int) -> None:
        """Sets the multiplexers whatever they were set to: a spark may have flipped a register, which acknowledges on.

        Raises ``MuxError`` where the one on the way does not hold what was written; one that cannot be read is
        believed.
        """
        if mux is None:
            return
        self._masks = dict.fromkeys(self._masks)
        try:
            held = self._asked(self._route(mux, channel), mux)
            if held not in (None, 1 << channel):
                raise MuxError(errno.EIO, f"the multiplexer at 0x{mux:02x} does not go to channel {channel}")
        except OSError as e:
            self._failed(e)
            raise

    def _asked(self, bus: Bus, mux: int) -> int | None:
        try:
            return bus.read(mux, 1)[0]
        except OSError as e:
            if e.errno in NACKS:  # a bus for writing only
                return None
            raise

    def close(self) -> None:
        """Lets go of the bus; the next message opens it again."""
        bus, self._bus = self._bus, None
        self._masks = dict.fromkeys(self._masks)
        if bus is not None:
            bus.close()

    def _route(self, mux: int | None, channel: int) -> Bus:
        if self._bus is None:
            self._bus = self._open(self.name)
        if mux is not None:
            # Close the others first: two open channels could hold two panels of one address.
            for other, mask in self._masks.items():
                if other != mux and mask != 0:
                    self._shut(self._bus, other)
            if self._masks[mux] != 1 << channel:
                self._set(self._bus, mux, 1 << channel)
        return self._bus

    def _shut(self, bus: Bus, mux: int) -> None:
        """Closes a multiplexer. One that does not answer has no channel open; a spark can look the same, but not twice.

        It is asked again before the next message: its power may be back.
        """
        for _ in range(2):
            try:
                self._set(bus, mux, 0)
                break
            except MuxError:
                pass

    def _set(self, bus: Bus, mux: int, mask: int) -> None:
        self._masks[mux] = None
        try:
            bus.write(mux, bytes([mask]))
        except OSError as e:
            if e.errno not in NACKS:  # the whole bus hangs, or is gone
                raise
            raise MuxError(e.errno, f"the multiplexer at 0x{mux:02x} does not answer") from e
        self._masks[mux] = mask

    def _failed(self, error: OSError) -> None:
        """A multiplexer that lost its power has lost its channel; a bus that is gone must be opened anew."""
        if error.errno in NACKS or error.errno == errno.ETIMEDOUT:
            self._masks = dict.fromkeys(self._masks)
        else:
            self.close()


class I2CInterface:
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

    def aim(self) -> None:
        """Opens the way to the device anew, whatever stood in the multiplexers. Raises ``MuxError``."""
        self._bus.aim(self._mux, self._channel)

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

    def explain(self, error: Exception) -> str:
        """What an error means and what to do about it, in one line."""
        name = self._bus.name
        where = f"0x{self._address:02x} on {name}"
        number = error.errno if isinstance(error, OSError) else None
        if isinstance(error, MuxError):
            return f"{error.strerror} on {name}: check its wires and its address jumpers (screen.mux)"
        if number == errno.ENOENT:
            cure = "dtparam=i2c_arm=on" if name == "i2c-1" else f"the dtoverlay that makes {name}"
            cure += " into /boot/firmware/config.txt and start the Pi again; if it is there: sudo modprobe i2c-dev"
            return f"there is no /dev/{name}: write {cure}"
        if number in (errno.EACCES, errno.EPERM):
            return f"may not open /dev/{name}: add the service's user to the group i2c"
        if number == errno.EBUSY:
            return f"{where} belongs to a kernel driver: remove its dtoverlay from /boot/firmware/config.txt"
        if number == errno.ETIMEDOUT:
            return f"{name} hangs: a device holds SDA or SCL low; check the wiring, then cut the power once"
        if number in NACKS or type(error).__name__ == "DeviceNotFoundError":
            more = self._elsewhere() or "; a 2.42 inch module must be set to I2C, its D2 (ACK) closed"
            return f"nothing answers at {where}: check the four wires and screen.address{more}"
        return f"{where}: {str(error) or type(error).__name__}"

    def _elsewhere(self) -> str:
        """These displays sit at 0x3C or, with one resistor moved, at 0x3D: look at the other."""
        other = {0x3C: 0x3D, 0x3D: 0x3C}.get(self._address)
        if other is None:
            return ""
        try:
            self._bus.read(self._mux, self._channel, other, 1)
        except Exception:  # a guess must not make the fault worse
            return ""
        return f" (something answers at 0x{other:02x})"
