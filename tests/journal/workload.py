"""An evening as the journal sees it: batches of events, several games, checkpoints, a restart and a tidying up.

``python -m tests.journal.workload DIRECTORY`` plays it once; behind the shim that leaves a record of every call.
Its first run is a program's from before times were kept: rows of format 1, and none of the tables that came with them.
The second, on the same file, is an upgrade in place: rows with their times, format 2, in the middle of a game.

Each number that was acknowledged is written to the file ``shown``, as a screen would show it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from mind_box.game import events as ev
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row
from mind_box.journal.stamps import Stamps, Timed
from mind_box.journal.writer import Keeper, News, WriterThread
from tests.journal.connections import connection

NAME = "journal.db"
CHECKPOINT = 6
"""Pages in the log after which it goes into the file: an evening has many checkpoints at this size."""


Kept = list[ev.Event | Timed]
"""What is handed to the journal at once."""


def batches(games: int = 4, each: int = 9) -> list[list[ev.Event]]:
    """The events of an evening, as they come: most alone, some several at once."""
    evening: list[list[ev.Event]] = []
    card = 0
    for game in range(games):
        bests = tuple((2, "classic", False, level) for level in range(1, game + 1))
        evening.append([ev.Started((1, 2), {"variant": "classic", "hands": "unknown"}, bests)])
        for step in range(each):
            card = card % 100 + 1
            evening.append([ev.Concentrated(), ev.Laid(card), ev.Stopped(True)] if step % 4 == 3 else [ev.Laid(card)])
    return evening


def upgraded(evening: list[list[ev.Event]], upgrade: int) -> list[Kept]:
    """The same as it is handed to the journal: with its times from that batch on."""
    stamps, now, kept = Stamps("a1b2c3d4", lambda _: "2026-11-30T20:11:05Z", 0.05), 12.0, []
    for number, batch in enumerate(evening):
        now += 1.25
        timed = stamps.timed(batch, [(now, now - 12.0)] * len(batch), now)
        kept.append(list[ev.Event | Timed](batch if number < upgrade else timed))
    return kept


_PLAIN = batches()
UPGRADE = len(_PLAIN) // 3
"""The batch with which the second run begins, in the middle of a game."""
BATCHES = upgraded(_PLAIN, UPGRADE)
EVENTS = [event for batch in _PLAIN for event in batch]
ROWS = [Row.of(seq, event) for seq, event in enumerate(EVENTS, 1)]
"""What a journal of these events without times has to hold, row by row."""
MIXED = [Row.of(seq, kept) for seq, kept in enumerate((kept for batch in BATCHES for kept in batch), 1)]
"""What the evening's journal has to hold."""
START = ev.Started((1, 2), {"variant": "classic"}, ())


def written(path: Path, events: list[ev.Event] = EVENTS) -> Path:
    journal = Journal.open(path)
    journal.append(events)
    journal.close()
    return path


def bytes_of(directory: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in directory.iterdir() if p.is_file()}


def open_small(path: Path, old: bool = False) -> Journal:
    """A journal with checkpoints every few events; ``old``: with the tables of a program before times alone."""
    journal = Journal.open(path)
    db = connection(journal)
    db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
    for table in ("named", "forgotten") if old else ():
        db.execute(f"DROP TABLE {table}")
    return journal


class Evening(News):
    """One run of the box: what waits is written by the worker, and shown when it is on disk."""

    def __init__(self, path: Path, shown: Callable[[int], object], done: int) -> None:
        loop = asyncio.get_running_loop()
        self._shown = shown
        self._before = done
        self._kept = 0
        self.writer = WriterThread(open_small(path, old=not done), loop)
        self.keeper = Keeper(self.writer, loop, self, saved=True)

    def wrote(self) -> None:
        while self._kept < self.keeper.asked and self.keeper.on_disk(self._kept + 1):
            self._kept += 1
        self._shown(self._before + self._kept)

    def not_saved(self, why: JournalError) -> None:
        raise why

    def saved_again(self) -> None: ...

    def failed(self, error: Exception) -> None:
        raise error

    async def end(self) -> None:
        assert await self.keeper.settled(60) == 0
        assert await self.writer.close(60)


async def _play(path: Path, shown: Callable[[int], object], tidy: bool) -> None:
    evening = Evening(path, shown, 0)
    done = 0
    for number, batch in enumerate(BATCHES):
        if number == UPGRADE:
            await evening.end()
            evening = Evening(path, shown, done)
        if tidy and number == 2 * len(BATCHES) // 3:
            evening.writer.do(lambda journal: journal.prune(keep_games=2, keep_bytes=1_000_000), lambda _: None)
        evening.keeper.keep(batch)
        done += len(batch)
        if number % 5 != 1:  # else the disk is slower than the table, and the next batch is written with what follows
            assert await evening.keeper.settled(60) == 0
    await evening.end()


def play(path: Path, shown: Callable[[int], object], tidy: bool = True) -> None:
    """The whole evening: an upgrade after a third, the oldest games dropped (``tidy``) after two thirds."""
    asyncio.run(_play(path, shown, tidy))


def check(path: Path, shown: int, attempted: int | None = None) -> int:
    """Opens what is there as a start does. It must be the evening up to some event, not before what was shown.

    Returns how many events were recovered. With ``attempted``: nothing from after that either.
    """
    journal = Journal.open(path)
    try:
        assert journal.damaged is None, f"taken for damaged: {journal.damaged}"
        rows = list(journal.rows())
        last = rows[-1].seq if rows else 0
        first = rows[0].seq if rows else 1
        assert rows == MIXED[first - 1 : last], "not what was written"
        assert first == 1 or MIXED[first - 1].start, "a game was cut"
        assert shown <= last <= (len(MIXED) if attempted is None else attempted), f"{last} of {shown} shown"
        fold = Journal.in_memory()
        fold.append(EVENTS[:last])
        assert journal.load() == fold.load()
        fold.close()
        timed = list(journal.table())
        assert timed == [row.timed() for row in rows[-len(timed) :]], "times were lost"
        if last < len(MIXED):
            journal.append([MIXED[last].timed()])
            assert next(journal.rows(last + 1)) == MIXED[last]
    finally:
        journal.close()
    return last


if __name__ == "__main__":
    directory = Path(sys.argv[1])
    mark = os.open(directory / "shown", os.O_WRONLY | os.O_CREAT, 0o600)
    play(directory / NAME, lambda done: os.pwrite(mark, b"%d" % done, 0))
