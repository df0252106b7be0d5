"""The hub's database: each result once, in SQLite or PostgreSQL, through SQLAlchemy.

A result is a row, found by the box's own number and its count there. What was sent twice is there once; what is counted
and not there was lost by whoever put an old copy of the database back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from mind_box.broker.topics import Result
from mind_box.game.values import dataclass

VERSION = 1
"""Of the tables."""
EARLIEST = datetime(2020, 1, 1)
"""No game was played before: a box whose clock was never set."""
DATE = "%Y-%m-%dT%H:%M:%SZ"

_META = MetaData()
_RESULT = Table(
    "result",
    _META,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("box", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("name", Text, nullable=False),  # what the box was called
    Column("received", Text, nullable=False),  # UTC, by the hub's clock
    Column("at", Text, nullable=False),  # when it began, as far as the two clocks agree
    Column("counts", Boolean, nullable=False),  # neither taken back, nor forgotten, nor there under another number
    Column("digest", Text, nullable=False),
    Column("game", Text, nullable=False),  # JSON
    UniqueConstraint("box", "seq"),
)
_BOX = Table(
    "box",
    _META,
    Column("box", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("had", BigInteger, nullable=False),
    Column("lost", BigInteger, nullable=False),
)
_HUB = Table("hub", _META, Column("version", Integer, primary_key=True, autoincrement=False))


class StoreError(Exception):
    """The database cannot be used. ``str()`` says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a result."""

    had: int
    """All of that box up to this one are there."""
    new: bool
    copied: bool = False
    """Another game is there under its number: two boxes have one number, and it was not taken."""
    lost: int = 0
    """So many before it will never come: they were confirmed, and are not there."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A result as the league and the pages get it."""

    id: int
    name: str
    at: str
    """When it began, UTC by ISO 8601; when it came where the box's clock cannot be believed."""
    game: Mapping[str, Any]


class Store:
    """Use it in one thread. ``place`` is a file or a URL. All of it raises ``StoreError``."""

    def __init__(self, place: str) -> None:
        self.place = place
        try:
            url = make_url(place if "://" in place else f"sqlite:///{Path(place).absolute()}")
            if url.drivername == "postgresql":
                url = url.set(drivername="postgresql+psycopg")
            self.place = url.render_as_string(hide_password=True) if "://" in place else place
            if url.drivername.startswith("sqlite") and url.database:
                Path(url.database).parent.mkdir(parents=True, exist_ok=True)
            self._engine = create_engine(url, poolclass=QueuePool, pool_size=1, pool_pre_ping=True)
        except ImportError as e:
            raise StoreError(f"{self.place}: needs a package that is not there: {e}.") from e
        except (ArgumentError, ValueError) as e:
            raise StoreError(f"{self.place}: is neither a file nor a URL like postgresql://user@host/name: {e}.") from e
        except OSError as e:
            raise StoreError(f"{self.place}: cannot be made: {e.strerror}. Set club.database.") from e
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _durable)

    def open(self) -> None:
        """Begins the tables, or makes sure that they are ours."""
        with self._begin() as db:
            there = set(inspect(db).get_table_names())
            if not there & set(_META.tables):
                _META.create_all(db)
                db.execute(insert(_HUB).values(version=VERSION))
                return
            if "hub" not in there:
                raise StoreError(f"{self.place}: holds something else. Name another club.database.")
            version = db.execute(select(_HUB.c.version)).scalar() or 0
            if version > VERSION:
                raise StoreError(
                    f"{self.place}: is of version {version}, this hub knows {VERSION}: update it. Nothing was changed."
                )

    def close(self) -> None:
        """Lets go of it."""
        self._engine.dispose()

    def take(self, name: str, result: Result, now: datetime) -> Taken:
        """A result that came, from a box of this name; on disk when this returns."""
        text = json.dumps(result.game, sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(text.encode()).hexdigest()
        box, seq = result.box, result.seq
        with self._begin() as db:
            found = db.execute(select(_BOX.c.had, _BOX.c.lost).where(_BOX.c.box == box)).first()
            had, lost = found or (0, 0)
            if found is None:
                db.execute(insert(_BOX).values(box=box, name=name, had=0, lost=0))
            there = self._digest(db, box, seq)
            if there is not None and there != digest:
                return Taken(had, False, copied=True)
            if there is None:
                again = result.was is not None and self._digest(db, *result.was) == digest
                received = now.strftime(DATE)
                values = {"name": name, "received": received, "at": _began(result.game, received, now)}
                counts = result.game is not None and not again
                db.execute(insert(_RESULT).values(box=box, seq=seq, counts=counts, digest=digest, game=text, **values))
                if result.replaces is not None:
                    earlier = (_RESULT.c.box == box) & (_RESULT.c.seq == result.replaces)
                    db.execute(update(_RESULT).where(earlier).values(counts=False))
            missing = 0
            if result.first - 1 > had:
                missing = result.first - 1 - had - self._many(db, box, had + 1, result.first - 1)
                had = result.first - 1
            while self._many(db, box, had + 1, had + 1):
                had += 1
            db.execute(update(_BOX).where(_BOX.c.box == box).values(name=name, had=had, lost=lost + missing))
        return Taken(had, there is None, lost=missing)

    def results(self, since: str = "") -> Sequence[Stored]:
        """All that count, the oldest first; ``since`` that date."""
        query = select(_RESULT.c.id, _RESULT.c.name, _RESULT.c.at, _RESULT.c.game)
        query = query.where(_RESULT.c.counts, _RESULT.c.at >= since).order_by(_RESULT.c.at, _RESULT.c.id)
        with self._begin() as db:
            return [Stored(i, name, at, json.loads(game)) for i, name, at, game in db.execute(query)]

    def newest(self, many: int, before: int | None = None) -> Sequence[Stored]:
        """So many of those that count, the newest first; ``before``: of those older than this one."""
        query = select(_RESULT.c.id, _RESULT.c.name, _RESULT.c.at, _RESULT.c.game).where(_RESULT.c.counts)
        if before is not None:
            query = query.where(_RESULT.c.id < before)
        with self._begin() as db:
            rows = db.execute(query.order_by(_RESULT.c.id.desc()).limit(many))
            return [Stored(i, name, at, json.loads(game)) for i, name, at, game in rows]

    def result(self, which: int) -> Stored | None:
        """One of them; None: there is none."""
        query = select(_RESULT.c.id, _RESULT.c.name, _RESULT.c.at, _RESULT.c.game)
        with self._begin() as db:
            row = db.execute(query.where(_RESULT.c.id == which, _RESULT.c.counts)).first()
        return None if row is None else Stored(row[0], row[1], row[2], json.loads(row[3]))

    def had(self) -> dict[str, int]:
        """Up to which one all are there, of each box."""
        with self._begin() as db:
            return {row.box: row.had for row in db.execute(select(_BOX.c.box, _BOX.c.had))}

    def count(self) -> int:
        """How many rows there are, those that do not count included."""
        with self._begin() as db:
            return int(db.execute(select(func.count()).select_from(_RESULT)).scalar() or 0)

    def _digest(self, db: Connection, box: str, seq: int) -> str | None:
        query = select(_RESULT.c.digest).where(_RESULT.c.box == box, _RESULT.c.seq == seq)
        return db.execute(query).scalar()

    def _many(self, db: Connection, box: str, first: int, last: int) -> int:
        query = select(func.count()).where(_RESULT.c.box == box, _RESULT.c.seq >= first, _RESULT.c.seq <= last)
        return int(db.execute(query).scalar() or 0)

    @contextlib.contextmanager
    def _begin(self) -> Iterator[Connection]:
        """A transaction: on disk at its end, or nothing of it."""
        try:
            with self._engine.begin() as db:
                yield db
        except SQLAlchemyError as e:
            why = str(getattr(e, "orig", None) or e).strip().partition("\n")[0]
            cure = "Look at its disk, its rights, or the database's server."
            raise StoreError(f"{self.place}: cannot be used: {why}. {cure}") from e


def _durable(connection: Any, _: Any) -> None:
    """SQLite: a commit is on disk, and whoever reads does not wait for it."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _began(game: Mapping[str, Any] | None, received: str, now: datetime) -> str:
    """When it began; when it came, where the box knows no date, or one that cannot be."""
    begun = (game or {}).get("begun")
    try:
        date = datetime.strptime(str(begun), DATE)
    except ValueError:
        return received
    return date.strftime(DATE) if EARLIEST <= date < now.replace(tzinfo=None) + timedelta(days=1) else received
