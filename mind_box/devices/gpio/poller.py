"""Waiting for file descriptors: in an asyncio loop, or in one sleeping thread where there is no loop."""

from __future__ import annotations

import asyncio
import logging
import os
import select
import threading
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger(__name__)


class Poller(Protocol):
    """Calls a handler each time a file descriptor is readable, until told to stop."""

    def add(self, fd: int, ready: Callable[[], None]) -> None: ...
    def remove(self, fd: int) -> None: ...
    def close(self) -> None: ...


class LoopPoller:
    """In an asyncio loop; to be used from its thread only."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def add(self, fd: int, ready: Callable[[], None]) -> None:
        self._loop.add_reader(fd, ready)

    def remove(self, fd: int) -> None:
        if not self._loop.is_closed():
            self._loop.remove_reader(fd)

    def close(self) -> None:
        """The loop is somebody else's."""


class ThreadPoller:
    """In one thread that sleeps in epoll without a timeout; started by the first descriptor."""

    def __init__(self) -> None:
        self._handlers: dict[int, Callable[[], None]] = {}
        self._epoll: select.epoll | None = None
        self._wake = -1
        self._thread: threading.Thread | None = None

    def add(self, fd: int, ready: Callable[[], None]) -> None:
        if self._epoll is None:
            self._epoll = select.epoll()
            self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            self._epoll.register(self._wake, select.EPOLLIN)
            run = (self._epoll, self._wake)
            self._thread = threading.Thread(target=self._run, args=run, name="gpio edges", daemon=True)
            self._thread.start()
        self._handlers[fd] = ready
        self._epoll.register(fd, select.EPOLLIN)

    def remove(self, fd: int) -> None:
        if self._handlers.pop(fd, None) is not None and self._epoll is not None:
            self._epoll.unregister(fd)

    def close(self) -> None:
        """Ends the thread; a handler that is running is waited for, unless it is the caller."""
        if self._epoll is None:
            return
        thread, self._thread = self._thread, None
        self._epoll = None
        self._handlers.clear()
        os.eventfd_write(self._wake, 1)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self, epoll: select.epoll, wake: int) -> None:
        ended = False
        while not ended:
            for fd, _ in epoll.poll():
                ended = ended or fd == wake
                ready = self._handlers.get(fd)
                if ready is None:
                    continue
                try:
                    ready()
                except Exception:
                    log.exception("the handler of file descriptor %d failed", fd)
        epoll.close()
        os.close(wake)
