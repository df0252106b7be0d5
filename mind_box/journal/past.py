"""The games of the past in a journal's file: found, taken in and dropped without reading those in between."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mind_box.journal.file import PAGE, transaction
from mind_box.journal.rows import COLUMNS, Row, fingerprint, games_of, numbered

AT_ONCE = 2000
"""Rows, and the rest of the game that they end in: what is dropped in one step, in which nothing else is written."""
END = 2**63 - 1
"""Beyond every row's number."""
LONGEST_NAME = 200
"""Letters of the name of a game."""


def why_no_name(name: str) -> str | None:
    """What is wrong with the name of a game; None: nothing."""
    if len(name) > LONGEST_NAME:
        return f"it is longer than {LONGEST_NAME} letters"
    if not name.replace("\u200d", "").isprintable():  # which joins what is one picture to the eye
        return "it holds what is no letter"
    return None


class Past:
    """What stands in an open database. All of it raises ``sqlite3.Error``; ``Journal.past`` makes better ones of it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def games(self) -> int:
        """How many there are, the one at the table included."""
        return self._number("SELECT count(*) FROM event WHERE start = 1") or 0

    def start_of(self, game: int) -> int | None:
        """The first row of a game: 1 is the oldest, -1 the newest; None: there are not so many."""
        order, before = ("ASC", game - 1) if game > 0 else ("DESC", -game - 1)
        return self._number(f"SELECT seq FROM event WHERE start = 1 ORDER BY seq {order} LIMIT 1 OFFSET ?", before)

    def game(self, number: int) -> list[Row]:
        """The rows of a game, as ``start_of`` counts; [] where there are not so many."""
        first = self.start_of(number)
        return [] if first is None else list(self.rows(first, self._start_from(first + 1)))

    def table(self) -> list[Row]:
        """The rows of the game at the table; for the very first game also the choices in the lobby before it."""
        oldest, newest = self.start_of(1), self.start_of(-1)
        return list(self.rows(newest if newest is not None and newest != oldest else 0))

    def rows(self, first: int, end: int | None = None, limit: int = -1) -> Iterator[Row]:
        """Those from ``first`` on, in order, before ``end`` and at most ``limit``."""
        query = f"SELECT {COLUMNS} FROM event WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ?"
        for values in self._db.execute(query, (first, END if end is None else end, limit)):
            yield Row(*values)

    def number_of(self, start: int) -> int:
        """Which game begins with this row: 1 is the oldest."""
        return self._number("SELECT count(*) FROM event WHERE start = 1 AND seq <= ?", start) or 0

    def found(self, wanted: int) -> int | None:
        """The first row of the game with this fingerprint; not of the one at the table."""
        return self._number(
            "SELECT known.start FROM known JOIN event ON seq = known.start WHERE fingerprint = ?", wanted
        )

    def fingerprint_of(self, start: int) -> int | None:
        """What is known of a game that is over."""
        return self._number("SELECT fingerprint FROM known WHERE start = ?", start)

    def names(self) -> dict[int, str]:
        """What people called games, by their first rows."""
        if self._number("SELECT 1 FROM sqlite_schema WHERE name = 'named'") is None:
            return {}
        return dict(self._db.execute("SELECT start, name FROM named"))

    def missing(self) -> dict[int, int]:
        """How many rows are rightly missing from which on."""
        if self._number("SELECT 1 FROM sqlite_schema WHERE name = 'forgotten'") is None:
            return {}
        return dict(self._db.execute("SELECT first, rows FROM forgotten"))

    def size(self) -> int:
        """Bytes of the file that are in use; what pruning frees is used again before the file grows."""
        pages, free = self._number("PRAGMA page_count") or 0, self._number("PRAGMA freelist_count") or 0
        return (pages - free) * PAGE

    def copy(self, to: Path) -> None:
        """All of it as a file of its own without a log, as it stands at one moment. Raises ``OSError`` for no room."""
        try:
            with contextlib.closing(sqlite3.connect(to, isolation_level=None)) as copy:
                self._db.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as e:
            if e.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to)) from e
            raise

    # -- changed, each in the caller's transaction

    def know(self, games: Iterable[Sequence[Row]]) -> None:
        """Writes down by what these are found again, as ``holds`` does; not what begins without its start."""
        self._db.executemany(
            "INSERT OR REPLACE INTO known VALUES (?, ?)",
            [(rows[0].seq, fingerprint(rows)) for rows in games if rows[0].start],
        )

    def doubt(self) -> None:
        """Forgets what is known if an earlier version of this program, which knows nothing, has played on since."""
        if not self._knows(self.start_of(-2)):
            self._db.execute("DELETE FROM known")

    def learn(self) -> None:
        """Makes sure that all but the game at the table are known: a journal that had no such list is read once."""
        before = self.start_of(-2)
        if before is None or (self._knows(before) and self._knows(self.start_of(1))):
            return
        self._db.execute("DELETE FROM known")
        for game in games_of(self.rows(0, self.start_of(-1))):
            self.know([game])

    def holds(self, wanted: int) -> bool:
        """Whether a game with this fingerprint is there."""
        found = "SELECT 1 FROM known JOIN event ON seq = known.start WHERE fingerprint = ? AND event.start = 1"
        return self._number(found, wanted) is not None or wanted == fingerprint(self.game(-1))

    def insert(self, rows: Sequence[Row], names: Sequence[str | None]) -> None:
        """Puts games, each with its name, before ``table``, whose rows are numbered anew."""
        table = self.table()
        first = table[0].seq if table else 1
        new = numbered(rows, first)
        self._db.execute("DELETE FROM event WHERE seq >= ?", (first,))
        self._db.execute("UPDATE named SET start = start + ? WHERE start >= ?", (len(new), first))
        self.add([*new, *numbered(table, first + len(new))])
        games = list(games_of(new))
        self.know(games)
        for game, name in zip(games, names, strict=True):
            self.name(game[0].seq, name or "")

    def add(self, rows: Iterable[Row]) -> None:
        """Writes rows, as they are numbered."""
        self._db.executemany(
            f"INSERT INTO event ({COLUMNS}, start) VALUES (?, ?, ?, ?, ?)",
            [(row.seq, row.format, row.body, row.crc, int(row.start)) for row in rows],
        )

    def name(self, start: int, name: str) -> None:
        """Calls the game that begins with this row so; an empty name takes one away."""
        self._db.execute("DELETE FROM named WHERE start = ?", (start,))
        if name:
            self._db.execute("INSERT INTO named VALUES (?, ?)", (start, name))

    def name_unnamed(self, wanted: int, name: str) -> None:
        """Calls the game with this fingerprint so, if it has no name yet."""
        start = self.found(wanted) or self.start_of(-1)
        if start is not None and start not in self.names():
            self.name(start, name)

    def forget(self, start: int) -> bool:
        """Deletes the game that begins with this row; False: it is at the table, or there is none."""
        end = self._start_from(start + 1)
        if end is None or self._start_from(start) != start:
            return False
        self._db.execute("DELETE FROM event WHERE seq >= ? AND seq < ?", (start, end))
        self._db.execute("INSERT OR REPLACE INTO forgotten VALUES (?, ?)", (start, end - start))
        self._drop("named", "known", where="start = ?", value=start)
        return True

    def drop_oldest(self, keep_games: int, keep_bytes: int) -> int:
        """One step towards ``keep_games`` and ``keep_bytes``; the newest always stays. Returns how many went."""
        size = self.size()
        first, keep, rows = self.start_of(1), self.start_of(-keep_games), AT_ONCE
        if first is not None and size > keep_bytes:
            keep = self.start_of(-1) or first
            rows = min(rows, (keep - first) * (size - keep_bytes) // size + 1)
        if first is None or keep is None or keep == first:
            return 0
        end = min(self._start_from(first + rows) or keep, keep)
        gone = self._number("SELECT count(*) FROM event WHERE start = 1 AND seq < ?", end)
        with transaction(self._db):
            self._db.execute("DELETE FROM event WHERE seq < ?", (end,))
            self._drop("named", "known", where="start < ?", value=end)
            self._db.execute("DELETE FROM forgotten WHERE first < ?", (end,))
        return gone or 0

    def _drop(self, *tables: str, where: str, value: int) -> None:
        for table in tables:
            self._db.execute(f"DELETE FROM {table} WHERE {where}", (value,))

    # -- asking

    def _knows(self, start: int | None) -> bool:
        return start is None or self._number("SELECT 1 FROM known WHERE start = ?", start) is not None

    def _start_from(self, seq: int) -> int | None:
        return self._number("SELECT min(seq) FROM event WHERE start = 1 AND seq >= ?", seq)

    def _number(self, query: str, *values: int) -> int | None:
        found = self._db.execute(query, values).fetchone()
        return None if found is None else found[0]
