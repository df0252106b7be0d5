"""A seat's small screen, 128x64 or 128x32: what this seat should do now, in its own language."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mind_box.game.values import dataclass
from mind_box.show import sentences, unseen
from mind_box.show.canvas import Canvas, largest, measure, wrap
from mind_box.show.fonts import DIGITS, WORD6, WORD6_BOLD, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14, Face
from mind_box.show.icons import CARDS, CHECK, UP
from mind_box.show.parts import SIGNS, few, number, some
from mind_box.show.words import Words
from mind_box.table.view import View, ViewPhase

TITLES = (WORD11, WORD9, WORD8_BOLD, WORD8, WORD6_BOLD)
DETAILS = (WORD8, WORD6_BOLD, WORD6)
CARD = 32
"""How wide the card at the left edge is."""
DESCENT = 2
"""Rows that a letter of the details' faces reaches below its line."""
MARK = 13
"""What a mark takes at the end of the title on a screen of 32 rows; kept free, so that it moves no title."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """What a seat screen says: a word or two, a line that says more, and on a tall screen a picture."""

    title: str
    detail: str = ""
    emblem: str = ""
    mark: str = ""
    """A sign that it has been done, or that the hand goes up."""


def draw_seat(view: View, seat: int, words: Words, size: tuple[int, int]) -> Canvas:
    """The whole screen of one seat."""
    canvas = Canvas(size)
    said = instruction(view, seat, words)
    tall = size[1] >= 64
    left = 0
    if view.phase in ("focus", "play", "vote", "reveal") and not view.blind and seat in view.seats:
        left = CARD + 5
        _top_cards(canvas, view)
    elif tall and view.phase in ("lobby", "won", "lost"):
        _large(canvas, said)
        return canvas
    count = _count(view, seat)
    used = canvas.text(size[0], 48 if tall else 24, count, WORD11 if tall else WORD8, align="right") + 3 if count else 0
    canvas.text(left, 1, said.title, TITLES, room=size[0] - left - (0 if tall else MARK))
    if said.emblem and tall:
        canvas.emblem(left, 48, said.emblem, 16)
    if said.mark:
        canvas.icon(left + 20 if tall else size[0] - 11, 50 if tall else 1, said.mark)
    why = sentences.why_ended(view, words, lambda cards: few(cards, 24)) if tall else ""
    _lines(canvas, left, said.detail, why, 0 if tall else used)
    return canvas


def _large(canvas: Canvas, said: Instruction) -> None:
    """Before and after a game: as large as it fits, the title in two of the controller's pages, the emblem in four."""
    canvas.text(0, 0, said.title, (WORD14, WORD12, *TITLES))
    room = canvas.width
    if said.emblem:
        canvas.emblem(room - 34, 32, said.emblem, 32)
        room -= 38
    face, lines = largest(said.detail, (WORD9, *DETAILS), room, lambda _: 3)
    for row, line in enumerate(lines[:3]):
        canvas.text(0, 23 + row * 13, line, face, room=room)


def instruction(view: View, seat: int, words: Words) -> Instruction:
    """What this seat should do now."""
    say = words.say
    if view.menu is not None:
        return Instruction(say("Menu"), say("Any seat closes it"))
    if view.seats and seat not in view.seats:
        return Instruction(say("Not playing"))
    if seat in view.ghosts:
        return _ghost(view, seat, words)
    if view.asking == "level-done":
        return _hand(view, seat, words, say("Level done?"))
    if view.asking == "end-game":
        return Instruction(say("End the game?"), say("The star button answers"), "star")
    if view.asking is not None:
        return Instruction(say("Shut down?"), say("The star button answers"), "power")
    return _PHASES[view.phase](view, seat, words)


def _ghost(view: View, seat: int, words: Words) -> Instruction:
    """Before its row: what somebody has to do there."""
    say, laid = words.say, view.ghost
    if laid is not None and laid.seat == seat:
        if laid.card is None:
            return Instruction(say("Card {n}", n=laid.place), say("Lay face down"), "blind")
        return Instruction(say("Card {n}: {card}", n=laid.place, card=laid.card), say("Onto the pile"))
    if view.next_seat == seat:
        return Instruction(say("Unseen"), say(unseen.AT_SEAT[view.unseen_at]), "scanner")
    return Instruction(say("Ghost"), say("Plays by itself"))


def _lobby(view: View, seat: int, words: Words) -> Instruction:
    if seat not in view.hands_down:
        return Instruction(words.say("Join in?"), words.say("Hold your button"), "hand")
    if len(view.hands_down) == 1 and not view.ghosts_to_come:
        return Instruction(words.say("You play"), words.say("One more at least"))
    return Instruction(words.say("You play"), words.say("After 2 s: let go"))


def _deal(view: View, seat: int, words: Words) -> Instruction:
    if view.next_seat == seat:
        return Instruction(words.say("Your card"), words.say("To the reader, then keep it"), "scanner")
    return Instruction(words.say("Wait"), words.say("Card for seat {seat}", seat=view.next_seat))


def _focus(view: View, seat: int, words: Words) -> Instruction:
    if sentences.choosing(view):
        if seat in view.waiting:
            return Instruction(words.say("Choose"), words.say("Lowest ▲ or highest ▼"), "star")
        return Instruction(words.say("Wait"), words.say("Others choose"))
    return _hand(view, seat, words, _why(view, seat, words))


def _hand(view: View, seat: int, words: Words, why: str) -> Instruction:
    """The ritual: hand down, then lift. What a seat has done gets a check mark; the words stay as they are."""
    say = words.say
    done = CHECK if seat in view.hands_down else ""
    if sentences.lifting(view):
        return Instruction(say("Let go"), "", "hand", UP if done else CHECK)
    if view.reason == "star" and view.hands == "unknown" and view.star_left:
        return Instruction(say("Show a card"), why, "scanner", done)
    return Instruction(say("Hold button"), why, "hand", done)


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


def _play(view: View, _seat: int, words: Words) -> Instruction:
    if view.ghost is not None:
        which = words.say("Card {n} of its row", n=view.ghost.place)
        return Instruction(sentences.ghost_card(view.ghost, words), which)
    if view.blind:
        return Instruction(words.say("Blind"), words.say("Lay face down"), "blind")
    if view.level == 1 and not any(view.piles):
        return Instruction("", words.say("Show each card you lay. Button: stop"))
    return Instruction("")


def _vote(view: View, seat: int, words: Words) -> Instruction:
    if seat in view.agreed:
        return Instruction(words.say("Yes"), words.say("Press again: no"), "star")
    return Instruction(words.say("Use ★?"), words.say("Press: yes"), "star")


def _reveal(view: View, _seat: int, words: Words) -> Instruction:
    if view.check == "as_played":
        return Instruction(words.say("Check"), words.say("Look at the table"))
    return Instruction(words.say("Check"), words.say("Show the pile in order"), "scanner")


def _won(view: View, _seat: int, words: Words) -> Instruction:
    if view.blind:
        return Instruction(words.say("Blind won!"), words.say("Level {level} done", level=view.level), "trophy")
    return Instruction(words.say("Won!"), words.say("Blind? Hold 2 s"), "trophy")


def _lost(view: View, _seat: int, words: Words) -> Instruction:
    level = sentences.done(view)
    detail = words.say("Level {level} done", level=level) if level else words.say("No level done")
    return Instruction(words.say("Lost"), detail, "broken")


_PHASES: Mapping[ViewPhase, Callable[[View, int, Words], Instruction]] = {
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


def _top_cards(canvas: Canvas, view: View) -> None:
    """What lies on top, as a card at the left edge that stays where it is from phase to phase."""
    tall = canvas.height >= 64
    if len(view.piles) == 1:
        top = 8 if tall else 0
        canvas.frame((0, top, CARD, canvas.height))
        if view.pile:
            text = number(view.pile[-1])
            face = DIGITS[24] if tall and len(text) < 3 else DIGITS[16]
            widest = text if len(text) == 3 else "4" * len(text)  # by which a digit stays where it is
            canvas.text((CARD - measure(widest, face)) // 2, 24 if tall else 8, text, face)
        elif sign := SIGNS[view.directions[0]]:
            canvas.icon(CARD // 2 - 6, top + (canvas.height - top) // 2 - 6, sign)
        return
    for pile, direction, top in zip(view.piles, view.directions, (8, 40) if tall else (1, 17), strict=True):
        face = DIGITS[16] if tall else WORD12
        canvas.icon(0, top + (face.cap - 7) // 2, SIGNS[direction], 7)
        canvas.text(9, top, number(pile[-1]) if pile else "–", face, room=CARD - 5)


def _lines(canvas: Canvas, left: int, text: str, why: str, used: int) -> None:
    """Lines below the title in the largest face in which two fit, on a tall screen three.

    ``used`` pixels at the right of the lowest 8 rows are the counter's: a line that reaches down there ends before.
    ``why`` is one line more. Two on a tall screen have a page of the controller's each, three have no room for that.
    """
    room = canvas.width - left
    tall = canvas.height >= 64
    most = 3 if tall else 2
    for face in DETAILS:
        lines = _even(text, face, room)
        if len(lines) == 1 or (len(lines) <= most and (tall or face.cap == 6)):
            rooms = [room - used if row * 8 + face.cap + DESCENT > 8 else room for row in range(len(lines))]
            if all(measure(line, face) <= width for line, width in zip(lines, rooms, strict=True)):
                break
    step = 8 if not tall else 11 if len(lines) + bool(why) > 2 else 16
    for row, line in enumerate(lines[:most]):
        canvas.text(left, 16 + row * step, line, face, room=room)
    if why:
        canvas.text(left, 16 + len(lines) * step, why, DETAILS, room=room)


def _even(text: str, face: Face, room: int) -> list[str]:
    """The text in as few lines as ``wrap`` needs, but no lone word on the last."""
    lines = wrap(text, face, room)
    while room > 8 and len(closer := wrap(text, face, room - 8)) == len(lines):
        lines = closer
        room -= 8
    return lines
