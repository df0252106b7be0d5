"""What a level's times tell: tempo, closest cards, longest hesitation, riskiest step, what a star would have saved."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from math import log

from mind_box.evening.chances import Chances
from mind_box.evening.course import ALONE, one_hand
from mind_box.evening.tempo import Tempo, tempo_of
from mind_box.evening.told import GameTold, Level, Slip, TurnedCard, Wait
from mind_box.game.cards import Card
from mind_box.game.values import dataclass

USUAL_W = 0.15
"""The synchrony of a table of which too little is known."""
ENOUGH = 8
"""Waits from which a table's own synchrony is believed."""
LONG = 2.0
"""A wait this many w above what was to be expected is a hesitation."""
HARDLY = 0.03
"""A star that would have changed the chance by less would have made hardly any difference."""


@dataclass(frozen=True, slots=True)
class Closest:
    """The two cards laid one after the other with the least time between them."""

    cards: tuple[Card, Card]
    seconds: float
    """0 where the reader cannot tell which was first (R37)."""


@dataclass(frozen=True, slots=True)
class Hesitation:
    """The wait that was longest against what was to be expected."""

    card: Card
    seconds: float
    expected: float


@dataclass(frozen=True, slots=True)
class Risk:
    """The step of the level at which an error was likeliest, whether it came or not."""

    card: Card
    after: tuple[Card | None, ...]
    chance: float


@dataclass(frozen=True, slots=True)
class Saved:
    """What a star before an error would have done."""

    slip: Slip
    chance: float
    """To complete the level, as it was before the error."""
    with_star: float

    @property
    def hardly(self) -> bool:
        """Whether it would have made hardly any difference."""
        return abs(self.with_star - self.chance) < HARDLY


class GameFigures:
    """Of a game, each found when it is asked for."""

    def __init__(self, game: GameTold) -> None:
        self.game = game
        self._tempos: dict[int, Tempo | None] = {}

    @cached_property
    def tempo(self) -> Tempo | None:
        """Of all levels together; blind ones are played by another feeling, and are not in it."""
        return tempo_of([wait for level in self.game.levels if not level.blind for wait in level.waits])

    @property
    def w(self) -> float:
        """The synchrony that chances are told with."""
        return self.tempo.w if self.tempo is not None and self.tempo.n >= ENOUGH else USUAL_W

    def tempo_of(self, level: Level) -> Tempo | None:
        """Of one level, with the reaction of the whole game."""
        return tempo_of(level.waits, None if self.tempo is None or level.blind else self.tempo.r0)

    def closest(self, level: Level) -> Closest | None:
        """Of cards laid in play by two hands; with unknown hands, while not one hand alone may have laid them all."""
        players = len(self.game.seats)
        left = {card.card: level.number * players - i for i, card in enumerate(level.cards)}
        laid = [card for card in level.cards if card.how == "laid" and card.t is not None]
        pairs = [
            (first, then)
            for first, then in pairwise(laid)
            if (first.seat != then.seat if level.known else one_hand(left[first.card], level.number, players) <= ALONE)
        ]
        least = min(pairs, key=_apart, default=None)
        if least is None:
            return None
        return Closest((least[0].card, least[1].card), resolved(_apart(least), self.game.resolves))

    def hesitation(self, level: Level) -> Hesitation | None:
        """The longest wait against the table's tempo; None: none was long."""
        tempo = self.tempo if not level.blind else self.tempo_of(level)
        if tempo is None:
            return None

        def sigmas(wait: Wait) -> float:
            return log(max(wait.seconds - tempo.r0, 0.05) / (tempo.p * wait.gap)) / tempo.w

        longest = max(level.waits, key=sigmas, default=None)
        if longest is None or sigmas(longest) < LONG:
            return None
        return Hesitation(longest.card, longest.seconds, tempo.r0 + tempo.p * longest.gap)

    def riskiest(self, level: Level) -> Risk | None:
        """Known hands only."""
        if level.blind:
            return None
        chances = Chances(self.game.order, self.w)
        risks = [(chances.risk(moment), moment) for moment in level.steps]
        chance, moment = max(risks, key=lambda found: found[0], default=(0.0, None))
        return None if moment is None or chance <= 0 else Risk(moment.laid, moment.tops, chance)

    def saved(self, level: Level, slip: Slip) -> Saved | None:
        """Known hands, and a star that was there; else nobody can say."""
        if slip.before is None or level.blind or slip.before.stars < 1:
            return None
        chances = Chances(self.game.order, self.w)
        return Saved(slip, chances.of_level(slip.before), chances.of_level(slip.before, star=True))


def resolved(seconds: float, resolves: float) -> float:
    """A distance as far as a reader can tell it; 0: together (R37)."""
    return 0.0 if seconds < resolves else seconds


def _apart(pair: tuple[TurnedCard, TurnedCard]) -> float:
    return (pair[1].t or 0.0) - (pair[0].t or 0.0)
