"""Cards and the orders they are laid in (R1, R20, R23).

A card is a plain value, as it is stored and shown: a number 1 to 100, or ``W1``-``W50`` and ``R1``-``R50``
with the Extreme deck. An ``Order`` says for each card of a deck which pile it belongs to and how early it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Literal, get_args

from mind_box.game.values import dataclass

Card = int | str

Variant = Literal["classic", "reverse", "fifty", "tens", "extreme"]
Deck = Literal["original", "extreme"]
Direction = Literal["up", "down", "out"]
"""Which way the numbers of a pile go; out: away from 50, on both sides."""

VARIANTS: tuple[Variant, ...] = get_args(Variant)
DECKS: tuple[Deck, ...] = get_args(Deck)

_DIRECTIONS: Mapping[Variant, tuple[Direction, ...]] = {
    "classic": ("up",),
    "reverse": ("down",),
    "fifty": ("out",),
    "tens": ("up",),
    "extreme": ("up", "down"),
}
"""Of each pile. Where there are two, the lower half of the deck goes up and the other half down."""

_EARLY: Mapping[Direction, Callable[[int], int]] = {
    "up": lambda number: number,
    "down": lambda number: -number,
    "out": lambda number: abs(number - 50),
}
"""How early a number comes: lower is earlier."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The order of one variant and deck. Equal keys (49 and 51 in fifty) are no error for each other."""

    directions: tuple[Direction, ...]
    """One a pile; there are one or two."""
    pile_of: Mapping[Card, int]
    """0 or 1; a card that is not a key is not in the deck."""
    key: Mapping[Card, int]
    """Lower is earlier; comparable within one pile only."""
    place: Mapping[Card, int]
    """0-99: a strict order over the whole deck for sorting: pile, key, then the smaller number."""
    starts: tuple[int, ...]
    """Of each pile the key that its first card is counted from: 0; reverse 101; fifty 50 itself."""

    @property
    def empty_piles(self) -> tuple[tuple[Card, ...], ...]:
        """As many as there are."""
        return ((),) * len(self.directions)

    def gap(self, piles: tuple[tuple[Card, ...], ...], card: Card) -> int:
        """Steps from the last card of the card's own pile, or from its start where it is empty, to a card of the deck.

        0 for an equal card, below 0 for one that comes too late.
        """
        which = self.pile_of[card]
        pile = piles[which]
        return self.key[card] - (self.key[pile[-1]] if pile else self.starts[which])

    def sorted(self, cards: Collection[Card]) -> tuple[Card, ...]:
        """The cards in order; of equal ones the smaller number first; what is in no deck last."""
        try:
            return tuple(sorted(cards, key=self.place.__getitem__))
        except KeyError:
            return tuple(sorted(cards, key=lambda card: self.place.get(card, len(self.place))))


@cache
def order_of(variant: Variant, deck: Deck = "original") -> Order:
    """The order for a variant and a deck; the deck matters where there are two piles only.

    Raises ``ValueError`` for another variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"no variant {variant!r}; there are {', '.join(VARIANTS)}")
    directions = _DIRECTIONS[variant]
    numbers: dict[Card, int] = {n: n for n in range(1, 101)}
    pile_of = {card: int(len(directions) == 2 and n > 50) for card, n in numbers.items()}
    if len(directions) == 2 and deck == "extreme":
        numbers = {f"{colour}{n}": n for colour in "WR" for n in range(1, 51)}
        pile_of = {card: int(str(card)[0] == "R") for card in numbers}
    key = {card: _EARLY[directions[pile_of[card]]](n) for card, n in numbers.items()}
    ordered = sorted(key, key=lambda card: (pile_of[card], key[card], numbers[card]))
    first = [min(key[card] for card in key if pile_of[card] == pile) for pile in range(len(directions))]
    starts = tuple(at if way == "out" else at - 1 for at, way in zip(first, directions, strict=True))
    return Order(directions, pile_of, key, {card: i for i, card in enumerate(ordered)}, starts)
