"""A level and an evening as pictures that people would keep, and a narrow form of both for a phone held upright."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from mind_box.evening.figures import GameFigures
from mind_box.evening.tempo import Tempo
from mind_box.evening.told import Level, TurnedCard
from mind_box.game.cards import Card
from mind_box.page.evenings.drawing import Drawing, Point
from mind_box.show.words import Words

WIDTH, HEIGHT = 760.0, 460.0
NARROW = 380.0
"""How wide the form for a phone is: its letters are about as large there as those of the other on a desk."""
LEFT, RIGHT, TOP, BOTTOM = 46.0, 20.0, 46.0, 44.0
RISING = ((True, True), (False, False), (False, True), (True, False))
FALLING = RISING[2:] + RISING[:2]
LATE = RISING[1:] + RISING[:1]
"""Where a card's number may stand, the best first, beside the line and not upon it: left of it, above it."""
LETTER = 0.56
"""How wide a letter is at most in the mean, by its size: what is drawn is not set by us, and nobody measures it."""
ROW = 18.0
"""Points from row to row of the legend."""


class Scale:
    """From values to points."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        self.low, self.high, self._begin = low, max(high, low + 1e-9), begin
        self._by = (end - begin) / (self.high - self.low)

    def __call__(self, value: float) -> float:
        return self._begin + (value - self.low) * self._by

    def ticks(self, about: int) -> list[float]:
        """Round values, about so many."""
        raw = (self.high - self.low) / about
        power = 10.0 ** floor(log10(raw))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
        return [step * i for i in range(ceil(self.low / step), floor(self.high / step + 1e-9) + 1)]


def number_of(card: Card) -> int:
    """Of an Extreme card without its colour."""
    return card if isinstance(card, int) else int(card[1:])


def level_picture(figures: GameFigures, level: Level, words: Words, width: float = WIDTH) -> Drawing:
    """Time to the right, numbers upwards; without times the order in which cards were turned up.

    ``width``: ``WIDTH`` or ``NARROW`` points.
    """
    timed = level.play is not None and all(card.t is not None for card in level.cards)
    title = words.say("Level {level}", level=level.number)
    below = words.say("seconds of play") if timed else words.say("in this order; no times are known")
    rows = _legend_rows(level, words, width, below)
    drawing = Drawing(width, HEIGHT + ROW * (len(rows) - 1), title)
    end = max(level.play or 0.0, 0.5) if timed else max(len(level.cards), 1)
    across = Scale(0.0, end * 1.03, LEFT, width - RIGHT)
    numbers = [abs(start) for start in figures.game.order.starts]
    numbers += [number_of(card.card) for card in level.cards]
    up = Scale(floor(min(numbers) / 10) * 10, ceil(min(max(numbers), 100) / 10) * 10, HEIGHT - BOTTOM, _top(width))
    _frame(drawing, across, up, below)
    place = {
        card.card: (across(card.t if timed and card.t is not None else i + 0.5), up(number_of(card.card)))
        for i, card in enumerate(level.cards)
    }
    drawing.text((LEFT, 22), f"{title} · {_ending(level, words)}", size=16, bold=True)
    tempo = figures.tempo_of(level) or (None if level.blind else figures.tempo)
    if timed and tempo is not None and not level.blind:
        _table_line(drawing, figures, level, tempo, across, up, words)
    kept = [card for card in level.cards if card.how == "laid"]
    for pile in range(len(figures.game.order.directions)):
        points = [place[card.card] for card in kept if figures.game.order.pile_of.get(card.card) == pile]
        drawing.line(points, "soft", 1.5)
    for slip in level.slips:
        for late in slip.late:
            drawing.line([place[slip.early], place[late]], "heart", 2)
    _cards(drawing, level.cards, place)
    _legend(drawing, rows)
    return drawing


def _top(width: float) -> float:
    """Where the numbers end; the narrow form has two lines above."""
    return TOP if width > NARROW else TOP + ROW


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Sign = tuple[str, str, float]
"""Of the legend: what is drawn, what it means, and where from the left."""


def _legend_rows(level: Level, words: Words, width: float, below: str) -> list[list[Sign]]:
    """What the signs mean that are in this picture, in as few rows as they need; the first is shared with ``below``."""
    seats = sorted({card.seat for card in level.cards if card.seat is not None and card.how == "laid"})
    signs = [(f"seat{seat}", words.say("seat {seat}", seat=seat)) for seat in seats]
    if any(card.how in ("late", "aside") for card in level.cards):
        signs.append(("cross", words.say("too late")))
    if any(card.how == "star" for card in level.cards):
        signs.append(("star", words.say("by a star")))
    rows: list[list[Sign]] = [[]]
    x, end = LEFT, width - RIGHT - _wide(below, 12)
    for sign, text in signs:
        wide = 24 + _wide(text, 12)
        if x + wide > end:
            rows.append([])
            x, end = LEFT, width - RIGHT + 10
        rows[-1].append((sign, text, x))
        x += wide
    return rows


def _legend(drawing: Drawing, rows: Sequence[Sequence[Sign]]) -> None:
    for n, row in enumerate(rows):
        y = HEIGHT - 14 + ROW * n
        for sign, text, x in row:
            match sign:
                case "cross":
                    drawing.cross((x + 4, y), 4, "heart")
                case "star":
                    drawing.star((x + 4, y), 7)
                case _:
                    drawing.disc((x + 4, y), 4, sign)
            drawing.text((x + 14, y + 4), text, "soft", 12)


def _wide(text: str, size: float) -> float:
    return len(text) * size * LETTER


def _fitted(text: str, size: float, room: float) -> str:
    """The text, or as much of it as there is room for."""
    return text if _wide(text, size) <= room else text[: int(room / size / LETTER) - 1].rstrip() + "…"


def _ending(level: Level, words: Words) -> str:
    ending = {"done": words.say("done"), "lost": words.say("lost")}.get(level.ending, words.say("left"))
    return f"{ending}, {level.play:.1f} s" if level.play is not None else ending


def _frame(drawing: Drawing, across: Scale, up: Scale, below: str) -> None:
    for value in across.ticks(8 if drawing.width > NARROW else 4):
        drawing.line([(across(value), _top(drawing.width)), (across(value), HEIGHT - BOTTOM)], "line", 0.7)
        drawing.text((across(value), HEIGHT - BOTTOM + 15), f"{value:g}", "soft", 11, "middle")
    for value in up.ticks(10):
        drawing.line([(LEFT, up(value)), (drawing.width - RIGHT, up(value))], "line", 0.7)
        drawing.text((LEFT - 6, up(value) + 4), f"{value:g}", "soft", 11, "end")
    drawing.text((drawing.width - RIGHT, HEIGHT - 10), below, "soft", 12, "end")


def _table_line(
    drawing: Drawing, figures: GameFigures, level: Level, tempo: Tempo, across: Scale, up: Scale, words: Words
) -> None:
    """When each card would have come at the table's own tempo."""
    order = figures.game.order
    if len(order.directions) > 1 or order.directions[0] == "out":
        return  # two ways at once are no line
    last, at = order.starts[0], 0.0
    points = [(across(0.0), up(abs(last)))]
    for card in level.cards:
        if card.how != "laid":
            continue
        key = order.key[card.card]
        at += tempo.r0 + tempo.p * (key - last)
        last = key
        if at > across.high:
            break
        points.append((across(at), up(number_of(card.card))))
    drawing.line(points, "tempo", 1.5, dashed=True)
    text = words.say("dashed: {p} s a number", p=f"{tempo.p:.2f}")
    drawing.text((drawing.width - RIGHT, 22 if drawing.width > NARROW else 40), text, "tempo", 12, "end")


def _cards(drawing: Drawing, cards: Sequence[TurnedCard], place: dict[Card, Point]) -> None:
    for card in cards:
        at = place[card.card]
        role = f"seat{card.seat}" if card.seat is not None and card.seat <= 8 else "ink"
        if card.how == "star":
            drawing.star(at, 8)
        elif card.how == "laid":
            drawing.disc(at, 5, role)
        else:
            drawing.cross(at, 5, "heart")
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in place.values()]
    last = 0.0
    for card in cards:
        (x, y), role = place[card.card], f"seat{card.seat}" if card.seat is not None and card.seat <= 8 else "ink"
        sides = LATE if card.how != "laid" else RISING if y <= last or not last else FALLING
        last = y if card.how == "laid" else last
        for left, above in sides:
            wide = _wide(str(card.card), 13)
            corner = x - 6 - wide if left else x + 6, y - 16 if above else y + 7
            box = (*corner, corner[0] + wide, corner[1] + 9)
            inside = box[0] > LEFT and box[2] < drawing.width - RIGHT
            if inside and not any(_meet(box, other) for other in taken):
                drawing.text(
                    (box[2] if left else box[0], box[3]), card.card, role, 12, "end" if left else "start", True
                )
                taken.append(box)
                break


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def evening_picture(figures: GameFigures, title: str, words: Words, width: float = WIDTH) -> Drawing:
    """Lives and stars through the evening; tempo and synchrony from level to level.

    ``width``: ``WIDTH`` or ``NARROW`` points.
    """
    game = figures.game
    tempos = [figures.tempo_of(level) for level in game.levels]
    drawing = Drawing(width, 520.0, title)
    left = LEFT if width > NARROW else 16.0
    drawing.text((left, 22), _fitted(title, 16, width - left - RIGHT), size=16, bold=True)
    across = Scale(0, max(len(game.levels), 4), LEFT + 40, width - RIGHT)
    for i, level in enumerate(game.levels):
        x = across(i + 0.5)
        drawing.line([(x, 40), (x, 480)], "line", 0.7)
        name = f"{level.number}" + ("*" if level.blind else "")
        drawing.text((x, 496), name, "soft", 12, "middle")
        if level.ending != "done":
            drawing.cross((x, 510), 4, "heart")
        for n in range(level.lives[1]):
            drawing.heart((x, 128 - 15 * n), 6)
        for n in range(level.lives[1], level.lives[0]):
            drawing.heart((x, 128 - 15 * n), 6, filled=False)
        for n in range(level.stars[1]):
            drawing.star((x, 190 - 15 * n), 7)
    drawing.text((LEFT - 30, 100), words.say("Lives"), "soft", 12)
    drawing.text((LEFT - 30, 180), words.say("Stars"), "soft", 12)
    drawing.text((drawing.width - RIGHT, 514), words.say("Level"), "soft", 12, "end")
    rows = [(t.p, t.p95) if t else None for t in tempos]
    _row(drawing, across, rows, (225.0, 335.0), words.say("Seconds a number"), "tempo")
    spreads = [(t.w, None) if t else None for t in tempos]
    _row(drawing, across, spreads, (365.0, 470.0), words.say("Spread of the waits"), "ink")
    return drawing


def _row(
    drawing: Drawing,
    across: Scale,
    values: Sequence[tuple[float, tuple[float, float] | None] | None],
    band: tuple[float, float],
    name: str,
    role: str,
) -> None:
    """One figure from level to level, with its intervals where it has some."""
    there = [(i, *value) for i, value in enumerate(values) if value is not None]
    drawing.text((LEFT - 30, band[0] - 4), name, "soft", 12)
    if not there:
        return
    most = max(value for _, value, _ in there)
    high = min(max(most, *(i95[1] if i95 else value for _, value, i95 in there)), most * 2)
    up = Scale(0.0, high * 1.1, band[1], band[0])
    for value in up.ticks(3):
        drawing.line([(across.low + LEFT + 40, up(value)), (drawing.width - RIGHT, up(value))], "line", 0.7)
        drawing.text((LEFT + 34, up(value) + 4), f"{value:g}", "soft", 11, "end")
    drawing.line([(across(i + 0.5), up(value)) for i, value, _ in there], role, 1.5)
    for i, value, i95 in there:
        x = across(i + 0.5)
        if i95 is not None:
            low, top = (up(min(max(end, 0.0), high * 1.1)) for end in i95)
            drawing.line([(x, low), (x, top)], role, 1.2)
            for y in (low, top):
                drawing.line([(x - 4, y), (x + 4, y)], role, 1.2)
        drawing.disc((x, up(value)), 4, role)
