"""When a ghost lays which of its cards: from what all see, its own hand, and what it has learnt (R43)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from mind_box.game.cards import Card, Order, Variant, order_of
from mind_box.game.state import Check
from mind_box.game.values import dataclass
from mind_box.ghost.chance import normal
from mind_box.ghost.estimate import Estimate
from mind_box.ghost.kinds import Kind


class Seen(Protocol):
    """What a ghost sees of the table: these fields of the View, which is one of these as it is, and nothing else."""

    @property
    def variant(self) -> Variant:
        """The order of cards."""

    @property
    def check(self) -> Check | None:
        """In blind play, where nobody sees a pile; else None."""

    @property
    def piles(self) -> tuple[tuple[Card, ...], ...]:
        """The kept cards in the order laid."""

    @property
    def level(self) -> int:
        """Its number, and how many cards everybody was dealt."""

    @property
    def remaining(self) -> int:
        """Cards still in hands, the persons' too."""

    @property
    def counts(self) -> Mapping[int, int] | None:
        """Cards in the hands that are known, by seat; None: none is known."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The next card of one ghost. Of several ghosts' plans the one with the least ``rank`` is laid."""

    due: int
    """Milliseconds of the level's play time (R35)."""
    pile: int
    """Which pile it goes on: 0 or 1."""
    card: Card

    @property
    def rank(self) -> tuple[int, int, int]:
        """Of two at the same millisecond the up pile first, then the smaller number (R43)."""
        return self.due, self.pile, self.card if isinstance(self.card, int) else int(self.card[1:])


def plan(
    seen: Seen, hand: Sequence[Card], estimate: Estimate, kind: Kind, since: int, *, seed: int, seat: int, count: int
) -> Plan | None:
    """The card that this ghost lays next, and when; None: the hand is empty, or nobody may know (blind ``at_end``).

    ``hand``: its own cards, in any order. ``since``: milliseconds of play time at which the wait begins: the last card
    laid on any pile, or the lift (R43). ``seed``: the game's, from the journal; ``count``: how many plans this seat has
    made in the game, so that each has chance of its own. The same arguments give the same plan.

    In blind play as_played there is no pile to wait from: a card is due at its moment of the whole level's play time,
    or at ``since`` where that has passed (R43a). A ghost then plans after each lift and after its own cards only: of
    others' it sees nothing.
    """
    if not hand or seen.check == "at_end":
        return None
    order = _order(seen, hand)
    piles = seen.piles if seen.check is None else order.empty_piles
    plans = []
    firsts: dict[int, Card] = {}
    for card in order.sorted(hand):
        firsts.setdefault(order.pile_of[card], card)
    for pile, card in firsts.items():
        noise = kind.noise * normal(seed, seat, count, pile) if kind.noise else 0.0
        wait = round(1000 * estimate.wait(order.gap(piles, card), noise))
        due = since + wait if seen.check is None else max(since, wait)
        plans.append(Plan(due, pile, card))
    return min(plans, key=lambda one: one.rank)


def lesson(seen: Seen, card: Card) -> int | None:
    """The gap of a card that a person is about to lay in play, where it teaches the ghosts something; else None.

    ``seen``: the table just before. It has to be in order, nobody may be playing blind, and two hands must hold cards
    for sure: one who holds all that are left need not wait. A ghost's card never teaches; nor does a wait that a stop
    or a power cut interrupted: that is for the caller to know.
    """
    order = _order(seen, (card,))
    if seen.check is not None or card not in order.pile_of or not _two_hold(seen):
        return None
    gap = order.gap(seen.piles, card)
    return gap if gap > 0 else None


def _two_hold(seen: Seen) -> bool:
    known = [count for count in (seen.counts or {}).values() if count]
    hidden = seen.remaining - sum(known)
    # More hidden cards than one hand was dealt are in two hands.
    return len(known) + (hidden > 0) + (hidden > seen.level) >= 2


def _order(seen: Seen, cards: Sequence[Card]) -> Order:
    """Cards say themselves of which deck they are."""
    return order_of(seen.variant, "extreme" if isinstance(cards[0], str) else "original")
