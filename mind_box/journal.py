"""The journal: every event on disk before anything of it is shown.

SQLite in WAL mode with ``synchronous=FULL``: a commit is an fsync, and a pulled plug loses nothing that was shown.
Rows are only ever added (undo is an event of its own); whole finished games go when there are too many of them.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mind_box.game import events as ev
from mind_box.game.evolve import replay
from mind_box.game.state import Game

log = logging.getLogger(__name__)

SCHEMA = 1
"""Of the tables. ``mind_box.game.events.FORMAT`` is the version of the rows' own form."""

_TABLES = """
CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    start INTEGER NOT NULL,      -- 1: a game begins with this row
    format INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS event_start ON event (seq) WHERE start = 1;
CREATE TABLE IF NOT EXISTS preference (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""


class JournalError(Exception):
    """The journal cannot be used. ``str()`` says what, where and what to do."""


class NewerJournal(JournalError):
    """The journal was written by a later version of this program; it is left untouched."""


@dataclass(frozen=True, slots=True)
class Row:
    """One event as it stands in the journal."""

    seq: int
    format: int
    body: str

    def event(self) -> ev.Event:
        """The event. Raises ``BadEvent``."""
        try:
            stored = json.loads(self.body)
        except ValueError as e:
            raise ev.BadEvent(f"row {self.seq} is not JSON: {e}") from e
        if not isinstance(stored, dict):
            raise ev.BadEvent(f"row {self.seq} is not a JSON object")
        return ev.from_stored(stored, self.format)


class Journal:
    """An open journal. One process writes it; readers may look on."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self._db = connection
        self.path = path

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Opens or begins the journal at ``path``.

        A file that is no sound database is set aside under another name and a fresh one begun. Raises
        ``NewerJournal`` for one of a later version and ``JournalError`` when nothing can be written there.
        """
        try:
            return cls._open(path)
        except sqlite3.DatabaseError as e:
            if isinstance(e, sqlite3.OperationalError):
                raise JournalError(f"{path}: cannot be used: {e}. Check the directory, its owner and the space.") from e
            _set_aside(path, e)
            try:
                return cls._open(path)
            except sqlite3.DatabaseError as again:
                raise JournalError(f"{path}: cannot be used: {again}.") from again

    @classmethod
    def _open(cls, path: Path) -> Journal:
        db = sqlite3.connect(path, isolation_level=None, timeout=2.0)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA:
                raise NewerJournal(
                    f"{path}: is of version {version}, this program knows {SCHEMA}: update mind-box, or name another "
                    "box.state_dir. Nothing was changed."
                )
            problem = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if problem != "ok":
                raise sqlite3.DatabaseError(problem)
            if version < SCHEMA:
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")
            newest = db.execute("SELECT max(format) FROM event").fetchone()[0]
            if newest is not None and newest > ev.FORMAT:
                raise NewerJournal(
                    f"{path}: holds events of format {newest}, this program knows {ev.FORMAT}: update mind-box. "
                    "Nothing was changed."
                )
        except BaseException:
            db.close()
            raise
        return cls(db, path)

    @classmethod
    def in_memory(cls) -> Journal:
        """A journal that lives as long as this process: for replays, and when nothing can be written."""
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        db.executescript(_TABLES)
        return cls(db, None)

    def close(self) -> None:
        """Lets go of the file; everything is on disk already."""
        self._db.close()

    def append(self, events: Sequence[ev.Event]) -> None:
        """All of these or none of them, durable when this returns. Raises ``JournalError``."""
        rows = [
            (int(isinstance(e, ev.Started)), ev.FORMAT, json.dumps(ev.to_stored(e), separators=(",", ":")))
            for e in events
        ]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO event (start, format, body) VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as e:
            try:
                self._db.rollback()
            except sqlite3.Error:
                log.debug("rollback failed", exc_info=True)
            raise JournalError(f"{self.path}: {e}") from e

    def load(self, lobby: Game | None = None) -> Game:
        """The game as the journal tells it: the fold of its events since the last game began, on ``lobby``.

        An event that cannot be understood is left out, with an error in the log; it stays in the file.
        """
        row = self._db.execute("SELECT max(seq) FROM event WHERE start = 1").fetchone()
        events: list[ev.Event] = []
        for entry in self.rows(row[0] or 0):
            try:
                events.append(entry.event())
            except ev.BadEvent as e:
                log.error("%s: row %d cannot be read (%s): left out", self.path, entry.seq, e)
        return replay(events, lobby)

    def rows(self, first: int = 0) -> Iterator[Row]:
        """The rows from ``first`` on, in order."""
        for row in self._db.execute("SELECT seq, format, body FROM event WHERE seq >= ? ORDER BY seq", (first,)):
            yield Row(*row)

    def preference(self, name: str) -> str | None:
        """A choice made on the box that is not part of the game (``language``, ``sound``)."""
        row = self._db.execute("SELECT value FROM preference WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def prefer(self, name: str, value: str) -> None:
        """Keeps such a choice. Raises ``JournalError``."""
        try:
            self._db.execute("INSERT OR REPLACE INTO preference (name, value) VALUES (?, ?)", (name, value))
        except sqlite3.Error as e:
            raise JournalError(f"{self.path}: {e}") from e

    def size(self) -> int:
        """Bytes that the journal takes."""
        pages = self._db.execute("PRAGMA page_count").fetchone()[0]
        return int(pages * self._db.execute("PRAGMA page_size").fetchone()[0])

    def prune(self, keep_games: int, keep_bytes: int) -> int:
        """Drops the oldest games until at most ``keep_games`` are left and the file fits; the newest always stays.

        Returns how many games went. Raises ``JournalError``.
        """
        dropped = 0
        try:
            starts = [row[0] for row in self._db.execute("SELECT seq FROM event WHERE start = 1 ORDER BY seq")]
            while len(starts) > 1 and (len(starts) > keep_games or self.size() > keep_bytes):
                many = max(len(starts) - keep_games, len(starts) // 4, 1)
                many = min(many, len(starts) - 1)
                self._db.execute("DELETE FROM event WHERE seq < ?", (starts[many],))
                self._db.execute("VACUUM")
                dropped += many
                starts = starts[many:]
        except sqlite3.Error as e:
            raise JournalError(f"{self.path}: {e}") from e
        return dropped


def _set_aside(path: Path, why: Exception) -> None:
    """Renames a damaged journal so that nothing of it is overwritten."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    log.error("%s: is damaged (%s): kept as %s, a fresh journal is begun", path, why, aside)
    try:
        os.rename(path, aside)
        for suffix in ("-wal", "-shm"):
            extra = path.with_name(path.name + suffix)
            if extra.exists():
                os.rename(extra, aside.with_name(aside.name + suffix))
    except OSError as e:
        raise JournalError(f"{path}: is damaged and cannot be set aside: {e.strerror}. Move it away by hand.") from e
