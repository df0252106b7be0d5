"""A serial port as a file descriptor that never blocks, and what is wrong when there is none."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import termios
from typing import Protocol

import serial


class Gone(Exception):
    """The device is not there, or no longer. ``str()`` says what happened and what to do."""


class Transport(Protocol):
    """An open device."""

    def fileno(self) -> int: ...

    def read(self) -> bytes:
        """The bytes that are there now, maybe none. Raises ``Gone`` when the device is gone."""
        ...

    def write(self, data: bytes) -> None:
        """Hands the bytes over without waiting; what does not fit is lost. Raises ``Gone``."""
        ...

    def close(self) -> None:
        """Lets go of the device. Never raises, never waits."""
        ...


class OpenFile:
    """A device's file that never blocks: what all transports have in common."""

    def __init__(self, path: str, fd: int) -> None:
        self._path = path
        self._fd = fd

    def fileno(self) -> int:
        return self._fd

    def read(self) -> bytes:
        try:
            data = os.read(self._fd, 4096)
        except BlockingIOError:
            return b""
        except OSError as e:  # EIO, ENODEV: unplugged
            raise Gone(f"{self._path} is gone ({e.strerror}): plug the reader in again") from e
        if not data:  # ready to read, but nothing there: unplugged
            raise Gone(f"{self._path} is gone: plug the reader in again")
        return data


class SerialTransport(OpenFile):
    """A serial port, opened raw and for this process alone.

    pyserial opens and sets it up; reading and writing go to the descriptor: pyserial's own ``write`` without a
    timeout spins for as long as the device takes no byte.
    """

    def __init__(self, path: str, baud: int) -> None:
        """Raises ``Gone`` when the port cannot be opened."""
        try:
            self._port = serial.Serial(path, baud, timeout=0, exclusive=True)
        except (serial.SerialException, OSError, ValueError, termios.error) as e:
            raise Gone(_why(path, e)) from e
        super().__init__(path, self._port.fileno())
        # The lock of exclusive= keeps out programs that ask for it; this one also keeps out those that do not.
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._fd, termios.TIOCEXCL)

    def write(self, data: bytes) -> None:
        try:
            os.write(self._fd, data)
        except BlockingIOError:
            return  # it takes nothing now; every protocol here asks again
        except OSError as e:
            raise Gone(f"{self._path} is gone ({e.strerror}): plug the reader in again") from e

    def close(self) -> None:
        # Bytes that were never taken would make close() wait for up to 30 s.
        for undo in (self._port.reset_output_buffer, self._free, self._port.close):
            with contextlib.suppress(serial.SerialException, OSError, termios.error):
                undo()

    def _free(self) -> None:
        fcntl.ioctl(self._fd, termios.TIOCNXCL)


def _why(path: str, error: Exception) -> str:
    """What kept the port from opening, and what to do."""
    number = getattr(error, "errno", None)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO):
        return f"{path} is not there: plug the reader in, or set reader.device to its name in /dev/serial/by-id"
    if number == errno.EPERM:  # not the file's own rights (EACCES): the unit's DeviceAllow=
        cure = "sudo systemctl restart mind-box; if it stays so, name this kind in DeviceAllow= (docs/install.md)"
        return f"{path} is of a kind that the service may not open: {cure}"
    if number == errno.EACCES:
        return f"{path} may not be opened: add the user to the group dialout (sudo usermod -aG dialout USER)"
    if number == errno.EBUSY or "exclusively lock" in str(error):
        return f"{path} is in use by another program: stop it (`fuser {path}` names it)"
    if number == errno.ENOTTY or "Could not configure port" in str(error):
        return f"{path} is no serial port: set reader.device to the reader's name in /dev/serial/by-id"
    return f"{path} cannot be opened: {error}"
