"""`mind-box cards labels`: QR codes to stick on the cards, with the number in print, as PDF."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mind_box.cards import qr
from mind_box.cards.paper import Paper
from mind_box.cards.sheets import PAPERS, PRECUT, Sheet, plain
from mind_box.game.cards import DECKS, Card
from mind_box.pip import pip

CUT = 1.0
"""White around a label on uncut paper, millimetres: scissors are no laser."""
TEXT = 3.6
"""Height of the number's strip under a code, millimetres."""
SMALLEST, LARGEST = 10.0, 40.0


def missing(error: ImportError) -> str:
    """What is missing to draw, and how to get it."""
    return f"mind-box cards: {error.name} is not installed: {pip('install', 'reportlab', 'segno')}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `mind-box cards labels`."""
    parser.add_argument("out", type=Path, help="the PDF to write")
    parser.add_argument("--deck", choices=DECKS, default="original", help="original: 1-100; extreme: W1-W50, R1-R50")
    parser.add_argument("--size", type=float, default=12.0, help="width of a code in millimetres: 12 (default) or 15")
    parser.add_argument("--paper", choices=tuple(PAPERS), default="a4", help="uncut label paper to fill (default: a4)")
    parser.add_argument("--sheet", choices=("plain", *PRECUT), default="plain", help="pre-cut labels by Avery number")
    parser.add_argument("--copies", type=int, default=1, help="labels for each card; 2 to have one at either end")
    parser.add_argument("--skip", type=int, default=0, help="labels already gone from the first sheet")
    parser.add_argument("--shift", default="0,0", help="moves all print by X,Y millimetres: for a printer that is off")


def run(args: argparse.Namespace) -> int:
    """Writes the PDF. Returns 0, or 2 with the reason on stderr."""
    try:
        sheet = choose(args.sheet, args.paper, args.size)
        shift = _shift(args.shift)
        if not 1 <= args.copies <= 10:
            raise ValueError(f"--copies {args.copies}: from 1 to 10.")
        if not 0 <= args.skip < sheet.count:
            raise ValueError(f"--skip {args.skip}: this sheet has {sheet.count} labels; from 0 to {sheet.count - 1}.")
        cards = [c for c in qr.deck(args.deck) for _ in range(args.copies)]
        pages = write(args.out, cards, sheet, args.size, args.skip, shift, f"{args.deck} deck, {args.size:g} mm codes.")
    except ImportError as e:
        print(missing(e), file=sys.stderr)
        return 2
    except (ValueError, OSError) as e:
        print(f"mind-box cards labels: {e}", file=sys.stderr)
        return 2
    print(f"{args.out}: {len(cards)} labels on {pages} page(s). Print at 100 %, not 'fit to page'.")
    return 0


def choose(name: str, paper: str, size: float) -> Sheet:
    """The sheet, checked to hold codes of this size. Raises ``ValueError``."""
    if not SMALLEST <= size <= LARGEST:
        raise ValueError(f"--size {size:g}: codes from {SMALLEST:g} to {LARGEST:g} mm; below that, readers miss some.")
    if name == "plain":
        return plain(paper, (size + 2 * CUT, size + TEXT + 2 * CUT))
    sheet = PRECUT[name]
    room = min(sheet.cell[1] - 2 * CUT, sheet.cell[0] - 14)  # the number stands beside the code
    if size > room:
        raise ValueError(f"--size {size:g}: a label of sheet {name} has room for {room:g} mm.")
    return sheet


def write(
    out: Path,
    cards: Sequence[Card],
    sheet: Sheet,
    size: float,
    skip: int = 0,
    shift: tuple[float, float] = (0.0, 0.0),
    note: str = "",
) -> int:
    """Draws the labels; returns the number of pages."""
    paper = Paper(out, sheet.page, "mind box card labels")
    cells = list(sheet.cells())
    pages = 1
    for i, card in enumerate(cards, skip):
        if i and i % sheet.count == 0:
            paper.note(f"mind box, {note}", sheet.foot)
            paper.turn()
            pages += 1
        x, y = cells[i % sheet.count]
        _label(paper, card, sheet, x + shift[0], y + shift[1], size)
    paper.note(f"mind box, {note}", sheet.foot)
    paper.save()
    return pages


def _label(paper: Paper, card: Card, sheet: Sheet, x: float, y: float, size: float) -> None:
    width, height = sheet.cell
    if not sheet.precut:  # the number under the code
        paper.box(x, y, width, height)
        paper.code(card, x + CUT, y + CUT, size)
        paper.number(card, x + width / 2, y + height - CUT - 0.6, 9)
        return
    top = y + (height - size) / 2
    paper.code(card, x + 2, top, size)
    paper.number(card, x + 2 + size + 6, y + height / 2 + 2, 16)


def _shift(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--shift {text}: two numbers in millimetres, e.g. --shift 0.5,-1.") from None
    if not (abs(x) <= 10 and abs(y) <= 10):  # also refuses nan
        raise ValueError(f"--shift {text}: at most 10 mm either way.")
    return x, y
