"""Facts of the level just ended in few words: a name to glance at, and what of it (MIND: between levels only)."""

from __future__ import annotations

from mind_box.show.canvas import Canvas
from mind_box.show.fonts import WORD8, WORD8_BOLD, WORD9, WORD11, WORD12, WORD14
from mind_box.show.words import Words
from mind_box.table.facts import Fact
from mind_box.table.view import View

HARDLY = 0.03
"""A star that changes a chance by less is hardly worth one."""


def fact_in_words(fact: Fact, words: Words) -> tuple[str, str]:
    """What it is of, and what there is to say."""
    say, figures = words.say, fact.figures
    name = " · ".join(map(str, fact.cards))
    match fact.kind:
        case "slip":
            return name, say("{s} s too early", s=f"{figures[0]:.1f}") if figures else say("too early")
        case "star":
            hardly = abs(figures[1] - figures[0]) < HARDLY
            before, with_star = (round(100 * chance) for chance in figures)
            both = say("{star} %, not {chance}", star=with_star, chance=before)
            return say("With ★"), say("no real help") if hardly else both
        case "closest":
            return name, say("{s} s apart", s=f"{figures[0]:.2f}")
        case "together":
            return name, say("together")
        case "hesitation":
            return name, say("after {s} s, not {usual}", s=f"{figures[0]:.1f}", usual=f"{figures[1]:.1f}")
        case "risk":
            return name, say("risk {percent} %", percent=round(100 * figures[0]))
        case "tempo":
            return f"{figures[0]:.2f} s", say("a number")
        case "spread":
            return f"±{100 * figures[0]:.0f} %", say("your waits")
        case "play":
            return f"{figures[0]:.0f} s", say("of play")


def most_telling(view: View, words: Words) -> str:
    """The one line; empty where there is nothing."""
    return ": ".join(fact_in_words(view.told[0], words)) if view.told else ""


def of_a_star(view: View, words: Words) -> str:
    """What a star before the error would have done; empty where that is not told."""
    return next((": ".join(fact_in_words(fact, words)) for fact in view.told if fact.kind == "star"), "")


def open_fact(view: View, words: Words) -> tuple[str, str]:
    """What the open story shows."""
    if not view.told or view.story is None:
        return words.say("Nothing to tell"), ""
    return fact_in_words(view.told[min(view.story, len(view.told) - 1)], words)


def draw_story(canvas: Canvas, view: View, words: Words) -> None:
    """The open story on a lying screen: one fact, and which of how many."""
    canvas.disc((0, 0, canvas.width, 13))
    title = canvas.text(4, 3, words.say("Story"), WORD8_BOLD, ink=0)
    close = words.say("seat: close")
    canvas.text(canvas.width - 4, 3, close, WORD8, room=canvas.width - title - 14, align="right", ink=0)
    name, text = open_fact(view, words)
    canvas.text(64, 19, name, (WORD14, WORD12, WORD11, WORD9), align="center")
    canvas.text(64, 39, text, (WORD8_BOLD, WORD8), align="center")
    if len(view.told) > 1 and view.story is not None:
        canvas.text(0, 54, words.say("★: next"), WORD8)
        canvas.text(canvas.width, 54, f"{view.story + 1}/{len(view.told)}", WORD8, align="right")
