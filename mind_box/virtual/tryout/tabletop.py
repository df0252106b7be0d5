"""What lies on the table beside the box: the deck, a hand at each seat, cards face down on the pile.

The box knows nothing of this, and it learns nothing from the box but the View, as the people around a table do:
what the View shows as laid or aside lies there, what it takes back goes back to whoever held it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mind_box.game.cards import Card, Order, order_of
from mind_box.game.state import Ended
from mind_box.table.view import View

UNDER_WAY = ("deal", "focus", "play", "vote", "reveal")


@dataclass(slots=True)
class Tabletop:
    """The cards. ``rng`` shuffles; ``deck_kind`` is original or extreme, the deck that the players own."""

    rng: random.Random
    deck_kind: str = "original"
    deck: list[Card] = field(default_factory=list)
    """Not dealt; the last one is on top."""
    hands: dict[int, list[Card]] = field(default_factory=dict)
    face_down: list[Card] = field(default_factory=list)
    """Blind play: the pile, first card laid first."""
    deals: dict[int, dict[Card, int]] = field(default_factory=dict)
    """Who was dealt which card, by level: an undo can go back to the level before."""
    laid: dict[int, list[Card]] = field(default_factory=dict)
    """Blind play: the pile of each level that was left, first card laid first; an undo needs it too."""
    level: int = 0
    turned: list[Card] = field(default_factory=list)
    """Cards of the face-down pile that have been looked at."""
    showing: Card | None = None
    """Known hands: the card from the deck that is being shown to the reader, to be given to whom the box names."""
    laying: list[tuple[int, Card]] = field(default_factory=list)
    """Blind play: cards shown to the reader face down, by seat, which the box has not counted yet."""
    _dealt: list[Card] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """What lies on the table over night, as plain lists: JSON would make names of the seats' and cards' numbers."""
        return {
            "deck_kind": self.deck_kind, "deck": self.deck, "level": self.level, "face_down": self.face_down,
            "turned": self.turned, "hands": list(self.hands.items()), "laid": list(self.laid.items()),
            "deals": [(level, list(owners.items())) for level, owners in self.deals.items()],
        }  # fmt: skip

    @classmethod
    def from_json(cls, rng: random.Random, plain: Mapping[str, Any]) -> Tabletop:
        """The cards as they lay. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything else."""
        return cls(
            rng, plain["deck_kind"], plain["deck"], dict(plain["hands"]), plain["face_down"],
            {level: dict(owners) for level, owners in plain["deals"]}, dict(plain["laid"]), plain["level"],
            plain["turned"],
        )  # fmt: skip

    def order(self, view: View) -> Order:
        """The order of cards of the game that is shown; which deck is on the table is not part of the View."""
        return order_of(view.variant, self.deck_kind)

    def shuffle(self, order: Order) -> None:
        """All cards together and shuffled."""
        self.deck = list(order.place)
        self.rng.shuffle(self.deck)
        self.hands = {}
        self.face_down = []
        self.turned = []
        self.laying = []
        self.showing = None
        self._dealt = []

    def follow(self, before: View | None, view: View) -> None:
        """People look at the box and do what it says: gather the cards for a new level, take back what is undone."""
        if view.phase not in UNDER_WAY:
            shown = {*shown_cards(view), *(shown_at_the_end(view.ended) if view.ended is not None else ())}
            over = view.phase == "lobby"
            self.hands = {} if over else {s: [c for c in hand if c not in shown] for s, hand in self.hands.items()}
            return
        if self.level != view.level:
            self.laid[self.level] = self.turned + self.face_down
        if self._begins(before, view):
            if view.level == 1:
                self.deals, self.laid = {}, {}
            self.level = view.level
            self.shuffle(self.order(view))
            self.deals[self.level] = {}
            self.hands = {seat: [] for seat in view.seats}
        elif view.level != self.level and view.level in self.deals:
            self._back_to(view)
        self._match(view)

    def _begins(self, before: View | None, view: View) -> bool:
        """Whether the View is that of a level whose cards have yet to be shuffled."""
        if view.level not in self.deals:
            return True
        at_start = view.phase == "deal" or (view.phase == "focus" and view.reason == "level")
        if not at_start or before is None or "undone" in view.notices:
            return False
        return before.phase in ("lobby", "won", "lost") or before.level < view.level

    def _back_to(self, view: View) -> None:
        """An undo went back to a level that was over: its cards are dealt again as they were, and lie as they lay."""
        self.level = view.level
        owners = self.deals[self.level]
        self.shuffle(self.order(view))
        self.deck = [card for card in self.deck if card not in owners]
        self.face_down = list(self.laid.get(self.level, ())) if view.blind else []
        held = {card: owner for card, owner in owners.items() if card not in self.face_down}
        self.hands = {seat: [c for c, owner in held.items() if owner == seat] for seat in view.seats}
        self._sort(view)

    def _match(self, view: View) -> None:
        """The cards lie where the View says that they lie."""
        shown = {card for pile in view.piles for card in pile} | set(view.aside)
        owners = self.deals.get(self.level, {})
        self._hand_out(view)
        for hand in self.hands.values():
            hand[:] = [card for card in hand if card not in shown]
        self.turned += [card for card in self.face_down if card in shown]
        self.face_down = [card for card in self.face_down if card not in shown]
        back = [card for card in self.turned if card not in shown]
        self.turned = [card for card in self.turned if card in shown]
        self.face_down = back + self.face_down
        if not view.blind:
            self.face_down = []
        elif view.check == "as_played":
            # What is not aside, turned over or on the pile is in hands: one card fewer on the pile was taken back.
            total = view.level * len(view.seats)
            down = total - view.remaining - len(shown)
            while self.laying and len(self.face_down) < down:
                self.lay_face_down(*self.laying.pop(0))
            del self.face_down[max(down, 0) :]
        lying = shown.union(self.face_down)
        for card, seat in owners.items():
            if card not in lying and card not in self.hands.get(seat, ()) and card not in self.deck:
                self.hands.setdefault(seat, []).append(card)
        if view.phase == "deal" and view.counts is not None:
            self._take_back(view.counts)
        self._sort(view)

    def _hand_out(self, view: View) -> None:
        """The card that was shown at the deal goes to the seat whose count has grown."""
        if self.showing is None or view.counts is None:
            return
        for seat, count in view.counts.items():
            if count > len(self.hands.get(seat, ())):
                card, self.showing = self.showing, None
                self.give(seat, card)
                return

    def _take_back(self, counts: Mapping[int, int]) -> None:
        """The last dealt card came back to the deck."""
        for seat, hand in self.hands.items():
            while len(hand) > counts.get(seat, 0):
                card = next(c for c in reversed(self._dealt) if c in hand)
                hand.remove(card)
                self._dealt.remove(card)
                del self.deals[self.level][card]
                self.deck.append(card)

    def _sort(self, view: View) -> None:
        place = self.order(view).place
        for hand in self.hands.values():
            hand.sort(key=place.__getitem__)

    def needs_deal(self, view: View | None) -> bool:
        """Whether cards have to be dealt now without the box (it counts only)."""
        return (
            view is not None
            and view.phase == "focus"
            and view.reason == "level"
            and view.hands == "unknown"
            and self.level == view.level
            and len(self.deals.get(self.level, ())) < view.level * len(view.seats)
        )

    def deal(self, view: View) -> None:
        """Everyone gets as many cards as the level's number, one at a time round the table; some may have them."""
        for count in range(view.level):
            for seat in view.seats:
                if len(self.hands.get(seat, ())) <= count:
                    self.give(seat, self.deck[-1])
        self._sort(view)

    def give(self, seat: int, card: Card) -> None:
        """One card from the deck goes to a seat."""
        self.deck.remove(card)
        self.hands.setdefault(seat, []).append(card)
        self.deals.setdefault(self.level, {})[card] = seat
        self._dealt.append(card)

    def lay_face_down(self, seat: int, card: Card) -> None:
        """Blind play: a card goes from a hand onto the pile, unseen."""
        if card in self.hands.get(seat, ()):
            self.hands[seat].remove(card)
            self.face_down.append(card)

    def choices(self, seat: int, view: View) -> list[Card]:
        """What this seat may lay: its lowest card, in extreme its lowest for each pile."""
        order = self.order(view)
        hand = self.hands.get(seat, [])
        firsts = (next((c for c in hand if order.pile_of[c] == pile), None) for pile in range(len(order.directions)))
        return [card for card in firsts if card is not None]

    def left(self, view: View | None) -> int:
        """How many cards lie in the deck."""
        if view is None or view.phase not in UNDER_WAY:
            return 100
        return 100 - sum(self.backs.values()) - len(self.face_down) - len(shown_cards(view))

    @property
    def backs(self) -> dict[int, int]:
        """How many cards each seat holds: everyone sees the backs."""
        return {seat: len(hand) for seat, hand in self.hands.items()}


def shown_at_the_end(ended: Ended) -> list[Card]:
    """All cards that lay face up when a level ended."""
    return [card for pile in ended.piles for card in pile] + [*ended.aside]


def shown_cards(view: View) -> list[Card]:
    """All cards of the View that lie face up."""
    return [card for pile in view.piles for card in pile] + [*view.aside]
