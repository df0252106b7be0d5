"""The reader of a virtual box: a serial port that is plugged and unplugged, as the daemon's real driver sees it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import termios
import tty
from pathlib import Path


class ReaderLine:
    """A pseudo-terminal under the name that the settings give to the reader."""

    def __init__(self, name: Path) -> None:
        self._name = name
        self._ends: tuple[int, int] | None = None
        self._taken: list[int] = []
        """Ends of terminals that another program has taken."""

    @property
    def plugged(self) -> bool:
        """Whether the cable is in."""
        return self._ends is not None

    def plug(self) -> None:
        """The reader appears."""
        master, slave = self._ends = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._name.unlink(missing_ok=True)
        self._name.symlink_to(os.ttyname(slave))

    def unplug(self) -> None:
        """The reader is gone."""
        if self._ends is not None:
            self._name.unlink(missing_ok=True)
            for end in (*self._ends, *self._taken):
                os.close(end)
            self._ends = None
            self._taken.clear()

    def take_another(self) -> None:
        """Another program has this terminal: a box that was left running opens every one of its number."""
        if self._ends is not None:
            self._taken += self._ends  # kept open, or the next one would have the same number
            self.plug()

    def free(self) -> None:
        """The daemon was killed. A real port forgets with its last user that it was opened for one alone."""
        if self._ends is not None:
            fcntl.ioctl(self._ends[1], termios.TIOCNXCL)

    def read(self, payload: str) -> None:
        """The reader sends what it has read."""
        if self._ends is not None:
            with contextlib.suppress(OSError):
                os.write(self._ends[0], payload.encode() + b"\r\n")
