"""The View: everything that may be seen by everyone, and nothing else.

Screens, lamps, pages and ``--json`` are made from this type alone. It has no field for a hand, a deal or
a face-down pile, so a hidden card cannot reach a screen by accident (R33).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mind_box.game.cards import Card, Direction, Variant, order_of
from mind_box.game.state import Check, Ended, Hands, Phase, Reason
from mind_box.game.values import dataclass
from mind_box.settings.kinds import UnseenAt
from mind_box.table.facts import Fact
from mind_box.table.menu import Item, Question
from mind_box.table.notices import Notice

ViewPhase = Literal[Phase, "vote"]


@dataclass(frozen=True, slots=True)
class LastError:
    """The last late card or error of the level: the card laid too early, and what went aside for it."""

    early: Card
    aside: tuple[Card, ...]
    paid: bool
    """True when it cost a life, false for a further card behind the same early card (R8, R9)."""


@dataclass(frozen=True, slots=True)
class GhostLaid:
    """A card that a ghost has laid: somebody takes it from the row before that seat and puts it onto the pile (R40)."""

    seat: int
    card: Card | None
    """None in blind play."""
    place: int
    """In the row as it was dealt, from 1, counted from the lamp."""


@dataclass(frozen=True, slots=True)
class View:
    """One moment of the table, as docs/table.md lists it field by field. Seats count from 1."""

    phase: ViewPhase = "lobby"
    reason: Reason | None = None
    """In focus; else None."""
    variant: Variant = "classic"
    no_stars: bool = False
    blind: bool = False
    check: Check | None = None
    """In blind play; else None."""
    hands: Hands = "unknown"
    seats: tuple[int, ...] = ()
    """The playing seats; empty in the lobby."""
    level: int = 0
    last_level: int = 0
    lives: int = 0
    stars: int = 0
    piles: tuple[tuple[Card, ...], ...] = ((),)
    """The kept cards in the order laid, one tuple a pile; extreme has two: up, down."""
    aside: tuple[Card, ...] = ()
    aside_by: dict[int, tuple[Card, ...]] | None = None
    last_error: LastError | None = None
    remaining: int = 0
    counts: dict[int, int] | None = None
    errors: int = 0
    """Lives lost to errors in this level."""
    hands_down: tuple[int, ...] = ()
    agreed: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    star_left: int | None = None
    next_seat: int | None = None
    ten: int | None = None
    best: int = 0
    ended: Ended | None = None
    """How the last level ended; None from the first hand down or card dealt in the next one, and after an undo."""
    ghosts: tuple[int, ...] = ()
    """Their seats, which are in ``seats`` too."""
    ghost: GhostLaid | None = None
    """What a ghost has just laid, while that is the last step."""
    ghosts_to_come: int | None = None
    """In the lobby: how many the next game will have; None: elsewhere, and where the box cannot have any (R39)."""
    unseen_at: UnseenAt | None = None
    """While a ghost is dealt to: where its card is read; None: elsewhere, and where no place is covered any more."""
    told: tuple[Fact, ...] = ()
    """What there is to tell of the level just ended, the most telling first; between levels only (R36)."""
    story: int | None = None
    """Which of it the open story shows (0: the first); None: the story is closed."""
    menu: Item | None = None
    asking: Question | None = None
    faults: tuple[str, ...] = ()
    """Devices missing now: ``reader``, ``table-screen``, ``seat-screen 2``; ``journal`` when the game cannot be saved,
    ``saving`` when something has waited 2 s for the disk, ``reader-setting`` when the scanner's codes come without the
    end they need, or as no card of ours because of how it is set."""
    notices: tuple[Notice, ...] = ()

    @property
    def pile(self) -> tuple[Card, ...]:
        """The first pile (the only one but in extreme)."""
        return self.piles[0]

    @property
    def persons(self) -> tuple[int, ...]:
        """The playing seats that are no ghosts'."""
        return tuple(seat for seat in self.seats if seat not in self.ghosts)

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Which way each pile goes."""
        return order_of(self.variant).directions

    def to_json(self) -> dict[str, Any]:
        """The View as plain lists, dicts, numbers and strings, keys in the order of docs/table.md."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> View:
        """The View that ``to_json`` wrote. Raises ``ValueError`` for anything else, one of another version too."""
        view: View = _read(cls, plain)
        return view


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, LastError | Ended | Fact | GhostLaid):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    """The types of its fields: working them out takes longer than all else of reading a View."""
    return get_type_hints(kind)


def _read(kind: Any, plain: Any) -> Any:
    """The value of this type that ``_plain`` gave. Raises ``ValueError``."""
    container, inner = get_origin(kind), get_args(kind)
    if (
        kind in (View, LastError, Ended, Fact, GhostLaid)
        and isinstance(plain, Mapping)
        and set(plain) == {f.name for f in fields(kind)}
    ):
        return kind(**{name: _read(of, plain[name]) for name, of in _hints(kind).items()})
    if container is tuple and isinstance(plain, list):
        return tuple(_read(inner[0], value) for value in plain)
    if container is dict and isinstance(plain, dict):
        return {int(seat): _read(inner[1], value) for seat, value in plain.items()}
    if type(plain) is kind or (container is Literal and plain in inner):
        return plain
    for one in inner if container in (UnionType, Union) else ():
        with suppress(ValueError):
            return _read(one, plain)
    raise ValueError(f"{plain!r} is not of a View of this version, which has {kind} there")
