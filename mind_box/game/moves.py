"""Moves: what the table asks of the rules. ``decide`` answers each with events or a ``Refusal``."""

from __future__ import annotations

from typing import Literal

from mind_box.game.cards import Card
from mind_box.game.figures import MAX_SEATS, Correction
from mind_box.game.state import Choice, Ghosts
from mind_box.game.values import dataclass

Refused = Literal[
    "no_star", "paused", "already_on_pile", "already_aside", "already_dealt", "not_dealt", "not_in_deck",
    "not_your_choice", "star_full", "hand_full", "too_few_players", "too_many_players", "not_with_ghosts", "no_game",
    "at_limit",
]  # fmt: skip
"""Why a move was refused: notices of docs/table.md."""


@dataclass(frozen=True, slots=True)
class Configure:
    """Lobby: one choice of the ``Setup`` gets another value."""

    name: str
    value: Choice


@dataclass(frozen=True, slots=True)
class Start:
    """Lobby: the persons at these seats play, and the ghosts on the lowest free ones (R38): 2 to 8 together."""

    seats: tuple[int, ...]
    among: int = MAX_SEATS
    """Seats that the box has."""
    minds: Ghosts = Ghosts()


@dataclass(frozen=True, slots=True)
class ChooseSeat:
    """Deal: the next cards go to this seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class ShowCard:
    """A card was shown to the reader; what that means depends on the phase."""

    card: Card


@dataclass(frozen=True, slots=True)
class GhostLays:
    """Play: a ghost lays a card of its hand (R40)."""

    card: Card


@dataclass(frozen=True, slots=True)
class Concentrate:
    """Focus: all hands were down and are lifted (R16)."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Play: suspended (R17)."""

    by_press: bool
    """A player pressed a seat button; false when the menu was opened."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The box came back after a power cut: play goes on with concentration."""


@dataclass(frozen=True, slots=True)
class UseStar:
    """All have agreed to a star (R14)."""


@dataclass(frozen=True, slots=True)
class CheckNext:
    """Reveal, as_played: look at the next face-down card (R26)."""


@dataclass(frozen=True, slots=True)
class DeclareDone:
    """The team says that the level is done (cards were missed, or the reader is dead)."""


@dataclass(frozen=True, slots=True)
class Correct:
    """Lives or stars are put right by one."""

    what: Correction


@dataclass(frozen=True, slots=True)
class CountFromHere:
    """Known hands: from here on the box only counts (R31)."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Deal: the last dealt card comes back."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes back the last step with all that it brought about."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Won: go on blind from level 1 (R25)."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Back to the lobby."""


Move = (
    Configure | Start | ChooseSeat | ShowCard | GhostLays | Concentrate | Stop | Resume | UseStar | CheckNext
    | DeclareDone | Correct | CountFromHere | TakeBack | Undo | Challenge | Leave
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """A move that changes nothing, and why."""

    code: Refused
