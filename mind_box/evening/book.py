"""The book of evenings: a journal's games, told one by one, newest first, without reading those in between."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from mind_box.evening.telling import told
from mind_box.evening.told import GameTold
from mind_box.game import events as ev
from mind_box.game.values import dataclass
from mind_box.journal.archive import timed_of
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.past import Past
from mind_box.journal.rows import Row, fingerprint

AT_TABLE = "now"
"""The address of the game at the table, until the next one begins: then it has its own."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A game in the book."""

    number: int
    """1 is the oldest that is kept."""
    key: str
    """Its address: the same after an export and an import, and when older games go."""
    start: int
    """Its first row."""
    name: str | None
    game: GameTold


class NoSuchGame(JournalError):
    """The book has no such game."""


class Book:
    """A journal open to be read, while a box may be writing it. All of it raises ``JournalError``."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @classmethod
    @contextlib.contextmanager
    def at(cls, path: Path) -> Iterator[Book]:
        """The book of this journal, for as long as the block runs."""
        with contextlib.closing(Journal.looking_on(path, load=False)) as journal:
            yield cls(journal)

    def games(self) -> int:
        """How many there are."""
        with self._journal.past() as past:
            return past.games()

    def newest(self, many: int | None = None, before: int | None = None) -> list[Entry]:
        """So many of the newest games, the newest first; ``before``: of those older than this number."""
        with self._journal.past() as past:
            count = past.games()
            last = count if before is None else min(before - 1, count)
            first = 1 if many is None else max(last - many + 1, 1)
            names = past.names()
            return [self._entry(past, number, count, names) for number in range(last, first - 1, -1)]

    def oldest_first(self, many: int | None = None) -> Iterator[Entry]:
        """The same the other way round, one after the other."""
        with self._journal.past() as past:
            count, names = past.games(), past.names()
            for number in range(1 if many is None else max(count - many + 1, 1), count + 1):
                yield self._entry(past, number, count, names)

    def game(self, which: int | str) -> Entry:
        """The game of this number (1: the oldest, -1: the newest) or address. Raises ``NoSuchGame``."""
        with self._journal.past() as past:
            count, names = past.games(), past.names()
            number = self._number(past, which, count) if isinstance(which, str) else which
            number = count + 1 + number if number < 0 else number
            if not 1 <= number <= count:
                raise NoSuchGame(f"{self._journal.path}: has no game {which}; it holds {count}.")
            return self._entry(past, number, count, names)

    def _number(self, past: Past, key: str, count: int) -> int:
        if key == AT_TABLE:
            return count
        try:
            wanted = int.from_bytes(bytes.fromhex(key), "big", signed=True) if len(key) == 16 else None
        except ValueError:
            wanted = None
        if wanted is None:
            return 0
        start = past.found(wanted)
        if start is not None:
            return past.number_of(start)
        if count and fingerprint(past.game(-1)) == wanted:
            return count
        unknown = [n for n in range(1, count) if (first := past.start_of(n)) and past.fingerprint_of(first) is None]
        return next((n for n in unknown if fingerprint(past.game(n)) == wanted), 0)  # of an old journal's list

    def _entry(self, past: Past, number: int, count: int, names: dict[int, str]) -> Entry:
        rows = past.game(number)
        start = rows[0].seq
        at_table = number == count
        known = None if at_table else past.fingerprint_of(start)
        key = AT_TABLE if at_table else key_of(fingerprint(rows) if known is None else known)
        return Entry(number, key, start, names.get(start), game_of(rows, over=not at_table))


def key_of(mark: int) -> str:
    """A fingerprint as an address."""
    return mark.to_bytes(8, "big", signed=True).hex()


def game_of(rows: list[Row], over: bool) -> GameTold:
    """The game that these rows tell; what cannot be read of it is doubted, and left out."""
    kept, doubts = [], set()
    for row in rows:
        try:
            kept.append(timed_of(row))
        except ev.BadEvent:
            doubts.add("rows")
    if any(row.seq != rows[0].seq + i for i, row in enumerate(rows)):
        doubts.add("rows")
    game = told(kept, over, doubts)
    if game is None:
        raise JournalError(f"row {rows[0].seq} is damaged, and the game that began with it cannot be told.")
    return game
