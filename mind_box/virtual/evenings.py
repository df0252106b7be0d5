"""Evenings of simulated tables whose tempo is known: for tests, figures and pictures.

A hand waits r0 + p * gap * e^(w N) for its lowest card and plans anew after each card that is laid (scalar timing, as
people's felt time is). The rules are the box's own; so are the events, with the times that a box would keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp
from random import Random

from mind_box.evening.course import gap_of
from mind_box.game import moves as mv
from mind_box.game.cards import Card
from mind_box.game.decide import Decision, decide
from mind_box.game.moves import Move
from mind_box.game.state import Game, Setup, lobby_of
from mind_box.journal.journal import Journal
from mind_box.journal.stamps import Stamps, Timed

HANDS = 4.0
"""Seconds in which a table concentrates."""
SHUFFLE = 40.0
"""Seconds in which it shuffles and deals."""
AT_ONCE = 0.4
"""Seconds from card to card of one who holds all that are left."""


@dataclass(frozen=True, slots=True)
class Players:
    """Who sits there."""

    seats: tuple[int, ...] = (1, 2, 3)
    p: float = 0.5
    """Seconds a number."""
    w: float = 0.1
    """Spread of a wait relative to the wait."""
    r0: float = 0.5
    """Seconds to lay a card."""
    paces: dict[int, float] = field(default_factory=dict)
    """How much slower a seat is than ``p``; 1 where nothing is said."""
    stars: bool = False
    """They throw a star when the last life is at stake."""


class SimulatedEvening:
    """One game. ``begun`` is the steady clock at its start; ``date`` what it carries."""

    def __init__(
        self, players: Players, rng: Random, setup: Setup | None = None, begun: float = 1000.0, date: str | None = None
    ) -> None:
        self.kept: list[Timed] = []
        self._players = players
        self._rng = rng
        self._now = begun
        self._play: float | None = None
        self._since = 0.0
        self._game: Game = lobby_of(setup or Setup())
        self._stamps = Stamps(f"{rng.getrandbits(32):08x}", lambda _: date, 0.0)
        self._hands: dict[int, list[Card]] = {}

    def played(self) -> list[Timed]:
        """The whole game, to its end; what the journal would hold of it."""
        self._move(mv.Start(self._players.seats))
        while self._game.phase not in ("won", "lost", "lobby"):
            self._level()
        self._now += 20
        self._move(mv.Leave())
        return self.kept

    def _move(self, move: Move) -> bool:
        decision = decide(self._game, move)
        if not isinstance(decision, Decision):
            return False
        before, self._game = self._game, decision.game
        for event in decision.events:
            played = self._play if before.phase in ("focus", "play", "reveal") else None
            self.kept.append(Timed(event, self._stamps.stamp(event, self._now, played, self._now)))
        return True

    def _level(self) -> None:
        game = self._game
        seats, level = game.seats, game.level
        deck = self._rng.sample(sorted(game.order.pile_of, key=game.order.place.__getitem__), len(seats) * level)
        self._hands = {seat: list(game.order.sorted(deck[i :: len(seats)])) for i, seat in enumerate(seats)}
        self._play = 0.0
        self._now += SHUFFLE
        if game.phase == "deal":
            for i in range(level):
                for seat in seats:
                    self._now += 1.5
                    self._move(mv.ShowCard(self._hands[seat][i]))
        while self._game.level == level and self._game.phase == "focus":
            if self._players.stars and self._game.lives == 1 and self._game.stars and self._star():
                continue
            self._now += HANDS
            self._move(mv.Concentrate())
            self._until_the_next_stop(level)

    def _star(self) -> bool:
        self._now += HANDS
        lowest = [hand[0] for hand in self._hands.values() if hand]
        if len(lowest) < 2 or not self._move(mv.UseStar()):
            return False
        for card in lowest:
            if not self._game.known or self._game.choosing:
                self._now += 1.0
                self._move(mv.ShowCard(card))
            self._take(card)
        return True

    def _until_the_next_stop(self, level: int) -> None:
        """Cards are laid until the level is done or something stops it."""
        while self._game.phase == "play" and self._game.level == level:
            wait, card = min(self._plans())
            self._now += wait
            assert self._play is not None
            self._play += wait
            self._take(card)
            self._move(mv.ShowCard(card))
            late = [c for hand in self._hands.values() for c in hand if self._is_late(c)]
            for c in self._game.order.sorted(late):
                self._take(c)
                if not self._game.known:  # who holds one shows it at once
                    self._now += 1.0
                    self._play += 1.0 if self._game.phase == "play" else 0.0
                    self._move(mv.ShowCard(c))

    def _is_late(self, card: Card) -> bool:
        game = self._game
        pile = game.piles[game.order.pile_of[card]] if game.piles else ()
        return bool(pile) and game.order.key[card] < game.order.key[pile[-1]] and self._same_level(card)

    def _same_level(self, card: Card) -> bool:
        return any(card in hand for hand in self._hands.values())

    def _plans(self) -> Iterator[tuple[float, Card]]:
        holding = {seat: hand for seat, hand in self._hands.items() if hand}
        players, noise = self._players, self._rng.gauss
        for seat, hand in holding.items():
            if len(holding) == 1:
                yield AT_ONCE, hand[0]
                return
            firsts: dict[int, Card] = {}
            for card in hand:
                firsts.setdefault(self._game.order.pile_of[card], card)
            pace = players.p * players.paces.get(seat, 1.0)
            for card in firsts.values():
                gap = gap_of(self._game, card)
                yield players.r0 + pace * gap * exp(players.w * noise(0, 1)), card

    def _take(self, card: Card) -> None:
        for hand in self._hands.values():
            if card in hand:
                hand.remove(card)


def played(players: Players, seed: int, setup: Setup | None = None, **more: object) -> list[Timed]:
    """The events of one game with their times, the same for the same seed."""
    return SimulatedEvening(players, Random(seed), setup, **more).played()  # type: ignore[arg-type]


TEAMS = (
    Players((1, 2, 3), 0.62, 0.20, 0.6, stars=True),
    Players((1, 2), 0.45, 0.14, 0.5),
    Players((1, 2, 3), 0.50, 0.15, 0.5, stars=True),
    Players((1, 2, 3, 4), 0.40, 0.12, 0.5, {4: 1.15}, stars=True),
    Players((1, 2, 3), 0.44, 0.11, 0.5, stars=True),
)
"""A family over some weeks: three of them get to know each other's pace."""


def demo(journal: Journal, evenings: int = len(TEAMS), seed: int = 1) -> None:
    """Fills an open journal with evenings, a week apart; the last one is over, and the box is back in the lobby."""
    for i in range(evenings):
        date = f"2026-{1 + i // 4 % 12:02}-{2 + i % 4 * 7:02}T19:{20 + i % 40}:05Z"
        setup = Setup(hands="known" if i % 3 != 1 else "unknown")
        evening = SimulatedEvening(TEAMS[i % len(TEAMS)], Random(seed * 1000 + i), setup, 900.0 + i, date)
        journal.append(evening.played())
