"""Facts: what the table has to tell of the level just ended, between levels only (R36). Found elsewhere, told here."""

from __future__ import annotations

from typing import Literal

from mind_box.game.cards import Card
from mind_box.game.values import dataclass

FactKind = Literal["slip", "star", "closest", "together", "hesitation", "risk", "tempo", "spread", "play"]
"""An error; what a star before it would have done; the two cards closest to each other, or too close to tell; the
longest hesitation; the riskiest step; seconds a number; how much waits spread; play time."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One of them."""

    kind: FactKind
    cards: tuple[Card, ...] = ()
    """slip: the early card and the first of the late ones."""
    figures: tuple[float, ...] = ()
    """Seconds; of risk, spread and star parts of 1: star has the chance without one, then with it. slip: how much
    later the late card came, if it was shown; hesitation: the wait and what was to be expected; tempo: with its
    interval."""
