"""The table screen while one pile grows: its top card as large as it fits, and a column beside it for all the rest.

The card stands still while something is said or asked: that is easier on the eye, and on the bus.
"""

from __future__ import annotations

from collections.abc import Collection

from mind_box.game.figures import house_rule
from mind_box.show import sentences
from mind_box.show.canvas import Canvas, measure, wrap
from mind_box.show.fonts import DIGITS, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14, Face
from mind_box.show.icons import CARDS, DOWN, PILE
from mind_box.show.parts import SIGNS, chips, empty_pile, number, row_of, stock, ten
from mind_box.show.sentences import Saying
from mind_box.show.words import Words
from mind_box.table.view import View

BESIDE = 72
"""Where the column begins."""
MOST_IN_A_ROW = 5
"""So many cards are told apart at a glance; of more it is said which one."""
COLUMN = 128 - BESIDE - 2
"""How wide its lines may be."""


def asked(canvas: Canvas, view: View, words: Words, title: str, sign: str, ready: Collection[int]) -> bool:
    """A stop or a vote, all of it beside the top card. Draws nothing and returns False where it does not fit."""
    said = sentences.saying(view, words)
    fitting = _in_column(said) if _has_column(view) and not said.loud else None
    if fitting is None or len(fitting[1]) > 3:
        return False
    top(canvas, view, words, title)
    canvas.text(canvas.width, 0, stock(view), WORD8, align="right")
    _counted(canvas, 9, CARDS, view.remaining, WORD12)
    canvas.icon(BESIDE, 9, sign)
    chips(canvas, BESIDE, 24 if len(fitting[1]) < 3 else 22, view.persons, ready, canvas.width - BESIDE)
    _column_lines(canvas, fitting[1], fitting[0], ink=1)
    return True


def top(canvas: Canvas, view: View, words: Words, title: str = "") -> None:
    """The top card as large as a 100 fits beside the column: six of the controller's pages, not a row more.

    Above it stands a title, below it what is true of the whole game, the house rule (R3).
    """
    canvas.text(0, 0, title, WORD8_BOLD, room=BESIDE - 2)
    text = number(view.pile[-1]) if view.pile else ""
    house = house_rule(len(view.seats))
    if text:
        canvas.text(1, 8, text, DIGITS[44 if house else 48], room=BESIDE - 2)
    else:
        _first(canvas, view, 52 if house else 56)
    if house:
        canvas.text(0, 54, words.say("House rule"), WORD8, room=BESIDE - 2)


def _first(canvas: Canvas, view: View, bottom: int) -> None:
    """An empty pile: a card's outline, and in it which way the pile will go."""
    box = (14, 8, 54, bottom)
    direction = view.directions[0]
    if direction == "out":
        canvas.text(34, 26, "50±", WORD12, align="center")
    empty_pile(canvas, box, SIGNS[direction])


def column(canvas: Canvas, view: View, words: Words) -> None:
    """At the right of the top card: the team's stock, cards left in hands, cards on the pile, the ten.

    All signs stay where they are when their numbers change, and the stock where it is in other phases.
    """
    right = canvas.width
    room = right - BESIDE
    canvas.text(right, 0, stock(view), WORD8, room=room, align="right")
    _counted(canvas, 9, CARDS, view.remaining, WORD12)
    if not view.blind:
        _counted(canvas, 24, PILE, len(view.pile), WORD8)
    if view.ten is not None:
        canvas.text(right, 38, words.say("next"), WORD8, room=room, align="right")
        canvas.text(right, 49, ten(view.ten), (WORD14, WORD12, WORD11), room=room, align="right")
    elif not view.pile or view.blind:
        return
    elif view.directions[0] == "down":
        canvas.icon(right - 11, 48, DOWN)
    elif view.directions[0] == "out":
        canvas.text(right, 48, f"±{abs(int(view.pile[-1]) - 50)}", WORD9, room=room, align="right")


def _counted(canvas: Canvas, y: int, sign: str, count: int, face: Face) -> None:
    """A sign and its number, each at its own place."""
    x = canvas.width - 24
    wide = measure(sign, face)
    canvas.text(x - 3 - wide, y, sign, face)
    canvas.text(x, y, str(count), face)


def said_beside(canvas: Canvas, view: View, said: Saying, words: Words) -> bool:
    """Play: says it at the foot of the column. Draws nothing and returns False where it does not fit."""
    fitting = _in_column(said) if _has_column(view) else None
    if fitting is None:
        return False
    face, lines = fitting
    right = canvas.width
    top(canvas, view, words)
    canvas.text(right, 0, stock(view), WORD8, align="right")
    _counted(canvas, 9, CARDS, view.remaining, WORD12)
    if said.loud:
        canvas.disc((BESIDE, 24 if len(lines) > 3 else 32 if len(lines) == 3 else 40, right, 64))
    _column_lines(canvas, lines, face, ink=0 if said.loud else 1)
    return True


def announced(canvas: Canvas, view: View, said: Saying, words: Words) -> bool:
    """Play: what a ghost has laid, to be read from across the table: the card at the left, at the right whose it is and
    which of the row. Draws nothing and returns False where there is no column, or something else is said."""
    if view.ghost is None or view.ghost.card is None or said.loud or not _has_column(view):
        return False
    if said.what != sentences.ghost_card(view.ghost, words):
        return False
    top(canvas, view, words)
    canvas.text(canvas.width, 0, stock(view), WORD8, align="right")
    _counted(canvas, 9, CARDS, view.remaining, WORD12)
    seat = words.say("Seat {seat}", seat=view.ghost.seat)
    faces = (WORD14, WORD12, WORD11, WORD9, WORD8_BOLD, WORD8)
    canvas.text(canvas.width, 28, seat, faces, room=COLUMN, align="right")
    if view.level <= MOST_IN_A_ROW:
        row_of(canvas, (BESIDE, 48, canvas.width, 64), view.level, view.ghost.place)
    else:
        card = words.say("Card {n}", n=view.ghost.place)
        canvas.text(canvas.width, 48, card, faces, room=COLUMN, align="right")
    return True


def _has_column(view: View) -> bool:
    """Whether the top card leaves room for words beside it, so that it stays as it is while something is said."""
    return len(view.piles) == 1 and not view.blind and view.ten is None


def _in_column(said: Saying) -> tuple[Face, list[str]] | None:
    """What is said as lines for the column beside the top card; None where it does not fit."""
    parts = [part for part in (said.what, said.how) if part]
    for face in (WORD8_BOLD, WORD8):
        broken = [wrap(part, face, COLUMN) for part in parts]
        if all(len(lines) <= 2 and max(measure(line, face) for line in lines) <= COLUMN for lines in broken):
            return face, [line for lines in broken for line in lines]
    return None


def _column_lines(canvas: Canvas, lines: list[str], face: Face, ink: int) -> None:
    middle = (BESIDE + canvas.width) // 2
    for row, line in enumerate(lines):
        canvas.text(middle, 63 - 9 * (len(lines) - row), line, face, room=COLUMN, align="center", ink=ink)
