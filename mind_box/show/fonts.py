"""The typefaces: bitmaps that were drawn for few pixels, so every stroke falls on a pixel.

Words are Helvetica as drawn pixel by pixel for X11; digits are Barlow Condensed, turned into bitmaps of exact
heights. ``fonts/README.md`` says where they come from and under which licences. All are loaded when first used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

FOLDER = Path(__file__).parent / "fonts"


@dataclass(frozen=True, slots=True)
class Face:
    """One bitmap face. ``cap`` is the height of a capital or digit in pixels: what a reader sees of it."""

    file: str
    pixels: int
    """The one size that the file holds."""
    top: int
    """Rows between the font's ascender line and the top of a capital."""
    cap: int


def _helvetica(file: str, pixels: int, top: int, cap: int) -> Face:
    return Face(f"{file}.pcf.gz", pixels, top, cap)


WORD6 = _helvetica("helvR08-75dpi", 8, 2, 6)
WORD6_BOLD = _helvetica("helvB08-75dpi", 8, 2, 6)
WORD8 = _helvetica("helvR10-75dpi", 10, 2, 8)
WORD8_BOLD = _helvetica("helvB10-75dpi", 10, 2, 8)
WORD9 = _helvetica("helvB12-75dpi", 12, 2, 9)
WORD11 = _helvetica("helvB14-75dpi", 14, 2, 11)
WORD12 = _helvetica("helvB12-100dpi", 17, 2, 12)
WORD14 = _helvetica("helvB14-100dpi", 20, 2, 14)
DIGITS = {height: Face(f"digits{height}.bdf", height, 0, height) for height in (18, 30, 40, 44, 52, 60)}
"""Digits and the dash, by their height in pixels."""

FACES = (WORD6, WORD6_BOLD, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14)
"""The faces that words are set in, smallest first."""

ACCENT = 3
"""Rows that an accent may rise above a capital, in every face here."""


@cache
def load(face: Face) -> FreeTypeFont:
    """The face, ready to draw with. Raises ``OSError`` when the package was installed without its fonts."""
    from PIL import ImageFont

    return ImageFont.truetype(FOLDER / face.file, face.pixels, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def width(text: str, face: Face) -> int:
    """How many pixels wide the ink of a text is."""
    if not text:
        return 0
    left, _, right, _ = load(face).getbbox(text, mode="1")
    return int(right - left)


__all__ = [
    "ACCENT", "DIGITS", "FACES", "FOLDER", "WORD6", "WORD6_BOLD", "WORD8", "WORD8_BOLD", "WORD9", "WORD11", "WORD12",
    "WORD14", "Face", "load", "width",
]  # fmt: skip
