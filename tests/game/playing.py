"""A game on the rules alone: what a table does, without buttons and time."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import pairwise

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import Card
from mind_box.game.decide import decide
from mind_box.game.evolve import replay
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import Game, Setup, lobby_of

FIELDS = {field.name for field in fields(Game)}


class Play:
    """Plays one game; ``last`` is what the last move gave."""

    def __init__(self, players: int = 3, seats: Sequence[int] | None = None, **setup: object) -> None:
        chosen = replace(Setup(), **setup)  # type: ignore[arg-type]
        self.game = self.lobby = lobby_of(chosen)
        self.events: list[ev.Event] = []
        self.last: list[ev.Event] | Refusal = []
        self.do(mv.Start(tuple(seats or range(1, players + 1))))

    def do(self, move: Move) -> list[ev.Event] | Refusal:
        """Asks the rules, and checks what must hold whatever happens."""
        decision = decide(self.game, move)
        if isinstance(decision, Refusal):
            self.last = decision
            return decision
        assert replay(decision.events, self.game) == decision.game
        self.game, self.last = decision.game, decision.events
        self.events += self.last
        check(self.game)
        return self.last

    def refused(self, move: Move) -> str:
        """The code of the refusal."""
        answer = self.do(move)
        assert isinstance(answer, Refusal), answer
        return answer.code

    def to_level(self, level: int) -> Play:
        """Up to the start of a level without an error (lives and stars as the rewards have it)."""
        while self.game.level < level:
            self.game = self.game.changed(phase="focus", reason="level")  # as if all had been dealt
            self.do(mv.DeclareDone())
        return self

    def deal(self, hands: Mapping[int, Iterable[Card]]) -> Play:
        """Known hands: each seat gets its cards."""
        for seat, cards in hands.items():
            for card in cards:
                self.do(mv.ChooseSeat(seat))
                assert not isinstance(self.do(mv.ShowCard(card)), Refusal), self.last
        assert self.game.phase == "focus"
        return self

    def lay(self, *cards: Card) -> Play:
        """Concentrates when that is needed, and lays these."""
        for card in cards:
            if self.game.phase == "focus":
                self.do(mv.Concentrate())
            answer = self.do(mv.ShowCard(card))
            assert not isinstance(answer, Refusal), answer
        return self

    def star(self, *aside: Card) -> Play:
        """All agree to a star; with unknown hands these cards are shown."""
        answer = self.do(mv.UseStar())
        assert not isinstance(answer, Refusal), answer
        for card in aside:
            answer = self.do(mv.ShowCard(card))
            assert not isinstance(answer, Refusal), answer
        return self

    def check_all(self) -> Play:
        """Blind, as_played: the check to its end."""
        while self.game.phase == "reveal":
            self.do(mv.CheckNext())
        return self

    @property
    def lives_lost(self) -> int:
        return sum(1 for e in self.events if isinstance(e, ev.Erred) and e.paid)

    @property
    def pile(self) -> tuple[Card, ...]:
        return self.game.piles[0]

    def told(self, kind: type[ev.Event]) -> bool:
        """Whether the last move brought such an event."""
        return not isinstance(self.last, Refusal) and any(isinstance(e, kind) for e in self.last)

    def refolded(self) -> Game:
        """The game as the fold of its events, each through its stored form."""
        return replay((ev.from_stored(ev.to_stored(e)) for e in self.events), self.lobby)


def check(game: Game) -> None:
    """What holds in every state (R1, R5)."""
    assert set(vars(game)) == FIELDS, "a change of a field that is none"
    assert 0 <= game.lives <= 5
    assert 0 <= game.stars <= 3
    places: list[Card] = [c for pile in game.piles for c in pile]
    places += [t.card for t in game.face_down if not t.star]
    places += list(game.aside)
    places += [c for hand in game.hands.values() for c in hand]
    assert len(places) == len(set(places)), "a card is in two places"
    key = game.order.key
    for pile in game.piles:
        assert all(key[a] <= key[b] for a, b in pairwise(pile)), "a pile falls"
    if game.phase in ("focus", "play", "reveal"):
        assert game.remaining >= 0
        if game.known and game.phase != "deal":
            assert game.remaining == game.level * len(game.seats) - len(places) + sum(map(len, game.hands.values()))


def any_move(rng: random.Random, game: Game) -> mv.Move:
    """Any move, the sensible ones more often."""
    deck = list(game.order.key)
    held = [c for hand in game.hands.values() for c in hand]
    card: Card = rng.choice(held if held and rng.random() < 0.7 else deck)
    likely: list[mv.Move] = [mv.ShowCard(card)] * 8
    if game.phase == "focus":
        likely += [mv.Concentrate()] * 6
    if game.phase == "reveal":
        likely += [mv.CheckNext()] * 8
    if game.phase == "lobby":
        likely += [mv.Start(tuple(rng.sample(range(1, 9), rng.randint(0, 8))))] * 8
        likely += [
            rng.choice(
                [
                    mv.Configure("hands", "known"),
                    mv.Configure("blind", "as_played"),
                    mv.Configure("variant", "extreme"),
                    mv.Configure("deck", "extreme"),
                    mv.Configure("variant", "tens"),
                    mv.Configure("no_stars", True),
                ]
            )
        ] * 3
    rare: list[mv.Move] = [
        mv.UseStar(), mv.Stop(rng.random() < 0.5), mv.Undo(), mv.TakeBack(), mv.DeclareDone(), mv.Challenge(),
        mv.CountFromHere(), mv.Resume(), mv.ChooseSeat(rng.randint(1, 8)),
        mv.Correct(rng.choice(["life-up", "life-down", "star-up", "star-down"])),
    ]  # fmt: skip
    if rng.random() < 0.05 or game.phase in ("won", "lost"):
        rare.append(mv.Leave())
    return rng.choice(likely + rare)
