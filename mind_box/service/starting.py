"""Waiting for a journal on a disk that does not answer: the loop lives, and whoever looks is told what it waits for."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from mind_box.devices.ports import Devices
from mind_box.journal.journal import Journal
from mind_box.journal.opening import open_journal
from mind_box.journal.writer import SAVING_TOLD
from mind_box.service.notify import notify
from mind_box.show.screens import draw
from mind_box.table.inputs import Edge, Input, Post, Scan
from mind_box.table.view import View

log = logging.getLogger(__name__)

Opened = tuple[Journal, bool]
"""What ``open_journal`` gives."""

OpenJournal = Callable[[str], Awaitable[Opened]]
"""Opens the journal of a state directory; raises ``InUse``."""

MORE_TIME = 30_000_000
"""Microseconds that the service manager is asked for while the disk does not answer."""

WAITING = View(faults=("saving",))
"""What is shown meanwhile: nobody knows the game yet."""


def in_a_thread(state_dir: str) -> asyncio.Future[Opened]:
    """``open_journal``, for as long as the disk takes."""
    loop = asyncio.get_running_loop()
    opened: asyncio.Future[Opened] = loop.create_future()

    def tell(result: Opened | Exception) -> None:
        if opened.cancelled():
            return
        if isinstance(result, Exception):
            opened.set_exception(result)
        else:
            opened.set_result(result)

    def work() -> None:
        try:
            result: Opened | Exception = open_journal(state_dir)
        except Exception as e:
            result = e
        try:
            loop.call_soon_threadsafe(tell, result)
        except RuntimeError:
            log.debug("the loop ended before the journal was open")

    threading.Thread(target=work, name="journal", daemon=True).start()
    return opened


class EarlyPorts:
    """The box's ports, opened before there is a referee: what is pressed or shown meanwhile means nothing."""

    def __init__(self, open_ports: Callable[[Post], Devices], language: str) -> None:
        self._early: deque[Input] = deque()
        self._post: Post = self._early.append
        self.devices = open_ports(lambda event: self._post(event))
        for name, screen in self.devices.screens.items():
            screen.show(partial(draw, WAITING, name, screen.size, language))

    def hand_over(self, post: Post) -> Devices:
        """From now on they post to a referee, which hears first of the devices that are missing."""
        self._post = post
        while self._early:
            event = self._early.popleft()
            if not isinstance(event, Edge | Scan):
                post(event)
        return self.devices


async def answer_of(
    opening: Awaitable[Opened], stop: asyncio.Event, slow: Callable[[], Awaitable[None]]
) -> Opened | None:
    """What came of it; None: the box was told to stop first. ``slow`` is called once if it takes long.

    Raises ``InUse``.
    """
    opened, stopped = asyncio.ensure_future(opening), asyncio.ensure_future(stop.wait())
    told = False
    try:
        while True:
            done, _ = await asyncio.wait({opened, stopped}, timeout=SAVING_TOLD, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return await opened if opened in done else None
            notify(f"STATUS=waits for the disk\nEXTEND_TIMEOUT_USEC={MORE_TIME}")
            if not told:
                told = True
                await slow()
    finally:
        opened.cancel()
        stopped.cancel()
