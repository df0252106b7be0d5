"""Finds out beside the game what there is to tell of a level; what that takes is loaded after the first one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from mind_box.journal.stamps import Timed
from mind_box.table.facts import Fact

log = logging.getLogger(__name__)


class TellerThread:
    """One thread, begun when there is something to find out: a ``Teller``."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._worker = ThreadPoolExecutor(1, "teller")

    def __call__(
        self, kept: list[Timed], go_on: Callable[[], bool], tell: Callable[[int, tuple[Fact, ...]], None]
    ) -> None:
        self._worker.submit(self._find, kept, go_on, tell)

    def _find(
        self, kept: list[Timed], go_on: Callable[[], bool], tell: Callable[[int, tuple[Fact, ...]], None]
    ) -> None:
        try:
            from mind_box.storyteller import facts_of_last_level

            found = facts_of_last_level(kept, go_on)
        except Exception:  # the game does not depend on what can be told of it
            log.exception("what there is to tell of this level cannot be found")
            return
        try:
            self._loop.call_soon_threadsafe(tell, *found)
        except RuntimeError:
            log.debug("the loop ended before the story was found")

    def close(self) -> None:
        """Nothing more is found out."""
        self._worker.shutdown(wait=False, cancel_futures=True)
