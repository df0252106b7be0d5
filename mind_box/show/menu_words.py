"""What the menu says beside the names of its items: how an item stands now, and what it asks."""

from __future__ import annotations

from mind_box.game.figures import CORRECTIONS
from mind_box.show.icons import HEART, STAR
from mind_box.show.sentences import VARIANTS
from mind_box.show.words import LANGUAGE_NAMES, Words, mark
from mind_box.table.menu import Item, Question
from mind_box.table.view import View

QUESTIONS: dict[Question, str] = {
    "level-done": mark("Level done?"),
    "end-game": mark("End the game?"),
    "shut-down": mark("Shut down?"),
}


UPDATE_COMES = mark("The update comes: the box starts again by itself")
NO_UPDATE = mark("No update: {why}")

ABOUT: dict[Item, str] = {
    "undo": mark("takes the last step back"),
    "level-done": mark("when cards were missed"),
    "all-hands": mark("for a broken button"),
    "count": mark("without known hands"),
    "story": mark("what there is to tell"),
    "end-game": mark("back to the lobby"),
    "shut-down": mark("before unplugging"),
    "start": mark("with the hands held"),
    "deck": mark("original or Extreme"),
    "sound": mark("on or off"),
    "self-test": mark("buttons, lamps, screens"),
    "update": mark("a new version"),
}
"""What a menu item does, where its name may leave doubts."""

ALL_AGREE = mark("all agree to the star")
"""What ``all-hands`` does in a menu that was opened out of a vote."""


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
    if item == "ghosts":
        if view.ghosts_to_come is None:
            return say("Reader not covered")
        return words.many("{n} ghost", "{n} ghosts", view.ghosts_to_come) if view.ghosts_to_come else say("None")
    if item == "blind":
        checks = {None: say("Off"), "as_played": say("Cards shown as laid"), "at_end": say("Pile shown at end")}
        return checks[view.check]
    if item == "language":
        return LANGUAGE_NAMES[words.language]
    about = ALL_AGREE if "all_agree" in view.notices else ABOUT[item]
    return say(about)
