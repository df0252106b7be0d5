"""Cards and the orders they are laid in (R1, R20, R23).

A card is a plain value, as it is stored and shown: a number 1 to 100, or ``W1``-``W50`` and ``R1``-``R50``
with the Extreme deck. An ``Order`` says for each card of a deck which pile it belongs to and how early it comes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from mind_box.game.values import dataclass

Card = int | str

VARIANTS = ("classic", "reverse", "fifty", "tens", "extreme")
DECKS = ("original", "extreme")


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The order of one variant and deck. Equal keys (49 and 51 in fifty) are no error for each other."""

    piles: int
    """1, or 2 in extreme: up, down."""
    pile_of: Mapping[Card, int]
    """0 or 1; a card that is not a key is not in the deck."""
    key: Mapping[Card, int]
    """Lower is earlier; comparable within one pile only."""
    place: Mapping[Card, int]
    """0-99: a strict order over the whole deck for sorting: pile, key, then the smaller number."""

    def sorted(self, cards: Collection[Card]) -> tuple[Card, ...]:
        """The cards in order; of equal ones the smaller number first; what is in no deck last."""
        try:
            return tuple(sorted(cards, key=self.place.__getitem__))
        except KeyError:
            return tuple(sorted(cards, key=lambda card: self.place.get(card, len(self.place))))


@cache
def order_of(variant: str, deck: str = "original") -> Order:
    """The order for a variant and a deck; the deck matters in extreme only."""
    key: dict[Card, int]
    pile_of: dict[Card, int]
    numbers = range(1, 101)
    if variant == "extreme" and deck == "extreme":
        key = {**{f"W{n}": n for n in range(1, 51)}, **{f"R{n}": -n for n in range(1, 51)}}
        pile_of = {c: int(str(c)[0] == "R") for c in key}
    elif variant == "extreme":
        key = {n: n if n <= 50 else -n for n in numbers}
        pile_of = {n: int(n > 50) for n in numbers}
    else:
        if variant in ("classic", "tens"):
            key = {n: n for n in numbers}
        elif variant == "reverse":
            key = {n: -n for n in numbers}
        elif variant == "fifty":
            key = {n: abs(n - 50) for n in numbers}
        else:
            raise ValueError(f"no variant {variant!r}; there are {', '.join(VARIANTS)}")
        pile_of = dict.fromkeys(numbers, 0)
    ordered = sorted(key, key=lambda c: (pile_of[c], key[c], c if isinstance(c, int) else 0))
    return Order(
        piles=2 if variant == "extreme" else 1,
        pile_of=pile_of,
        key=key,
        place={c: i for i, c in enumerate(ordered)},
    )
