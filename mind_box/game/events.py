"""Events: what happened, and their stored form.

Stored, an event is a JSON object with its ``type`` and fields; the version of the whole format is
``FORMAT``. A newer format is refused by name (``NewerFormat``), never guessed at. Format 2 is format 1 with the time
beside the event (``journal/stamps.py``); an event without one is still written as format 1. Format 3 has ghosts: fields
with a default, which are not written where they have it; what knows of no ghost is written as before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from math import inf, isfinite
from typing import Any, get_args

from mind_box.game.cards import Card
from mind_box.game.state import BestKey, Choice, Ghosts, Knowledge, best_key
from mind_box.game.values import dataclass

PLAIN = 1
WITH_GHOSTS = 3
FORMAT = WITH_GHOSTS
"""The newest that this program reads."""

BestRow = tuple[int, str, bool, int] | tuple[int, str, bool, int, int]
"""Players, variant, blind, level; and how many of the players were ghosts, where there were any."""


@dataclass(frozen=True, slots=True)
class Configured:
    """The lobby's choice changed."""

    name: str
    value: Choice


@dataclass(frozen=True, slots=True)
class Started:
    """A game began. Carries everything that outlives the games before it, so that those can be pruned."""

    seats: tuple[int, ...]
    setup: Mapping[str, Choice]
    bests: tuple[BestRow, ...]
    """Best level completed."""
    ghosts: tuple[int, ...] = ()
    """Which of the seats are theirs."""
    minds: Ghosts | None = None
    learnt: tuple[tuple[tuple[int, ...], Knowledge], ...] = ()
    """By the persons' seats."""


@dataclass(frozen=True, slots=True)
class SeatChosen:
    """Deal: the lit seat is now this one."""

    seat: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """A card went to a seat."""

    card: Card
    seat: int


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The card dealt last came back to the deck."""


@dataclass(frozen=True, slots=True)
class Concentrated:
    """All hands were lifted: play."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Play was suspended."""

    by_press: bool


@dataclass(frozen=True, slots=True)
class Resumed:
    """The box came back in the middle of play."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A card was laid in its turn, or face down; it is kept."""

    card: Card
    by_ghost: bool = False
    """It laid it by itself, and told so (R40)."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What the ghosts now know of the persons at the table (R43)."""

    knowledge: Knowledge


@dataclass(frozen=True, slots=True)
class TurnedUp:
    """A card went aside at once: late, or by a star."""

    card: Card
    star: bool


@dataclass(frozen=True, slots=True)
class Erred:
    """``early`` was laid before the cards in ``aside``; paid: it cost a life (R8)."""

    early: Card
    aside: tuple[Card, ...]
    paid: bool


@dataclass(frozen=True, slots=True)
class StarUsed:
    """A star was spent; with known hands these cards went aside with it."""

    aside: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CheckBegan:
    """Blind, as_played: all cards are down, the pile is turned over."""


@dataclass(frozen=True, slots=True)
class Revealed:
    """Blind: a card of the pile (or set aside by a star before) was looked at."""

    card: Card
    kept: bool


@dataclass(frozen=True, slots=True)
class Declared:
    """The team said that the level is done."""


@dataclass(frozen=True, slots=True)
class LevelCompleted:
    """All hands are empty with a life left. Reward: life, star, void or None (R19, R5)."""

    level: int
    reward: str | None


@dataclass(frozen=True, slots=True)
class Won:
    """The last level is done."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The last life is gone."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """Lives or stars were put right: life-up, life-down, star-up, star-down."""

    what: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Hands are no longer known."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The last step was taken back."""


@dataclass(frozen=True, slots=True)
class ChallengeBegan:
    """The blind challenge after a win."""


@dataclass(frozen=True, slots=True)
class ChallengeUndone:
    """The start of the challenge was taken back: won again."""


@dataclass(frozen=True, slots=True)
class Left:
    """Back in the lobby."""


Event = (
    Configured | Started | SeatChosen | Dealt | TakenBack | Concentrated | Stopped | Resumed | Laid | Learnt | TurnedUp
    | Erred | StarUsed | CheckBegan | Revealed | Declared | LevelCompleted | Won | Lost | Corrected | Counted | Undone
    | ChallengeBegan | ChallengeUndone | Left
)  # fmt: skip

EVENT_TYPES: dict[str, type[Event]] = {cls.__name__: cls for cls in get_args(Event)}


class BadEvent(ValueError):
    """A stored event that this program cannot understand."""


class NewerFormat(BadEvent):
    """A stored event of a later version of this program."""


def bests_to_rows(bests: Mapping[BestKey, int]) -> tuple[BestRow, ...]:
    """The stored form of the bests, sorted."""
    return tuple(sorted((*key[:3], level, *key[3:]) for key, level in bests.items()))


def bests_of_rows(rows: tuple[BestRow, ...]) -> dict[BestKey, int]:
    """The bests of their stored form."""
    return {best_key(*row[:3], row[4] if len(row) > 4 else 0): row[3] for row in rows}


def format_of(event: Event) -> int:
    """The oldest format that can tell this event."""
    with_ghosts = isinstance(event, Learnt) or (isinstance(event, Configured) and event.name == "ghosts")
    if isinstance(event, Started):
        with_ghosts = "ghosts" in event.setup or any(len(row) > 4 for row in event.bests)
    return WITH_GHOSTS if with_ghosts or any(_may_be_left_out(f, event) is False for f in fields(event)) else PLAIN


def _may_be_left_out(f: Any, event: Event) -> bool | None:
    """Whether a field of a later format has its default; None: it was always there."""
    return None if f.default is MISSING else bool(getattr(event, f.name) == f.default)


def to_stored(event: Event) -> dict[str, Any]:
    """The event as JSON-ready values."""
    stored: dict[str, Any] = {"type": type(event).__name__}
    for f in fields(event):
        if not _may_be_left_out(f, event):
            stored[f.name] = _listed(getattr(event, f.name))
    return stored


def from_stored(stored: Mapping[str, Any], version: int = FORMAT) -> Event:
    """The event of a stored form. Raises ``NewerFormat`` or ``BadEvent``."""
    if version > FORMAT:
        raise NewerFormat(f"format {version}, but this program reads up to {FORMAT}: update mind-box")
    name = stored.get("type")
    cls = EVENT_TYPES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise BadEvent(f"no event type {name!r}")
    names = {f.name: str(f.type) for f in fields(cls)}
    later = {f.name for f in fields(cls) if f.default is not MISSING}
    if not set(names) - later <= set(stored) - {"type"} <= set(names):
        raise BadEvent(f"{name}: fields {sorted(set(stored) - {'type'})}, expected {sorted(set(names) - later)}")
    values = {key: _tupled(stored[key]) for key in names if key in stored}
    for key, value in values.items():
        if not _CHECKS[names[key]](value):
            raise BadEvent(f"{name}.{key}: {stored[key]!r} is not {names[key]}")
    if values.get("minds") is not None:
        values["minds"] = Ghosts(**values["minds"])
    return cls(**values)


def _listed(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_listed(v) for v in value]
    if isinstance(value, Ghosts):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(v) for v in value) if isinstance(value, list) else value


def _int(value: Any) -> bool:
    return type(value) is int


def _card(value: Any) -> bool:
    return type(value) in (int, str)


def _best_row(value: Any) -> bool:
    return isinstance(value, tuple) and list(map(type, value)) in ([int, str, bool, int], [int, str, bool, int, int])


def _figures(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(v) in (int, float) and isfinite(v) for v in value)


def _learnt(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_figures, value)) and all(map(_int, value[0]))


_MINDS: Mapping[str, Callable[[Any], bool]] = {
    "kind": lambda v: type(v) is str,
    "learn": lambda v: type(v) is bool,
    "seed": _int,
    "pace": lambda v: type(v) in (int, float) and 0 < v < inf,
    "reaction": lambda v: type(v) in (int, float) and 0 < v < inf,
}


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "int": _int,
    "bool": lambda v: type(v) is bool,
    "str": lambda v: type(v) is str,
    "Choice": lambda v: type(v) in (str, bool, int),
    "str | None": lambda v: v is None or type(v) is str,
    "Card": _card,
    "tuple[Card, ...]": lambda v: isinstance(v, tuple) and all(map(_card, v)),
    "tuple[int, ...]": lambda v: isinstance(v, tuple) and all(map(_int, v)),
    "Mapping[str, Choice]": lambda v: isinstance(v, Mapping) and all(type(x) in (str, bool, int) for x in v.values()),
    "tuple[BestRow, ...]": lambda v: isinstance(v, tuple) and all(map(_best_row, v)),
    "Knowledge": _figures,
    "tuple[tuple[tuple[int, ...], Knowledge], ...]": lambda v: isinstance(v, tuple) and all(map(_learnt, v)),
    "Ghosts | None": lambda v: (
        v is None or (isinstance(v, Mapping) and set(v) == set(_MINDS) and all(_MINDS[n](x) for n, x in v.items()))
    ),
}
