"""A disk that takes its time, in virtual time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from mind_box.journal.journal import Journal
from mind_box.journal.writer import AtOnce

T = TypeVar("T")


class Stalling(AtOnce):
    """Each job is done, and told, after so many seconds as ``stall`` says; the disk has nothing of it before."""

    def __init__(self, journal: Journal, stall: Callable[[], float]) -> None:
        super().__init__(journal)
        self.busy: list[list[float]] = []
        """From when to when there was something to do."""
        self._stall = stall
        self._loop = asyncio.get_running_loop()
        self._jobs: deque[Callable[[], None]] = deque()
        self._next: asyncio.TimerHandle | None = None

    def do(self, job: Callable[[Journal], T], done: Callable[[T | Exception], None]) -> None:
        self._jobs.append(lambda: super(Stalling, self).do(job, done))
        if self._next is None:
            self.busy.append([self._loop.time(), float("inf")])
            self._begin()

    async def close(self, seconds: float) -> bool:
        end = self._loop.time() + seconds
        while self._jobs and self._loop.time() < end:
            await asyncio.sleep(min(0.1, end - self._loop.time()))
        return not self._jobs and await super().close(seconds)

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
            self.busy[-1][1] = self._loop.time()
