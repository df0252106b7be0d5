"""The View as 1-bit pictures: table screen, seat screens, and the few that stand outside a game."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from mind_box.show.words import Words
from mind_box.table.view import View

if TYPE_CHECKING:
    from PIL.Image import Image

TABLE_SIZE = (128, 64)


@cache
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _lines(size: tuple[int, int], big: str, small: list[str]) -> Image:
    from PIL import Image, ImageDraw

    image = Image.new("1", size)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"
    y = 0
    if big:
        draw.text((0, -6), big, fill=1, font=_font(size[1] // 2))
        y = size[1] // 2
    for line in small:
        draw.text((0, y), line, fill=1, font=_font(10))
        y += 11
    return image


def table_picture(view: View, words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image:
    """The table screen."""
    top = " ".join(str(pile[-1]) if pile else "-" for pile in view.piles)
    big = top if view.phase in ("play", "vote", "reveal", "focus") else view.phase
    small = [f"{view.phase} {view.reason or ''} L{view.level} {view.menu or ''}", " ".join(view.notices)]
    return _lines(size, big, small)


def seat_picture(view: View, seat: int, words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image:
    """The small screen of one seat, in that seat's language."""
    count = view.counts.get(seat) if view.counts else None
    small = [view.phase, "*" if seat in view.waiting else "", "" if count is None else str(count)]
    return _lines(size, "", small)


def starting_picture(words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image:
    """While the box starts."""
    return _lines(size, "", ["The Mind"])


def stopped_picture(words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image:
    """After shut-down: the power may be cut now."""
    return _lines(size, "", [words.say("Safe to unplug")])


def name_picture(text: str, size: tuple[int, int] = TABLE_SIZE) -> Image:
    """A name across the whole screen, for the self-test: which screen is which."""
    return _lines(size, "", [text])


__all__ = ["TABLE_SIZE", "name_picture", "seat_picture", "starting_picture", "stopped_picture", "table_picture"]
