"""The journal: every event on disk before anything of it is shown.

SQLite in WAL mode with ``synchronous=FULL``: a commit is an fsync, and a pulled plug loses nothing that was shown.
Rows are only ever added (undo is an event of its own); whole finished games go when there are too many of them.
A start reads the game on the table, however large the file; each row carries its own check sum, so damage is found
where it matters. ``mind-box journal verify`` looks at everything.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from mind_box.game import events as ev
from mind_box.game.evolve import replay
from mind_box.game.state import Game
from mind_box.game.values import dataclass
from mind_box.journal.file import (
    Damaged,
    JournalError,
    NewerJournal,
    begin_list,
    claim,
    connect,
    is_damage,
    place_of,
    reading,
    set_aside,
    sign,
    signed,
    transaction,
    write_ahead,
)
from mind_box.journal.log import broken
from mind_box.journal.past import Past
from mind_box.journal.rows import Row, games_of, numbered, over_with, rows_of
from mind_box.journal.stamps import Timed

log = logging.getLogger(__name__)

Over = Callable[[sqlite3.Connection, list[list[Row]]], None]
"""Given the open database and the rows of games that are over."""


@dataclass(frozen=True, slots=True)
class Preference:
    """A choice made on the box that is not part of the game."""

    name: str
    value: str


class Journal:
    """A journal. One process writes it (see ``file.claim``); readers may look on."""

    def __init__(self, db: sqlite3.Connection | None, path: Path | None) -> None:
        self.path = path
        self.damaged: Path | None = None
        """Where a damaged predecessor was put, if this one took its place."""
        self.lock: int | None = None
        """What ``claim`` gave for it; let go of by ``close``."""
        self._db = db
        self._place: tuple[int, int, int] | None = None
        """Device, inode and least size of the open file, which only grows."""
        self._retry = False
        """A file that is not open is opened by the next ``append``."""
        self._unclaimed = False
        """It must be claimed before."""
        self._game: list[Row] = []
        """The rows since the last game began: what ``load`` needs, and what a fresh file is begun with."""
        self._last = 0
        """The newest row that is known to be on disk."""
        self._preferences: dict[str, str] = {}
        self._told: dict[str, str] = {}
        """The preferences that are known to be on disk."""
        self.over: Over | None = None
        """Told of each game that is over, in the transaction that ends it: whatever it writes there is as sure."""

    @property
    def last(self) -> int:
        """The newest row that is known to be on disk."""
        return self._last

    # -- opening

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Opens or begins the journal at ``path``.

        A file that is no sound journal is set aside under another name and a fresh one begun; what can be read of
        the game on the table goes into it. So is an empty one, or none, where games have been kept before. Raises
        ``NewerJournal`` for one of a later version and ``JournalError`` when nothing can be written there.
        """
        journal = cls(None, path)
        try:
            journal._db = connect(path, fresh=not signed(path))
            journal._read()
            journal._begin()
        except (Damaged, sqlite3.Error) as e:
            if is_damage(e):
                journal._rescue()
                journal._renew(e)
                return journal
            journal.close()
            raise JournalError(f"{path}: cannot be used: {e}. Check the directory, its owner and the space.") from e
        return journal

    @classmethod
    def looking_on(cls, path: Path, load: bool = True) -> Journal:
        """A journal to read, while a box may be writing it; without ``load`` also one whose game cannot be read.

        Raises ``JournalError``.
        """
        journal = cls(None, path)
        try:
            journal._db = connect(path, read_only=True)
            if load:
                journal._read()
        except (Damaged, sqlite3.Error) as e:
            journal.close()
            raise JournalError(f"{path}: cannot be read: {e}.") from e
        return journal

    @classmethod
    def in_memory(cls) -> Journal:
        """A journal that lives as long as this process: for replays."""
        return cls(connect(None), None)

    @classmethod
    def standing_in(cls, path: Path, why: JournalError, claimed: bool = False) -> Journal:
        """For a journal that cannot be written: knows the game if the file can at least be read.

        Each ``append`` tries the file again, and fails until it can be written, and be claimed if it is not
        ``claimed`` yet; a journal of a later version is never written.
        """
        if isinstance(why, NewerJournal):
            return cls(None, path)
        try:
            journal = cls.looking_on(path)
        except JournalError as e:
            log.warning("%s", e)
            journal = cls(None, path)
        journal.close()
        journal._retry = True
        journal._unclaimed = not claimed
        return journal

    @reading()
    def _read(self) -> None:
        """Reads the game on the table. Raises ``Damaged`` for a row that is not what was written, or not there."""
        assert self._db is not None
        if not self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            return
        preferences = self._db.execute("SELECT name, value FROM preference")
        self._preferences = {name: value for name, value in preferences if value is not None}
        self._told = dict(self._preferences)
        first = self._db.execute("SELECT max(seq) FROM event WHERE start = 1").fetchone()[0]
        for row in self._select(first if first is not None else 0):
            if not row.sound:
                raise Damaged(f"row {row.seq} is not what was written")
            if self._game and row.seq != self._last + 1:
                raise Damaged(f"row {self._last + 1} is missing")
            self._game.append(row)
            self._last = row.seq

    def _rescue(self) -> None:
        """Reads what can be read of the game on the table, in a file that was not even opened."""
        if self._db is None:
            with contextlib.suppress(JournalError, Damaged, sqlite3.Error):
                self._db = connect(self.path, read_only=True)
                self._read()

    def _renew(self, why: Exception) -> None:
        """Sets a damaged file aside and begins a fresh one with what is known of the game on the table."""
        assert self.path is not None
        self._let_go()
        self._retry = True
        try:
            self.damaged = set_aside(self.path, why)
            self._db = connect(self.path)
            self._begin()
        except (OSError, sqlite3.Error) as e:
            self._let_go()
            raise JournalError(f"{self.path}: is damaged ({why}), and no fresh one can be begun: {e}.") from e

    def _begin(self) -> bool:
        """Makes sure that the open file can be written and holds the game on the table; False: it did not."""
        assert self._db is not None and self.path is not None
        write_ahead(self._db)
        with transaction(self._db):
            self._db.execute("DELETE FROM event WHERE seq < 0")  # nothing, but refused where one can only read
            begin_list(self._db)
            past = Past(self._db)
            past.doubt()
            there = not self._game or self._select(self._last, 1) == self._game[-1:]
            if not there:
                newest = self._db.execute("SELECT max(seq) FROM event").fetchone()[0] or 0
                if newest:  # another game's file: that game is left for the one at the table
                    newest += 1
                    past.add([Row.of(newest, ev.Left())])
                game = numbered(self._game, newest + 1)
                past.add(game)
                self._db.executemany("INSERT OR REPLACE INTO preference VALUES (?, ?)", self._preferences.items())
        if not there:
            self._game, self._last = game, game[-1].seq
        self._place = place_of(self.path)
        sign(self.path)
        return there

    def close(self) -> None:
        """Lets go of the file and of its lock; everything is on disk already."""
        self._let_go()
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def _let_go(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    # -- writing

    def append(self, items: Sequence[ev.Event | Timed | Preference]) -> None:
        """All of these or none of them, durable when this returns.

        Raises ``JournalError``; the same are then to be handed over again, with those that follow, and what reached
        the disk after all is not written twice.
        """
        events = [item for item in items if not isinstance(item, Preference)]
        self._preferences |= {item.name: item.value for item in items if isinstance(item, Preference)}
        try:
            rows = self._commit(events)
        except sqlite3.Error as e:
            if not is_damage(e):
                raise JournalError(f"{self.path}: {e}") from e
            self._renew(e)
            try:
                rows = self._commit(events)
            except sqlite3.Error as again:
                raise JournalError(f"{self.path}: {again}") from again
        for row in rows:
            if row.start:
                self._game.clear()
            self._game.append(row)
            self._last = row.seq
        self._told = dict(self._preferences)

    def _commit(self, events: Sequence[ev.Event | Timed]) -> list[Row]:
        db = self._opened()
        with transaction(db):
            rows = rows_of(events, self._last + 1, self._game)
            there, game = self._select(self._last + 1, len(rows) + 1), self._game
            if events and there != rows[: len(there)]:
                # Not ours from a commit that failed: a game was written while this one stood in. It is left, for
                # the one at the table is another.
                newest = db.execute("SELECT max(seq) FROM event").fetchone()[0]
                rows, there = rows_of((ev.Left(), *events), newest + 1), []
                game = []
            past = Past(db)
            past.add(rows[len(there) :])
            if self.over is not None:
                self.over(db, over_with([*game, *there], rows[len(there) :]))
            if any(row.start for row in rows):
                *ended, _ = games_of([*game, *rows])
                past.know(ended)
            if self._preferences != self._told:
                db.executemany("INSERT OR REPLACE INTO preference VALUES (?, ?)", self._preferences.items())
        return rows

    def _opened(self) -> sqlite3.Connection:
        if self._db is not None and self.path is not None:
            before, self._place = self._place, place_of(self.path)
            if before is None or self._place is None or self._place[:2] != before[:2]:
                self._let_go()  # somebody took the file away, and nothing written to it would be found again
                self._retry = True
            elif self._place < before:
                self._renew(Damaged("it was cut short while it was open"))
        if self._db is None:
            if self.path is None or not self._retry:
                raise JournalError(f"{self.path}: is not written")
            if self._unclaimed:
                self.lock = claim(self.path)
                self._unclaimed = False
            try:
                self._db = connect(self.path)
                if not self._begin():
                    log.warning("%s: did not hold the game on the table any more: it is written there again", self.path)
            except Damaged as e:
                self._renew(e)
            except sqlite3.Error:
                self._let_go()
                raise
        assert self._db is not None
        return self._db

    # -- reading

    def load(self, lobby: Game | None = None) -> Game:
        """The game as the journal tells it: the fold of its events since the last game began, on ``lobby``.

        An event that cannot be understood is left out, with an error in the log; it stays in the file.
        """
        return replay((timed.event for timed in self.table()), lobby)

    def table(self) -> Iterator[Timed]:
        """The events that ``load`` folds, with their times."""
        for row in self._game:
            try:
                yield row.timed()
            except ev.BadEvent as e:
                log.error("%s: row %d cannot be understood (%s): left out", self.path, row.seq, e)

    def rows(self, first: int = 0) -> Iterator[Row]:
        """All rows from ``first`` on, in order; those of the game on the table when there is no open file.

        Raises ``JournalError``.
        """
        if self._db is None:
            yield from (row for row in self._game if row.seq >= first)
            return
        try:
            yield from Past(self._db).rows(first)
        except sqlite3.Error as e:
            raise JournalError(f"{self.path}: cannot be read to its end: {e}.") from e

    def _select(self, first: int, limit: int = -1) -> list[Row]:
        assert self._db is not None
        return list(Past(self._db).rows(first, limit=limit))

    def preference(self, name: str) -> str | None:
        """A choice made on the box that is not part of the game (``language``, ``sound``)."""
        return self._preferences.get(name)

    # -- as a whole

    @contextlib.contextmanager
    def past(self) -> Iterator[Past]:
        """The games in the open file. Raises ``JournalError`` for what goes wrong with them."""
        if self._db is None:
            raise JournalError(f"{self.path}: is not open.")
        try:
            yield Past(self._db)
        except sqlite3.Error as e:
            raise JournalError(f"{self.path}: cannot be read: {e}.") from e

    @contextlib.contextmanager
    def changing(self) -> Iterator[Past]:
        """``past`` in one transaction: all that is done in the block is on disk at its end, or nothing of it."""
        try:
            db = self._opened()
            with transaction(db):
                yield Past(db)
            self._game.clear()
            self._read()
        except (Damaged, sqlite3.Error) as e:
            raise JournalError(f"{self.path}: {e}") from e

    def integrity(self, most: int) -> list[str]:
        """SQLite's own look at the whole file: what is wrong with it, nothing if all is well."""
        if self._db is None:
            return []
        found = [str(row[0]) for row in self._db.execute(f"PRAGMA integrity_check({most})")]
        log = broken(self.path) if self.path is not None else ""
        return [*([] if found == ["ok"] else found), *([log] if log else [])]

    def shrink(self) -> None:
        """Gives room that is no longer used back to the disk. Raises ``JournalError``."""
        try:
            self._opened().execute("VACUUM")
            self._place = None
        except sqlite3.Error as e:
            raise JournalError(f"{self.path}: {e}") from e

    def size(self) -> int:
        """Bytes of the file that are in use. Raises ``JournalError``."""
        with self.past() as past:
            return past.size()

    def prune(self, keep_games: int, keep_bytes: int) -> int:
        """Drops some of the oldest games, where more than ``keep_games`` are there or they do not fit.

        Returns how many went: to be asked again until that is 0, so that others have their turn in between. The
        newest always stays. Raises ``JournalError``.
        """
        if self._db is None:
            return 0
        try:
            return Past(self._db).drop_oldest(keep_games, keep_bytes)
        except sqlite3.Error as e:
            if not is_damage(e):
                raise JournalError(f"{self.path}: {e}") from e
            self._renew(e)
            return 0
