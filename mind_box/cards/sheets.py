"""Label sheets: where on the paper each label is, in millimetres from the top left corner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

PAPERS: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARGIN: Final = 10.0
"""What home printers leave white."""
NOTE: Final = 5.0
"""Height of the ruler and the line over it at the foot of a page."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page of equal cells."""

    page: tuple[float, float]
    columns: int
    rows: int
    left: float
    top: float
    pitch: tuple[float, float]
    """From one cell to the next."""
    cell: tuple[float, float]
    precut: bool
    """True: the labels are cut already, so no lines are drawn."""

    @property
    def count(self) -> int:
        """Cells on a page."""
        return self.columns * self.rows

    @property
    def foot(self) -> float:
        """The white under the last row."""
        return self.page[1] - self.top - (self.rows - 1) * self.pitch[1] - self.cell[1]

    def cells(self) -> Iterator[tuple[float, float]]:
        """Left and top edge of each cell, row by row."""
        for row in range(self.rows):
            for column in range(self.columns):
                yield self.left + column * self.pitch[0], self.top + row * self.pitch[1]


PRECUT: Final = {
    "l7651": Sheet(PAPERS["a4"], 5, 13, 4.75, 10.7, (40.6, 21.2), (38.1, 21.2), True),
    "l7159": Sheet(PAPERS["a4"], 6, 8, 7.25, 12.9, (33.0, 33.9), (30.5, 33.9), True),
    "5160": Sheet(PAPERS["letter"], 6, 10, 4.76, 12.7, (34.925, 25.4), (31.74, 25.4), True),
}
"""Avery's numbers; many makers sell the same cuts: 65 of 38.1 x 21.2 mm and 24 of 63.5 x 33.9 mm on A4, 30 of
2 5/8 x 1 inch on Letter. The two wide ones are as wide as a card: two labels stand on each, to be cut in the middle."""


def plain(paper: str, cell: tuple[float, float]) -> Sheet:
    """As many cells as fit on uncut paper, side by side, in the middle of what a printer reaches above the ruler."""
    page = PAPERS[paper]
    columns = int((page[0] - 2 * MARGIN) / cell[0])
    height = page[1] - 2 * MARGIN - NOTE
    rows = int(height / cell[1])
    if columns < 1 or rows < 1:
        raise ValueError(f"{cell[0]:g} x {cell[1]:g} mm does not fit on {paper} paper: give a smaller size.")
    left, top = (page[0] - columns * cell[0]) / 2, MARGIN + (height - rows * cell[1]) / 2
    return Sheet(page, columns, rows, left, top, cell, cell, False)
