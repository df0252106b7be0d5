"""Teams that play whole games on the rules alone: perfect, noisy, and laying in random order.

``python -m benchmarks.players 10000`` plays so many games at 2, 3 and 4 players (``make campaign``); ``measure``
is the short form.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import Card, Variant
from mind_box.game.decide import decide
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import Game, Setup, lobby_of

Chooser = Callable[[random.Random, Sequence[Card], Game], Card]
"""Which of the team's cards is laid next; the cards come in order."""


def perfect(_: random.Random, held: Sequence[Card], __: Game) -> Card:
    """Always the team's lowest."""
    return held[0]


def shuffled(rng: random.Random, held: Sequence[Card], _: Game) -> Card:
    """Any card: nobody feels anything."""
    return rng.choice(held)


def noisy(spread: float) -> Chooser:
    """Each card is felt at its number plus Gaussian noise of so many cards; the least felt is laid."""

    def choose(rng: random.Random, held: Sequence[Card], game: Game) -> Card:
        key = game.order.key
        return min(held, key=lambda card: key[card] + rng.gauss(0, spread))

    return choose


class Team:
    """A team at a box; ``moves`` keeps every move, all accepted."""

    def __init__(self, players: int, choose: Chooser, rng: random.Random, setup: Setup = Setup()) -> None:  # noqa: B008
        self.game = lobby_of(setup)
        self.moves: list[Move] = []
        self._choose = choose
        self._rng = rng
        self._do(mv.Start(tuple(range(1, players + 1))))

    def _do(self, move: Move) -> list[ev.Event]:
        decision = decide(self.game, move)
        if isinstance(decision, Refusal):
            raise AssertionError(f"{move} was refused: {decision}")
        self.game = decision.game
        self.moves.append(move)
        return decision.events

    def level(self) -> bool:
        """Plays the level; whether it went without an error."""
        game = self.game
        dealt = self._rng.sample(list(game.order.key), game.level * len(game.seats))
        if game.phase == "deal":
            for card in dealt:
                self._do(mv.ShowCard(card))
        held = list(game.order.sorted(dealt))
        level = game.level
        clean = True
        while self.game.phase in ("focus", "play") and self.game.level == level and held:
            if self.game.phase == "focus":
                self._do(mv.Concentrate())
            card = self._choose(self._rng, held, self.game)
            held.remove(card)
            for event in self._do(mv.ShowCard(card)):
                if isinstance(event, ev.Erred):
                    clean = False
                    held = [card for card in held if card not in event.aside]
        return clean

    def play(self) -> bool:
        """A whole game; whether it was won."""
        while self.game.phase not in ("won", "lost"):
            self.level()
        return self.game.phase == "won"


def wins(players: int, games: int, choose: Chooser, seed: int = 1, variant: Variant = "classic") -> float:
    """The share of games won."""
    rng = random.Random(seed)
    return sum(Team(players, choose, rng, Setup(variant=variant)).play() for _ in range(games)) / games


def clean_first_levels(players: int, games: int, seed: int = 1) -> float:
    """The share of first levels, laid in random order, that go without an error: 1 / players! in theory."""
    rng = random.Random(seed)
    return sum(Team(players, shuffled, rng).level() for _ in range(games)) / games


def measure(games: int = 200) -> dict[str, object]:
    """Shares of games won, and of clean first levels."""
    return {
        "games": games,
        "perfect": {players: wins(players, games, perfect) for players in (2, 3, 4)},
        "noisy, 1 card": {players: wins(players, games, noisy(1.0)) for players in (2, 3, 4)},
        "noisy, 3 cards": {players: wins(players, games, noisy(3.0)) for players in (2, 3, 4)},
        "random order, level 1 clean": {players: clean_first_levels(players, games * 10) for players in (2, 3, 4)},
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 200), indent=2))
