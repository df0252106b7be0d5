"""The View in sentences: what a screen reader says, and what the pages write beside the pictures."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from mind_box.game.cards import Card
from mind_box.game.figures import house_rule
from mind_box.game.state import Ended
from mind_box.page.happened import Entry
from mind_box.show.menu_words import QUESTIONS, standing
from mind_box.show.sentences import MENU, VARIANTS, Saying, saying
from mind_box.show.telling import open_fact
from mind_box.show.words import LANGUAGES, Words, mark, words_for
from mind_box.table.view import View

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "page"

NEWS: dict[str, str] = {
    "laid": mark("{card} laid."),
    "laid_blind": mark("A card laid face down."),
    "ghost_laid": mark("Seat {seat}, a ghost, lays {card}: card {place} of its row."),
    "ghost_laid_blind": mark("Seat {seat}, a ghost, lays card {place} of its row face down."),
    "error": mark("Error: {early} was too early, a life is lost. Aside: {cards}."),
    "late": mark("Late: {cards} aside. {early} has been paid for already."),
    "aside": mark("Aside: {cards}."),
    "star_used": mark("A star is used."),
    "star_off": mark("The star is called off."),
    "stopped": mark("Stop."),
    "level_complete": mark("Level {level} done."),
    "reward_life": mark("A life is won."),
    "reward_star": mark("A star is won."),
    "reward_void": mark("The reward is void."),
    "game_won": mark("The game is won!"),
    "game_lost": mark("The game is lost."),
    "undone": mark("Taken back."),
    "corrected": mark("Corrected."),
    "resumed": mark("The power was off; the game goes on where it was."),
}
"""A sentence for each code that ``mind_box.page.happened`` tells."""

_SIGNS = {
    "★": mark("star"), "♥": mark("life"), "▲": mark("up"), "▼": mark("down"), "±": mark("plus or minus"),
    "−": mark("minus"),
}  # fmt: skip
"""What the screens draw and a voice cannot say."""


@cache
def page_words(language: str) -> Words:
    """The pages' own words. Raises ``ValueError`` for a language that the box does not speak."""
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    return Words(language, gettext.translation(DOMAIN, LOCALE, [language], fallback=True))


def spoken_news(entries: Iterable[Entry], language: str = "en") -> list[str]:
    """A sentence for each entry."""
    words = page_words(language)
    return [_sentence(entry, words) for entry in entries]


def _sentence(entry: Entry, words: Words) -> str:
    values = {name: _cards(v) if name == "cards" else v for name, v in entry.items() if name != "code"}
    return words.say(NEWS[entry["code"]], **values)


def _cards(cards: Sequence[Card]) -> str:
    return ", ".join(map(str, cards))


def shown_todo(view: View, language: str = "en") -> str:
    """What the table screen says at its foot, as one line to read; signs stay signs."""
    said = saying(view, words_for(language))
    return _joined(said.what, _how(said, language))


def _how(said: Saying, language: str) -> str:
    return page_words(language).say(NEWS["aside"], cards=_cards(said.aside)) if said.aside else said.how


def spoken_todo(view: View, language: str = "en") -> str:
    """What the table screen says at its foot, or its menu, for a voice: signs are words."""
    words, own = words_for(language), page_words(language)
    said = saying(view, words)
    lines = [said.what, _how(said, language)]
    if view.phase == "play" and not any(lines):
        lines = [own.say("Play is on: lay your lowest card when you feel that it is time.")]
    if "saving" not in view.faults and view.asking is not None:
        lines.insert(0, words.say(QUESTIONS[view.asking]))
    elif view.story is not None:
        lines = [" ".join(open_fact(view, words))]
    elif "saving" not in view.faults and view.menu is not None:
        lines = [
            own.say("Menu: {item}", item=", ".join((words.say(MENU[view.menu]), standing(view, view.menu, words)))),
            own.say("Tap the star button for the next item, hold it to choose; any seat closes the menu."),
        ]
    return _voiced(_joined(*lines), own)


def _joined(*lines: str) -> str:
    """Lines of a screen as one text: sentences, but where a line goes on with the one before it."""
    text = ""
    for line in filter(None, lines):
        goes_on = line[:1].islower() or text.endswith((",", "?", ".", "!"))
        text = f"{text}{' ' if goes_on else '. '}{line}" if text else line
    return text


def _voiced(line: str, words: Words) -> str:
    for sign, word in _SIGNS.items():
        line = line.replace(sign, f" {words.say(word)} ")
    return re.sub(r" +(?=[:,.?!\u00a0 ])", "", line).strip()


def spoken_state(view: View, language: str = "en") -> str:
    """Where the game is: one line that says what the lamps and the table screen show."""
    words = page_words(language)
    variant = words_for(language).say(VARIANTS[view.variant])
    if view.phase == "lobby":
        return words.say("No game yet. Next: {variant}.", variant=variant)
    parts = [
        words.say("Level {level} of {last}.", level=view.level, last=view.last_level),
        f"{words_for(language).say('House rule')}." if house_rule(len(view.seats)) else "",
        words.many("{n} life,", "{n} lives,", view.lives) + " " + words.many("{n} star.", "{n} stars.", view.stars),
    ]
    if view.phase == "won":
        parts.append(words.say("Won."))
    elif view.phase == "lost":
        parts.append(words.say("Lost."))
    elif view.ended is not None:
        parts += [_finished(view.ended, words), spoken_end(view, language)]
    else:
        parts += [_piles(view, words), words.many("{n} card in hands.", "{n} cards in hands.", view.remaining)]
    return " ".join(part for part in parts if part)


def _finished(ended: Ended, words: Words) -> str:
    piles = "; ".join(_cards(pile) for pile in ended.piles if pile)
    parts = [words.say("The finished pile: {cards}.", cards=piles)] if piles else []
    if ended.aside:
        parts.append(words.say("Aside: {cards}.", cards=_cards(ended.aside)))
    return " ".join(parts)


def spoken_end(view: View, language: str = "en") -> str:
    """The error that the last card of the level just ended brought; empty without one."""
    ended, words = view.ended, page_words(language)
    if ended is None or not ended.late:
        return ""
    values = {"cards": _cards(ended.late), "early": ended.early}
    if not ended.paid:
        return words.say("{cards} after {early}, which has been paid for already.", **values)
    return words.say("{cards} after {early}: a life is lost.", **values)


def _piles(view: View, words: Words) -> str:
    if view.blind and view.phase != "reveal":
        return words.say("The pile lies face down.")
    tops = [str(pile[-1]) for pile in view.piles if pile]
    return words.say("On top: {cards}.", cards=", ".join(tops)) if tops else words.say("The pile is empty.")


def labels(language: str = "en") -> dict[str, str]:
    """The fixed words of the table page."""
    words = page_words(language)
    return {
        "level": words.say("Level"),
        "evenings": words.say("Evenings"),
        "lives": words.say("Lives"),
        "stars": words.say("Stars"),
        "pile": words.say("Pile"),
        "up": words.say("Pile up"),
        "down": words.say("Pile down"),
        "aside": words.say("Aside"),
        "hands": words.say("In hands"),
        "seats": words.say("Seats"),
        "ten": words.say("Next ten"),
        "story": words.say("This level so far"),
        "early": words.say("too early"),
        "late": words.say("late"),
        "scan": words.say("Look at this page on your phone"),
        "empty": words.say("empty"),
        "face_down": words.say("face down"),
        "lost": words.say("No connection to the box: what you see is old. It is looked for …"),
        "full": words.say("All places are taken: too many are looking already. It is tried again …"),
        "share": words.say("Too many pages are open from here. Close one; it is tried again …"),
    }
