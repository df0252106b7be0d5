"""A game as it is told (R34-R37): its levels with their cards, play time, waits and errors. Values, no behaviour.

All times are in seconds; None is "not known".
"""

from __future__ import annotations

from typing import Literal

from mind_box.game.cards import Card, Order
from mind_box.game.state import Setup
from mind_box.game.values import dataclass

How = Literal["laid", "late", "star", "aside"]
"""In its turn; late, and shown; set aside by a star; set aside by an error of somebody else."""
Ending = Literal["done", "lost", "left", "open"]
"""Of a level."""
Result = Literal["won", "lost", "left", "open"]
"""Of a game; open: it is at the table."""
Hands = tuple[tuple[Card, ...], ...]
"""The cards of each seat that holds any, in order."""


@dataclass(frozen=True, slots=True)
class TurnedCard:
    """A card that was turned up, in the order it was."""

    card: Card
    t: float | None
    """Play time of the level (R35)."""
    seat: int | None
    how: How


@dataclass(frozen=True, slots=True)
class Wait:
    """What a hand waited for a card that it laid in its turn, while two hands held cards."""

    card: Card
    gap: int
    """Numbers in the order from the last card of its pile, or from the pile's start; above 0."""
    seconds: float
    """Play time since the last card on any pile, or since the lift."""
    outwaited: tuple[tuple[int, float], ...]
    """The gaps of the other cards that might have come next, and how likely each was another hand's next: with known
    hands 1."""
    alone: float = 0.0
    """How likely it is that one hand alone held cards, so that nothing was waited for."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The table before a step, with known hands: what a chance can be told from."""

    hands: Hands
    tops: tuple[Card | None, ...]
    """The last card of each pile."""
    lives: int
    stars: int
    laid: Card
    """The card that was laid then."""


@dataclass(frozen=True, slots=True)
class Slip:
    """An error (R8): ``early`` was laid before the cards in ``late``."""

    early: Card
    late: tuple[Card, ...]
    paid: bool
    apart: float | None
    """From the early card to the late one; None where the late one was never shown."""
    before: Moment | None
    """Known hands: before the early card was laid."""


@dataclass(frozen=True, slots=True)
class Level:
    """One level."""

    number: int
    blind: bool
    known: bool
    ending: Ending
    marked: bool
    """A card was undone in it, or it was declared done, or counted from there: not in any estimate (R36a)."""
    lives: tuple[int, int]
    """When it began, and when the next one did: with what the level brought."""
    stars: tuple[int, int]
    errors: int
    stops: int
    """By a press."""
    play: float | None
    cards: tuple[TurnedCard, ...]
    waits: tuple[Wait, ...]
    slips: tuple[Slip, ...]
    steps: tuple[Moment, ...]
    """Known hands: the table before each card that was laid in play."""


@dataclass(frozen=True, slots=True)
class GameTold:
    """One game."""

    begun: str | None
    """UTC, by ISO 8601."""
    setup: Setup
    order: Order
    seats: tuple[int, ...]
    result: Result
    best: int
    """The last level completed in it."""
    resolves: float
    """What the reader can tell apart (R37)."""
    levels: tuple[Level, ...]
    """Those that are over; one under way is never told (R33, R36)."""
    doubts: tuple[str, ...]
    """What is wrong with its rows: ``rows`` that cannot be read, a ``clock`` that lies, ``times`` in a part only."""
    ghosts: tuple[int, ...] = ()
    """Which of the seats were ghosts'."""
