"""The outbox: results that a hub does not have yet, in the journal's own file.

A row gets there in the transaction that ends its game, by ``note``; all else works beside the box that writes the
journal, in short transactions of its own, from a thread that nobody waits for.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mind_box.broker.topics import WINDOW, Result
from mind_box.evening.as_json import as_json, tempo_as_json
from mind_box.evening.book import Book, Entry, NoSuchGame, key_of
from mind_box.evening.figures import GameFigures
from mind_box.game.figures import start_figures
from mind_box.game.values import dataclass
from mind_box.journal.file import CACHE, PATIENCE, JournalError, transaction
from mind_box.journal.rows import Row, fingerprint

_TABLES = (
    """CREATE TABLE IF NOT EXISTS outbox_box (
        id TEXT NOT NULL,            -- this box's number
        last INTEGER NOT NULL,       -- the newest result's
        start INTEGER NOT NULL       -- the first row of its game
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS outbox (
        seq INTEGER PRIMARY KEY,     -- without a gap
        mark INTEGER NOT NULL,       -- the fingerprint of its game
        replaces INTEGER,            -- the result that was taken back
        body TEXT,                   -- JSON; null: not made yet
        was_box TEXT,                -- under which number it may have been sent before
        was_seq INTEGER
    ) STRICT""",
)
_UNMADE = "SELECT seq, mark FROM outbox WHERE body IS NULL ORDER BY seq LIMIT ?"
_MADE = "SELECT seq, replaces, body, was_box, was_seq FROM outbox WHERE body IS NOT NULL ORDER BY seq LIMIT ?"
FORGOTTEN = "null"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits in the outbox."""

    box: str
    many: int
    results: tuple[Result, ...]
    """The oldest of them, at most ``WINDOW``."""


def note(db: sqlite3.Connection, games: list[list[Row]]) -> None:
    """Puts games that are over into the outbox, in the caller's transaction (``Journal.over``)."""
    for rows in games:
        _begin(db)
        last, start = db.execute("SELECT last, start FROM outbox_box").fetchone()
        replaces = last if last and start == rows[0].seq else None
        db.execute("INSERT INTO outbox VALUES (?, ?, ?, NULL, NULL, NULL)", (last + 1, fingerprint(rows), replaces))
        db.execute("UPDATE outbox_box SET last = ?, start = ?", (last + 1, rows[0].seq))


def box_of(path: Path) -> str:
    """The number of the box whose journal this is; made up the first time. Raises ``JournalError``."""
    with _open(path) as db, transaction(db):
        _begin(db)
        return str(db.execute("SELECT id FROM outbox_box").fetchone()[0])


def waiting(path: Path) -> Waiting:
    """What is to be sent; results that were not made yet are made now, which may take a second on a small board.

    Raises ``JournalError``.
    """
    with _open(path) as db:
        unmade = db.execute(_UNMADE, (WINDOW,)).fetchall()
        for seq, mark in unmade:
            body = _made(path, mark)
            with transaction(db):
                db.execute("UPDATE outbox SET body = ? WHERE seq = ? AND mark = ?", (body, seq, mark))
        with transaction(db):  # one look at both tables
            box = str(db.execute("SELECT id FROM outbox_box").fetchone()[0])
            many, first = db.execute("SELECT count(*), min(seq) FROM outbox").fetchone()
            rows = db.execute(_MADE, (WINDOW,)).fetchall()
    results = tuple(
        Result(box, seq, first, replaces, json.loads(body), None if was_box is None else (was_box, was_seq))
        for seq, replaces, body, was_box, was_seq in rows
    )
    return Waiting(box, many, results)


def hub_has(path: Path, box: str, had: int, copied: bool = False) -> str:
    """The hub has all up to ``had``: they go. Returns the box's number from now on. Raises ``JournalError``.

    A hub that has more than this journal ever sent, or other games under its numbers (``copied``), got them from
    another copy of it: what is numbered like them would be taken for them. So the box takes a new number, and counts
    anew.
    """
    with _open(path) as db, transaction(db):
        known, last = db.execute("SELECT id, last FROM outbox_box").fetchone()
        if known != box:
            return str(known)
        if had <= last and not copied:
            db.execute("DELETE FROM outbox WHERE seq <= ?", (had,))
            return box
        rows = db.execute("SELECT mark, body, seq FROM outbox ORDER BY seq").fetchall()
        db.execute("DELETE FROM outbox")
        anew = [(i, mark, body, box, seq) for i, (mark, body, seq) in enumerate(rows, 1)]
        db.executemany("INSERT INTO outbox VALUES (?, ?, NULL, ?, ?, ?)", anew)
        number = _number()
        db.execute("UPDATE outbox_box SET id = ?, last = ?, start = 0", (number, len(rows)))
        return number


def result_of(entry: Entry) -> dict[str, Any]:
    """A game as the hub gets it: what ``mind-box history --json`` tells, and how each level ended. Only cards that all
    have seen are in it (R33)."""
    told: dict[str, Any] = as_json(entry)
    levels: list[dict[str, Any]] = told["levels"]
    for level, of in zip(levels, entry.game.levels, strict=True):
        level |= {"blind": of.blind, "ending": of.ending}
    del told["game"]  # counted by the journal: no name for others
    return told | {
        "tempo": tempo_as_json(GameFigures(entry.game).tempo),
        "last_level": start_figures(len(entry.game.seats))[1],
        "resolves": entry.game.resolves,
    }


def _made(path: Path, mark: int) -> str:
    try:
        with Book.at(path) as book:
            told: Mapping[str, Any] = result_of(book.game(key_of(mark)))
    except NoSuchGame:  # it was forgotten, or taken back and played on: then it comes again
        return FORGOTTEN
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)


@contextlib.contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """The journal's file, which this very process is writing: through SQLite alone. Whoever opens such a file by any
    other way and closes it again takes this process's locks from it (https://sqlite.org/howtocorrupt.html, 2.2).
    """
    if not path.exists():
        raise JournalError(f"{path}: there is no journal.")
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=PATIENCE)) as db:
            db.execute("PRAGMA synchronous = FULL")
            db.execute(f"PRAGMA cache_size = -{CACHE}")
            with transaction(db):
                _begin(db)
            yield db
    except sqlite3.Error as e:
        raise JournalError(f"{path}: the results that wait for the hub cannot be reached: {e}.") from e


def _begin(db: sqlite3.Connection) -> None:
    for table in _TABLES:
        db.execute(table)
    db.execute("INSERT INTO outbox_box SELECT ?, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM outbox_box)", (_number(),))


def _number() -> str:
    return os.urandom(8).hex()
