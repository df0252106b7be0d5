"""Readers' ends of a cable: a serial port on a pty, and an input device on a FIFO."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import select
import termios
from pathlib import Path

from mind_box.virtual.reader_line import ReaderLine


class Plug(ReaderLine):
    """A serial device that can be plugged and unplugged: a symlink to the slave of a fresh pty each time."""

    def __init__(self, link: Path) -> None:
        super().__init__(link)
        self.link = link

    @property
    def master(self) -> int:
        assert self._ends is not None
        return self._ends[0]

    def send(self, data: bytes) -> None:
        """Bytes to the driver; returns when the kernel has carried them over, which takes no virtual time."""
        assert self._ends is not None
        carry(self._ends[0], self._ends[1], data)

    def sent(self) -> bytes:
        """What the driver wrote since the last call."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.master, 65536)
        return b""


class InputDevice:
    """An input device as the kernel shows it, made of a FIFO: events in, one ioctl to grab it."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self.grabs: list[tuple[int, int]] = []
        self.refuse: OSError | None = None
        self._end: int | None = None

    @property
    def plugged(self) -> bool:
        return self._end is not None

    def plug(self) -> None:
        os.mkfifo(self.link)
        self._end = os.open(self.link, os.O_RDWR | os.O_NONBLOCK)

    def unplug(self) -> None:
        if self._end is not None:
            self.link.unlink()
            os.close(self._end)
            self._end = None

    def send(self, data: bytes) -> None:
        """The bytes of events, cut anywhere."""
        assert self._end is not None
        assert os.write(self._end, data) == len(data)

    def sent(self) -> bytes:
        """What nobody has read."""
        assert self._end is not None
        with contextlib.suppress(BlockingIOError):
            return os.read(self._end, 65536)
        return b""

    def ioctl(self, fd: int, request: int, value: int) -> int:
        if self.refuse is not None:
            raise self.refuse
        assert fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK
        self.grabs.append((request, value))
        return 0


def carry(source: int, target: int, data: bytes) -> None:
    """Writes to one end of a pty, and returns when the other has it: a thread of the kernel carries the bytes."""
    there = _waiting(target)
    assert there + len(data) < 4096, "nobody reads, and the kernel takes no more"
    assert os.write(source, data) == len(data)
    while (now := _waiting(target)) < there + len(data):
        select.select([target], [], [], 0 if now else 10)


def _waiting(fd: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]
