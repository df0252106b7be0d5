"""Chances of a level with known hands: exactly, step by step from its end.

Hands wait p * gap * e^(w N), all with the same p, so that only w decides who comes first. Once a card is laid every
lower one is aside, whoever held it: what happens next depends on the last card of each pile and the lives alone, and
there are few of these.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from heapq import heappop, heappush
from math import erfc, exp, log, prod, sqrt
from operator import mul

from mind_box.evening.told import Hands, Moment
from mind_box.game.cards import Card, Order
from mind_box.game.values import dataclass

_ROOT = sqrt(0.5)
STEP = 0.55
"""Sigmas from one point of the integral over when the first wait ends to the next."""
NODES = 15
_BEFORE = 4.4
"""Sigmas before the quickest hand's middle at which they begin: the first of sixteen hardly ever comes earlier."""
_GRAIN = 64
"""Parts of a sigma to which the distance of two waits is kept: few distances come, and each is worked out once."""
_FAR = 5 * _GRAIN
"""Grains by which a wait may be longer than another and still come first."""
_NEVER = 1e-5
"""A step less likely than this is none."""
_RARE = 1e-3
"""A table that comes about more rarely is not followed."""


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
                if step.chance < _NEVER:
                    continue
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
        key, pile = self._order.key, self._order.pile_of
        firsts: list[Card] = []
        left: list[list[int]] = [[] for _ in tops]
        holding = 0
        for hand in hands:
            first: dict[int, Card] = {}
            for card in hand:
                on = pile[card]
                if key[card] > tops[on]:  # else it is aside
                    left[on].append(key[card])
                    if on not in first:
                        first[on] = card
            holding += bool(first)
            firsts += first.values()
        if holding < 2:
            return []
        for keys in left:
            keys.sort()
        gaps = [key[card] - tops[pile[card]] for card in firsts]
        lower = [bisect_left(left[pile[card]], key[card]) for card in firsts]
        return [Step(*step) for step in zip(firsts, _first(gaps, self._w), lower, strict=True)]

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
    least = min(gaps)
    if least < 1:  # equal to the top of its pile: it may come at any time, and does so at once
        return [float(gap == least) / list(gaps).count(least) for gap in gaps]
    scale, quickest = _GRAIN / w, log(least)
    # At each point: how likely nobody has come yet, times how readily this one comes then.
    waits = [_wait(min(round((log(gap) - quickest) * scale), _FAR)) for gap in gaps]
    nobody = [prod(still) for still in zip(*(still for still, _ in waits), strict=True)]
    chances = [sum(map(mul, comes, nobody)) for _, comes in waits]
    whole = sum(chances)
    return [chance / whole for chance in chances]


@cache
def _wait(grains: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A wait whose middle is so many grains after the quickest one's: at each point of the integral the chance that it
    is not over, and how readily it ends (its density by that chance)."""
    points = [k * STEP - _BEFORE - grains / _GRAIN for k in range(NODES)]
    still = tuple(erfc(z * _ROOT) / 2 for z in points)
    density = (exp(-z * z / 2) if grains < _FAR else 0.0 for z in points)
    return still, tuple(d / s for d, s in zip(density, still, strict=True))
