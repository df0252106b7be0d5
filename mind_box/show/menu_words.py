"""What the menu says beside the names of its items: how an item stands now, and what it asks."""

from __future__ import annotations

from mind_box.game.figures import CORRECTIONS
from mind_box.show.icons import HEART, STAR
from mind_box.show.sentences import ABOUT, ALL_AGREE, VARIANTS
from mind_box.show.words import LANGUAGE_NAMES, Words, mark
from mind_box.table.menu import Item, Question
from mind_box.table.view import View

QUESTIONS: dict[Question, str] = {
    "level-done": mark("Level done?"),
    "end-game": mark("End the game?"),
    "shut-down": mark("Shut down?"),
}


def standing(view: View, item: Item, words: Words) -> str:
    """How the item stands now, as far as the View tells; else what it does."""
    say = words.say
    if item in CORRECTIONS:
        return f"{HEART}{view.lives} {STAR}{view.stars}"
    if item == "variant":
        return say(VARIANTS[view.variant])
    if item == "hands":
        return say("Deal by scan") if view.hands == "known" else say("The box counts")
    if item == "stars":
        return say("No stars") if view.no_stars else say("With stars")
    if item == "blind":
        checks = {None: say("Off"), "as_played": say("Cards shown as laid"), "at_end": say("Pile shown at end")}
        return checks[view.check]
    if item == "language":
        return LANGUAGE_NAMES[words.language]
    about = ALL_AGREE if "all_agree" in view.notices else ABOUT[item]
    return say(about)
