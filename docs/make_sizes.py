"""Makes docs/sizes.md, how large what is shown is to an eye: ``python -m docs.make_sizes``, or ``make docs-pages``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mind_box.show.canvas import Canvas
from mind_box.show.gallery import seats_shown
from mind_box.show.samples import SAMPLES
from mind_box.show.seat_screen import draw_seat
from mind_box.show.table_screen import draw_table
from mind_box.show.words import LANGUAGES, words_for
from mind_box.table.view import View

PAGE = Path(__file__).parent / "sizes.md"

READ_FROM, GLANCED_FROM = 600.0, 1200.0
"""Millimetres to the eye: of whoever sits there and reads, and of whoever glances at the top card across the table."""
TO_READ, TO_GLANCE = 16.0, 30.0
"""Arc minutes of a capital and of a digit that are comfortable for it."""
PITCH = {"0.91": 22.384 / 128, "0.96": 21.744 / 128, "1.3": 29.42 / 128, "2.42": 55.01 / 128}
"""Millimetres from pixel to pixel: the lit width in the data sheets of the common panels, by inches."""


@dataclass(frozen=True)
class Sizes:
    """What one kind of screen shows, in pixels of height: the smallest there is, over all samples and languages."""

    inches: str
    where: str
    word: int
    card: int
    card_in_play: int

    def minutes(self, pixels: int, distance: float = READ_FROM) -> float:
        """Arc minutes of so many rows from so far away, millimetres."""
        return math.degrees(math.atan(pixels * PITCH[self.inches] / distance)) * 60


def sizes() -> Iterator[Sizes]:
    """Each kind of screen in each place where it may stand."""
    table = [(view, draw_table(view, words_for(language), (128, 64))) for language in LANGUAGES for view in _views()]
    for inches in ("2.42", "1.3", "0.96"):
        yield _measured(inches, "table", table)
    for inches, height in (("2.42", 64), ("1.3", 64), ("0.96", 64), ("0.91", 32)):
        seat = [
            (view, draw_seat(view, number, words_for(language), (128, height)))
            for language in LANGUAGES
            for _, view, number in seats_shown()
        ]
        yield _measured(inches, "seat", seat)


def _views() -> list[View]:
    return list(SAMPLES.values())


def _measured(inches: str, where: str, shown: list[tuple[View, Canvas]]) -> Sizes:
    words = [mark.cap for _, canvas in shown for mark in canvas.marks if mark.cap]
    cards = list(_cards(shown, lambda view: view.phase in ("focus", "play", "vote", "reveal")))
    in_play = list(_cards(shown, lambda view: view.phase in ("play", "vote")))
    return Sizes(inches, where, min(words), min(cards), min(in_play))


def _cards(shown: list[tuple[View, Canvas]], where: Callable[[View], bool]) -> Iterator[int]:
    """How high each top card stands that is on a screen."""
    for view, canvas in shown:
        if where(view) and not view.blind and view.menu is None and view.asking is None and view.reason != "level":
            for pile in view.piles:
                caps = [mark.cap for mark in canvas.marks if pile and mark.what == str(pile[-1]).lstrip("WR")]
                if caps:
                    yield max(caps)


def text() -> str:
    """The page."""
    lines = [
        "# How large it is to an eye",
        "",
        "<!-- Made from the fonts and the pictures by `make docs-pages`: change them, not this page. -->",
        "",
        "Heights of capitals and digits in arc minutes, measured on every screen there is in all four languages: the",
        f"smallest of each kind. Words, and all of a seat's own screen, are read from {READ_FROM / 10:.0f} cm, where "
        f"{TO_READ:.0f} arc minutes are",
        f"comfortable; the top card of a table screen is glanced at from {GLANCED_FROM / 1000:.1f} m and wants "
        f"{TO_GLANCE:.0f}. What is less stands in brackets.",
        "",
        "| panel | where | words | top card | top card in play |",
        "|---|---|---|---|---|",
    ]
    for s in sizes():
        far, wanted = (GLANCED_FROM, TO_GLANCE) if s.where == "table" else (READ_FROM, TO_READ)
        cards = (_cell(s, pixels, far, wanted) for pixels in (s.card, s.card_in_play))
        lines.append(f"| {s.inches} inch | {s.where} | {_cell(s, s.word, READ_FROM, TO_READ)} | {' | '.join(cards)} |")
    lines += [
        "",
        "So the table screens of both builds are of 2.42 inch, and no smaller panel is enough. What fits at a seat,",
        "below its button, is 0.91 inch (40 x 14 mm), a reminder for one player who bends over it: so no build has",
        "screens at the seats, and whoever wants them takes [seats.toml](../hardware/seats.toml).",
    ]
    return "\n".join(lines) + "\n"


def _cell(s: Sizes, pixels: int, distance: float, wanted: float) -> str:
    minutes = s.minutes(pixels, distance)
    shown = f"{math.floor(minutes)}′ ({pixels} px)"
    return shown if minutes >= wanted else f"({shown.replace(' (', ', ').rstrip(')')})"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(f"{PAGE}: made anew")
