"""Whole cards to slip into sleeves, as PDF: the original stays untouched.

Two codes, one at either end: the card may go into the reader's slot with either end first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mind_box.cards.paper import Paper
from mind_box.cards.sheets import Sheet
from mind_box.game.cards import Card
from mind_box.hardware.parts import LABEL_FROM_EDGE

CODE = 15.0
"""Width of a code, millimetres."""
LEAST = 2 * (LABEL_FROM_EDGE + CODE / 2) + 20
"""Height of an insert, millimetres, that has room for both codes and the number between them."""


def write(out: Path, cards: Sequence[Card], sheet: Sheet, note: str = "") -> int:
    """Draws the inserts; returns the number of pages."""
    paper = Paper(out, sheet.page, "mind box sleeve inserts")
    return paper.fill(sheet, cards, lambda card, x, y: _insert(paper, card, x, y, *sheet.cell), note)


def _insert(paper: Paper, card: Card, x: float, y: float, width: float, height: float) -> None:
    paper.box(x, y, width, height)
    left = x + (width - CODE) / 2
    edge = LABEL_FROM_EDGE - CODE / 2
    paper.code(card, left, y + edge, CODE)
    paper.code(card, left, y + height - edge - CODE, CODE, turned=True)
    paper.number(card, x + width / 2, y + height / 2 + 7, 60)
    for turned in (False, True):  # small ones in the corners, to fan a hand
        at_x, at_y = (x + 8, y + 8) if not turned else (x + width - 8, y + height - 8)
        paper.number(card, at_x, at_y, 14, turned)
