"""Chances of a level with known hands: exactly, step by step from its end.

Hands wait p * gap * e^(w N), all with the same p, so that only w decides who comes first. Once a card is laid every
lower one is aside, whoever held it: what happens next depends on the last card of each pile and the lives alone, and
there are few of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from math import erfc, exp, log, sqrt

from mind_box.evening.told import Hands, Moment
from mind_box.game.cards import Card, Order
from mind_box.game.values import dataclass

NODES = 13
"""Points of the integral over how fast the quickest hand was."""
_REACH = 3.5
"""Sigmas to both sides of it."""
_ROOT = sqrt(0.5)
_CLOSE = 1e-6
_RARE = 1e-3
"""A table that comes about more rarely is not followed."""
_FAR = 5.0
"""Sigmas by which a wait may be longer than another and still come first."""


@dataclass(frozen=True, slots=True)
class Step:
    """What may come next: a card, how likely it is the first, and what an error of it would put aside."""

    card: Card
    chance: float
    lower: int


class Chances:
    """Of one level: ``w`` is the table's synchrony."""

    def __init__(self, order: Order, w: float) -> None:
        self._order = order
        self._w = max(w, 0.01)

    def of_level(self, moment: Moment, star: bool = False) -> float:
        """The chance to complete the level with a life left; ``star``: when each hand puts its lowest aside first."""
        hands = self._after_star(moment.hands) if star else moment.hands

        key, pile = self._order.key, self._order.pile_of
        start = self.tops(moment)
        # The table moves forward only: whoever has the lowest tops has all ways that lead there behind it.
        waiting = [(sum(start), start)]
        likely: dict[tuple[int, ...], list[float]] = {start: [0.0] * moment.lives + [1.0]}
        won = lost = 0.0
        while waiting:
            tops = heappop(waiting)[1]
            by_lives = likely.pop(tops)
            if sum(by_lives) < _RARE:
                continue
            steps = self.next_steps(hands, tops)
            if not steps:
                won += sum(by_lives)
            for step in steps:
                there = tuple(key[step.card] if i == pile[step.card] else top for i, top in enumerate(tops))
                if there not in likely:
                    likely[there] = [0.0] * len(by_lives)
                    heappush(waiting, (sum(there), there))
                for lives, part in enumerate(by_lives):
                    left = lives - (step.lower > 0)
                    if left > 0:
                        likely[there][left] += part * step.chance
                    else:
                        lost += part * step.chance
        return won / (won + lost)

    def risk(self, moment: Moment) -> float:
        """The chance that the next card is laid too early."""
        return sum(step.chance for step in self.next_steps(moment.hands, self.tops(moment)) if step.lower)

    def tops(self, moment: Moment) -> tuple[int, ...]:
        """The keys that the piles' next cards are counted from."""
        key = self._order.key
        return tuple(self._order.starts[i] if top is None else key[top] for i, top in enumerate(moment.tops))

    def next_steps(self, hands: Hands, tops: tuple[int, ...]) -> list[Step]:
        """What may come next; nothing where at most one hand holds cards: it lays them in order."""
        held = [self._firsts(hand, tops) for hand in hands]
        if sum(map(bool, held)) < 2:
            return []
        firsts = [card for cards in held for card in cards]
        key, pile = self._order.key, self._order.pile_of
        gaps = [key[card] - tops[pile[card]] for card in firsts]
        lower = [sum(pile[c] == pile[card] and tops[pile[c]] < key[c] < key[card] for hand in hands for c in hand)
                 for card in firsts]  # fmt: skip
        return [Step(*step) for step in zip(firsts, _first(gaps, self._w), lower, strict=True)]

    def _firsts(self, hand: Iterable[Card], tops: tuple[int, ...]) -> list[Card]:
        """The first card of a hand for each pile; those behind its last card are aside."""
        key, pile = self._order.key, self._order.pile_of
        found: dict[int, Card] = {}
        for card in hand:
            if key[card] > tops[pile[card]]:
                found.setdefault(pile[card], card)
        return list(found.values())

    def _after_star(self, hands: Hands) -> Hands:
        """Where there are two piles a hand puts aside what has the smaller way to go, as a ghost would."""
        key, pile = self._order.key, self._order.pile_of
        starts = list(self._order.starts)
        after = []
        for hand in hands:
            firsts: dict[int, Card] = {}
            for card in hand:
                firsts.setdefault(pile[card], card)
            gone = min(firsts.values(), key=lambda card: key[card] - starts[pile[card]], default=None)
            after.append(tuple(card for card in hand if card != gone))
        return tuple(after)


def _first(gaps: Sequence[int], w: float) -> list[float]:
    """For each of these gaps the chance that its wait is the shortest."""
    if min(gaps) < 1:  # equal to the top of its pile: it may come at any time, and does so at once
        least = min(gaps)
        return [float(gap == least) / list(gaps).count(least) for gap in gaps]
    logs = [log(gap) / w for gap in gaps]
    quickest = min(logs)
    step = 2 * _REACH / (NODES - 1)
    chances = []
    for i, own in enumerate(logs):
        total = 0.0
        if own - quickest > _FAR:
            chances.append(total)
            continue
        others = sorted(other for j, other in enumerate(logs) if j != i and other - own < _FAR)
        for k in range(NODES):
            z = -_REACH + k * step
            here = exp(-z * z / 2)
            for other in others:
                here *= erfc((own - other + z) * _ROOT) / 2
                if here < _CLOSE:
                    break
            total += here
        chances.append(total)
    whole = sum(chances)
    return [chance / whole for chance in chances]
