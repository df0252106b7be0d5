"""Work that may wait (names, a disk, a far machine), beside the loop: in a thread that keeps no process from ending."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")


def in_thread(loop: asyncio.AbstractEventLoop, job: Callable[[], T], done: Callable[[T | Exception], None]) -> None:
    """``done`` is told in the loop what ``job`` returned, or what it raised."""

    def act() -> None:
        result: T | Exception
        try:
            result = job()
        except Exception as e:
            result = e
        try:
            loop.call_soon_threadsafe(done, result)
        except RuntimeError:
            log.debug("the loop ended before this was done")

    threading.Thread(target=act, name="broker", daemon=True).start()


def at_once(loop: asyncio.AbstractEventLoop, job: Callable[[], T], done: Callable[[T | Exception], None]) -> None:
    """The same without a thread: for virtual time."""
    result: T | Exception
    try:
        result = job()
    except Exception as e:
        result = e
    loop.call_soon(done, result)
