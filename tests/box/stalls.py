"""A disk that takes its time, in virtual time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from mind_box.game import events as ev
from mind_box.journal.journal import Journal, Preference
from mind_box.journal.opening import open_journal
from mind_box.journal.stamps import Timed
from mind_box.journal.writer import AtOnce, Keeper

T = TypeVar("T")


async def open_at_once(state_dir: str) -> tuple[Journal, bool]:
    """A box in virtual time opens its journal without a thread: nobody could say how long that takes."""
    return open_journal(state_dir)


class Stalling(AtOnce):
    """Each job is done, and told, after so many seconds as ``stall`` says; the disk has nothing of it before."""

    def __init__(self, journal: Journal, stall: Callable[[], float]) -> None:
        super().__init__(journal)
        self.stalls = 0
        """How often there was something to do after a rest."""
        self._stall = stall
        self._loop = asyncio.get_running_loop()
        self._jobs: deque[Callable[[], None]] = deque()
        self._next: asyncio.TimerHandle | None = None

    def do(self, job: Callable[[Journal], T], done: Callable[[T | Exception], None]) -> None:
        self._jobs.append(lambda: super(Stalling, self).do(job, done))
        if self._next is None:
            self.stalls += 1
            self._begin()

    async def close(self, seconds: float) -> bool:
        end = self._loop.time() + seconds
        while self._jobs and self._loop.time() < end:
            await asyncio.sleep(min(0.1, end - self._loop.time()))
        return not self._jobs and await super().close(seconds)

    @property
    def rests(self) -> bool:
        """Whether there is nothing to do."""
        return self._next is None

    def finish(self) -> None:
        """The disk answers now, and to all that comes of it."""
        while self._next is not None:
            self._next.cancel()
            self._answer()

    def _begin(self) -> None:
        self._next = self._loop.call_later(self._stall(), self._answer)

    def _answer(self) -> None:
        self._jobs.popleft()()
        if self._jobs:
            self._begin()
        else:
            self._next = None


class WatchedKeeper(Keeper):
    """Notes from when to when each item waits for the disk."""

    def __init__(self, waits: list[tuple[float, float]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waits = waits
        self._brought: deque[float] = deque()

    def keep(self, items: Sequence[ev.Event | Timed | Preference]) -> None:
        self._brought.extend(self._loop.time() for _ in items)
        super().keep(items)

    def _written(self, many: int, result: Exception | None) -> None:
        if result is None:
            self._waits.extend((self._brought.popleft(), self._loop.time()) for _ in range(many))
        super()._written(many, result)
