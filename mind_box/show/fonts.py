"""The typefaces: bitmaps that were drawn for few pixels, so every stroke falls on a pixel.

Words are Helvetica as drawn pixel by pixel for X11; digits are Barlow Condensed, turned into bitmaps of exact
heights. ``typefaces/README.md`` says where they come from and under which licences. All are loaded when first used.
"""

from __future__ import annotations

import gzip
import io
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mind_box.game.values import dataclass

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

FOLDER = Path(__file__).parent / "typefaces"


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
DIGITS = {height: Face(f"digits{height}.bdf", height, 0, height) for height in (16, 24, 26, 40, 44, 48)}
"""Digits and the dash, by their height in pixels."""

FACES = (WORD6, WORD6_BOLD, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14)
"""The faces that words are set in, smallest first."""


@cache
def _load(face: Face) -> FreeTypeFont:
    """Raises ``OSError`` when the package was installed without its fonts."""
    from PIL import ImageFont

    data = (FOLDER / face.file).read_bytes()
    if face.file.endswith(".gz"):
        data = gzip.decompress(data)  # left to FreeType, every glyph would be searched for from the file's start
    return ImageFont.truetype(io.BytesIO(data), face.pixels, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=2048)
def mask(text: str, face: Face) -> tuple[Image, int]:
    """The ink of a text as a 1-bit mask, and the rows from the top of its capitals down to the mask's first row.

    The mask is as narrow as the ink, and negative rows are an accent's.
    """
    from PIL import Image, ImageDraw

    left, top, right, bottom = _edges(text, face)
    ink = Image.new("1", (max(1, right - left), max(1, bottom - top)))
    draw = ImageDraw.Draw(ink)
    draw.fontmode = "1"
    draw.text((-left, -top), text, fill=1, font=_load(face))
    return ink, top - face.top


def width(text: str, face: Face) -> int:
    """How many pixels wide the ink of a text is. Draws nothing: most of what is measured is too long to be shown."""
    left, _, right, _ = _edges(text, face)
    return max(1, right - left) if text else 0


def _edges(text: str, face: Face) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of its ink."""
    left, top, right, bottom = _load(face).getbbox(text, mode="1")
    return int(left), int(top), int(right), int(bottom)
