"""`mind-box cards sleeves`: whole cards to slip into sleeves, as PDF: the original stays untouched.

Two codes, one at either end: the card may go into the reader's slot with either end first.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from mind_box.cards import qr
from mind_box.cards.labels import missing
from mind_box.cards.paper import Paper
from mind_box.cards.sheets import PAPERS, Sheet, plain
from mind_box.game.cards import DECKS, Card
from mind_box.hardware.parts import LABEL_FROM_EDGE

CODE = 15.0
"""Width of a code, millimetres."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `mind-box cards sleeves`."""
    parser.add_argument("out", type=Path, help="the PDF to write")
    parser.add_argument("--deck", choices=DECKS, default="original", help="original: 1-100; extreme: W1-W50, R1-R50")
    parser.add_argument("--paper", choices=tuple(PAPERS), default="a4", help="paper to print on (default: a4)")
    parser.add_argument("--card", default="57x87", help="width x height of an insert in millimetres (default: 57x87)")


def run(args: argparse.Namespace) -> int:
    """Writes the PDF. Returns 0, or 2 with the reason on stderr."""
    try:
        sheet = plain(args.paper, _size(args.card))
        cards = qr.deck(args.deck)
        pages = write(args.out, cards, sheet, f"{args.deck} deck, inserts of {args.card} mm.")
    except ImportError as e:
        print(missing(e), file=sys.stderr)
        return 2
    except (ValueError, OSError) as e:
        print(f"mind-box cards sleeves: {e}", file=sys.stderr)
        return 2
    print(f"{args.out}: {len(cards)} inserts on {pages} page(s). Print at 100 %; use sleeves with an opaque back.")
    return 0


def write(out: Path, cards: Sequence[Card], sheet: Sheet, note: str = "") -> int:
    """Draws the inserts; returns the number of pages."""
    paper = Paper(out, sheet.page, "mind box sleeve inserts")
    cells = list(sheet.cells())
    for i, card in enumerate(cards):
        if i and i % sheet.count == 0:
            paper.note(f"mind box, {note}", sheet.foot)
            paper.turn()
        _insert(paper, card, *cells[i % sheet.count], *sheet.cell)
    paper.note(f"mind box, {note}", sheet.foot)
    paper.save()
    return (len(cards) + sheet.count - 1) // sheet.count


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


def _size(text: str) -> tuple[float, float]:
    named = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)", text)
    if named is None:
        raise ValueError(f"--card {text}: width x height in millimetres, e.g. 57x87.")
    width, height = float(named[1]), float(named[2])
    least = 2 * (LABEL_FROM_EDGE + CODE / 2) + 20
    if not (40 <= width <= 100 and least <= height <= 150):
        raise ValueError(f"--card {text}: from 40 to 100 mm wide and from {least:g} to 150 mm high.")
    return width, height
