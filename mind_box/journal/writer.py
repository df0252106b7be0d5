"""What the journal is to keep, batch by batch, and who writes it: a thread of its own, so that a card that stalls
stops nobody; or, in replays, the caller."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from queue import SimpleQueue
from typing import Protocol, TypeVar

from mind_box.game import events as ev
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal, Preference
from mind_box.journal.stamps import Timed

log = logging.getLogger(__name__)

T = TypeVar("T")

SAVING_TOLD = 2.0
"""Seconds that something waits for the disk before the players are told."""
AGAIN = (1.0, 60.0)
"""Seconds until a journal that could not be written is tried again: the first time, and the longest."""
MAX_UNSAVED = 100_000
"""Events kept in memory while the journal cannot be written: weeks of play."""


class Writer(Protocol):
    """The one owner of a journal. Jobs are done one after the other."""

    def do(self, job: Callable[[Journal], T], done: Callable[[T | Exception], None]) -> None:
        """``done`` is told in the loop's thread what came of it: what ``job`` returned, or what it raised."""

    async def close(self, seconds: float) -> bool:
        """Closes the journal when all is done, if that takes no longer; False: it goes on, unheard."""


class AtOnce:
    """Does each job before ``do`` returns: for replays, journals in memory, and while a box starts."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def do(self, job: Callable[[Journal], T], done: Callable[[T | Exception], None]) -> None:
        try:
            result: T | JournalError = job(self._journal)
        except JournalError as e:
            result = e
        done(result)

    async def close(self, seconds: float) -> bool:
        del seconds
        self._journal.close()
        return True


class WriterThread:
    """Writes a journal on disk while the loop lives on. Make it in the loop's thread; ``journal`` is its alone."""

    def __init__(self, journal: Journal, loop: asyncio.AbstractEventLoop) -> None:
        self._journal = journal
        self._loop = loop
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon: a card that never answers must not keep the process from ending.
        threading.Thread(target=self._run, name="journal", daemon=True).start()

    def do(self, job: Callable[[Journal], T], done: Callable[[T | Exception], None]) -> None:
        def act() -> None:
            try:
                result: T | Exception = job(self._journal)
            except Exception as e:
                result = e
            try:
                self._loop.call_soon_threadsafe(done, result)
            except RuntimeError:
                log.debug("the loop ended before the journal had answered")

        self._jobs.put(act)

    async def close(self, seconds: float) -> bool:
        closed = asyncio.Event()
        self.do(Journal.close, lambda _: closed.set())
        self._jobs.put(None)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(closed.wait(), seconds)
        return closed.is_set()

    def _run(self) -> None:
        while (act := self._jobs.get()) is not None:
            act()


class News(Protocol):
    """Whom a ``Keeper`` tells, in the loop's thread."""

    def not_saved(self, why: JournalError) -> None:
        """From now on the journal cannot be written, and nothing waits for it."""

    def saved_again(self) -> None:
        """All that happened meanwhile is on disk."""

    def wrote(self) -> None:
        """More is on disk, or ``saving`` has changed."""

    def failed(self, error: Exception) -> None:
        """An error in this program."""


class Keeper:
    """Everything that the journal is to keep and does not yet, in order, numbered from the start.

    One batch is written at a time; what comes while the disk stalls is written together afterwards. What cannot be
    written is handed over again with what follows, and by itself. ``saved`` false: it could not be written last time;
    ``lasts`` false: what is written is gone with the power, and so never saved.
    """

    def __init__(
        self, writer: Writer, loop: asyncio.AbstractEventLoop, news: News, saved: bool, lasts: bool = True
    ) -> None:
        self.writer = writer
        self._lasts = lasts
        self.saved = saved
        """Whether all that was shown is on disk."""
        self.saving = False
        """Whether something has waited for the disk for so long that the players are told, until nothing waits."""
        self.asked = 0
        """The number of the newest."""
        self.writing = 0
        """The number of the newest that is being written now or was last."""
        self._kept = 0
        self._waiting: list[ev.Event | Timed | Preference] = []
        """Oldest first."""
        self._came: deque[tuple[int, float]] = deque()
        """Up to which number came when, of those that wait, while all is saved; oldest first."""
        self._loop = loop
        self._news = news
        self._busy = False
        self._asking = False
        """The writer may answer at once; whoever brought the items shows what came of it, then."""
        self._timer: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None
        self._pause = AGAIN[0]
        """Seconds until the next attempt, if this one fails too."""
        self._settled = asyncio.Event()
        self._settled.set()

    def keep(self, items: Sequence[ev.Event | Timed | Preference]) -> None:
        """Hands these to the writer, after all before."""
        if items:
            self._waiting += items
            self.asked += len(items)
            if self.saved:
                self._came.append((self.asked, self._loop.time()))
            self._write()

    def on_disk(self, number: int) -> bool:
        """Whether so much is kept; while nothing can be saved nothing waits for it."""
        return number <= self._kept or not self.saved

    async def settled(self, seconds: float) -> int:
        """Waits at most so long for the disk; how much is not on it even then. What failed is tried once more."""
        if self._waiting:
            self._write()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), seconds)
        return len(self._waiting)

    def try_again(self) -> None:
        """Tries by itself to write what is not written, be it nothing, until that succeeds."""
        if self._again is None:
            self._again = self._loop.call_later(self._pause, self._retry)
            self._pause = min(2 * self._pause, AGAIN[1])

    def close(self) -> None:
        """Tells of no stall any more, and tries nothing again."""
        self._stop_telling()
        self._stop_trying()

    def _write(self) -> None:
        if self._busy:
            return
        items = tuple(self._waiting)
        self._busy, self.writing = True, self.asked
        self._settled.clear()
        asking, self._asking = self._asking, True
        self.writer.do(lambda journal: journal.append(items), partial(self._written, len(items)))
        self._asking = asking
        if self._busy:
            self._watch()

    def _written(self, many: int, result: Exception | None) -> None:
        self._busy = False
        more = len(self._waiting) > many
        if result is None:
            del self._waiting[:many]
            self._kept = self.writing
            while self._came and self._came[0][0] <= self._kept:
                self._came.popleft()
        elif isinstance(result, JournalError):
            del self._waiting[:-MAX_UNSAVED]
            self._came.clear()
            self._stop_telling()
            self.try_again()
            if self.saved:
                self.saved = False
                self._news.not_saved(result)
        else:
            self._settled.set()
            self._news.failed(result)
            return
        if more:
            self._write()
        elif result is None:
            self._stop_telling()
            self._stop_trying()
            if not self.saved and self._lasts:
                self.saved = True
                self._news.saved_again()
        if not self._busy:
            self._settled.set()
        if not self._asking:
            self._news.wrote()

    def _watch(self) -> None:
        """One timer for all that wait: when it comes too early it is set again."""
        if self._came and self._timer is None and not self.saving:
            self._timer = self._loop.call_at(self._came[0][1] + SAVING_TOLD, self._ring)

    def _ring(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and self._came[0][1] + SAVING_TOLD > timer.when():
            self._watch()
            return
        log.warning("the disk does not answer: what happened since is shown when it is saved")
        self.saving = True
        self._news.wrote()

    def _stop_telling(self) -> None:
        self.saving = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _retry(self) -> None:
        self._again = None
        self._write()
        if not self._busy:
            self._news.wrote()

    def _stop_trying(self) -> None:
        self._pause = AGAIN[0]
        if self._again is not None:
            self._again.cancel()
            self._again = None
