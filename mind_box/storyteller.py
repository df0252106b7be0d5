"""After each level: has found, beside the game, what there is to tell of it, and hands it to the table (R36).

Whatever goes wrong with it, the game goes on. What finding takes is loaded after the first level: a box starts fast.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from mind_box.game.state import Ended
from mind_box.journal.stamps import Timed
from mind_box.referee import Referee
from mind_box.table.view import View

log = logging.getLogger(__name__)


class Storyteller:
    """Looks at each View of a referee. ``thread`` false: finds at once, for replays."""

    def __init__(self, referee: Referee, thread: bool = True) -> None:
        self._referee = referee
        self._told: Ended | None = None
        self._worker = ThreadPoolExecutor(1, "storyteller") if thread else None
        self._loop = asyncio.get_running_loop()
        referee.listeners.append(self._look)

    def close(self) -> None:
        """Nothing more is found out."""
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)

    def _look(self, view: View) -> None:
        """A level that has just ended is on disk by now."""
        if view.ended is not None and view.ended != self._told:
            self._referee.writer.do(lambda journal: list(journal.table()), self._begin)
        self._told = view.ended

    def _begin(self, kept: list[Timed] | Exception) -> None:
        if isinstance(kept, Exception):
            return
        if self._worker is None:
            self._find(kept, lambda act: act())
        else:
            self._worker.submit(self._find, kept, self._loop.call_soon_threadsafe)

    def _find(self, kept: list[Timed], hand_over: Callable[[Callable[[], None]], object]) -> None:
        if self._referee.playing:
            return  # the disk or the worker was slow, and nobody listens any more
        try:
            from mind_box.evening.facts import facts_of_last_level

            ended, facts = facts_of_last_level(kept, lambda: not self._referee.playing)
        except Exception:
            log.exception("what there is to tell of this level cannot be found")
            return
        try:
            hand_over(lambda: self._referee.tell(ended, facts))
        except RuntimeError:
            log.debug("the loop ended before the story was found")
