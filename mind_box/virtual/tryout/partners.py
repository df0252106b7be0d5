"""Virtual partners: how long a player waits before a card, knowing their own hand and what everyone sees.

A partner feels time as the game asks for: the further a card is from the top of its pile, the longer the wait.
Nothing here knows another hand. Times are in seconds at normal speed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mind_box.game.cards import Card

PACE: Final = 0.33
"""Seconds for each card that may come before."""
LEAST: Final = 0.4
"""Seconds that everyone waits at least. It is added to the wait that is felt: two cards that are near each other must
not become due together."""
ALONE: Final = 0.8
"""Seconds between the last cards, when nobody else holds any."""


@dataclass(frozen=True, slots=True)
class Temper:
    """How a partner plays."""

    haste: float
    """What the felt wait is multiplied by."""
    spread: float
    """How unevenly time is felt: sigma of the log-normal factor; 0 is a clock."""
    reaction: tuple[float, float]
    """Least and longest time to react to what happens."""
    asks_for_stars: bool


TEMPERS: Final[dict[str, Temper]] = {
    "perfect": Temper(haste=1.0, spread=0.0, reaction=(0.5, 0.7), asks_for_stars=False),
    "human": Temper(haste=1.0, spread=0.22, reaction=(0.5, 1.2), asks_for_stars=True),
    "hasty": Temper(haste=0.65, spread=0.3, reaction=(0.3, 0.6), asks_for_stars=False),
}


class Partner:
    """One seat that plays by itself."""

    def __init__(self, kind: str, rng: random.Random) -> None:
        """Raises ``KeyError`` for a kind that is not in ``TEMPERS``."""
        self.temper = TEMPERS[kind]
        self._rng = rng

    def reaction(self) -> float:
        """Seconds until this partner reacts to something."""
        return self._rng.uniform(*self.temper.reaction)

    def wait(self, gap: float, alone: bool) -> float:
        """Seconds until a card is laid that so many other cards may come before.

        ``alone``: nobody else holds a card any more.
        """
        if alone:
            return ALONE
        felt = max(gap, 0.0) * PACE * self.temper.haste
        if self.temper.spread:
            felt *= self._rng.lognormvariate(0.0, self.temper.spread)
        return LEAST * self.temper.haste + felt

    def next_card(self, gaps: Mapping[Card, float], alone: bool) -> tuple[float, Card] | None:
        """Which of the cards that may be laid comes next, and after how many seconds; None: the hand is empty.

        ``gaps`` says for each card how many others may come before it.
        """
        waits = [(self.wait(gap, alone), card) for card, gap in gaps.items()]
        return min(waits, key=lambda plan: plan[0], default=None)

    def star_card(self, gaps: Mapping[Card, float]) -> Card | None:
        """Which card goes aside for a star: in extreme there is a choice, and what is far away weighs more."""
        return max(gaps, key=gaps.__getitem__, default=None)

    def wants_star(self, stars: int, lives: int, held: int) -> bool:
        """Whether this partner asks for a star at the start of a level: when it is tight, and not every time."""
        tight = lives == 1 or stars > 2
        return self.temper.asks_for_stars and stars > 0 and tight and held > 1 and self._rng.random() < 0.6
