"""Simulated persons at the real table: hands on buttons, cards to the reader, whole official games in virtual time.

A person waits r0 + p * gap * e^(w N) for the lowest card (scalar timing, as people's felt time is) and plans anew after
each card that is laid. Where nobody else holds any they lay what is left. They put their hands down after an error and
before a level, and propose a star as teams do: on the last life, with three stars, and in the last level. They know
their own cards and the View; the table judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from random import Random

from mind_box.game import events as ev
from mind_box.game.cards import Card
from mind_box.game.figures import MAX_STARS
from mind_box.game.state import Game, Setup, lobby_of
from mind_box.table.inputs import STAR, Edge, Input, Scan
from mind_box.table.table import Table
from mind_box.table.timing import Outcome

AT_ONCE = 0.2
"""Seconds from card to card of one who holds all that are left."""
SOON = 0.05
"""Seconds after which a button that was moved has been noticed."""
CHAT = 60.0
"""Seconds, at most, before hands come together for a game: when they do, is the chance of that game's ghosts."""


@dataclass(slots=True)
class Person:
    """One who plays. Seconds."""

    pace: float = 1.0
    """A number."""
    w: float = 0.12
    """How unevenly time is felt: the spread of a wait relative to the wait."""
    reaction: float = 0.5
    """To lay a card, however near its number."""
    drift: float = 0.0
    """How much the pace changes from level to level (sigma of its logarithm)."""

    def wait(self, gap: int, rng: Random) -> float:
        """Seconds until a card so many numbers above its pile is laid."""
        return self.reaction + self.pace * gap * (exp(self.w * rng.gauss(0, 1)) if self.w else 1.0)


@dataclass(slots=True)
class Played:
    """What came of a game."""

    won: bool = False
    best: int = 0
    """The last level completed."""
    cards: int = 0
    """Dealt in the levels that were begun."""
    errors: int = 0
    events: list[ev.Event] = field(default_factory=list)


MakeTable = Callable[[Game], Table]


def plain_table(game: Game) -> Table:
    """A table at which persons sit alone."""
    return Table(game, now=0.0)


class Seated:
    """``persons`` by seat, at a table that ``make`` makes; ``game`` is what it begins with, a lobby."""

    def __init__(
        self, persons: Mapping[int, Person], rng: Random, game: Game | None = None, make: MakeTable = plain_table
    ) -> None:
        self.table = make(game or lobby_of(Setup(hands="known")))
        self.played = Played()
        self._persons = persons
        self._rng = rng
        self._now = 0.0
        self._took(self.table.begin())

    # -- the world

    def _took(self, outcome: Outcome) -> None:
        self.played.events += outcome.events
        self.played.errors += sum(isinstance(event, ev.Erred) and event.paid for event in outcome.events)
        self.played.best += sum(isinstance(event, ev.LevelCompleted) for event in outcome.events)

    def _put(self, event: Input) -> None:
        self._took(self.table.handle(event))

    def _until(self, moment: float) -> None:
        """Time passes as in the daemon: the table wakes at its deadlines."""
        while (due := self.table.deadline) is not None and due <= moment:
            self._now = max(self._now, due)
            self._took(self.table.tick(due))
        self._now = max(self._now, moment)

    def _buttons(self, buttons: Sequence[int], down: bool) -> None:
        for button in buttons:
            self._put(Edge(button, down, self._now))
        self._until(self._now + SOON)

    def _hands(self, seconds: float = SOON) -> None:
        """All persons' hands lie down for a while and are lifted."""
        self._buttons(list(self._persons), True)
        self._until(self._now + seconds)
        self._buttons(list(self._persons), False)

    def _show(self, card: Card) -> None:
        self._put(Scan(str(card), self._now))  # as a label without its check

    # -- a game

    def game(self) -> Played:
        """Plays one, from the lobby to its end; the table is back in the lobby then."""
        self.played = Played()
        self._until(self._now + self._rng.uniform(0, CHAT))
        self._hands(2.5)
        game = self.table.game
        assert game.phase in ("deal", "focus"), (game.phase, self.table.view().notices)
        while self.table.game.phase not in ("won", "lost"):
            self._level()
        self.played.won = self.table.game.phase == "won"
        self._buttons([STAR], True)
        self._buttons([STAR], False)
        return self.played

    def _level(self) -> None:
        game = self.table.game
        level = game.level
        for person in self._persons.values():
            person.pace *= exp(self._rng.gauss(0, person.drift)) if person.drift else 1.0
        dealt = self._rng.sample(sorted(game.order.place, key=game.order.place.__getitem__), level * len(game.seats))
        self.played.cards += len(dealt)
        hands = {seat: dealt[i :: len(game.seats)] for i, seat in enumerate(game.seats)}
        self._cards = {seat: list(game.order.sorted(hands[seat])) for seat in self._persons}
        while self.table.game.phase == "deal":
            before, seat = self.table.game, self.table.game.next_seat
            assert seat is not None
            self._show(card := hands[seat].pop())
            if self.table.game is before:  # a ghost laid this one last, and it may lie there still (R40): another first
                hands[seat].insert(0, card)
        while self.table.game.level == level and self.table.game.phase == "focus":
            if not self._star():
                self._hands()
                self._play(level)

    def _star(self) -> bool:
        """Whether one was thrown."""
        game = self.table.game
        wanted = game.lives == 1 or game.stars == MAX_STARS or game.level == game.last_level
        if not game.stars or not wanted or self._holding() < 2:
            return False
        told = len(self.played.events)
        self._buttons([STAR], True)
        self._buttons([STAR], False)
        self._buttons(list(self._persons), True)
        self._buttons(list(self._persons), False)
        assert any(isinstance(event, ev.StarUsed) for event in self.played.events[told:])
        if not self.table.game.known:
            for hand in self._cards.values():
                if hand and self.table.game.phase == "focus":
                    self._show(hand[0])
        self._tidy()
        return True

    def _holding(self) -> int:
        """How many hands hold cards, as everybody at the table can see."""
        others = [hand for seat, hand in self.table.game.hands.items() if seat not in self._persons]
        return sum(map(bool, [*others, *self._cards.values()]))

    def _play(self, level: int) -> None:
        """Cards are laid until the level is done or something stops it."""
        began = self._now - SOON  # the lift
        while self._playing(level):
            turn = self._turn
            due, seat = min(self._plans(began), default=(None, 0))
            if due is None:
                self._until(self._now)
                assert not self._playing(level), "nobody has a card, and the level goes on"
                return
            while self._playing(level) and self._turn == turn:
                wakes = self.table.deadline
                if wakes is not None and wakes < due:
                    self._until(wakes)
                    began = wakes
                    continue
                self._now = began = max(due, self._now)
                self._show(self._cards[seat].pop(0))
            self._tidy()

    @property
    def _turn(self) -> int:
        game = self.table.game
        return sum(map(len, game.piles)) + len(game.aside)

    def _playing(self, level: int) -> bool:
        game = self.table.game
        return game.phase == "play" and game.level == level

    def _plans(self, began: float) -> list[tuple[float, int]]:
        game = self.table.game
        holding = {seat: hand for seat, hand in self._cards.items() if hand}
        if self._holding() < 2:
            return [(self._now + AT_ONCE, seat) for seat in holding]
        return [
            (began + self._persons[seat].wait(game.order.gap(game.piles, hand[0]), self._rng), seat)
            for seat, hand in holding.items()
        ]

    def _tidy(self) -> None:
        """What has turned up is in no hand any more; who holds a lower card shows it (unknown hands)."""
        game = self.table.game
        gone = game.aside.union(*game.piles)
        self._cards = {seat: [card for card in hand if card not in gone] for seat, hand in self._cards.items()}
        if game.known or game.phase != "play":
            return
        for hand in self._cards.values():
            while hand and game.piles[0] and game.order.gap(game.piles, hand[0]) < 0:
                self._show(hand.pop(0))
