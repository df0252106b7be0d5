"""QR codes to stick on the cards, with the number in print, as PDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mind_box.cards.paper import Paper
from mind_box.cards.sheets import PRECUT, Sheet, plain
from mind_box.game.cards import Card
from mind_box.table.payload import TRAY

CUT = 1.0
"""White around a label on uncut paper, millimetres: scissors are no laser."""
TEXT = 3.6
"""Height of the number's strip under a code, millimetres."""
SMALLEST, LARGEST = 10.0, 40.0


def choose(name: str, paper: str, size: float) -> Sheet:
    """The sheet, checked to hold codes of this size. Raises ``ValueError``."""
    if not SMALLEST <= size <= LARGEST:
        raise ValueError(f"--size {size:g}: codes from {SMALLEST:g} to {LARGEST:g} mm; below that, readers miss some.")
    if name == "plain":
        return plain(paper, (size + 2 * CUT, size + TEXT + 2 * CUT))
    sheet = PRECUT[name]
    room = min(sheet.cell[1] - TEXT - 2 * CUT, sheet.cell[0] - 2 * CUT)
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
    """Draws the labels, the last one for the floor of the tray; returns the number of pages."""
    paper = Paper(out, sheet.page, "mind box card labels")
    return paper.fill(
        sheet,
        [*cards, TRAY],
        lambda card, x, y: _label(paper, card, sheet, x + shift[0], y + shift[1], size),
        note,
        skip,
    )


def _label(paper: Paper, card: Card, sheet: Sheet, x: float, y: float, size: float) -> None:
    width, height = sheet.cell
    if not sheet.precut:
        paper.box(x, y, width, height)
    top = y + (height - size - TEXT) / 2  # in the middle of its width: a label in the middle of a card has it there too
    paper.code(card, x + (width - size) / 2, top, size)
    paper.number("tray" if card == TRAY else card, x + width / 2, top + size + TEXT - 0.6, 9)
