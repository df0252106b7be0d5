"""A table screen that stands upright, 64x128: the same things as lying, one under the other, and the words below."""

from __future__ import annotations

from collections.abc import Sequence

from mind_box.game.figures import house_rule
from mind_box.game.values import dataclass
from mind_box.show import sentences
from mind_box.show.canvas import Canvas, largest, measure, wrap
from mind_box.show.fonts import DIGITS, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14, Face
from mind_box.show.icons import CARDS
from mind_box.show.parts import SIGNS, chips, empty_pile, few, newest, number, stock, ten
from mind_box.show.telling import most_telling
from mind_box.show.words import Words
from mind_box.table.view import View

HEADS = (WORD14, WORD12, WORD11, WORD9, WORD8_BOLD, WORD8)
LINES = (WORD8_BOLD, WORD8)
TITLES = (WORD11, WORD9, *LINES)


@dataclass(frozen=True, slots=True)
class Said:
    """What a lying screen says where, in words and signs: nothing is said upright that is not said lying."""

    title: str
    """The large words; of a menu, the item."""
    sign: str = ""
    """Before the seats, where hands or votes are waited for."""
    value: str = ""
    """How a menu's item stands."""
    emblem: str = ""


def draw_upright(canvas: Canvas, view: View, words: Words, what: Said) -> None:
    """The whole screen."""
    say = words.say
    if view.menu is not None:
        _menu(canvas, view, words, what)
        return
    if view.story is not None:
        y = _block(canvas, 2, words.say("Story"), LINES, canvas.height, most=1)
        y = _block(canvas, y + 6, what.title, HEADS, canvas.height, most=3)
        _block(canvas, y + 6, what.value, LINES, canvas.height - 24, most=4)
        if len(view.told) > 1:
            canvas.text(32, canvas.height - 22, words.say("★: next"), WORD8, align="center")
            canvas.text(32, canvas.height - 10, f"{view.story + 1}/{len(view.told)}", WORD8, align="center")
        return
    said = sentences.saying(view, words)
    how = said.how
    if said.aside:
        how = say(
            "Aside: {cards}", cards=few(said.aside, 2 * canvas.width - measure(say("Aside: {cards}", cards=""), WORD8))
        )
    foot = _foot(canvas, [said.what, how], said.loud)
    if view.phase in ("lobby", "won", "lost") or view.asking is not None:
        y = _block(canvas, 2, what.title, HEADS, foot, most=2)
        for text in _under_the_title(view, words):
            y = _block(canvas, y + 2, text, LINES, foot, most=3)
        if what.emblem and foot - y >= 36:
            canvas.emblem(16, y + (foot - y - 32) // 2, what.emblem, 32)
    else:
        canvas.text(0, 0, stock(view), WORD8)
        canvas.text(canvas.width, 0, _count(view), WORD8, align="right")
        y = _table(canvas, view, words, what.title, foot)
    if what.sign and foot - y >= 14:
        ready = view.agreed if view.phase == "vote" else view.hands_down
        chips(canvas, 0, foot - 14, view.persons, ready, canvas.width)


def _under_the_title(view: View, words: Words) -> Sequence[str]:
    """Before and after a game: the keys, or what was reached."""
    if view.asking is not None:
        return ()
    if view.phase == "lobby":
        return words.say("★: next"), words.say("Hold ★: menu")
    level = sentences.level_done(view, words) if sentences.done(view) else words.say("No level done")
    if view.told:
        return level, most_telling(view, words)
    return (level, words.say("Best: {level}", level=view.best)) if view.best else (level,)


def _count(view: View) -> str:
    if view.phase == "deal" and view.next_seat is not None and view.counts is not None:
        return f"{CARDS}{view.counts.get(view.next_seat, 0)}/{view.level}"
    return f"{CARDS}{view.remaining}"


def _table(canvas: Canvas, view: View, words: Words, title: str, foot: int) -> int:
    """A game that goes on, from the top down as far as there is room; returns the row below."""
    hidden = view.blind and view.phase != "reveal"
    shown = view.phase in ("play", "vote", "reveal") or view.reason not in (None, "level")
    tall = 36 if hidden else 0 if not shown else 57 if len(view.piles) == 2 else 42
    y = 11
    if title and foot - y - tall >= 12:  # what is the matter stands at the foot as well
        y = _block(canvas, y, title, TITLES, foot, most=1)
    if hidden:
        canvas.emblem(14, y, "blind", 36)
    elif shown:
        _cards(canvas, y + 1, view)
    y += tall
    if view.ended is not None:
        return _level_before(canvas, y, view, words, foot)
    rules = [ten(view.ten)] if view.ten is not None and not hidden else []
    rules += [words.say("House rule")] if house_rule(len(view.seats)) else []
    rules += [words.say(sentences.VARIANTS[view.variant])] if not shown and view.variant != "classic" else []
    for rule in rules:
        if foot - y >= 12 * len(wrap(rule, WORD8, canvas.width)):
            y = _block(canvas, y + 2, rule, (WORD8,), foot, most=2)
    return y


def _level_before(canvas: Canvas, y: int, view: View, words: Words, foot: int) -> int:
    """The end of its pile, and what its last card did; returns the row below."""
    assert view.ended is not None
    told = [newest(pile, canvas.width - 2) for pile in view.ended.piles]
    late = most_telling(view, words) or sentences.why_ended(view, words, lambda cards: few(cards, 40))
    if late or view.ended.aside:
        told.append(late or words.say("Aside: {cards}", cards=few(view.ended.aside, canvas.width)))
    for text in told:
        if foot - y >= 2 + 11 * len(wrap(text, WORD8, canvas.width)):
            y = _block(canvas, y + 2, text, LINES, foot, most=4)
    return y


def _cards(canvas: Canvas, y: int, view: View) -> None:
    if len(view.piles) == 1:
        if view.pile:
            canvas.text(32, y, number(view.pile[-1]), DIGITS[40], align="center")
        else:
            empty_pile(canvas, (16, y, 48, y + 40), SIGNS[view.directions[0]])
        return
    for pile, direction in zip(view.piles, view.directions, strict=True):
        canvas.icon(6, y + 8, SIGNS[direction])
        if pile:
            canvas.text(22, y, number(pile[-1]), DIGITS[26])
        else:
            empty_pile(canvas, (22, y, 42, y + 26), "")
        y += 28


def _menu(canvas: Canvas, view: View, words: Words, what: Said) -> None:
    canvas.disc((0, 0, canvas.width, 13))
    canvas.text(32, 3, words.say("Menu"), WORD8_BOLD, align="center", ink=0)
    if "saving" in view.faults:
        said = sentences.saving(words)
        _block(canvas, 18, what.title, HEADS, _foot(canvas, [said.what, said.how], loud=True), most=2)
        return
    foot = _foot(canvas, [words.say("★: next"), words.say("Hold ★: choose"), words.say("seat: close")], loud=False)
    value = 11 * len(wrap(what.value, WORD8, canvas.width))
    y = _block(canvas, 17, what.title, HEADS, foot - value - 2, most=2)
    _block(canvas, y + 2, what.value, LINES, foot, most=4)


def _block(canvas: Canvas, y: int, text: str, faces: Sequence[Face], foot: int, most: int) -> int:
    """A text in the middle, as large as it fits in its lines; returns the row below it."""
    face, lines = largest(text, faces, canvas.width, lambda face: min(most, (foot - y) // (face.cap + 3)))
    for line in lines:
        canvas.text(32, y, line, face, room=canvas.width, align="center")
        y += face.cap + 3
    return y


def _foot(canvas: Canvas, texts: Sequence[str], loud: bool) -> int:
    """What is said, at the foot; returns the row where it begins."""
    room = canvas.width - 2
    words = [word for text in texts for word in text.split(" ")]
    face = WORD8_BOLD if all(measure(word, WORD8_BOLD) <= room for word in words) else WORD8
    lines = [line for text in texts if text for line in wrap(text, face, room)]
    step, edge = 11 if len(lines) < 5 else 10, 4 if loud else 2
    top = canvas.height - step * len(lines) - edge
    if loud:
        canvas.disc((0, top, canvas.width, canvas.height))
    for row, line in enumerate(lines):
        ink = 0 if loud else 1
        canvas.text(32, top + edge + row * step, line, face, room=room, align="center", ink=ink)
    return top
