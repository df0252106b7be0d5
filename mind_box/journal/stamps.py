"""When an event happened (R34): the stamp beside it in the journal, and who makes stamps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mind_box.game import events as ev
from mind_box.game.values import dataclass

UNTIMED = 1
TIMED = 2
"""Versions of a row: its event alone, or with its stamp."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time of one event. Only within one run do ``ms`` tell how long something took."""

    run: str
    """The name of the run of the box: each start of its program has another."""
    ms: int
    """Milliseconds of the box's own steady clock."""
    play: int | None = None
    """Milliseconds of play time in the level (R35); None outside of one."""
    date: str | None = None
    """Where the system's clock was known to be set: with the first event of a run, and of a game. UTC, by ISO 8601."""
    reader: int | None = None
    """Milliseconds that the reader in use can tell apart (R37), with the first event of a run and of a game."""

    @property
    def play_seconds(self) -> float | None:
        """``play`` in seconds."""
        return None if self.play is None else self.play / 1000


@dataclass(frozen=True, slots=True)
class Timed:
    """An event and its time; None: of a journal without times."""

    event: ev.Event
    stamp: Stamp | None = None


def played(kept: Iterable[Timed]) -> Iterator[tuple[ev.Event, float | None]]:
    """The events, each with the play time (seconds) at which it happened."""
    return ((timed.event, timed.stamp.play_seconds if timed.stamp else None) for timed in kept)


def to_stored(timed: Timed) -> tuple[int, dict[str, Any]]:
    """The version of the stored form, and the stored form itself."""
    stored, stamp = ev.to_stored(timed.event), timed.stamp
    if stamp is None:
        return max(UNTIMED, ev.format_of(timed.event)), stored
    stored |= {"run": stamp.run, "ms": stamp.ms}
    stored |= {name: value for name in _MAY if (value := getattr(stamp, name)) is not None}
    return max(TIMED, ev.format_of(timed.event)), stored


def from_stored(stored: Mapping[str, Any], version: int) -> Timed:
    """The event of a stored form and its time. Raises ``ev.NewerFormat`` or ``ev.BadEvent``."""
    bare = dict(stored)
    times = {name: bare.pop(name) for name in ("run", "ms", *_MAY) if name in bare} if version >= TIMED else {}
    event = ev.from_stored(bare, version)
    if not times:
        return Timed(event)
    for name, value in times.items():
        if type(value) is not _KINDS[name] or (isinstance(value, str) and len(value) > LONGEST):
            raise ev.BadEvent(f"{name}: {value!r} is no time")
    if "run" not in times or "ms" not in times:
        raise ev.BadEvent("a time without its run, or a run without its time")
    return Timed(event, Stamp(**times))


_MAY = ("play", "date", "reader")
_KINDS = {"run": str, "ms": int, "play": int, "date": str, "reader": int}
LONGEST = 40
"""Letters of the name of a run, and of a date."""


AGAIN = 60.0
"""Seconds until the system's clock is asked again whether it is set: it takes longer than all else of a stamp."""


class Stamps:
    """Makes the stamps of one run of the box.

    ``date`` gives the date so many seconds ago where the system's clock is known to be set, else None; ``reader`` is
    what the reader can tell apart, in seconds.
    """

    def __init__(self, run: str, date: Callable[[float], str | None] = lambda _: None, reader: float = 0.0) -> None:
        self._run = run
        self._date = date
        self._reader = reader
        self._told = False
        """This run's date is in the journal."""
        self._ask_at = 0.0
        self._begun = False

    def stamp(self, event: ev.Event, at: float, play: float | None, now: float) -> Stamp:
        """The stamp of an event that happened at ``at``; seconds of the steady clock, which is at ``now``."""
        begins = isinstance(event, ev.Started)
        date = None
        if begins or not (self._told or now < self._ask_at):
            self._ask_at = now + AGAIN
            date = self._date(now - at)
            self._told = self._told or date is not None
        reader = round(self._reader * 1000) if begins or not self._begun else None
        self._begun = True
        return Stamp(self._run, round(at * 1000), None if play is None else round(play * 1000), date, reader)

    def timed(self, events: Iterable[ev.Event], times: Iterable[tuple[float, float | None]], now: float) -> list[Timed]:
        """Each event with its stamp; of each, when it happened and the play time then."""
        return [Timed(event, self.stamp(event, *time, now)) for event, time in zip(events, times, strict=True)]
