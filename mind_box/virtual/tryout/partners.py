"""Virtual partners: ghosts (``mind_box.ghost``) that have hands and fingers, as a browser cannot do without.

When they lay which card is the ghost's own affair. What is here is what a ghost at a real box never does: it puts a
hand down, agrees to a star, and asks for one. Times are in seconds at normal speed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from mind_box.game.cards import Card
from mind_box.ghost import Estimate, Kind, lesson, plan
from mind_box.table.view import View
from mind_box.virtual.tryout.tabletop import shown_cards

ALONE: Final = 0.8
"""Seconds between the last cards, when nobody else holds any."""
REACTION: Final = (0.5, 1.2)
"""Least and longest time to react to what happens."""
OLD_NAMES: Final[Mapping[str, Kind]] = {"perfect": Kind.STEADY, "hasty": Kind.DREAMY}
"""What partners were called before they were ghosts. Nobody errs by haste any more: a ghost learns your pace."""
PARTNERS: Final = (*map(str, Kind), *OLD_NAMES)
"""Every name that a partner may be asked for by."""


def kind_of(name: str) -> Kind:
    """The kind of this name, an old one too. Raises ``ValueError`` for another."""
    return OLD_NAMES[name] if name in OLD_NAMES else Kind(name)


@dataclass(frozen=True, slots=True)
class Partner:
    """One seat that plays by itself."""

    kind: Kind
    rng: random.Random

    def reaction(self) -> float:
        """Seconds until this partner reacts to something."""
        return self.rng.uniform(*REACTION)

    def star_card(self, gaps: Mapping[Card, int]) -> Card | None:
        """Which card goes aside for a star: in extreme the one further from its pile; equal: the one that goes up."""
        return max(gaps, key=gaps.__getitem__, default=None)

    def wants_star(self, stars: int, lives: int, held: int) -> bool:
        """Whether this partner asks for a star at the start of a level: when it is tight, and not every time.

        A steady one trusts its clock.
        """
        tight = lives == 1 or stars > 2
        return self.kind is not Kind.STEADY and stars > 0 and tight and held > 1 and self.rng.random() < 0.6


class Feeling:
    """What all partners at a table feel of its time: how long a level has been played, and the persons' pace."""

    def __init__(self, seed: int, estimate: Estimate) -> None:
        self.estimate = estimate
        self._seed = seed
        self._played = 0.0
        self._since: float | None = None
        """Since when play time runs; None: it stands still."""
        self._began = 0.0
        """Play time at which the present wait began: the lift, or the last card."""
        self._lifts = 0
        self._undisturbed = False
        """The wait began with the level, an error, a star or a card: nobody had begun to count before it."""
        self._before: View | None = None

    def passes(self, view: View, now: float, speed: float, persons: Mapping[Card, int]) -> None:
        """The View at this moment (seconds), and at which speed time has run until now.

        ``persons``: the cards that persons were dealt in this level, and their seats.
        """
        before, self._before = self._before, view
        if self._since is not None:
            self._played += (now - self._since) * speed
        self._since = now if view.phase == "play" else None
        if before is None or before.level != view.level or view.phase in ("lobby", "deal"):
            self._played = self._began = 0.0
        if view.phase == "play" and (before is None or before.phase not in ("play", "vote")):
            self._lifts += 1
            self._began = self._played
            self._undisturbed = before is not None and before.reason in ("level", "error", "star")
        elif before is not None and before.phase in ("play", "vote") and before.level == view.level:
            laid = [card for card in shown_cards(view) if card not in shown_cards(before)]
            if laid and not view.blind:
                self._heard(before, view, laid, persons)
                self._began = self._played
                self._undisturbed = True

    def _heard(self, before: View, view: View, laid: list[Card], persons: Mapping[Card, int]) -> None:
        kept = [card for pile in view.piles for card in pile if card in laid]
        if len(kept) != 1 or kept[0] not in persons or not self._undisturbed:
            return
        gap = lesson(before, kept[0])
        if gap is not None:
            self.estimate = self.estimate.learn(gap, self._played - self._began)

    def next_card(self, view: View, hand: list[Card], seat: int, kind: Kind) -> tuple[float, Card] | None:
        """Which of its cards a partner lays next, and in how many seconds; None: it has none."""
        # Where the pile is shown at the end the box has no ghosts, for it cannot know their cards. These have hands.
        seen = replace(view, check="as_played") if view.blind else view
        turn = len(hand) if view.blind else len(shown_cards(view))
        count = self._lifts * 1000 + turn
        began = round(1000 * self._began)
        found = plan(seen, hand, self.estimate, kind, began, seed=self._seed, seat=seat, count=count)
        return None if found is None else (max(found.due / 1000 - self._played, 0.0), found.card)
