"""The View as 1-bit pictures, and the few pictures that stand outside a game.

Every picture is a function of what it is given and of nothing else, no clock above all: while the View stands
still, so does every screen (R18).
"""

from __future__ import annotations

from PIL import Image, ImageChops

from mind_box.show import seat_screen, table_screen
from mind_box.show.canvas import Canvas, wrap
from mind_box.show.fonts import WORD8, WORD9, WORD11, WORD12, WORD14
from mind_box.show.words import Words
from mind_box.table.view import View

TABLE_SIZE = (128, 64)


def table_picture(view: View, words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """The table screen: mode ``1``, 128x64."""
    return table_screen.draw_table(view, words, size).image


def seat_picture(view: View, seat: int, words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """The small screen of one seat, in that seat's language: 128x64 or 128x32."""
    return seat_screen.draw_seat(view, seat, words, size).image


def starting_picture(words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """While the box starts."""
    return _notice(words.say("The Mind"), size).image


def stopped_picture(words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """After shut-down: the power may be cut now."""
    return _notice(words.say("Safe to unplug"), size).image


def name_picture(text: str, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """A name across the whole screen, for the self-test: which screen is which."""
    canvas = _notice(text, size)
    canvas.frame((0, 0, *size))
    return canvas.image


def shifted(picture: Image.Image, step: int) -> Image.Image:
    """The picture moved by one pixel, against burn-in: 0 is where it was, 1 to 4 are its neighbours.

    Only for screens that stand for long, never between two steps of play (R18).
    """
    dx, dy = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1))[step % 5]
    return ImageChops.offset(picture, dx, dy)


def _notice(text: str, size: tuple[int, int]) -> Canvas:
    canvas = Canvas(size)
    room = canvas.width - 8
    for face in (WORD14, WORD12, WORD11, WORD9, WORD8):
        lines = wrap(text, face, room)
        step = face.cap + 6
        if len(lines) * step <= canvas.height:
            break
    top = (canvas.height - len(lines) * step + 6) // 2
    for row, line in enumerate(lines):
        canvas.text(canvas.width // 2, top + row * step, line, face, align="center")
    return canvas


__all__ = [
    "TABLE_SIZE", "name_picture", "seat_picture", "shifted", "starting_picture", "stopped_picture", "table_picture",
]  # fmt: skip
