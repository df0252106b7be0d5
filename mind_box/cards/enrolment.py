"""Enrolment: the box asks for each card in turn and remembers its tag (``mind-box cards enrol``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from mind_box.game.cards import Card, order_of
from mind_box.table.payload import identity, is_tray, parse

MADE_UP = "08000000"
"""The identity of every tag that makes up a new number each time (``devices/nfc/presence.py``)."""


class Outcome(Enum):
    """What became of a tag that was shown."""

    ENROLLED = "enrolled"
    ALREADY = "already"
    """It is enrolled as another card."""
    SAME = "same"
    """It is this card's already."""
    LABELLED = "labelled"
    """It names its card itself and needs no enrolment."""
    MADE_UP = "made up"
    """It has no number of its own: a phone or a pass, like any other."""
    TRAY = "tray"
    """It is the label on the floor of a tray, which is no card."""
    NOTHING_ASKED = "nothing asked"
    """No card is asked for."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One tag shown: what became of it, and which card it is (None: none)."""

    outcome: Outcome
    card: Card | None


def deck(name: str) -> tuple[Card, ...]:
    """The cards of a deck (``original`` or ``extreme``) in the order they are asked for."""
    order = order_of("extreme" if name == "extreme" else "classic", name)
    return order.sorted(order.key)


class Enrolment:
    """Asks for cards and takes tags. Pure: what is to be kept is in ``cards``."""

    def __init__(self, cards: Mapping[str, Card], wanted: Iterable[Card], replace: bool = False) -> None:
        """``wanted``: the cards to ask for, in order; those that have a tag are passed over.

        ``replace``: ask for these too; a new tag then takes the place of the old ones.
        """
        self.cards = dict(cards)
        """Identities and their cards, as they stand now."""
        self._replace = replace
        have = set(self.cards.values())
        self._wanted = [card for card in wanted if replace or card not in have]
        self._done: list[dict[str, Card]] = []
        self._at = 0

    @property
    def asking(self) -> Card | None:
        """The card that is asked for now; None: none is left."""
        return self._wanted[self._at] if self._at < len(self._wanted) else None

    @property
    def left(self) -> int:
        """How many cards are still to be asked for, this one included."""
        return len(self._wanted) - self._at

    def take(self, payload: str) -> Shown:
        """A tag is on the reader."""
        asked = self.asking
        if asked is None:
            return Shown(Outcome.NOTHING_ASKED, None)
        name = identity(payload)
        card = self.cards.get(name)
        if card is not None:
            return Shown(Outcome.SAME if card == asked else Outcome.ALREADY, card)
        if is_tray(payload):
            return Shown(Outcome.TRAY, None)
        if name == MADE_UP:
            return Shown(Outcome.MADE_UP, None)
        own = parse(payload)
        if own in ANY_DECK:
            return Shown(Outcome.LABELLED, own)
        self._done.append(dict(self.cards))
        if self._replace:
            self.cards = {n: c for n, c in self.cards.items() if c != asked}
        self.cards[name] = asked
        self._at += 1
        return Shown(Outcome.ENROLLED, asked)

    def skip(self) -> None:
        """Passes over the card that is asked for."""
        if self.asking is not None:
            self._done.append(dict(self.cards))
            self._at += 1

    def back(self) -> bool:
        """Takes the last tag or skip back; false when there is none."""
        if not self._done:
            return False
        self.cards = self._done.pop()
        self._at -= 1
        return True


ANY_DECK = frozenset((*deck("original"), *deck("extreme")))
"""All the cards there are."""
