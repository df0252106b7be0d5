"""When a device's file appears: told by the kernel (inotify), in the loop, at no cost while nothing happens."""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
from collections.abc import Callable
from typing import Any, Final, Protocol

_IN_ATTRIB, _IN_MOVED_TO, _IN_CREATE = 0x004, 0x080, 0x100
_HEAD: Final = struct.Struct("@iIII")
"""``struct inotify_event``: watch, mask, cookie, length of the name that follows."""


class _Libc(Protocol):
    """What is asked of the C library; Python has no inotify of its own."""

    def inotify_init1(self, flags: int) -> int: ...

    def inotify_add_watch(self, fd: int, path: bytes, mask: int) -> int: ...


def _libc() -> _Libc | None:
    """Loaded only when a device is missing. None where there is no inotify, or this process may not load it."""
    try:
        import ctypes

        libc: Any = ctypes.CDLL(None)
    except (ImportError, OSError, MemoryError):  # the service may not make memory executable
        return None
    return libc if hasattr(libc, "inotify_init1") else None


class Appearance:
    """Watches for one file, its link's target, and the folders that it will be in.

    A file under ``/dev/input/by-id`` comes with its folder, as a link, when udev has given the device to its group;
    without udev's link the device is there at first and may be opened a moment later.
    """

    def __init__(self, path: str, loop: asyncio.AbstractEventLoop, changed: Callable[[], None]) -> None:
        """``changed`` is called in the loop when it may be worth to open the file again."""
        self._path = path
        self._loop = loop
        self._changed = changed
        self._fd = -1
        self._names: dict[int, set[bytes]] = {}

    def watch(self) -> None:
        """Watches from now on, or where it has to watch now. Where the kernel cannot, nothing is told."""
        libc = _libc()
        if libc is None:
            return
        if self._fd < 0:
            self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if self._fd < 0:
                return
            self._loop.add_reader(self._fd, self._readable)
        self._names.clear()
        for path in {os.path.abspath(self._path), os.path.realpath(self._path)}:
            folder, name = os.path.split(path)
            while not os.path.isdir(folder):
                folder, name = os.path.split(folder)
            mark = libc.inotify_add_watch(self._fd, os.fsencode(folder), _IN_ATTRIB | _IN_MOVED_TO | _IN_CREATE)
            self._names.setdefault(mark, set()).add(os.fsencode(name))

    def close(self) -> None:
        """Watches no more, until ``watch``."""
        if self._fd >= 0:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _readable(self) -> None:
        data = b""
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._fd, 65536)
        told = False
        while data:
            mark, _, _, length = _HEAD.unpack_from(data)
            name = data[_HEAD.size : _HEAD.size + length].rstrip(b"\0")
            told = told or not name or name in self._names.get(mark, ())  # nameless: the folder itself went away
            data = data[_HEAD.size + length :]
        if told:
            self._changed()
