"""The table screen, 128x64: one large thing to glance at, and at the foot two lines that say what to do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from mind_box.game.figures import house_rule
from mind_box.game.state import Ended
from mind_box.show import sentences
from mind_box.show.beside import announced, asked, column, said_beside, top
from mind_box.show.canvas import Canvas, measure
from mind_box.show.fonts import DIGITS, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14
from mind_box.show.icons import CARDS, DOWN, HAND, HEART, PILE, STAR, UP
from mind_box.show.menu_words import QUESTIONS, standing
from mind_box.show.parts import LINES, SIGNS, chips, empty_pile, few, foot, newest, number, rules, stock, ten, two_piles
from mind_box.show.telling import draw_story, most_telling, open_fact
from mind_box.show.upright import Said, draw_upright
from mind_box.show.words import Words
from mind_box.table.view import View, ViewPhase

HEADS = (WORD14, WORD12, WORD11, WORD9)
EYE = 14
"""Width of the crossed eye that says blind."""


def draw_table(view: View, words: Words, size: tuple[int, int]) -> Canvas:
    """The whole screen for this View."""
    canvas = Canvas(size)
    if size[0] < size[1]:
        _upright(canvas, view, words)
    elif view.menu is not None:
        _menu(canvas, view, words)
    elif view.asking is not None:
        _asking(canvas, view, words)
    elif view.story is not None:
        draw_story(canvas, view, words)
    else:
        _SCREENS[view.phase](canvas, view, words)
    return canvas


def _upright(canvas: Canvas, view: View, words: Words) -> None:
    """What this screen says, for the one that stands upright."""
    if view.menu is not None:
        what = Said(words.say(sentences.MENU[view.menu]), value=standing(view, view.menu, words))
    elif view.asking is not None:
        hands = view.asking == "level-done"
        what = Said(words.say(QUESTIONS[view.asking]), sign=HAND if hands else "", emblem="" if hands else "power")
    elif view.story is not None:
        name, text = open_fact(view, words)
        what = Said(name, value=text)
    elif view.phase == "lobby":
        what = Said(words.say(sentences.VARIANTS[view.variant]), emblem="star")
    elif view.phase in ("won", "lost"):
        what = Said(_verdict(view, words), emblem="trophy" if view.phase == "won" else "broken")
    elif view.phase == "deal":
        what = Said(words.say("Seat {seat}", seat=view.next_seat))
    elif view.reason == "level":
        what = Said(words.say("Level {level}", level=view.level), sign=HAND)
    else:
        sign = STAR if view.phase == "vote" else HAND if view.phase == "focus" else ""
        what = Said("" if view.phase == "play" else _title(view, words), sign=sign)
    draw_upright(canvas, view, words, what)


# -- parts of this screen


def _head(canvas: Canvas, view: View, words: Words) -> None:
    """The level and, at the right, what the team has."""
    held = canvas.text(canvas.width, 2, stock(view), (WORD9, WORD8), align="right")
    text = words.say("Level {level}", level=view.level)
    room = canvas.width - held - 6
    wide = canvas.text(0, 0, text, HEADS, room=room)
    of = f"/{view.last_level}"
    if view.last_level and wide + 2 + measure(of, WORD8) <= room:
        canvas.text(wide + 2, 6, of, WORD8)


def _rules(canvas: Canvas, y: int, view: View, words: Words, most: int = 4) -> bool:
    """Which game is being played, as much as fits: the house rule first (R3). The plain game unsaid: False."""
    room = canvas.width
    if view.blind:
        room -= EYE
        canvas.emblem(room, y - 3, "blind", EYE)
    told = [rule for rule in rules(view, words) if rule != words.say("Blind")][:most]  # for that there is the eye
    while told:
        text = next((t for t in (" · ".join(told), "·".join(told)) if measure(t, WORD8) <= room), "")
        if text:
            canvas.text(0, y, text, WORD8)
            return True
        told.pop()
    return view.blind


def _tops(canvas: Canvas, view: View) -> int:
    """The top card at the left of the upper part, or that there is none to be seen; returns how wide it is."""
    if view.blind and view.phase != "reveal":
        canvas.emblem(4, 2, "blind", 36)
        return 44
    if not view.pile:
        empty_pile(canvas, (8, 1, 36, 39), "")
        return 48
    return max(48, canvas.text(0, 0, number(view.pile[-1]), DIGITS[40]))


# -- screens


def _ends(canvas: Canvas, y: int, left: str, right: str) -> None:
    """What star does, at both ends of one line."""
    used = canvas.text(0, y, left, WORD8)
    canvas.text(canvas.width, y, right, WORD8, room=canvas.width - used - 5, align="right")


def _lobby(canvas: Canvas, view: View, words: Words) -> None:
    canvas.text(0, 2, words.say(sentences.VARIANTS[view.variant]), HEADS, room=100)
    canvas.emblem(107, 0, "star", 21)
    _rules(canvas, 20, view, words)
    _ends(canvas, 30, words.say("★: next"), words.say("Hold ★: menu"))
    foot(canvas, sentences.saying(view, words), words)


def _ended(canvas: Canvas, view: View, words: Words, ended: Ended) -> None:
    """The level before, until a hand goes down or a card is dealt: the end of its pile, and what its last card did."""
    _head(canvas, view, words)
    telling = most_telling(view, words)
    late = telling or sentences.why_ended(view, words, lambda cards: few(cards, 40))
    ruled = _rules(canvas, 34, view, words, 1 if late else 4)
    more = bool(late or ended.aside)
    y = 16 if ruled else 18
    x = 0
    for pile, direction in zip(ended.piles, view.directions, strict=True):
        x += canvas.icon(x, y, SIGNS[direction] if len(ended.piles) > 1 else PILE, 8) + 3
        room = canvas.width - x if pile is ended.piles[-1] else canvas.width // 2 - x - 3
        faces = (WORD12, WORD9, WORD8_BOLD)[ruled + more :]
        x += canvas.text(x, y, newest(pile, room), faces, room=room) + 6
    if late:
        canvas.text(0, 25 if ruled else 29, late, (WORD8,) if ruled else LINES)
    elif more:
        y = 25 if ruled else 29
        x = canvas.text(0, y + 1, words.say("aside"), WORD8) + 4
        canvas.text(x, y, few(ended.aside, canvas.width - x), (WORD8_BOLD, WORD8))
    foot(canvas, sentences.saying(view, words), words)


def _deal(canvas: Canvas, view: View, words: Words) -> None:
    if view.ended is not None:
        _ended(canvas, view, words, view.ended)
        return
    canvas.text(0, 1, words.say("Level {level}", level=view.level), (WORD9, WORD8_BOLD))
    canvas.text(canvas.width, 1, stock(view), (WORD9, WORD8), align="right")
    if view.next_seat is not None and view.counts is not None:
        dealt = f"{CARDS}{view.counts.get(view.next_seat, 0)}/{view.level}"
        held = canvas.text(canvas.width, 17, dealt, WORD11, align="right")
        canvas.text(0, 15, words.say("Seat {seat}", seat=view.next_seat), HEADS, room=canvas.width - held - 6)
    _rules(canvas, 32, view, words)
    foot(canvas, sentences.saying(view, words), words)


def _focus(canvas: Canvas, view: View, words: Words) -> None:
    if view.ended is not None:
        _ended(canvas, view, words, view.ended)
        return
    if view.reason == "level":
        _head(canvas, view, words)
        _rules(canvas, 16, view, words)
        telling = most_telling(view, words)
        if telling and not view.hands_down:
            canvas.text(64, 30, telling, LINES, align="center")
        else:
            canvas.icon(0, 27, HAND)
            chips(canvas, 15, 26, view.persons, view.hands_down, 113)
        foot(canvas, sentences.saying(view, words), words)
        return
    if view.reason == "stop" and asked(canvas, view, words, _title(view, words), HAND, view.hands_down):
        return
    choosing = sentences.choosing(view)
    ready = [seat for seat in view.persons if seat not in view.waiting] if choosing else view.hands_down
    _table(canvas, view, words, _title(view, words), CARDS if choosing else HAND, ready)


def _title(view: View, words: Words) -> str:
    if view.reason == "error" or (view.phase == "reveal" and "error" in view.notices):
        return f"−1{HEART}" if view.last_error is None or view.last_error.paid else f"±0{HEART}"
    if view.reason == "star":
        return f"−1{STAR}"
    if view.phase == "vote":
        return words.say("Use ★?")
    if view.phase == "reveal":
        return words.say("Check")
    return words.say("Go on") if view.reason == "resume" else words.say("Stop")


def _table(canvas: Canvas, view: View, words: Words, title: str, sign: str = "", ready: Collection[int] = ()) -> None:
    """Top card at the left; at the right a title, what lies aside or is left, and the seats; the foot."""
    if len(view.piles) == 2 and not (view.blind and view.phase != "reveal"):
        _two(canvas, view, words, title, sign, ready)
        return
    left = _tops(canvas, view) + 5
    room = canvas.width - left
    wide = canvas.text(left, 1, title, (WORD11, WORD9, WORD8_BOLD), room=room)
    if not sign:
        canvas.text(left, 29, stock(view), WORD8)
    elif wide + 5 + measure(stock(view), WORD8) <= room:
        canvas.text(canvas.width, 0, stock(view), WORD8, align="right")
    _matter(canvas, left, 16, room, view, words)
    if sign:
        beside = 14 if len(view.persons) * 14 + 13 <= room else 0
        if beside:
            canvas.icon(left, 27, sign)
        chips(canvas, left + beside, 26, view.persons, ready, room - beside)
    foot(canvas, sentences.saying(view, words), words)


def _two(canvas: Canvas, view: View, words: Words, title: str, sign: str, ready: Collection[int]) -> None:
    """The same for two piles: both top cards, beside them title and stock, below them the seats and what lies aside."""
    left = 0
    for pile, direction in zip(view.piles, view.directions, strict=True):
        canvas.icon(left, 9, SIGNS[direction], 7)
        left += 9
        if pile:
            left += canvas.text(left, 0, number(pile[-1]), DIGITS[26]) + 4
        else:
            left += empty_pile(canvas, (left, 0, left + 20, 26), "") + 4
    faces = (WORD11, WORD9, WORD8_BOLD, WORD8)
    canvas.text(canvas.width, 16, stock(view), WORD8, align="right")
    if sign:
        canvas.text(canvas.width, 1, title, faces, room=canvas.width - left, align="right")
        wide = (14 if len(view.persons) <= 4 else 8) * len(view.persons)
        canvas.icon(0, 28, sign)
        chips(canvas, 14, 27, view.persons, ready, wide)
        left = 18 + wide
    else:
        left = canvas.text(0, 29, title, faces) + 8
    _matter(canvas, left, 30, canvas.width - left, view, words)
    foot(canvas, sentences.saying(view, words), words)


def _matter(canvas: Canvas, left: int, y: int, room: int, view: View, words: Words) -> None:
    """What is to be shown after a star, what lies aside, or how many cards there are."""
    aside = view.last_error.aside if view.reason == "error" and view.last_error else view.aside
    if view.reason == "star" and view.hands == "unknown":  # what lies aside from before would only mislead
        to_show = words.many("{n} card to show", "{n} cards to show", view.star_left or 0)
        if measure(to_show, WORD8) > room:
            to_show = f"{view.star_left}×{CARDS}"
        canvas.text(left, y, to_show if view.star_left else _counts(view), (WORD8_BOLD, WORD8), room=room)
    elif aside and (view.reason in ("error", "star") or view.phase == "reveal"):
        used = canvas.text(left, y, words.say("aside"), WORD8, room=room) + 4
        canvas.text(left + used, y, few(aside, room - used), (WORD8_BOLD, WORD8))
    else:
        canvas.text(left, y, _counts(view), WORD8, room=room)


def _counts(view: View) -> str:
    pile = f"{PILE}{sum(map(len, view.piles))}"
    if view.phase == "reveal":
        return pile
    left = f"{CARDS}{view.remaining}"
    if view.blind:
        return left
    return f"{left}  {pile}" if view.ten is None else f"{left}  {pile}  {ten(view.ten)}"


def _play(canvas: Canvas, view: View, words: Words) -> None:
    said = sentences.saying(view, words)
    if announced(canvas, view, said, words) or (said.what and said_beside(canvas, view, said, words)):
        return
    if said.what:
        _beside(canvas, view)
        foot(canvas, said, words)
    elif view.blind:
        canvas.emblem(6, 4, "blind", 56)
        column(canvas, view, words)
    elif len(view.piles) == 2:
        house = house_rule(len(view.seats))
        two_piles(canvas, view, *((24, 40) if house else (20, 44)))
        canvas.icon(0, 1, UP)
        canvas.icon(canvas.width - 11, 1, DOWN)
        canvas.text(16, 2, f"{PILE}{len(view.piles[0])}", WORD9)
        canvas.text(canvas.width - 16, 2, f"{PILE}{len(view.piles[1])}", WORD9, align="right")
        canvas.text(64, 0, f"{CARDS}{view.remaining}", WORD12, align="center")
        if house:
            canvas.text(64, 14, words.say("House rule"), WORD8, align="center")
    else:
        top(canvas, view, words)
        column(canvas, view, words)


def _beside(canvas: Canvas, view: View) -> None:
    """Play with something to say: the top card over the foot."""
    if len(view.piles) == 2 and not view.blind:
        two_piles(canvas, view, 0, 40)
        return
    left = _tops(canvas, view) + 5
    canvas.text(canvas.width, 1, f"{CARDS}{view.remaining}", WORD11, align="right")
    if view.ten is not None:
        canvas.text(canvas.width, 16, ten(view.ten), WORD9, room=canvas.width - left, align="right")
    canvas.text(canvas.width, 30, stock(view), WORD8, room=canvas.width - left, align="right")


def _vote(canvas: Canvas, view: View, words: Words) -> None:
    if asked(canvas, view, words, _title(view, words), STAR, view.agreed):
        return
    if len(view.piles) == 1 or view.blind:
        _table(canvas, view, words, _title(view, words), STAR, view.agreed)
        return
    two_piles(canvas, view, 0, 40)
    said = sentences.saying(view, words)
    if said.loud:
        foot(canvas, said, words)
        return
    canvas.text(64, 42, said.what, (WORD8_BOLD, WORD8), align="center")
    used = canvas.text(canvas.width, 54, said.how, WORD8, align="right")
    canvas.icon(0, 52, STAR)
    chips(canvas, 15, 51, view.persons, view.agreed, canvas.width - used - 20)


def _reveal(canvas: Canvas, view: View, words: Words) -> None:
    _table(canvas, view, words, _title(view, words))


def _end(canvas: Canvas, view: View, words: Words, emblem: str, title: str) -> None:
    telling = most_telling(view, words)
    canvas.emblem(2, 1 if telling else 3, emblem, 28 if telling else 32)
    left = 38
    canvas.text(left, 1, title, (*HEADS, *LINES))
    level = sentences.done(view)
    text = sentences.level_done(view, words) if level else words.say("No level done")
    canvas.text(left, 18 if telling else 19, text, LINES)
    if telling:
        canvas.text(64, 31, telling, LINES, align="center")
    else:
        if view.best:
            canvas.text(left, 30, words.say("Best: {level}", level=view.best), WORD8)
        if view.lives:
            canvas.text(canvas.width, 30, stock(view), WORD8, align="right")
    foot(canvas, sentences.saying(view, words), words)


def _verdict(view: View, words: Words) -> str:
    if view.phase == "lost":
        return words.say("Lost")
    return words.say("Blind won!") if view.blind else words.say("Won!")


def _won(canvas: Canvas, view: View, words: Words) -> None:
    _end(canvas, view, words, "trophy", _verdict(view, words))


def _lost(canvas: Canvas, view: View, words: Words) -> None:
    _end(canvas, view, words, "broken", _verdict(view, words))


def _menu(canvas: Canvas, view: View, words: Words) -> None:
    assert view.menu is not None
    canvas.disc((0, 0, canvas.width, 13))
    title = canvas.text(4, 3, words.say("Menu"), WORD8_BOLD, ink=0)
    close = words.say("seat: close")
    canvas.text(canvas.width - 4, 3, close, WORD8, room=canvas.width - title - 14, align="right", ink=0)
    canvas.text(64, 18, words.say(sentences.MENU[view.menu]), HEADS, align="center")
    if "saving" in view.faults:
        foot(canvas, sentences.saving(words), words)
        return
    canvas.text(64, 38, standing(view, view.menu, words), LINES, align="center")
    _ends(canvas, 54, words.say("★: next"), words.say("Hold ★: choose"))


def _asking(canvas: Canvas, view: View, words: Words) -> None:
    assert view.asking is not None
    hands = view.asking == "level-done"
    canvas.text(64, 3 if hands else 13, words.say(QUESTIONS[view.asking]), HEADS, align="center")
    if hands:
        canvas.icon(0, 25, HAND)
        chips(canvas, 15, 24, view.persons, view.hands_down, 113)
    foot(canvas, sentences.saying(view, words), words)


_SCREENS: Mapping[ViewPhase, Callable[[Canvas, View, Words], None]] = {
    "lobby": _lobby,
    "deal": _deal,
    "focus": _focus,
    "play": _play,
    "vote": _vote,
    "reveal": _reveal,
    "won": _won,
    "lost": _lost,
}
