"""The state of a game: one frozen value, made only by folding events (see ``evolve``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from mind_box.game.cards import Card, Order, order_of
from mind_box.game.values import dataclass

MAX_LIVES = 5
MAX_STARS = 3
MAX_SEATS = 8

LOBBY, DEAL, FOCUS, PLAY, REVEAL, WON, LOST = "lobby", "deal", "focus", "play", "reveal", "won", "lost"


@dataclass(frozen=True, slots=True)
class Setup:
    """What the lobby chooses; the values are those of the View and of the settings."""

    variant: str = "classic"
    deck: str = "original"
    hands: str = "unknown"
    """known or unknown; with ``at_end`` nothing is dealt through the box, whatever stands here (R28)."""
    blind: str = "no"
    """no, as_played or at_end."""
    no_stars: bool = False
    challenge: str = "at_end"
    """How the challenge after a win is checked: as_played or at_end."""


@dataclass(frozen=True, slots=True)
class FaceDown:
    """A turn in blind play that waits for the check: a card laid face down, or set aside by a star (R27)."""

    card: Card
    star: bool
    seat: int | None = None
    """Known hands: who laid it. A star's cards are in ``aside_by`` already."""


@dataclass(frozen=True, slots=True)
class Error:
    """A card laid too early, and what went aside for it (R8)."""

    early: Card
    aside: tuple[Card, ...]
    paid: bool


BestKey = tuple[int, str, bool]
"""Number of players, variant, blind."""


@dataclass(frozen=True)
class Game:
    """Everything the rules need to know. Mappings are never changed in place."""

    setup: Setup = Setup()
    phase: str = LOBBY
    """lobby, deal, focus, play, reveal, won or lost; a vote is the table's business."""
    reason: str | None = None
    """In focus: level, stop, error, star or resume."""
    seats: tuple[int, ...] = ()
    check: str | None = None
    """In blind play: as_played or at_end."""
    known: bool = False
    level: int = 0
    last_level: int = 0
    lives: int = 0
    stars: int = 0
    hands: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    """Known hands: each seat's cards in order; else empty."""
    piles: tuple[tuple[Card, ...], ...] = ((),)
    """Kept cards, face up, in the order laid."""
    face_down: tuple[FaceDown, ...] = ()
    """Blind as_played: what the check still has to look at, in the order it happened."""
    paid: frozenset[Card] = frozenset()
    """Cards laid too early that have cost their life."""
    aside: frozenset[Card] = frozenset()
    aside_by: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    last_error: Error | None = None
    errors: int = 0
    star_left: int = 0
    """Unknown hands, focus after a star: cards that may still be put aside."""
    choosing: frozenset[int] = frozenset()
    """Known hands in extreme, after a star: seats that have yet to choose (R23)."""
    dealt: tuple[Card, ...] = ()
    """Known hands: the cards dealt in this level, in order."""
    next_seat: int | None = None
    seat_chosen: bool = False
    """The seat being dealt to was chosen by hand, and keeps its lamp until its hand is full."""
    ten: int = 0
    stopped_by_press: bool = False
    bests: Mapping[BestKey, int] = field(default_factory=dict)
    fresh: bool = True
    """No step has been taken in this level yet."""
    before: Game | None = None
    """The game as it was before the last step that can be undone."""

    @property
    def order(self) -> Order:
        """The order of cards in force."""
        return order_of(self.setup.variant, self.setup.deck)

    @property
    def tens(self) -> bool:
        """Whether a ten is being shown (R21)."""
        return self.setup.variant == "tens" and self.check is None

    @property
    def remaining(self) -> int:
        """Cards still in hands, as far as the box can know (R31); blind at_end, where no card of the pile is known
        before the check: cards that are neither aside nor checked."""
        if self.known:
            return sum(map(len, self.hands.values()))
        gone = len(self.aside) + sum(map(len, self.piles)) + sum(1 for turn in self.face_down if not turn.star)
        return self.level * len(self.seats) - gone

    def changed(self, **changes: Any) -> Game:
        """A copy with some fields changed (``dataclasses.replace``, but five times as fast)."""
        new = object.__new__(Game)
        new.__dict__.update(self.__dict__)
        new.__dict__.update(changes)
        return new


def empty_piles(setup: Setup) -> tuple[tuple[Card, ...], ...]:
    """One empty pile, or two in extreme."""
    return ((), ()) if setup.variant == "extreme" else ((),)
