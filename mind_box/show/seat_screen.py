"""A seat's small screen, 128x64 or 128x32: what this seat should do now, in its own language."""

from __future__ import annotations

from dataclasses import dataclass

from mind_box.show import sentences
from mind_box.show.canvas import Canvas, measure, wrap
from mind_box.show.fonts import DIGITS, WORD6, WORD6_BOLD, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14
from mind_box.show.icons import CARDS, DOWN, UP
from mind_box.show.parts import empty_pile, number, some
from mind_box.show.table_screen import draw_table
from mind_box.show.words import Words
from mind_box.table.view import View

TITLES = (WORD14, WORD12, WORD11, WORD9, WORD8_BOLD)
DETAILS = (WORD9, WORD8_BOLD, WORD8, WORD6_BOLD, WORD6)


@dataclass(frozen=True, slots=True)
class Told:
    """What a seat is told: a word or two, a line that says more, and on a tall screen a picture."""

    title: str
    detail: str = ""
    emblem: str = ""


def draw_seat(view: View, seat: int, words: Words, size: tuple[int, int]) -> Canvas:
    """The whole screen of one seat. While the table screen is missing, a seat screen of its size stands in."""
    if "table-screen" in view.faults and size[1] >= 64:
        return draw_table(view, words, size)
    canvas = Canvas(size)
    if view.phase == "play" and seat in view.seats and view.menu is None and view.asking is None and not view.blind:
        _top_cards(canvas, view, seat)
        return canvas
    told = instruction(view, seat, words)
    tall = size[1] >= 64
    count = _count(view, seat)
    room = size[0] - (measure(count, WORD9) + 5 if count else 0)
    canvas.text(0, 4 if tall else 2, told.title, TITLES if tall else TITLES[1:], room=room)
    if count:
        canvas.text(size[0], 6 if tall else 3, count, WORD9, align="right")
    if not tall:
        canvas.text(0, 21, told.detail, DETAILS[1:])
        return canvas
    room = size[0]
    if told.emblem:
        canvas.emblem(size[0] - 34, 29, told.emblem, 32)
        room -= 38
    _lines(canvas, told.detail, room)
    return canvas


def instruction(view: View, seat: int, words: Words) -> Told:
    """What this seat should do now."""
    say = words.say
    if view.menu is not None:
        return Told(say("Menu"), say("Any seat closes it"))
    if view.seats and seat not in view.seats:
        return Told(say("Not playing"))
    if view.asking == "level-done":
        return _hand(view, seat, words, say("Level done?"))
    if view.asking == "end-game":
        return Told(say("End the game?"), say("The star button answers"), "star")
    if view.asking is not None:
        return Told(say("Shut down?"), say("The star button answers"), "power")
    return _PHASES[view.phase](view, seat, words)


def _lobby(view: View, seat: int, words: Words) -> Told:
    if seat not in view.hands_down:
        return Told(words.say("Join in?"), words.say("Hold your button"), "hand")
    if len(view.hands_down) == 1:
        return Told(words.say("You play"), words.say("One more at least"))
    return Told(words.say("You play"), words.say("After 2 s: lift"))


def _deal(view: View, seat: int, words: Words) -> Told:
    if view.next_seat == seat:
        return Told(words.say("Your card"), words.say("Show it, then take it"), "scanner")
    return Told(words.say("Wait"), words.say("Card for seat {seat}", seat=view.next_seat))


def _focus(view: View, seat: int, words: Words) -> Told:
    if sentences.choosing(view):
        if seat in view.waiting:
            return Told(words.say("Choose"), words.say("Lowest ▲ or highest ▼"), "star")
        return Told(words.say("Wait"), words.say("Others choose"))
    return _hand(view, seat, words, _why(view, seat, words))


def _hand(view: View, seat: int, words: Words, why: str) -> Told:
    """The ritual: hand down, hold, lift."""
    say = words.say
    if sentences.lifting(view):
        if seat in view.waiting:
            return Told(say("Lift"), say("All together"), "lift")
        return Told(say("Ready"), say("Wait for the others"))
    if seat in view.hands_down:
        return Told(say("Hold"), say("Wait for the others"))
    return Told(say("Hand down"), why, "hand")


def _why(view: View, seat: int, words: Words) -> str:
    """What happened, and what this seat does before it puts its hand down."""
    say = words.say
    own = view.aside_by.get(seat, ()) if view.aside_by is not None else ()
    if view.reason == "error":
        mine = tuple(card for card in view.last_error.aside if card in own) if view.last_error else ()
        if mine:
            return say("Aside: {cards}", cards=some(mine))
        if view.hands == "known":
            return sentences.too_early(view, words)
        return sentences.late_cards(view, words)
    if view.reason == "star":
        if own:
            return say("Aside: {cards}", cards=some(own))
        return sentences.star_card(view, words) if view.star_left else say("Star used")
    if view.reason == "level":
        if view.hands == "known":
            return say("Look at your cards")
        return words.many("Take {n} card", "Take {n} cards", view.level)
    return say("Power was off") if view.reason == "resume" else say("Stop")


def _play(_view: View, _seat: int, words: Words) -> Told:
    return Told(words.say("Blind"), words.say("Lay face down"), "blind")


def _vote(view: View, seat: int, words: Words) -> Told:
    if seat in view.agreed:
        return Told(words.say("Yes"), words.say("Press again: no"), "star")
    return Told(words.say("Use ★?"), words.say("Press: yes"), "star")


def _reveal(view: View, _seat: int, words: Words) -> Told:
    if view.check == "as_played":
        return Told(words.say("Check"), words.say("Look at the table"))
    return Told(words.say("Check"), words.say("Show the pile in order"), "scanner")


def _won(view: View, _seat: int, words: Words) -> Told:
    if view.blind:
        return Told(words.say("Blind won!"), words.say("Level {level} done", level=view.level), "trophy")
    return Told(words.say("Won!"), words.say("Blind? Hold 2 s"), "trophy")


def _lost(view: View, _seat: int, words: Words) -> Told:
    level = sentences.done(view)
    detail = words.say("Level {level} done", level=level) if level else words.say("No level done")
    return Told(words.say("Lost"), detail, "broken")


_PHASES = {
    "lobby": _lobby,
    "deal": _deal,
    "focus": _focus,
    "play": _play,
    "vote": _vote,
    "reveal": _reveal,
    "won": _won,
    "lost": _lost,
}


def _count(view: View, seat: int) -> str:
    """How many cards this seat holds, if the box knows."""
    if view.counts is None or seat not in view.counts or view.phase in ("won", "lost"):
        return ""
    return f"{CARDS}{view.counts[seat]}"


def _top_cards(canvas: Canvas, view: View, seat: int) -> None:
    """Play: what lies on top, as large as the screen allows, and this seat's count."""
    tall = canvas.height >= 64
    count = _count(view, seat)
    tops = [number(pile[-1]) if pile else "" for pile in view.piles]
    if len(tops) == 1:
        height = 30 if not tall else 52 if len(tops[0]) == 3 else 60
        y = (canvas.height - height) // 2
        if tops[0]:
            canvas.text(0, y, tops[0], DIGITS[height])
        else:
            empty_pile(canvas, (0, y, height * 2 // 3, y + height), DOWN if view.variant == "reverse" else UP)
        if count:
            canvas.text(canvas.width, 2, count, WORD14 if tall else WORD12, align="right")
        return
    height = 40 if tall else 30
    y = canvas.height - height - (0 if tall else 1)
    wide = []
    for top, left, align in zip(tops, (0, canvas.width), ("left", "right"), strict=True):
        box = (abs(left - 24) if left else 0, y, left or 24, y + height)
        wide.append(canvas.text(left, y, top, DIGITS[height], align=align) if top else empty_pile(canvas, box, ""))
    if tall:
        canvas.icon(0, 0, UP)
        canvas.icon(canvas.width - 11, 0, DOWN)
        if count:
            canvas.text(canvas.width // 2, 0, count, WORD11, align="center")
        return
    canvas.icon(wide[0] + 2, 1, UP, 7)
    canvas.icon(canvas.width - wide[1] - 9, 24, DOWN, 7)
    if count:
        canvas.text((wide[0] + canvas.width - wide[1]) // 2, 12, count, (WORD9, WORD8), align="center")


def _lines(canvas: Canvas, text: str, room: int) -> None:
    """At most three lines below the title, in the largest face in which they fit."""
    for face in DETAILS:
        lines = wrap(text, face, room)
        if len(lines) <= 3 and all(measure(line, face) <= room for line in lines):
            break
    for row, line in enumerate(lines[:3]):
        canvas.text(0, 26 + row * 13, line, face, room=room)


__all__ = ["Told", "draw_seat", "instruction"]
