"""Parts that several screens are put together from: the foot, the seats in a row, cards as text and as outlines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mind_box.game.cards import Card, Direction
from mind_box.game.figures import house_rule
from mind_box.show.canvas import Box, Canvas, measure, rise
from mind_box.show.fonts import DIGITS, WORD6, WORD6_BOLD, WORD8, WORD8_BOLD
from mind_box.show.icons import DOWN, HEART, STAR, UP
from mind_box.show.sentences import VARIANTS, Saying
from mind_box.show.words import Words
from mind_box.table.view import View

LINES = (WORD8_BOLD, WORD8, WORD6_BOLD, WORD6)
"""The faces of a line of text, best first."""
SIGNS: Mapping[Direction, str] = {"up": UP, "down": DOWN, "out": ""}
"""Which way a pile goes, where an arrow can say it."""


def foot(canvas: Canvas, said: Saying, words: Words) -> None:
    """Two lines at the foot, dark on light when something is wrong."""
    how = said.how
    if said.aside:
        room = canvas.width - 4 - measure(words.say("Aside: {cards}", cards=""), WORD8_BOLD)
        how = words.say("Aside: {cards}", cards=few(said.aside, room))
    lines = [line for line in (said.what, how) if line]
    top = canvas.height - 24
    if said.loud:  # a row lower than its room, off the digits above; an accent needs that row
        canvas.disc((0, top + (rise(lines[0], WORD8_BOLD) < 3), canvas.width, canvas.height))
    for row, line in enumerate(lines):
        y = top + (3, 14)[row] if len(lines) == 2 else top + 8
        ink = 0 if said.loud else 1
        canvas.text(canvas.width // 2, y, line, LINES, room=canvas.width - 2, align="center", ink=ink)


def chips(canvas: Canvas, x: int, y: int, seats: tuple[int, ...], done: Collection[int], room: int) -> None:
    """The seats in a row, 13 rows high: filled is done (a hand is down, a vote given), an outline is waited for.

    Where many seats share little room the outlines go, and a dark number on light is done.
    """
    step = next((step for step in (14, 10) if len(seats) * step - 1 <= room), 8 if len(seats) * 8 <= room else 7)
    face = WORD8_BOLD if step > 8 else WORD8
    for i, seat in enumerate(seats):
        left = x + i * step
        box = (left, y, left + step - 1, y + 13) if step > 8 else (left, y + 2, left + step, y + 12)
        if seat in done:
            canvas.fill(box) if step <= 8 else canvas.disc(box)
        elif step > 8:
            canvas.frame(box)
        text = str(seat)
        middle = left + (step - (step > 8) - measure(text, face) + 1) // 2
        canvas.text(middle, y + (14 - face.cap) // 2, text, face, ink=0 if seat in done else 1)


def some(cards: Sequence[Card]) -> str:
    """Cards as they are printed, apart by blanks."""
    return " ".join(map(str, cards))


def few(cards: Sequence[Card], room: int) -> str:
    """As many cards as fit, the last ones first to go, and how many more there are."""
    for n in range(len(cards), 0, -1):
        text = some(cards[:n]) + ("" if n == len(cards) else f" (+{len(cards) - n})")
        if measure(text, WORD8_BOLD) <= room:
            return text
    return f"+{len(cards)}"


def newest(cards: Sequence[Card], room: int) -> str:
    """As many cards as fit, the first ones first to go."""
    for n in range(len(cards)):
        text = ("… " if n else "") + some(cards[n:])
        if measure(text, WORD8_BOLD) <= room:
            return text
    return "–"


def rules(view: View, words: Words) -> list[str]:
    """Which game is being played, in few words: the house rule first (R3), the plain game unsaid."""
    lobby = view.phase == "lobby"
    coming = view.ghosts_to_come or 0
    said = (
        (house_rule(len(view.seats)), words.say("House rule")),
        (view.next_seat in view.ghosts, words.say("Ghost")),
        (coming > 0, words.many("{n} ghost", "{n} ghosts", coming)),
        (view.variant != "classic" and not lobby, words.say(VARIANTS[view.variant])),
        (view.blind, words.say("Blind")),
        (view.hands == "known" and lobby, words.say("Deal by scan")),
        (view.no_stars, words.say("No ★")),
    )
    return [text for holds, text in said if holds]


def stock(view: View) -> str:
    """Lives and stars in the signs of the lamps."""
    stars = "" if view.no_stars and not view.stars else f" {STAR}{view.stars}"
    return f"{HEART}{view.lives}{stars}"


def ten(first: int) -> str:
    """The ten that the next card is in, by its first number (R21)."""
    return "100" if first == 100 else f"{first or 1}–{first + 9}"


def number(card: Card) -> str:
    """The number on a card; its colour is said by the pile it lies on."""
    return str(card).lstrip("WR")


def two_piles(canvas: Canvas, view: View, y: int, height: int) -> None:
    """Both top cards, up at the left and down at the right, as high as ``height`` or 40 pixels."""
    up, down = (number(pile[-1]) if pile else "" for pile in view.piles)
    tight = measure(up, DIGITS[height]) + measure(down, DIGITS[height]) > canvas.width - 9
    face = DIGITS[40] if tight else DIGITS[height]
    y += height - face.cap
    right = canvas.width
    signs = (UP, DOWN) if y else ("", "")
    boxes = ((0, y, 34, y + face.cap), (right - 34, y, right, y + face.cap))
    left = canvas.text(0, y, up, face) if up else empty_pile(canvas, boxes[0], signs[0])
    right -= canvas.text(right, y, down, face, align="right") if down else empty_pile(canvas, boxes[1], signs[1])
    if not y:
        canvas.icon(left + 2, 1, UP, 7)
        canvas.icon(right - 9, 32, DOWN, 7)


def row_of(canvas: Canvas, box: Box, cards: int, place: int) -> None:
    """A ghost's row as it was dealt: its lamp, then the cards; that of this place is the one that was laid."""
    left, top, right, bottom = box
    canvas.disc((left, top + 2, left + 5, top + 7))
    step = (right - left - 7) // cards
    for n in range(1, cards + 1):
        at = left + 7 + (n - 1) * step
        if n == place:
            canvas.fill((at, top, at + step - 1, bottom))
        else:
            canvas.frame((at, top + 2, at + step - 1, bottom))


def empty_pile(canvas: Canvas, box: Box, sign: str) -> int:
    """An empty pile: a card's outline with a sign in it; returns its width."""
    canvas.frame(box)
    left, top, right, bottom = box
    if sign:
        canvas.icon((left + right - 11) // 2, (top + bottom - 11) // 2, sign)
    return right - left
