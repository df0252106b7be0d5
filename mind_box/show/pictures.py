"""The View as 1-bit pictures, and the few pictures that stand outside a game.

Every picture is a function of what it is given and of nothing else, no clock above all: while the View stands
still, so does every screen (R18).
"""

from __future__ import annotations

from PIL import Image

from mind_box.show import seat_screen, table_screen
from mind_box.show.canvas import Canvas, largest
from mind_box.show.fonts import WORD6, WORD8, WORD9, WORD11, WORD12, WORD14, Face
from mind_box.show.words import Words
from mind_box.table.view import View

TABLE_SIZE = (128, 64)


def table_picture(view: View, words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """A table screen: mode ``1``, 128x64, or 64x128 for one that stands upright."""
    return table_screen.draw_table(view, words, size).image


def seat_picture(view: View, seat: int, words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """The small screen of one seat, in that seat's language: 128x64 or 128x32."""
    return seat_screen.draw_seat(view, seat, words, size).image


def starting_picture(words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """While the box starts."""
    return notice(words.say("The Mind"), size, "star").image


def saved_picture(words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """The program was told to stop, by a person or by a machine going down: nothing is lost."""
    return notice(words.say("The game is saved"), size, "star").image


def stopped_picture(words: Words, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """The box is switched off by the menu. It stays on the glass, so it says when the plug may be pulled."""
    return notice(words.say("Off. Unplug after 10 s"), size, "power").image


def name_picture(text: str, size: tuple[int, int] = TABLE_SIZE) -> Image.Image:
    """A name or a question across the whole screen, for the self-test."""
    canvas = notice(text, size)
    canvas.frame((0, 0, *size))
    return canvas.image


def notice(text: str, size: tuple[int, int], emblem: str = "") -> Canvas:
    """A few words as large as they fit, beside a large icon or in the middle."""
    canvas = Canvas(size)
    left = above = 0
    if emblem and canvas.width < canvas.height:
        canvas.emblem((canvas.width - 36) // 2, 8, emblem, 36)
        above = 44
    elif emblem:
        side = 36 if canvas.height >= 64 else 26
        canvas.emblem(2, (canvas.height - side) // 2, emblem, side)
        left = side + 4
    room = canvas.width - left - 4
    faces = (WORD14, WORD12, WORD11, WORD9, WORD8, WORD6)
    face, lines = largest(text, faces, room, lambda face: (canvas.height - above - 2) // _step(face))
    step = _step(face)
    top = (above + canvas.height - (len(lines) - 1) * step - face.cap) // 2
    for row, line in enumerate(lines):
        canvas.text(left + 2 + room // 2, top + row * step, line, face, room=room, align="center")
    return canvas


def _step(face: Face) -> int:
    """Rows from one line to the next."""
    return face.cap + (5 if face.cap > 8 else 3)
