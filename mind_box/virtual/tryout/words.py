"""The words of the page of ``mind-box try``, in the box's language. The page holds none of its own.

A page's element names its text by a key of ``TEXTS``; a text of two forms is for one thing and for many.
"""

from __future__ import annotations

import gettext
import re
from functools import cache
from html import escape
from pathlib import Path

from mind_box.show.words import LANGUAGES, Words, mark

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "try"


def both(one: str, many: str) -> tuple[str, str]:
    """Marks a text of two forms for extraction."""
    return (one, many)


TEXTS: dict[str, str | tuple[str, str]] = {
    # the page around the box
    "title": mark("mind-box: the box in a browser"),
    "waiting": mark("Waiting for the box …"),
    "skip_cards": mark("To your cards"),
    "skip_main": mark("To the main button"),
    "no_power": mark("The box is without power."),
    "starts": mark("The box is starting …"),
    "broken": mark("The box has failed and is started again: the terminal of mind-box try says where to look."),
    "lost": mark("No connection to mind-box try: what you see is old. It is looked for …"),
    "refused_press": mark("No connection to mind-box try: that did nothing. It is looked for …"),
    "old_secret": mark("This address is from an earlier start: take the one that mind-box try printed last."),
    "no_secret": mark("Open this page with the address that mind-box try printed: it ends in a secret of this start."),
    "evenings": mark("Evenings"),
    # the box
    "box": mark("The box"),
    "lives_lit": both("{n} of {all} life lamps lit", "{n} of {all} life lamps lit"),
    "stars_lit": both("{n} of {all} star lamps lit", "{n} of {all} star lamps lit"),
    "table_screen": mark("Table screen"),
    "table_screen_n": mark("Table screen {n}"),
    "seat_screen": mark("Screen of {who}"),
    "reader": mark("Reader"),
    "card_reader": mark("Card reader"),
    "tray": mark("Tray"),
    "card_tray": mark("Tray: the pile lies under the scanner"),
    "card_reader_out": mark("Card reader, unplugged"),
    "star_button": mark("Star button"),
    "star_button_down": mark("Star button, down"),
    "hold_star": mark("Hold ★: menu"),
    "hold_star_name": mark("Hold the star button: menu"),
    "seat_button": mark("Button of {who}, seat {n}"),
    "lamp_on": mark("lamp on"),
    "down": mark("down"),
    # seats and cards
    "far": mark("The others at the table"),
    "near": mark("Your place"),
    "you": mark("You"),
    "player": mark("Player {n}"),
    "cards": both("{n} card", "{n} cards"),
    "hand_down": mark("hand down"),
    "agreed": mark("agrees"),
    "hand_of": both("Cards of {who}: {n}", "Cards of {who}: {n}"),
    "hand_covered": both("Cards of {who}, covered: {n}", "Cards of {who}, covered: {n}"),
    "look": mark("Look"),
    "look_name": mark("Look at the cards of {who}"),
    "cover": mark("Cover"),
    "cover_name": mark("Cover the cards of {who}"),
    "card": mark("Card {n}"),
    "white_card": mark("White {n}"),
    "red_card": mark("Red {n}"),
    "lay_card": mark("{card}: lay it"),
    "due_card": mark("{card}, your lowest: lay it"),
    "ask_lower": mark("You hold a card that comes before {card}. Lay {card} all the same?"),
    "ask_yes": mark("Lay {card}"),
    "ask_no": mark("Keep it"),
    "deck": mark("Deck"),
    "deck_cards": both("{n} card in the deck", "{n} cards in the deck"),
    "aside": mark("Aside"),
    "aside_cards": mark("Aside: {cards}"),
    "nothing_aside": mark("Nothing is aside"),
    "pile": mark("Pile"),
    "pile_up": mark("Pile up"),
    "pile_down": mark("Pile down"),
    "pile_cards": mark("{pile}: {cards}"),
    "pile_empty": mark("{pile}: empty"),
    "face_down": both("Face down: {n}", "Face down: {n}"),
    # the end of a level
    "level_of": mark("Level {n} of {last}"),
    "in_hands": both("{n} card in hands", "{n} cards in hands"),
    "house_rule": mark("House rule"),
    "ended": mark("Level {n} is done"),
    "ended_lost": mark("Level {n} is lost"),
    "ended_early": mark("{late} came after {early}: −1 life"),
    "ended_free": mark("{late} came after {early}, which was paid for already"),
    "ended_clean": mark("All cards in order."),
    "reward_life": mark("A life is won"),
    "reward_star": mark("A star is won"),
    # toolbar and panel
    "tools": mark("Tools"),
    "undo": mark("Undo"),
    "undo_why": mark("Takes the last step back, through the box’s menu"),
    "end_game": mark("End this game"),
    "end_game_ask": mark("End this game and go back to the lobby?"),
    "power": mark("Power"),
    "cut_power": mark("Cut the power"),
    "give_power": mark("Give power back"),
    "speed": mark("Speed"),
    "share": mark("Save this game"),
    "around": mark("Around the box"),
    "players": mark("Players"),
    "names_stay": mark("Names stay in this browser: nobody else sees them."),
    "seat": mark("Seat {n}"),
    "name_of": mark("Name at seat {n}"),
    "kind_of": mark("Who plays at seat {n}"),
    "person": mark("Person"),
    "steady": mark("Steady"),
    "human": mark("Human-like"),
    "dreamy": mark("Dreamy"),
    "empty": mark("Nobody"),
    "watch": mark("Watch a game"),
    "lesson": mark("First lesson"),
    "lesson_begin": mark("First lesson with a ghost"),
    "lesson_at": mark("First lesson: {n} of {of}"),
    "lesson_skip": mark("Next step"),
    "lesson_end": mark("End the lesson"),
    "lab": mark("Lab: what can go wrong"),
    "deals_itself": mark("Cards are dealt by themselves"),
    "unplug": mark("Unplug: {device}"),
    "plug_in": mark("Plug in: {device}"),
    "device_reader": mark("reader"),
    "device_table_screen": mark("table screen"),
    "device_seat_screen": mark("screen {n}"),
    "chatter": mark("Buttons chatter"),
    "twice": mark("Reader reads twice"),
    "story": mark("This level so far"),
    "replay": mark("Save and replay"),
    "replay_about": mark("A game is saved as a table script: every gesture, in plain text. This page replays it."),
    "saving": mark("The game is being saved …"),
    "replay_file": mark("Replay a script"),
    "replay_end": mark("Back to my game"),
    "replay_large": mark("That file is too large for a table script."),
    "replay_line": mark("Line {line} of {lines}: {said}"),
    "replay_done": mark("Played to its end."),
    "replay_wrong": mark("Line {line}: expected {expected}, got {got}."),
    "replay_right": mark("Everything was as expected."),
    "keys": mark("Keys"),
    "keys_on": mark("Keys work on this page"),
    "key_main": mark("the main button"),
    "key_lay": mark("you lay your lowest card"),
    "key_seat": mark("the button of that seat, down for as long as the key is"),
    "key_star": mark("the star button, likewise; held 1.5 s it opens the menu"),
    "key_hold": mark("holds the star button for you"),
    "key_shift": mark("that seat lays its lowest card"),
    "key_deal": mark("deals a card"),
    "key_check": mark("blind play: shows the next card of the pile"),
    # the three cards of a first visit
    "help": mark("How it is played"),
    "first": mark("First visit"),
    "first_game": mark("One team, no turns"),
    "first_game_text": mark(
        "Everyone holds some of the cards 1 to 100. Lay them all in rising order: without a word, without turns. "
        "Each level deals one card more."
    ),
    "first_hands": mark("Hands first"),
    "first_hands_text": mark(
        "Put a hand on the table, lift it together with the others, and play begins. Stop whenever you like: a stop "
        "costs nothing."
    ),
    "first_star": mark("A star helps"),
    "first_star_text": mark(
        "Press ★ to propose one. When all agree, everyone puts their lowest card aside. A card laid too early costs a "
        "life; the box sees it."
    ),
    "got_it": mark("Got it"),
}  # fmt: skip
"""By key; a value is a text, or its forms for one and for many."""


@cache
def try_words(language: str) -> Words:
    """The page's words. Raises ``ValueError`` for a language that the box does not speak."""
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    return Words(language, gettext.translation(DOMAIN, LOCALE, [language], fallback=True))


@cache
def texts(language: str) -> dict[str, str | list[str]]:
    """All texts in a language, with their ``{names}`` still in them: the page fills them in."""
    words = try_words(language)
    said: dict[str, str | list[str]] = {}
    for key, text in TEXTS.items():
        if isinstance(text, str):
            said[key] = words.say(text)
        else:
            one, many = text
            said[key] = [words.form(one, many, n) for n in (1, 2)]
    return said


_SAID = re.compile(r'(data-say="(\w+)"[^>]*>)[^<]*')
_NAMED = re.compile(r'(data-name="(\w+)" aria-label=")[^"]*')


def in_words(html: str, language: str) -> str:
    """The page as it is before it has been told anything, in the box's language: whoever opens it without the secret is
    never told more."""
    said = texts(language)

    def text_of(found: re.Match[str]) -> str:
        return found[1] + escape(str(said[found[2]]))

    html = html.replace('lang="en"', f'lang="{language}"', 1)
    return _NAMED.sub(text_of, _SAID.sub(text_of, html))
