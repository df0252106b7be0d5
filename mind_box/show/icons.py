"""Small pictures that say the same in every language, drawn pixel by pixel, and the large ones made of shapes.

A small icon is written in a text as one character (see ``INLINE``) and comes in a size for each cap height.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

HEART, STAR, UP, DOWN, HAND, CARDS, PILE, CHECK = "♥★▲▼✋▥▤✓"
INLINE = HEART + STAR + UP + DOWN + HAND + CARDS + PILE + CHECK

FILE = Path(__file__).with_name("icons.txt")
"""Each icon behind the character that stands for it, a row of pixels a line, first with 7 rows, then with 11."""


@cache
def _drawn() -> dict[tuple[str, int], list[str]]:
    """The rows of each icon, by its character and how many they are."""
    drawn = (block.split() for block in FILE.read_text("utf-8").split("\n\n"))
    return {(name, len(rows)): rows for name, *rows in drawn}


@cache
def small(name: str, cap: int) -> Image:
    """The icon as a 1-bit mask: 11 rows for capitals of 11 rows and more, else 7."""
    from PIL import Image

    rows = _drawn()[name, 11 if cap >= 11 else 7]
    mask = Image.new("1", (len(rows[0]), len(rows)))
    mask.putdata([255 * (dot == "#") for row in rows for dot in row])
    return mask


@cache
def large(name: str, size: int) -> Image:
    """A large icon as a square 1-bit mask of ``size`` pixels: trophy, broken, star, blind, power, ready."""
    from PIL import Image, ImageDraw

    scale = 8  # drawn large and reduced, so that round edges come out even
    side = 32 * scale
    mask = Image.new("L", (side, side))
    _SHAPES[name](ImageDraw.Draw(mask), scale)
    reduced = mask.resize((size, size), Image.Resampling.BOX)
    return reduced.point(lambda v: 255 if v >= 128 else 0).convert("1")


def _scaled(points: Sequence[tuple[float, float]], s: int) -> list[tuple[float, float]]:
    return [(x * s, y * s) for x, y in points]


def _trophy(draw: ImageDraw, s: int) -> None:
    draw.ellipse([(1 * s, 4 * s), (12 * s, 17 * s)], outline=255, width=int(2.5 * s))
    draw.ellipse([(20 * s, 4 * s), (31 * s, 17 * s)], outline=255, width=int(2.5 * s))
    draw.rectangle([(7 * s, 1 * s), (25 * s, 12 * s)], fill=255)
    draw.pieslice([(7 * s, 2 * s), (25 * s, 22 * s)], 0, 180, fill=255)
    draw.rectangle([(14 * s, 20 * s), (18 * s, 27 * s)], fill=255)
    draw.rectangle([(8 * s, 27 * s), (24 * s, 31 * s)], fill=255)


def _heart(draw: ImageDraw, s: int) -> None:
    draw.ellipse([(1 * s, 3 * s), (17 * s, 19 * s)], fill=255)
    draw.ellipse([(15 * s, 3 * s), (31 * s, 19 * s)], fill=255)
    draw.polygon(_scaled([(2.6, 15.5), (29.4, 15.5), (16, 31)], s), fill=255)
    draw.rectangle([(8 * s, 9 * s), (24 * s, 16 * s)], fill=255)


def _broken(draw: ImageDraw, s: int) -> None:
    _heart(draw, s)
    crack = [(16, 3), (12.5, 10), (19, 15), (13, 21), (17, 31)]
    draw.line(_scaled(crack, s), fill=0, width=int(2.6 * s))


def _star(draw: ImageDraw, s: int) -> None:
    """A throwing star: four blades with one curved edge each, and a hole."""
    blade = [(16, 16), (13.5, 10.5), (17, 0), (22, 10)]
    turned: list[tuple[float, float]] = list(blade)
    for _ in range(4):
        draw.polygon(_scaled(turned, s), fill=255)
        turned = [(32 - y, x) for x, y in turned]
    draw.ellipse([(9 * s, 9 * s), (23 * s, 23 * s)], fill=255)
    draw.ellipse([(13 * s, 13 * s), (19 * s, 19 * s)], fill=0)


def _blind(draw: ImageDraw, s: int) -> None:
    """An eye, crossed out."""
    draw.arc([(-2 * s, 7 * s), (34 * s, 43 * s)], 208, 332, fill=255, width=3 * s)
    draw.arc([(-2 * s, -11 * s), (34 * s, 25 * s)], 28, 152, fill=255, width=3 * s)
    draw.ellipse([(11 * s, 11 * s), (21 * s, 21 * s)], fill=255)
    draw.line(_scaled([(6, 29), (28, 3)], s), fill=0, width=7 * s)
    draw.line(_scaled([(5, 29), (27, 3)], s), fill=255, width=3 * s)


def _power(draw: ImageDraw, s: int) -> None:
    draw.arc([(3 * s, 4 * s), (29 * s, 30 * s)], -60, 240, fill=255, width=4 * s)
    draw.rectangle([(14 * s, 1 * s), (18 * s, 16 * s)], fill=255)


def _hand(draw: ImageDraw, s: int) -> None:
    """A flat hand from above."""
    for x, top in ((7, 6), (12, 2), (17, 2), (22, 5)):
        draw.rounded_rectangle([(x * s, top * s), ((x + 4) * s, 20 * s)], 2 * s, fill=255)
    draw.rounded_rectangle([(7 * s, 14 * s), (26 * s, 30 * s)], 6 * s, fill=255)
    draw.line(_scaled([(4, 17), (10, 25)], s), fill=255, width=5 * s)
    for gap in (11.5, 16.5, 21.5):
        draw.line(_scaled([(gap, 0), (gap, 15)], s), fill=0, width=s)


def _scanner(draw: ImageDraw, s: int) -> None:
    """A card over a reader's beam."""
    draw.rounded_rectangle([(8 * s, 1 * s), (24 * s, 19 * s)], 2 * s, outline=255, width=2 * s)
    draw.polygon(_scaled([(16, 22), (4, 31), (28, 31)], s), fill=255)


_SHAPES = {
    "trophy": _trophy,
    "broken": _broken,
    "heart": _heart,
    "star": _star,
    "blind": _blind,
    "power": _power,
    "hand": _hand,
    "scanner": _scanner,
}
