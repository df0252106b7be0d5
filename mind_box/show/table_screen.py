"""The table screen, 128x64: one large thing to glance at, and at the foot two lines that say what to do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from mind_box.game.figures import CORRECTIONS, house_rule
from mind_box.game.state import Ended
from mind_box.show import sentences
from mind_box.show.beside import asked, column, said_beside, top
from mind_box.show.canvas import Canvas, measure
from mind_box.show.fonts import DIGITS, WORD6, WORD6_BOLD, WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14
from mind_box.show.icons import CARDS, DOWN, HAND, HEART, PILE, STAR, UP
from mind_box.show.parts import LINES, SIGNS, chips, empty_pile, few, foot, newest, number, rules, stock, ten, two_piles
from mind_box.show.words import LANGUAGE_NAMES, Words
from mind_box.table.menu import Item, Question
from mind_box.table.view import View, ViewPhase

HEADS = (WORD14, WORD12, WORD11, WORD9)


def draw_table(view: View, words: Words, size: tuple[int, int]) -> Canvas:
    """The whole screen for this View."""
    canvas = Canvas(size)
    if view.menu is not None:
        _menu(canvas, view, words)
    elif view.asking is not None:
        _asking(canvas, view, words)
    else:
        _SCREENS[view.phase](canvas, view, words)
    return canvas


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


def _rules(canvas: Canvas, y: int, view: View, words: Words) -> bool:
    """Which game is being played, small, as much as fits: the house rule first (R3). The plain game unsaid: False."""
    text = ""
    for rule in rules(view, words):
        longer = f"{text} · {rule}" if text else rule
        text = longer if measure(longer, WORD6) <= canvas.width else text
    canvas.text(0, y, text, (WORD6_BOLD, WORD6))
    return bool(text)


def _tops(canvas: Canvas, view: View) -> int:
    """The top cards at the left of the upper part; returns how wide they are."""
    if view.blind and view.phase != "reveal":
        canvas.emblem(4, 2, "blind", 36)
        return 44
    if len(view.piles) == 1:
        if not view.pile:
            empty_pile(canvas, (8, 1, 36, 39), "")
            return 48
        return max(48, canvas.text(0, 0, number(view.pile[-1]), DIGITS[40]))
    wide = 0
    for row, (pile, direction) in enumerate(zip(view.piles, view.directions, strict=True)):
        canvas.icon(0, row * 20 + 5, SIGNS[direction])
        wide = max(wide, canvas.text(15, row * 20 + 1, number(pile[-1]) if pile else "–", DIGITS[18], room=32))
    return 15 + max(26, wide)


# -- screens


def _lobby(canvas: Canvas, view: View, words: Words) -> None:
    canvas.text(0, 2, words.say(sentences.VARIANTS[view.variant]), HEADS, room=100)
    canvas.emblem(107, 0, "star", 21)
    _rules(canvas, 20, view, words)
    canvas.text(0, 30, words.say("Tap ★: next"), (WORD8, WORD6), room=58)
    canvas.text(canvas.width, 30, words.say("Hold ★: menu"), (WORD8, WORD6), room=66, align="right")
    foot(canvas, sentences.saying(view, words), words)


def _ended(canvas: Canvas, view: View, words: Words, ended: Ended) -> None:
    """The level before, until a hand goes down or a card is dealt: the end of its pile, and what its last card did."""
    _head(canvas, view, words)
    ruled = _rules(canvas, 34, view, words)
    late = sentences.why_ended(view, words, lambda cards: few(cards, 40))
    more = bool(late or ended.aside)
    y = 16 if ruled else 18
    x = 0
    for pile, direction in zip(ended.piles, view.directions, strict=True):
        x += canvas.icon(x, y, SIGNS[direction] if len(ended.piles) > 1 else PILE, 8) + 3
        room = canvas.width - x if pile is ended.piles[-1] else canvas.width // 2 - x - 3
        faces = (WORD12, WORD9, WORD8_BOLD)[ruled + more :]
        x += canvas.text(x, y, newest(pile, room), faces, room=room) + 6
    if late:
        canvas.text(0, 25 if ruled else 29, late, LINES[2:] if ruled else LINES)
    elif more:
        y = 25 if ruled else 29
        x = canvas.text(0, y + 1, words.say("aside"), WORD6) + 4
        canvas.text(x, y, few(ended.aside, canvas.width - x), (WORD8_BOLD, WORD6_BOLD))
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
    _rules(canvas, 34, view, words)
    foot(canvas, sentences.saying(view, words), words)


def _focus(canvas: Canvas, view: View, words: Words) -> None:
    if view.ended is not None:
        _ended(canvas, view, words, view.ended)
        return
    if view.reason == "level":
        _head(canvas, view, words)
        _rules(canvas, 17, view, words)
        canvas.icon(0, 27, HAND)
        chips(canvas, 15, 26, view.seats, view.hands_down, 113)
        foot(canvas, sentences.saying(view, words), words)
        return
    if view.reason == "stop" and asked(canvas, view, words, _title(view, words), HAND, view.hands_down):
        return
    choosing = sentences.choosing(view)
    ready = [seat for seat in view.seats if seat not in view.waiting] if choosing else view.hands_down
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
    """Top cards at the left; at the right a title, what lies aside or is left, and the seats; the foot."""
    left = _tops(canvas, view) + 5
    room = canvas.width - left
    wide = canvas.text(left, 1, title, (WORD11, WORD9, WORD8_BOLD), room=room)
    if not sign:
        canvas.text(left, 29, stock(view), WORD8)
    elif wide + 5 + measure(stock(view), WORD8) <= room:
        canvas.text(canvas.width, 0, stock(view), WORD8, align="right")
    aside = view.last_error.aside if view.reason == "error" and view.last_error else view.aside
    if view.reason == "star" and view.hands == "unknown":  # what lies aside from before would only mislead
        to_show = words.many("{n} card to show", "{n} cards to show", view.star_left or 0)
        canvas.text(left, 16, to_show if view.star_left else _counts(view), (WORD8_BOLD, WORD8, WORD6), room=room)
    elif aside and (view.reason in ("error", "star") or view.phase == "reveal"):
        label = words.say("aside")
        used = canvas.text(left, 17, label, WORD6, room=room) + 4
        canvas.text(left + used, 16, few(aside, room - used), (WORD8_BOLD, WORD6_BOLD))
    else:
        canvas.text(left, 16, _counts(view), WORD8, room=room)
    if sign:
        beside = 14 if len(view.seats) * 14 + 13 <= room else 0
        if beside:
            canvas.icon(left, 27, sign)
        chips(canvas, left + beside, 26, view.seats, ready, room - beside)
    foot(canvas, sentences.saying(view, words), words)


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
    if said.what and not said_beside(canvas, view, said, words):
        _beside(canvas, view)
        foot(canvas, said, words)
    elif said.what:
        return
    elif view.blind:
        canvas.emblem(6, 4, "blind", 56)
        column(canvas, view, words)
    elif len(view.piles) == 2:
        two_piles(canvas, view, 20, 44)
        canvas.icon(0, 1, UP)
        canvas.icon(canvas.width - 11, 1, DOWN)
        canvas.text(16, 2, f"{PILE}{len(view.piles[0])}", WORD9)
        canvas.text(canvas.width - 16, 2, f"{PILE}{len(view.piles[1])}", WORD9, align="right")
        canvas.text(64, 0, f"{CARDS}{view.remaining}", WORD12, align="center")
        if house_rule(len(view.seats)):
            canvas.text(64, 13, words.say("House rule"), WORD6, align="center")
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
    canvas.text(64, 43, f"{said.what} · {said.how}", (WORD6_BOLD, WORD6), align="center")
    canvas.icon(0, 52, STAR)
    chips(canvas, 15, 51, view.seats, view.agreed, 113)


def _reveal(canvas: Canvas, view: View, words: Words) -> None:
    _table(canvas, view, words, _title(view, words))


def _end(canvas: Canvas, view: View, words: Words, emblem: str, title: str) -> None:
    canvas.emblem(3, 3, emblem, 32)
    canvas.text(43, 1, title, (*HEADS, *LINES))
    level = sentences.done(view)
    text = sentences.level_done(view, words) if level else words.say("No level done")
    canvas.text(43, 19, text, LINES)
    if view.best:
        canvas.text(43, 30, words.say("Best: {level}", level=view.best), WORD8)
    if view.lives:
        canvas.text(canvas.width, 30, stock(view), WORD8, align="right")
    foot(canvas, sentences.saying(view, words), words)


def _won(canvas: Canvas, view: View, words: Words) -> None:
    _end(canvas, view, words, "trophy", words.say("Blind won!") if view.blind else words.say("Won!"))


def _lost(canvas: Canvas, view: View, words: Words) -> None:
    _end(canvas, view, words, "broken", words.say("Lost"))


def _menu(canvas: Canvas, view: View, words: Words) -> None:
    assert view.menu is not None
    canvas.disc((0, 0, canvas.width, 13))
    title = canvas.text(4, 3, words.say("Menu"), WORD8_BOLD, ink=0)
    close = words.say("seat: close")
    canvas.text(canvas.width - 4, 3, close, (WORD8, WORD6), room=canvas.width - title - 14, align="right", ink=0)
    canvas.text(64, 18, words.say(sentences.MENU[view.menu]), HEADS, align="center")
    if "saving" in view.faults:
        foot(canvas, sentences.saving(words), words)
        return
    canvas.text(64, 38, _value(view, view.menu, words), LINES, align="center")
    canvas.text(0, 54, words.say("Tap ★: next"), (WORD8, WORD6), room=58)
    canvas.text(canvas.width, 54, words.say("Hold ★: choose"), (WORD8, WORD6), room=66, align="right")


def _value(view: View, item: Item, words: Words) -> str:
    """How the item stands now, as far as the View tells; else what it does."""
    say = words.say
    if item in CORRECTIONS:
        return f"{HEART}{view.lives} {STAR}{view.stars}"
    if item == "variant":
        return say(sentences.VARIANTS[view.variant])
    if item == "hands":
        return say("Deal by scan") if view.hands == "known" else say("The box counts")
    if item == "stars":
        return say("No stars") if view.no_stars else say("With stars")
    if item == "blind":
        checks = {None: say("Off"), "as_played": say("Cards shown as laid"), "at_end": say("Pile shown at end")}
        return checks[view.check]
    if item == "language":
        return LANGUAGE_NAMES[words.language]
    about = sentences.ALL_AGREE if "all_agree" in view.notices else sentences.ABOUT[item]
    return say(about)


def _asking(canvas: Canvas, view: View, words: Words) -> None:
    assert view.asking is not None
    questions: dict[Question, str] = {
        "level-done": words.say("Level done?"),
        "end-game": words.say("End the game?"),
        "shut-down": words.say("Shut down?"),
    }
    hands = view.asking == "level-done"
    canvas.text(64, 3 if hands else 13, questions[view.asking], HEADS, align="center")
    if hands:
        canvas.icon(0, 25, HAND)
        chips(canvas, 15, 24, view.seats, view.hands_down, 113)
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
