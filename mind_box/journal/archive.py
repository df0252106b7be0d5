"""Games out of the journal and into it: JSON lines, one game a line. And the journal looked at row by row.

A line is ``{"format": 2, "name": "Sunday", "summary": {...}, "events": [...]}``; ``name`` stands where people gave one.
The events are the journal's own with their times, from ``Started`` to the row before the next game; the summary is for
people and scripts, and not read back. A game without times is a line of format 1, one with ghosts of format 3.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TextIO

from mind_box.game import events as ev
from mind_box.game.cards import Card
from mind_box.game.evolve import replay
from mind_box.game.figures import MAX_SEATS, MIN_SEATS
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.past import END, why_no_name
from mind_box.journal.rows import Row, fingerprint, games_of, rows_of
from mind_box.journal.stamps import Timed, from_stored, to_stored

MAX_LINE = 16_000_000
"""Characters of a line; the longest evening has some hundred thousand."""


_OF_LOBBY = (ev.Configured, ev.Left)
"""Events that a journal may hold before any game."""


@dataclass(frozen=True, slots=True)
class Archived:
    """A game as it stands in a file."""

    kept: list[Timed]
    """From its ``Started`` on."""
    name: str | None = None
    """What people called it."""


class ArchiveError(Exception):
    """The file is not one of games. ``str()`` gives line and reason."""


def export(journal: Journal, out: TextIO, last: int | None = None) -> tuple[int, int]:
    """Writes the games (``last``: only so many of the newest); choices in the lobby alone are none.

    Returns how many, and how many rows had to be left out. Raises ``JournalError``.
    """
    with journal.past() as past:
        first = None if last is None else past.start_of(-min(last, END))
        names = past.names()
    count = left_out = 0
    for rows in games_of(journal.rows(first or 0)):
        kept = []
        for row in rows:
            try:
                kept.append(timed_of(row))
            except ev.BadEvent:
                left_out += 1
        events = [timed.event for timed in kept]
        if not (events and isinstance(events[0], ev.Started)):  # choices in the lobby, or a game without its start
            left_out += sum(not isinstance(e, _OF_LOBBY) for e in events)
            continue
        versions, stored = zip(*map(to_stored, kept), strict=True)
        line: dict[str, Any] = {"format": max(versions)}
        if rows[0].seq in names:
            line["name"] = names[rows[0].seq]
        print(json.dumps({**line, "summary": summary(events), "events": stored}), file=out)
        count += 1
    return count, left_out


def timed_of(row: Row) -> Timed:
    """The event of a row and its time. Raises ``BadEvent`` also where it is not what was written."""
    if not row.sound:
        raise ev.BadEvent("it is not what was written")
    return row.timed()


def event_of(row: Row) -> ev.Event:
    """The same without its time."""
    return timed_of(row).event


def summary(events: list[ev.Event]) -> dict[str, Any]:
    """What became of a game."""
    # Without the bests of the games before it, the bests are this game's own; what was undone is not in them.
    game = replay(replace(e, bests=()) if isinstance(e, ev.Started) else e for e in events)
    started = next((e for e in events if isinstance(e, ev.Started)), None)
    # What the lobby chose after the game is the next one's.
    setup = game.setup if started is None else replay([started]).setup
    # An undo takes an end back, so only the last end counts, and only if nothing but leaving came after it.
    ends = {ev.Won: "won", ev.Lost: "lost", ev.Left: "left", ev.Configured: "left"}
    tail = [ends.get(type(e), "open") for e in events]
    while len(tail) > 1 and tail[-1] == "left":
        tail.pop()
    result = tail[-1] if tail and tail[-1] in ("won", "lost") else "left" if game.phase == "lobby" else "open"
    return {
        "seats": list(started.seats) if started else [],
        "variant": setup.variant,
        "result": result,
        "level_completed": max(game.bests.values(), default=0),
        "events": len(events),
    }


def read_games(lines: TextIO) -> Iterator[Archived]:
    """The games of a file, checked; lines of none are passed over. Raises ``ArchiveError``."""
    empty = True
    for number, line in enumerate(iter(partial(lines.readline, MAX_LINE + 1), ""), 1):
        if not line.strip():
            continue
        empty = False
        if len(line) > MAX_LINE:
            raise ArchiveError(f"line {number}: longer than any game")
        try:
            game = _game(json.loads(line))
        except (ValueError, RecursionError) as e:  # BadEvent is a ValueError too
            raise ArchiveError(f"line {number}: {e}") from e
        if game.kept:
            yield game
    if empty:
        raise ArchiveError("line 1: there is nothing in the file")


def _game(entry: Any) -> Archived:
    if not isinstance(entry, dict) or not isinstance(entry.get("events"), list):
        raise ev.BadEvent('is no game: expected {"format": ..., "events": [...]}')
    version = entry.get("format")
    if type(version) is not int:
        raise ev.BadEvent('"format" is not a number')
    name = entry.get("name")
    if name is not None and not (isinstance(name, str) and why_no_name(name) is None):
        raise ev.BadEvent(f'"name" is not the name of a game: {why_no_name(name) if isinstance(name, str) else name}')
    kept: list[Timed] = []
    for i, stored in enumerate(entry["events"], 1):
        if not isinstance(stored, dict):
            raise ev.BadEvent(f"event {i} is not an object")
        try:
            kept.append(from_stored(stored, version))
        except ev.BadEvent as e:
            raise ev.BadEvent(f"event {i}: {e}") from e
    events = [timed.event for timed in kept]
    if any(isinstance(e, ev.Started) for e in events[1:]):
        raise ev.BadEvent("holds the start of a second game")
    if all(isinstance(e, _OF_LOBBY) for e in events):  # an older export has choices in the lobby as a line
        return Archived([])
    if not isinstance(events[0], ev.Started):
        raise ev.BadEvent("does not begin with the start of a game")
    seats = events[0].seats
    if not (MIN_SEATS <= len(seats) <= MAX_SEATS and sorted({*seats} & {*range(1, MAX_SEATS + 1)}) == list(seats)):
        raise ev.BadEvent(f"event 1: no box has the seats {seats[: 2 * MAX_SEATS]}")
    deck = replay(events[:1]).order.pile_of
    for i, event in enumerate(events, 1):
        for card in _cards(event):
            if card not in deck:
                raise ev.BadEvent(f"event {i}: {card!r} is no card of the game's deck")
    return Archived(kept, name)


def _cards(event: ev.Event) -> tuple[Card, ...]:
    match event:
        case ev.Dealt(card) | ev.Laid(card) | ev.TurnedUp(card) | ev.Revealed(card):
            return (card,)
        case ev.Erred(early, aside):
            return (early, *aside)
        case ev.StarUsed(aside):
            return aside
    return ()


def take_in(journal: Journal, games: Iterable[Archived]) -> tuple[int, int]:
    """Puts games into an open journal, all or none, before what is there: the game at the table stays, or the lobby.

    They bring their names; one that is there already gets its own only where it has none.

    Returns how many were taken, and how many were there already. Raises ``ArchiveError`` and ``JournalError``.
    """
    with journal.changing() as past:
        past.learn()
        there: set[int] = set()
        rows: list[Row] = []
        names: list[str | None] = []
        newest: list[Timed] = []
        taken = known = 0
        for game in games:
            new = rows_of(game.kept, 0)  # they get their numbers where they are put
            mark = fingerprint(new)
            if mark in there or past.holds(mark):
                known += 1
                if game.name and mark not in there:
                    past.name_unnamed(mark, game.name)
                continue
            there.add(mark)
            rows += new
            taken += 1
            names.append(game.name)
            newest = game.kept
        table = past.table()
        if table and not table[0].start and replay(t.event for t in newest).phase != "lobby":
            rows.append(Row.of(0, ev.Left()))  # what follows are choices in the lobby
        past.insert(rows, names)
    return taken, known


@dataclass(frozen=True, slots=True)
class Report:
    """What a look at every row found."""

    games: int
    rows: int
    bytes: int
    problems: tuple[str, ...]


def verify(journal: Journal, most: int = 20) -> Report:
    """Looks at the whole file; tells at most ``most`` problems. Raises ``JournalError``."""
    try:
        problems = journal.integrity(most)
        games = count = 0
        before: int | None = None
        with journal.past() as past:
            size, rightly = past.size(), past.missing()
        for row in journal.rows():
            count += 1
            games += row.start
            while before is not None and before + 1 in rightly and before + 1 < row.seq:
                before += rightly[before + 1]
            if len(problems) < most and before is not None and row.seq != before + 1:
                problems.append(f"rows {before + 1} to {row.seq - 1} are missing")
            before = row.seq
            try:
                event_of(row)
            except ev.BadEvent as e:
                if len(problems) < most:
                    problems.append(f"row {row.seq} cannot be understood: {e}")
    except sqlite3.Error as e:
        raise JournalError(f"{journal.path}: cannot be read to its end: {e}.") from e
    return Report(games, count, size, tuple(problems[:most]))
