"""What the readers' tests share: a pty as a serial device, a loop in virtual time, an inbox."""

from __future__ import annotations

import array
import asyncio
import contextlib
import fcntl
import os
import pty
import select
import selectors
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind_box.table.inputs import Input, Scan


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer when no descriptor is ready: no test sleeps."""

    def __init__(self) -> None:
        super().__init__(_JumpingSelector(self))
        self.now = 1000.0
        self.wake_ups = 0

    def time(self) -> float:
        return self.now

    def run(self, seconds: float) -> None:
        """Runs for this long in virtual time."""
        self.run_until_complete(asyncio.sleep(seconds))


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if timeout is None or timeout > 0:
            self._loop.wake_ups += 1
            if not ready and timeout is not None:
                self._loop.now += timeout
        return ready


class Plug:
    """A serial device that can be plugged and unplugged: a symlink to the slave of a fresh pty each time."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self._ends: tuple[int, int] | None = None

    def plug(self) -> None:
        master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._ends = (master, slave)
        self.link.symlink_to(os.ttyname(slave))

    def unplug(self) -> None:
        if self._ends is not None:
            self.link.unlink()
            for end in self._ends:
                os.close(end)
            self._ends = None

    @property
    def master(self) -> int:
        assert self._ends is not None
        return self._ends[0]

    def send(self, data: bytes) -> None:
        """Bytes to the driver; returns when the kernel has carried them over, which takes no virtual time."""
        assert self._ends is not None
        there = self._waiting()
        assert os.write(self.master, data) == len(data)
        while self._waiting() < there + len(data):
            select.select([self._ends[1]], [], [], 0 if there or self._waiting() else 10)

    def _waiting(self) -> int:
        assert self._ends is not None
        count = array.array("i", [0])
        fcntl.ioctl(self._ends[1], termios.FIONREAD, count)
        return count[0]

    def sent(self) -> bytes:
        """What the driver wrote since the last call."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.master, 65536)
        return b""


class Inbox(list[Input]):
    """Everything that was posted."""

    @property
    def payloads(self) -> list[str]:
        return [i.payload for i in self if isinstance(i, Scan)]

    def kinds(self) -> list[str]:
        return [type(i).__name__ for i in self]


@pytest.fixture
def loop() -> Iterator[VirtualLoop]:
    loop = VirtualLoop()
    yield loop
    loop.close()


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    plug = Plug(tmp_path / "scanner")
    yield plug
    plug.unplug()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()
