"""The journal's file: opened, begun, claimed for one process, and set aside when it is damaged."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from mind_box.files import give_to_owner, sync_directory
from mind_box.game import events as ev
from mind_box.journal.log import broken, index_of, log_of

log = logging.getLogger(__name__)

SCHEMA = 1
"""Of the tables (SQLite's user_version). ``events.FORMAT`` is the version of what stands in the rows."""

APPLICATION = 0x4D696E64
"""SQLite's application_id, ``Mind``: so that another program's database is not taken for a journal."""

_LIST = """
CREATE TABLE IF NOT EXISTS known (
    start INTEGER PRIMARY KEY,   -- a game's first row
    fingerprint INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS known_fingerprint ON known (fingerprint);
CREATE TABLE IF NOT EXISTS named (
    start INTEGER PRIMARY KEY,   -- a game's first row
    name TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS forgotten (
    first INTEGER PRIMARY KEY,   -- from this row on
    rows INTEGER NOT NULL        -- so many are missing, and nobody misses them
) STRICT
"""
"""The games of the past by what they hold, so that an import need not read them; the one at the table is not in it.
And what people called them, and where those stood that they wanted forgotten."""

_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,     -- without a gap; the oldest go first
    format INTEGER NOT NULL,
    body TEXT NOT NULL,          -- JSON
    crc INTEGER NOT NULL,        -- CRC-32 of format and body
    start INTEGER NOT NULL       -- 1: a game begins with this row
) STRICT;
CREATE INDEX event_start ON event (seq) WHERE start = 1;
CREATE TABLE preference (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
{_LIST};
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA};
COMMIT;
"""

PAGE = 1024
"""Bytes of a page: an event is one page in the write-ahead log, and a card wears out by what is written to it."""


CACHE = 256
"""KiB of pages kept in memory; a game is a few of them, and SQLite's own 2 MiB would fill up evening by evening."""

PATIENCE = 10.0
"""Seconds to wait for another program that holds the journal, before the game goes on unsaved."""

_NO_GAMES = " new"
"""Stands in the lock after the process's number until a journal has been begun."""

_GONE = "it is empty or gone, though games have been kept here"

LOG_LIMIT = 4_000_000
"""Bytes to which the write-ahead log is cut back after it was longer."""


class JournalError(Exception):
    """The journal cannot be used. ``str()`` says what, where and what to do."""


class NewerJournal(JournalError):
    """The journal was written by a later version of this program; it is left untouched."""


class InUse(JournalError):
    """Another process keeps its game in this journal."""


class Damaged(Exception):
    """The file is not what this program wrote."""


def is_damage(error: Exception) -> bool:
    """Whether the file itself is broken, not the disk, the directory or the rights around it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, Damaged) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Around right questions: whoever cannot answer them is not our database any more. Raises ``Damaged``."""
    try:
        yield
    except sqlite3.OperationalError as e:
        if e.sqlite_errorcode == sqlite3.SQLITE_ERROR:  # no such table, no such column
            raise Damaged(str(e)) from e
        raise
    except (UnicodeDecodeError, MemoryError) as e:
        # SQLite quotes the broken part in its message, and calls some broken definitions a lack of memory.
        raise Damaged("its tables cannot be read") from e


def connect(path: Path | None, read_only: bool = False, fresh: bool = True) -> sqlite3.Connection:
    """Opens the journal's database, or begins it, where it may be ``fresh``; None: one in memory.

    Raises ``NewerJournal``, ``Damaged`` or ``sqlite3.Error``, and ``JournalError`` for a place that cannot be used.
    """
    if path is None:
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        db.executescript(_TABLES)
        return db
    try:
        return _look(path) if read_only else _open(path, fresh)
    except OSError as e:
        raise JournalError(f"{path}: cannot be used: {e.strerror}. Check box.state_dir and its owner.") from e


def _open(path: Path, fresh: bool) -> sqlite3.Connection:
    _make_directory(path.parent)
    if path.exists() and not path.is_file():
        raise Damaged("it is no file")
    if _has_bytes(path):
        _share_mode(path)
        # A rightful newer journal is not even tidied up. What cannot be looked at (the power went while it was begun,
        # and SQLite has to roll that back) is found out below.
        with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(_look(path)):
            if why := broken(path):
                raise Damaged(why)
    else:
        _refuse_log_alone(path)
        if not fresh:
            raise Damaged(_GONE)
        if os.geteuid() == 0:
            _touch_for_owner(path)
    db = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE, check_same_thread=False)
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA journal_size_limit = {LOG_LIMIT}")
        db.execute(f"PRAGMA cache_size = -{CACHE}")
        db.text_factory = _text
        if not _understood(db, path):
            if not fresh:
                raise Damaged(_GONE)
            db.execute(f"PRAGMA page_size = {PAGE}")
            write_ahead(db)
            db.executescript(_TABLES)
    except BaseException:
        db.close()
        raise
    return db


def begin_list(db: sqlite3.Connection) -> None:
    """A journal of an earlier version gets what it lacks; an earlier version goes on with it."""
    for statement in _LIST.split(";"):
        db.execute(statement)


def write_ahead(db: sqlite3.Connection) -> None:
    """Switches to the write-ahead log, which stays on; a copy made by another tool may be without.

    Only after the file was read: this writes, and a damaged file is kept as it was found.
    """
    db.execute("PRAGMA journal_mode = WAL")


def _look(path: Path) -> sqlite3.Connection:
    """A connection that only reads, to a journal that this program understands."""
    if not _has_bytes(path):
        _refuse_log_alone(path)
    uri = path.absolute().as_uri()
    db = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None, timeout=1.0)
    db.text_factory = _text
    try:
        try:
            begun = _understood(db, path)
        except sqlite3.OperationalError:
            if not path.exists() or _has_bytes(log_of(path)):
                raise
            # Nothing can be written beside it, not even the index of an empty log: then the file says it all.
            db.close()
            db = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None)
            db.text_factory = _text
            begun = _understood(db, path)
        if not begun:
            if signed(path):
                raise Damaged(_GONE)
            if not _has_bytes(path) and not _lock_of(path).exists():
                raise Damaged("it is empty")
            db.close()  # the power went while it was begun: it holds what a new one does
            db = connect(None)
    except BaseException:
        db.close()
        raise
    return db


def _has_bytes(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def _refuse_log_alone(path: Path) -> None:
    """SQLite deletes the log beside an empty file, even when it only reads."""
    if _has_bytes(log_of(path)):
        raise Damaged("it is empty, and its log is not")


def _share_mode(path: Path) -> None:
    """SQLite begins log and index with the file's mode: read-only ones would stay behind a file that is so no more."""
    for beside in (log_of(path), index_of(path)):
        with contextlib.suppress(OSError):
            beside.chmod(path.stat().st_mode & 0o777)


def _text(raw: bytes) -> str:
    """Text with a broken byte in it is a row whose check sum fails, not an error of its own."""
    return raw.decode("utf-8", "replace")


@reading()
def _understood(db: sqlite3.Connection, path: Path) -> bool:
    """False: it has yet to be begun. Raises ``NewerJournal`` or ``Damaged``."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    application = db.execute("PRAGMA application_id").fetchone()[0]
    if version == 0 and application == 0 and db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
        return False
    if application != APPLICATION:
        raise Damaged("it is another program's database")
    cure = "update mind-box, or name another box.state_dir. Nothing was changed."
    if version > SCHEMA:
        raise NewerJournal(f"{path}: is of version {version}, this program knows {SCHEMA}: {cure}")
    newest = db.execute("SELECT format FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    if newest is not None and isinstance(newest[0], int) and newest[0] > ev.FORMAT:
        raise NewerJournal(f"{path}: holds events of format {newest[0]}, this program knows {ev.FORMAT}: {cure}")
    return True


def place_of(path: Path) -> tuple[int, int, int] | None:
    """Which file a path names, and how long it is; None: none that can be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and on disk at the end."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            db.rollback()
        raise


def _make_directory(directory: Path) -> None:
    try:
        if directory.is_dir():
            return
        directory.mkdir(parents=True, exist_ok=True)
        sync_directory(directory.parent)
    except OSError as e:
        raise JournalError(f"{directory}: cannot be made: {e.strerror}. Name another box.state_dir.") from e


def _touch_for_owner(path: Path) -> None:
    """A journal that root begins (``sudo mind-box journal import``) is the service's; SQLite gives it the log too.

    Where it cannot be made, opening it says so.
    """
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            give_to_owner(fd, path.parent)
        finally:
            os.close(fd)


def set_aside(path: Path, why: Exception) -> Path:
    """``put_aside`` of a damaged journal, which is logged."""
    there = path.exists() or log_of(path).exists()
    aside = put_aside(path, "damaged")
    kept = f"kept as {aside}, " if there else ""
    log.error("%s: is damaged (%s): %sa fresh journal is begun", path, why, kept)
    return aside


def put_aside(path: Path, word: str) -> Path:
    """Gives a journal, or another file, another name with this word, so that nothing of it is overwritten.

    The file and its log get their second names before either loses its first: a power cut in between leaves
    both names, never a fresh file beside an old log. Raises ``OSError``.
    """
    number = 1
    while (aside := path.with_name(f"{path.name}.{word}-{number}")).exists():
        number += 1
    wal = log_of(path)
    if wal.exists():
        path.touch()  # a log alone keeps its pair of names
    pairs = ((path, aside), (wal, log_of(aside)))
    names = [(old, new) for old, new in pairs if old.exists()]
    for old, new in names:
        try:
            os.link(old, new)
        except OSError as e:
            if e.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            os.rename(old, new)  # no hard links on this file system
    sync_directory(path.parent)
    for old in (*(name for name, _ in names), index_of(path)):
        old.unlink(missing_ok=True)
    return aside


def claim(path: Path) -> int | None:
    """Makes this process the one that writes the journal at ``path``, until it ends or the descriptor is closed.

    None: the file system has no locks. Raises ``InUse``, and ``JournalError`` where the lock's file cannot be had:
    who cannot be told from a second writer does not write.
    """
    lock, kept = _lock_of(path), signed(path)
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as e:
        raise JournalError(f"{lock}: cannot be opened: {e.strerror}. Check box.state_dir and its owner.") from e
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(fd, 32).decode("ascii", "replace").removesuffix(_NO_GAMES)
        os.close(fd)
        raise InUse(
            f"{path}: another mind-box (process {owner or 'unknown'}) keeps its game there: stop it first "
            "(sudo systemctl stop mind-box)."
        ) from None
    except OSError:
        os.close(fd)
        return None
    with contextlib.suppress(OSError):
        give_to_owner(fd, path.parent)
    sign(path, kept)
    return fd


def sign(path: Path, kept: bool = True) -> None:
    """Writes this process's number into the lock, and whether games have been ``kept`` here: then there is a journal,
    and one that is gone later is missed. A new box has neither.

    Nothing where there is no lock; a full disk leaves it as it is.
    """
    with contextlib.suppress(OSError):
        fd = os.open(_lock_of(path), os.O_WRONLY | os.O_CLOEXEC)
        try:
            text = f"{os.getpid()}{'' if kept else _NO_GAMES}"
            os.truncate(fd, os.pwrite(fd, text.encode(), 0))  # in this order it is never empty
        finally:
            os.close(fd)


def signed(path: Path) -> bool:
    """Whether a box has kept games in the journal at ``path``."""
    try:
        return not _lock_of(path).read_bytes().endswith(_NO_GAMES.encode())
    except OSError:
        return False


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """``claim``, for as long as the block runs. Raises ``JournalError``."""
    fd = claim(path)
    try:
        yield
    finally:
        if fd is not None:
            os.close(fd)
