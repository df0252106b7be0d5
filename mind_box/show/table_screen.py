"""The table screen, 128x64: one large thing to glance at, and at the foot two lines that say what to do."""

from __future__ import annotations

from mind_box.game.cards import Card
from mind_box.show import sentences
from mind_box.show.canvas import Canvas, measure
from mind_box.show.fonts import (
    DIGITS,
    WORD6,
    WORD6_BOLD,
    WORD8,
    WORD8_BOLD,
    WORD9,
    WORD11,
    WORD12,
    WORD14,
)  # fmt: skip
from mind_box.show.icons import CARDS, DOWN, HAND, HEART, PILE, STAR, UP
from mind_box.show.words import LANGUAGE_NAMES, Words
from mind_box.table.view import View

FOOT = 40
"""The row where the foot begins; digits of 40 rows stand above it."""
LINES = (WORD8_BOLD, WORD8, WORD6_BOLD, WORD6)
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


# -- parts


def foot(canvas: Canvas, said: sentences.Saying) -> None:
    """Two lines at the foot, dark on light when something is wrong."""
    ink = 1
    top = canvas.height - 24
    if said.loud:
        canvas.disc((0, top, canvas.width, canvas.height))
        ink = 0
    lines = [line for line in (said.what, said.how) if line]
    room = canvas.width - (4 if said.loud else 0)
    for row, line in enumerate(lines):
        y = top + (3, 14)[row] if len(lines) == 2 else top + 9
        canvas.text(canvas.width // 2, y, line, LINES, room=room, align="center", ink=ink)


def chips(canvas: Canvas, x: int, y: int, seats: tuple[int, ...], done: tuple[int, ...], room: int) -> None:
    """The seats in a row: filled is done (a hand is down, a vote given), an outline is still waited for."""
    step = 14 if len(seats) * 14 - 1 <= room else min(10, (room + 1) // max(1, len(seats)))
    face = WORD8_BOLD if step == 14 else WORD6_BOLD
    for i, seat in enumerate(seats):
        box = (x + i * step, y, x + i * step + step - 1, y + 13)
        (canvas.disc if seat in done else canvas.frame)(box)
        middle = (box[0] + box[2]) // 2 + measure(str(seat), face) % 2
        canvas.text(middle, y + (13 - face.cap) // 2, str(seat), face, align="center", ink=0 if seat in done else 1)


def stock(view: View) -> str:
    """Lives and stars in the signs of the lamps."""
    stars = "" if view.no_stars and not view.stars else f" {STAR}{view.stars}"
    return f"{HEART}{view.lives}{stars}"


def number(card: Card) -> str:
    """The number on a card; its colour is said by the pile it lies on."""
    return str(card).lstrip("WR")


def _head(canvas: Canvas, view: View, words: Words) -> None:
    """The level and, at the right, what the team has."""
    held = canvas.text(canvas.width, 2, stock(view), (WORD9, WORD8), align="right")
    text = words.say("Level {level}", level=view.level)
    room = canvas.width - held - 6
    wide = canvas.text(0, 0, text, HEADS, room=room)
    of = f"/{view.last_level}"
    if view.last_level and wide + 2 + measure(of, WORD8) <= room:
        canvas.text(wide + 2, 6, of, WORD8)


def _rules(canvas: Canvas, y: int, view: View, words: Words) -> None:
    """Which game is being played, small; nothing for the plain game."""
    rules = [] if view.variant == "classic" else [words.say(sentences.VARIANTS[view.variant])]
    if view.blind:
        rules.append(words.say("Blind"))
    if view.no_stars:
        rules.append(words.say("No stars"))
    if view.hands == "known" and view.phase == "lobby":
        rules.append(words.say("Deal by scan"))
    if len(view.seats) > 4:
        rules.append(words.say("House rule"))
    if rules:
        canvas.text(0, y, " · ".join(rules), (WORD6_BOLD, WORD6))


def _tops(canvas: Canvas, view: View) -> int:
    """The top cards at the left of the upper part; returns how wide they are."""
    if view.blind and view.phase != "reveal":
        canvas.emblem(4, 2, "blind", 36)
        return 44
    if len(view.piles) == 1:
        text = number(view.pile[-1]) if view.pile else "–"
        canvas.text(0, 0, text, DIGITS[40])
        return max(48, measure(text, DIGITS[40]))
    wide = 0
    for row, (pile, arrow) in enumerate(zip(view.piles, (UP, DOWN), strict=True)):
        canvas.icon(0, row * 20 + 4, arrow)
        wide = max(wide, canvas.text(15, row * 20, number(pile[-1]) if pile else "–", DIGITS[20], room=32))
    return 15 + max(28, wide)


# -- screens


def _lobby(canvas: Canvas, view: View, words: Words) -> None:
    canvas.text(0, 1, words.say(sentences.VARIANTS[view.variant]), HEADS, room=108)
    canvas.emblem(108, 0, "star", 20)
    _rules(canvas, 20, view.__class__(variant="classic", **_options(view)), words)
    canvas.text(0, 30, words.say("★: next game · hold: menu"), (WORD6_BOLD, WORD6))
    foot(canvas, sentences.saying(view, words))


def _options(view: View) -> dict[str, object]:
    return {"blind": view.blind, "no_stars": view.no_stars, "hands": view.hands}


def _deal(canvas: Canvas, view: View, words: Words) -> None:
    _head(canvas, view, words)
    _rules(canvas, 30, view, words)
    seat = view.next_seat
    if seat is not None and view.counts is not None:
        canvas.text(0, 18, words.say("Seat {seat}", seat=seat), (WORD9, WORD8_BOLD))
        canvas.text(128, 18, f"{CARDS}{view.counts.get(seat, 0)}/{view.level}", WORD9, align="right")
    foot(canvas, sentences.saying(view, words))


def _focus(canvas: Canvas, view: View, words: Words) -> None:
    if view.reason == "level":
        _head(canvas, view, words)
        _rules(canvas, 17, view, words)
        canvas.icon(0, 27, HAND)
        chips(canvas, 15, 26, view.seats, view.hands_down, 113)
        foot(canvas, sentences.saying(view, words))
        return
    _table(canvas, view, words, _title(view, words), view.hands_down)


def _title(view: View, words: Words) -> str:
    if view.reason == "error":
        paid = view.last_error is None or view.last_error.paid
        return f"−1 {HEART}" if paid else words.say("Free")
    if view.reason == "star":
        return f"−1 {STAR}"
    return words.say("Go on") if view.reason == "resume" else words.say("Stop")


def _table(canvas: Canvas, view: View, words: Words, title: str, done: tuple[int, ...]) -> None:
    """Top cards at the left; at the right a title, what lies aside or is left, and the seats; the foot."""
    left = _tops(canvas, view) + 5
    held = measure(stock(view), WORD8)
    room = canvas.width - left
    wide = canvas.text(left, 1, title, (WORD11, WORD9, WORD8_BOLD), room=room)
    if wide + 5 + held <= room:
        canvas.text(canvas.width, 3, stock(view), WORD8, align="right")
    aside = view.last_error.aside if view.reason == "error" and view.last_error else view.aside
    if view.reason in ("error", "star") and aside:
        canvas.text(left, 15, _few(aside, room), (WORD8_BOLD, WORD6_BOLD), room=room)
    else:
        canvas.text(left, 15, _counts(view), WORD8, room=room)
    if done is not None:
        chips(canvas, left, 26, view.seats, done, room)
    foot(canvas, sentences.saying(view, words))


def _few(cards: tuple[Card, ...], room: int) -> str:
    """As many cards as fit, the last ones first to go."""
    for n in range(len(cards), 0, -1):
        text = sentences.cards(cards[:n]) + ("" if n == len(cards) else f" +{len(cards) - n}")
        if measure(text, WORD8_BOLD) <= room:
            return text
    return f"{len(cards)}"


def _counts(view: View) -> str:
    pile = "" if view.blind else f"  {PILE}{sum(map(len, view.piles))}"
    ten = f"  {_ten(view.ten)}" if view.ten is not None else ""
    return f"{CARDS}{view.remaining}{pile}{ten}"


def _ten(ten: int) -> str:
    return "100" if ten == 100 else f"{ten or 1}–{ten + 9}"


def _play(canvas: Canvas, view: View, words: Words) -> None:
    said = sentences.saying(view, words)
    if said.what:
        _beside(canvas, view)
        foot(canvas, said)
    elif len(view.piles) == 2 and not view.blind:
        _two_piles(canvas, view, 20, DIGITS[44])
        canvas.text(64, 1, f"{CARDS}{view.remaining}", WORD11, align="center")
    elif view.blind:
        canvas.emblem(2, 6, "blind", 52)
        _column(canvas, view, 60)
    else:
        text = number(view.pile[-1]) if view.pile else "–"
        face = DIGITS[52] if len(text) == 3 else DIGITS[60]
        wide = canvas.text(0, (64 - face.cap) // 2, text, face)
        _column(canvas, view, max(72, wide) + 4)


def _two_piles(canvas: Canvas, view: View, y: int, face: object) -> None:
    up, down = (number(pile[-1]) if pile else "–" for pile in view.piles)
    digits = DIGITS[44] if face is DIGITS[44] else DIGITS[40]
    canvas.text(0, y, up, digits)
    canvas.text(canvas.width, y, down, digits, align="right")
    if y:
        canvas.icon(0, 1, UP)
        canvas.icon(canvas.width - 11, 1, DOWN)


def _column(canvas: Canvas, view: View, left: int) -> None:
    """At the right of the top card: cards left in hands, cards on the pile, the ten, the team's stock."""
    right = canvas.width
    canvas.text(right, 2, f"{CARDS}{view.remaining}", WORD11, room=right - left, align="right")
    if not view.blind:
        canvas.text(right, 18, f"{PILE}{len(view.pile)}", WORD9, room=right - left, align="right")
    if view.ten is not None:
        canvas.text(right, 33, _ten(view.ten), (WORD11, WORD9), room=right - left, align="right")
    elif view.variant == "reverse" and not view.blind:
        canvas.icon(right - 11, 32, DOWN)
    elif view.variant == "fifty" and view.pile and not view.blind:
        canvas.text(right, 33, f"±{abs(int(view.pile[-1]) - 50)}", WORD9, room=right - left, align="right")
    canvas.text(right, 53, stock(view), WORD8, room=right - left, align="right")


def _beside(canvas: Canvas, view: View) -> None:
    """Play with something to say: the top card over the foot."""
    if len(view.piles) == 2 and not view.blind:
        _two_piles(canvas, view, 0, DIGITS[40])
        return
    left = _tops(canvas, view) + 5
    canvas.text(canvas.width, 2, f"{CARDS}{view.remaining}", WORD11, align="right")
    if view.ten is not None:
        canvas.text(canvas.width, 18, _ten(view.ten), WORD9, room=canvas.width - left, align="right")
    canvas.text(canvas.width, 31, stock(view), WORD8, room=canvas.width - left, align="right")


def _vote(canvas: Canvas, view: View, words: Words) -> None:
    if len(view.piles) == 2 and not view.blind:
        _two_piles(canvas, view, 0, DIGITS[40])
        said = sentences.saying(view, words)
        canvas.text(64, 42, f"{said.what} · {said.how}", (WORD6_BOLD, WORD6), align="center")
        canvas.icon(0, 52, STAR)
        chips(canvas, 15, 51, view.seats, view.agreed, 113)
        return
    _table(canvas, view, words, f"{STAR} ?", view.agreed)


def _reveal(canvas: Canvas, view: View, words: Words) -> None:
    _table(canvas, view, words, words.say("Check"), ())


def _end(canvas: Canvas, view: View, words: Words, emblem: str, title: str) -> None:
    canvas.emblem(3, 3, emblem, 32)
    canvas.text(43, 2, title, HEADS)
    canvas.text(43, 20, words.say("Level {level} done", level=sentences.done(view)), (WORD8_BOLD, WORD8))
    if view.best:
        canvas.text(43, 31, words.say("Best: {level}", level=view.best), (WORD8,))
    canvas.text(128, 31, stock(view), WORD8, align="right")
    foot(canvas, sentences.saying(view, words))


def _won(canvas: Canvas, view: View, words: Words) -> None:
    _end(canvas, view, words, "trophy", words.say("Blind won!") if view.blind else words.say("Won!"))


def _lost(canvas: Canvas, view: View, words: Words) -> None:
    _end(canvas, view, words, "broken", words.say("Lost"))


def _menu(canvas: Canvas, view: View, words: Words) -> None:
    assert view.menu is not None
    canvas.disc((0, 0, 128, 13))
    canvas.text(3, 3, words.say("Menu"), WORD8_BOLD, ink=0)
    item = words.say(sentences.MENU[view.menu])
    value = _value(view, words)
    canvas.text(64, 18, item, HEADS, align="center")
    if value:
        canvas.text(64, 36, value, LINES, align="center")
    canvas.text(0, 55, words.say("Tap ★: next"), (WORD8, WORD6), room=58)
    canvas.text(128, 55, words.say("hold: choose"), (WORD8, WORD6), room=66, align="right")


def _value(view: View, words: Words) -> str:
    say = words.say
    if view.menu == "variant":
        return say(sentences.VARIANTS[view.variant])
    if view.menu == "hands":
        return say("Deal by scan") if view.hands == "known" else say("Box counts")
    if view.menu == "stars":
        return say("No stars") if view.no_stars else say("With stars")
    if view.menu == "blind":
        return {None: say("Off"), "as_played": say("Cards shown as laid"), "at_end": say("Pile shown at end")}[view.check]
    if view.menu == "language":
        return LANGUAGE_NAMES[words.language]
    return ""


def _asking(canvas: Canvas, view: View, words: Words) -> None:
    questions = {
        "level-done": words.say("Level done?"),
        "end-game": words.say("End the game?"),
        "shut-down": words.say("Shut down?"),
    }
    canvas.text(64, 3, questions[str(view.asking)], HEADS, align="center")
    if view.asking == "level-done":
        canvas.icon(0, 25, HAND)
        chips(canvas, 15, 24, view.seats, view.hands_down, 113)
    foot(canvas, sentences.saying(view, words))


_SCREENS = {
    "lobby": _lobby,
    "deal": _deal,
    "focus": _focus,
    "play": _play,
    "vote": _vote,
    "reveal": _reveal,
    "won": _won,
    "lost": _lost,
}

__all__ = ["chips", "draw_table", "foot", "stock"]
