"""The code on a card: QR version 1, level H: the coarsest there is, and readable with 30 % of it gone."""

from __future__ import annotations

from mind_box.game.cards import Card, order_of
from mind_box.table.payload import TRAY, encode

MODULES = 21
QUIET = 4
"""White modules that belong to the code on every side."""
WIDTH = MODULES + 2 * QUIET


def deck(name: str) -> tuple[Card, ...]:
    """All cards of the original or the extreme deck, in the order they are printed: W before R."""
    cards = order_of("extreme", name).pile_of
    return tuple(sorted(cards, key=lambda c: (0, c) if isinstance(c, int) else (int(c[0] == "R"), int(c[1:]))))


def matrix(card: Card) -> tuple[tuple[bool, ...], ...]:
    """21 rows of 21 modules, true where dark; of a card's label, or the tray's (``TRAY``).

    Version 1-H holds 10 characters: just a payload with its check.
    """
    import segno

    code = segno.make(
        TRAY if card == TRAY else encode(card), error="h", version=1, mode="alphanumeric", boost_error=False
    )
    return tuple(tuple(bool(m) for m in row) for row in code.matrix)


def runs(card: Card) -> list[tuple[int, int, int]]:
    """The dark modules as (row, first column, length): fewer and seamless rectangles to draw."""
    out = []
    for y, row in enumerate(matrix(card)):
        x = 0
        while x < MODULES:
            if row[x]:
                end = x
                while end < MODULES and row[end]:
                    end += 1
                out.append((y, x, end - x))
                x = end
            else:
                x += 1
    return out
