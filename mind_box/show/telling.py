"""Facts of the level just ended in few words: a name to glance at, and what of it (MIND: between levels only)."""

from __future__ import annotations

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
            return "★", say("no real help") if hardly else say("{star} %, not {chance}", star=with_star, chance=before)
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
