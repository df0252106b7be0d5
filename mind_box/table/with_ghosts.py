"""A table at which ghosts may sit (R38-R44): what one lays next is one more timer, and persons' cards teach them.

A ghost is given the View and its own hand, and by ``mind_box.ghost``'s types nothing else. Its plans are made when its
wait begins, at the lift and after each card, and forgotten with it: nothing of them is shown, told or kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import Card
from mind_box.game.evolve import evolve
from mind_box.game.figures import MAX_SEATS
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import Game, Ghosts, Reason
from mind_box.game.values import dataclass
from mind_box.ghost import REACTION, Estimate, Kind, Plan, lesson, plan
from mind_box.settings.kinds import UnseenAt
from mind_box.settings.schema import Config
from mind_box.table.inputs import Edge, Input, Scan
from mind_box.table.menu import Item
from mind_box.table.notices import Notice
from mind_box.table.payload import parse
from mind_box.table.table import Table
from mind_box.table.timing import Outcome, Timer
from mind_box.table.view import View

FIGURES = ("m", "q", "v_m", "v_q", "v_mq")
"""What is kept of an ``Estimate``."""
UNDISTURBED: tuple[Reason, ...] = ("level", "error", "star")
"""Concentrations after which everybody begins to wait anew. After a stop or a power cut nobody knows whether people
counted on from where they were: such a wait teaches nothing."""


@dataclass(frozen=True, slots=True)
class Haunt:
    """What ghosts find at a box."""

    seats: int = MAX_SEATS
    unseen_at: UnseenAt | None = "slot"
    """Where a card can be shown to the reader while nobody sees its face (R39); None: nowhere."""
    minds: Ghosts = Ghosts()

    @classmethod
    def of(cls, config: Config) -> Haunt:
        """As these settings have it."""
        unseen_at = next((reader.unseen_at for reader in config.reader if reader.covered), None)
        ghost, readers = config.ghost, config.reader
        reaction = readers[0].handling if ghost.learns and readers else REACTION
        return cls(config.box.seats, unseen_at, Ghosts(ghost.kind, ghost.learns, 0, ghost.pace, reaction))


class WithGhosts(Table):
    """A ``Table``."""

    def __init__(self, game: Game, *, haunt: Haunt = Haunt(), **more: Any) -> None:  # noqa: B008 -- frozen
        super().__init__(game, **more)
        self._haunt = haunt
        self._plans: dict[int, Plan] = {}
        """By seat."""
        self._since: float | None = None
        """The level's play time (seconds) at which the wait that is now began; None: nobody waits."""
        self._teaches = False
        """It began undisturbed."""
        self._person_at: float | None = None
        """While an input of a person is dealt with: when it happened. What is due in that millisecond comes after."""

    # -- from outside

    def handle(self, event: Input) -> Outcome:
        self._person_at = event.at if isinstance(event, Edge | Scan) else None
        try:
            return super().handle(event)
        finally:
            self._person_at = None

    def view(self) -> View:
        view, place = super().view(), self._haunt.unseen_at
        if view.next_seat in view.ghosts and place:
            return replace(view, unseen_at=place)
        return replace(view, ghosts_to_come=None) if place is None and view.ghosts_to_come is not None else view

    # -- when

    def _timers(self) -> list[Timer]:
        timers = super()._timers()
        due = self._due()
        if due is not None:
            timers.append((due, self._ghost_lays))
        return timers

    def _due(self) -> float | None:
        """When a ghost lays next (seconds); None: nothing is to come, or what a button does is not known yet."""
        if not self._plans or not self._playing() or self._debounce.due is not None:
            return None
        if self.game.persons_hold < 1:
            due = self._now
        else:
            played = self._clock.at(self.game, self._now) or 0.0
            due = max(self._now + min(self._plans.values(), key=lambda one: one.rank).due / 1000 - played, self._now)
        if self._person_at is not None and round(1000 * due) >= round(1000 * max(self._person_at, self._now)):
            return None
        return due

    def _ghost_lays(self, _: float) -> None:
        if self.game.persons_hold < 1:  # R43: all that is left lies, in order
            held = [card for hand in self.game.of_ghosts(self.game.hands).values() for card in hand]
            self._move(mv.GhostLays(self.game.order.sorted(held)[0]))
        else:
            self._move(mv.GhostLays(min(self._plans.values(), key=lambda one: one.rank).card))

    # -- what happens

    def _move(self, move: Move, *more: Notice) -> Refusal | None:
        before, told = self.game, len(self._outcome.events)
        seen = self.view() if before.ghosts else None
        move = self._complete(move)
        if isinstance(move, mv.Start) and before.setup.ghosts and self._haunt.unseen_at is None:
            self._notices = ("not_covered",)
            return None
        refusal = super()._move(move, *more)
        if refusal is not None or not self.game.ghosts:
            return refusal
        if isinstance(move, mv.ShowCard) and seen is not None and ev.Laid(move.card) in self._outcome.events[told:]:
            self._learn(move.card, before, seen)
        if self.game.phase != "play":
            self._plans, self._since = {}, None
        elif self.game.turns != before.turns:
            self._wait_anew(before)
        return None

    def _complete(self, move: Move) -> Move:
        """What only this box can say of it."""
        match move:
            case mv.Start():
                # When people let go is chance enough, and an evening replays with it.
                minds = replace(self._haunt.minds, seed=round(self._moment * 1_000_000))
                return replace(move, among=self._haunt.seats, minds=minds)
            case mv.Configure("ghosts", int(ghosts)):
                return replace(move, value=ghosts % self._haunt.seats)
        return move

    def _wait_anew(self, before: Game) -> None:
        """From the lift, or the card that was just laid, on."""
        game = self.game
        lifted = before.phase == "focus"
        if lifted:
            self._teaches = before.reason in UNDISTURBED
            self._plans = {}
        elif game.check is None:
            self._teaches = True
        self._since = self._clock.at(before, self._moment) or 0.0
        seen = self.view()
        for seat in game.ghosts:
            hand = game.hands.get(seat, ())
            # Blind, of others' cards it sees nothing (R43a).
            if lifted or game.check is None or hand != before.hands.get(seat, ()):
                self._plans.pop(seat, None)
                planned = self._plan(seen, seat, hand)
                if planned is not None:
                    self._plans[seat] = planned

    def _plan(self, seen: View, seat: int, hand: tuple[Card, ...]) -> Plan | None:
        minds, since = self.game.minds, self._since
        if minds is None or since is None:
            return None
        kind = Kind(minds.kind) if minds.kind in list(Kind) else Kind.HUMAN
        return plan(
            seen, hand, self._estimate(), kind, round(1000 * since),
            seed=minds.seed, seat=seat, count=self.game.turns,
        )  # fmt: skip

    def _estimate(self) -> Estimate:
        """What is known of the persons at this table."""
        minds, learnt = self.game.minds or Ghosts(), self.game.learnt.get(self.game.persons, ())
        if minds.learn and len(learnt) == len(FIGURES):
            m, q, v_m, v_q, v_mq = learnt
            return Estimate(m, q, v_m, v_q, v_mq)
        return Estimate.beginning(minds.pace, minds.reaction, minds.learn)

    def _learn(self, card: Card, before: Game, seen: View) -> None:
        """From a card that a person laid on the pile, too early or not: those who are quicker teach as much."""
        if not self._teaches or self._since is None or before.holder(card) in before.ghosts:
            return
        gap = lesson(seen, card)
        if gap is None:
            return
        known, waited = self._estimate(), (self._clock.at(before, self._moment) or 0.0) - self._since
        learnt = known.learn(gap, waited)
        if learnt != known:
            event = ev.Learnt(tuple(getattr(learnt, name) for name in FIGURES))
            self._happened([event])
            self.game = evolve(self.game, event)

    # -- what people do

    def _scanned(self, event: Scan) -> None:
        card = parse(event.payload, self._enrolled)
        if card is not None and self.game.lies_of_a_ghost(card):  # R40: it lies where it was said to
            self._menu.close()
            self._cancel_asking()
            return
        super()._scanned(event)

    def _choose(self, item: Item) -> None:
        if item == "ghosts" and self._haunt.unseen_at is None:
            self._hands.changed(self._now)
            if not self.game.setup.ghosts:
                self._notices = ("not_covered",)
                return
            self._notices = ()
            self._move(mv.Configure("ghosts", 0))
            return
        super()._choose(item)
