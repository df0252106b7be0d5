"""The journal's rows, and the games that they make."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from zlib import crc32

from mind_box.game import events as ev
from mind_box.game.values import dataclass
from mind_box.journal.stamps import Stamp, Timed, from_stored, to_stored

COLUMNS = "seq, format, body, crc"
"""Of a ``Row``, in the table ``event``."""

_body = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Row:
    """One event as it stands in the journal."""

    seq: int
    format: int
    body: str
    crc: int

    @classmethod
    def of(cls, seq: int, event: ev.Event | Timed) -> Row:
        """The row that stores ``event`` as the ``seq``-th."""
        version, stored = to_stored(event if isinstance(event, Timed) else Timed(event))
        return cls.stored(seq, version, _body(stored))

    @classmethod
    def stored(cls, seq: int, version: int, body: str) -> Row:
        """The row of an event in its stored form."""
        return cls(seq, version, body, _sum(version, body))

    @property
    def sound(self) -> bool:
        """Whether it is what was written."""
        return _sum(self.format, self.body) == self.crc

    @property
    def start(self) -> bool:
        """Whether a game begins with it."""
        return self.body.startswith('{"type":"Started"')

    def event(self) -> ev.Event:
        """The event. Raises ``BadEvent``."""
        return self.timed().event

    @property
    def stamp(self) -> Stamp | None:
        """Its time, if it has one. Raises ``BadEvent``."""
        return self.timed().stamp

    def timed(self) -> Timed:
        """The event and its time. Raises ``BadEvent``."""
        try:
            stored = json.loads(self.body)
        except (ValueError, RecursionError) as e:
            raise ev.BadEvent(f"row {self.seq} is not JSON: {e}") from e
        if not isinstance(stored, dict):
            raise ev.BadEvent(f"row {self.seq} is not a JSON object")
        return from_stored(stored, self.format)


def rows_of(events: Iterable[ev.Event | Timed], first: int, game: Sequence[Row] = ()) -> list[Row]:
    """The rows of these events, numbered from ``first`` on, behind those of ``game``.

    In a game with ghosts every row is of their format: an older program, which looks at the newest row, then refuses
    the journal by name instead of reading half a game.
    """
    least = game[0].format if game else 0
    rows = []
    for seq, event in enumerate(events, first):
        timed = event if isinstance(event, Timed) else Timed(event)
        version, stored = to_stored(timed)
        if isinstance(timed.event, ev.Started):
            least = version
        rows.append(Row.stored(seq, max(version, least) if least >= ev.WITH_GHOSTS else version, _body(stored)))
    return rows


def _sum(version: int, body: str) -> int:
    return crc32(f"{version} {body}".encode(errors="surrogatepass"))


def numbered(rows: Iterable[Row], first: int) -> list[Row]:
    """The same rows from number ``first`` on."""
    return [Row(seq, row.format, row.body, row.crc) for seq, row in enumerate(rows, first)]


def games_of(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows game by game. What stands before the first game (choices in the lobby) comes first, if there is any."""
    game: list[Row] = []
    for row in rows:
        if row.start and game:
            yield game
            game = []
        game.append(row)
    if game:
        yield game


def over_with(before: Sequence[Row], new: Sequence[Row]) -> list[list[Row]]:
    """The games that the new rows end: by a leaving (after an undo they end again), or by the next start."""
    over = []
    games = list(games_of([*before, *new])) if new else []
    for game, following in zip_longest(games, games[1:]):
        left = [row.seq for row in game if row.body.startswith('{"type":"Left"')]
        by_left = bool(left) and left[-1] >= new[0].seq
        by_next = following is not None and not left and following[0].seq >= new[0].seq
        if game[0].start and (by_left or by_next):
            over.append(game)
    return over


def fingerprint(rows: Sequence[Row]) -> int:
    """64 bits of what makes a game itself: without its end in the lobby and the choices there, which may be another
    journal's."""
    end = len(rows)
    while end and rows[end - 1].body.startswith(('{"type":"Configured"', '{"type":"Left"')):
        end -= 1
    import hashlib  # which loads OpenSSL: a box that only plays does without

    digest = hashlib.sha256()
    for row in rows[:end]:
        digest.update(f"{row.format} {row.body}\n".encode(errors="replace"))
    return int.from_bytes(digest.digest()[:8], signed=True)
