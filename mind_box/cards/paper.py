"""Drawing on a page in millimetres from the top left corner, for labels and sleeve inserts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mind_box.cards import qr
from mind_box.cards.sheets import NOTE, Sheet
from mind_box.game.cards import Card

MM = 72 / 25.4
RED = (0.75, 0.0, 0.0)
BLACK = (0.0, 0.0, 0.0)


class Paper:
    """A PDF being drawn. Same input, same bytes: no date, no random identifier."""

    def __init__(self, out: Path, page: tuple[float, float], title: str) -> None:
        """Raises ``ImportError`` without reportlab."""
        from reportlab.pdfgen.canvas import Canvas

        self._page = page
        self._canvas: Any = Canvas(str(out), pagesize=(page[0] * MM, page[1] * MM), invariant=True, pageCompression=1)
        self._canvas.setTitle(title)
        self._canvas.setCreator("mind-box")
        self._canvas.setViewerPreference("PrintScaling", "None")  # else most print dialogues shrink it to fit

    def box(self, x: float, y: float, width: float, height: float, grey: float = 0.7) -> None:
        """A hairline to cut along."""
        self._canvas.setStrokeGray(grey)
        self._canvas.setLineWidth(0.2)
        self._canvas.rect(x * MM, (self._page[1] - y - height) * MM, width * MM, height * MM, stroke=1, fill=0)

    def code(self, card: Card, x: float, y: float, size: float, turned: bool = False) -> None:
        """A QR code whose quiet zone fills ``size``; its quiet zone's corner is at (x, y)."""
        module = size / qr.WIDTH
        self._canvas.setFillGray(0)
        for row, column, length in qr.runs(card):
            if turned:
                row, column = qr.MODULES - 1 - row, qr.MODULES - column - length
            left = x + (column + qr.QUIET) * module
            bottom = self._page[1] - y - (row + qr.QUIET + 1) * module
            self._canvas.rect(left * MM, bottom * MM, length * module * MM, module * MM, stroke=0, fill=1)

    def number(self, card: Card, x: float, y: float, points: float, turned: bool = False) -> None:
        """A card's number with its middle at x and its baseline at y, underlined: 6 and 9, 68 and 89 stay apart."""
        c = self._canvas
        text = str(card)
        c.saveState()
        c.translate(x * MM, (self._page[1] - y) * MM)
        if turned:
            c.rotate(180)
        c.setFillColorRGB(*(RED if text.startswith("R") else BLACK))
        c.setFont("Helvetica-Bold", points)
        width = c.stringWidth(text, "Helvetica-Bold", points)
        c.drawString(-width / 2, 0, text)
        c.rect(-width / 2, -0.16 * points, width, 0.07 * points, stroke=0, fill=1)
        c.restoreState()

    def note(self, text: str, foot: float, ruler: float = 100.0) -> None:
        """A line at the foot of the page with a ruler: printed at the wrong scale, it shows.

        It lies right under the last row, ``foot`` from the edge: the last millimetres no printer reaches.
        """
        c, y = self._canvas, (foot - NOTE + 1) * MM
        c.setFillGray(0.3)
        c.setStrokeGray(0.3)
        c.setLineWidth(0.4)
        c.setFont("Helvetica", 6)
        c.line(10 * MM, y, (10 + ruler) * MM, y)
        for end in (10, 10 + ruler):
            c.line(end * MM, y - 1 * MM, end * MM, y + 1 * MM)
        c.drawString(10 * MM, y + 1.2 * MM, f"{text} Print at 100 %: this line is {ruler:g} mm long.")

    def fill(
        self, sheet: Sheet, cards: Sequence[Card], draw: Callable[[Card, float, float], None], note: str, skip: int = 0
    ) -> int:
        """Draws each card into the next cell, after ``skip`` that stay empty, and writes the file.

        ``draw`` gets the cell's left and top. Returns the number of pages. Raises ``OSError``.
        """
        cells = list(sheet.cells())
        pages = 1
        for i, card in enumerate(cards, skip):
            if i and i % sheet.count == 0:
                self.note(f"mind box, {note}", sheet.foot)
                self._canvas.showPage()
                pages += 1
            draw(card, *cells[i % sheet.count])
        self.note(f"mind box, {note}", sheet.foot)
        self._canvas.save()
        return pages
