"""A box set up by its own buttons and screens: from an empty card to the first level, and what is miswired is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mind_box.first_start import set_up as module
from mind_box.first_start.helper import Places, set_up
from mind_box.game.figures import MAX_LIVES
from mind_box.journal.journal import Journal
from mind_box.self_test.engine import SWAPPED
from mind_box.settings.loading import load, parse
from mind_box.settings.schema import LANGUAGE_NAMES, LANGUAGES, Config
from mind_box.settings.writing import to_toml
from mind_box.show.lamps import LampPattern
from mind_box.show.words import words_for
from mind_box.table.inputs import STAR
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import Player
from mind_box.virtual.scripts.script import parse_script
from tests.first_start.person import Person, quiet
from tests.papers.pages import ROOT

STANDARD = (ROOT / "hardware/standard.toml").read_text("utf-8")
TO_LEVEL_1 = """hands {all}
expect phase focus
hands
expect phase play
expect level 1
"""


class Card:
    """A card as an image leaves it: the standard build's settings, and the wish to be set up."""

    def __init__(self, folder: Path) -> None:
        self.places = Places(folder / "etc/box.toml", folder / "boot/mind-box.toml", folder / "etc/wanted", folder)
        for place in (self.places.settings, self.places.asked):
            place.parent.mkdir()
        text = STANDARD.replace("[box]\n", f'[box]\nstate_dir = "{folder}/state"\n')
        self.places.settings.write_text(text)
        self.places.wanted.touch()

    @property
    def config(self) -> Config:
        return load(self.places.settings)

    def start(self, person: Person) -> int:
        return set_up(self.places, person.open, quiet, person, run_virtual)

    def level_1(self) -> None:
        """The very settings that were written lead into a game."""
        seats = self.config.box.seats
        text = TO_LEVEL_1.format(all=" ".join(map(str, range(1, seats + 1))))
        wrong: list[dict[str, Any]] = []

        async def play() -> int:
            player = Player(parse_script(text, self.config), wrong.append, Journal.in_memory())
            return await player.play()

        assert run_virtual(play()) == 0, wrong


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_from_an_empty_card_to_level_1_by_buttons_alone(card: Card, language: str, seats: int) -> None:
    person = Person(card.config, LANGUAGE_NAMES[language], seats)
    assert card.start(person) == 0
    assert not card.places.wanted.exists()
    box = card.config.box
    assert (box.language, box.seats) == (language, seats)
    assert card.config.gpio == parse(STANDARD).gpio and card.config.screen == parse(STANDARD).screen
    assert words_for(language).say("The box starts") in person.told
    assert "Everything works." in person.told
    card.level_1()


def test_nobody_knows_a_language_yet(card: Card) -> None:
    """The first request goes round in all of them, until somebody presses."""
    person = Person(card.config, there=False)
    before = card.places.settings.read_bytes()
    assert card.start(person) == 0
    asked = [words_for(name).say("Press {name}", name=words_for(name).say("star")) for name in LANGUAGES]
    assert person.told[:8] == asked * 2
    assert card.places.wanted.exists() and card.places.settings.read_bytes() == before
    assert "asks again at its next start" in person.told[-1]


@pytest.mark.parametrize(
    ("wired", "star", "seats"),
    [
        ({1: 2, 2: 1}, 26, (6, 5, 13, 19)),
        ({2: 3, 3: 4, 4: 2}, 26, (5, 13, 19, 6)),
        ({STAR: 2, 2: STAR}, 6, (5, 26, 13, 19)),
        ({STAR: 1, 1: 4, 4: STAR}, 5, (19, 6, 13, 26)),
    ],
)
def test_swapped_buttons_are_named_and_the_settings_follow(
    card: Card, wired: dict[int, int], star: int, seats: tuple[int, ...]
) -> None:
    person = Person(card.config, "Deutsch", wired=wired)
    assert card.start(person) == 0
    assert (card.config.gpio.star_button, card.config.gpio.seat_buttons) == (star, seats)
    say = words_for("de").say
    name = {n: say("star") if n == STAR else say("seat {n}", n=n) for n in range(5)}
    for button, wires in wired.items():
        told = f"{name[button]}: {say(SWAPPED, others=name[wires])} {say('The settings follow them.')}"
        assert told in person.told, person.told
    again = Person(card.config, "Deutsch", wired={})  # the same fingers at the same buttons, by the new settings
    card.places.wanted.touch()
    assert card.start(again) == 0
    assert not [text for text in again.told if say("The settings follow them.") in text]
    card.level_1()


def test_every_fault_is_said_in_the_checkers_sentence(card: Card) -> None:
    """A lamp's wire on a button's pin holds it down, and stays dark; another button is cut off, a screen is dead."""
    person = Person(card.config, dark={"seat 3 lamp"}, dead={2, 3}, held={3})
    person.box.unplug("table-screen 2")
    assert card.start(person) == 0
    for fault in (
        "seat 2: nothing came: look at its two wires and its pin",
        "seat 3: down all the time: its two wires touch, or the pin has no pull-up",
        "seat 3 lamp: look at its polarity, its resistor and its pin",
        "table-screen 2: unplugged",
    ):
        assert fault in person.told, person.told
    assert not card.places.wanted.exists(), "what is broken may be mended later: mind-box doctor, the menu's self-test"
    card.level_1()


def test_settings_that_a_power_cut_left_empty_are_begun_anew(card: Card) -> None:
    card.places.settings.write_bytes(b"\0" * 50)
    person = Person(Config())
    assert card.start(person) == 0
    assert "Beginning with the defaults" in person.told[0] and card.config.box.seats == 4
    kept = list(card.places.settings.parent.glob("box.toml.before-set-up-*"))
    assert [path.read_bytes() for path in kept] == [b"\0" * 50]


def test_a_card_without_room_for_settings_says_so(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    before = card.places.settings.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(card.places.settings))

    monkeypatch.setattr("mind_box.first_start.carrying_out.replacing", full)
    person = Person(card.config, seats=3)
    assert card.start(person) == 1
    assert "No space left on device" in person.told[-1] and card.places.wanted.exists()
    assert card.places.settings.read_bytes() == before


def test_who_goes_away_in_the_middle_leaves_a_box_that_starts(card: Card) -> None:
    class Leaves(Person):
        def _answer(self, text: str) -> None:
            super()._answer(text)
            self.there = False

    person = Leaves(card.config)
    assert card.start(person) == 0
    assert card.config.box.seats == 4
    assert any("nobody answered" in text for text in person.told)


def test_the_lamps_show_how_many_sit_there(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(card.config, seats=3)
    shown: list[LampPattern] = []
    show = person.box.lamps.show

    def seen(pattern: LampPattern) -> None:
        shown.append(pattern)
        show(pattern)

    monkeypatch.setattr(person.box.lamps, "show", seen)
    assert card.start(person) == 0
    rounds = [sorted(pattern.seats) for pattern in shown if len(pattern.seats) > 1 and not pattern.lives]
    assert rounds[:3] == [[1, 2, 3, 4], [1, 2], [1, 2, 3]]
    assert max(pattern.lives for pattern in shown) == MAX_LIVES and shown[-1].seats == frozenset()


def test_a_seats_screen_goes_with_its_seat(card: Card) -> None:
    settings = card.places.settings
    settings.write_text(settings.read_text() + '[[screen]]\nseat = 4\nbus = "i2c-3"\n')
    assert card.start(Person(card.config, seats=3)) == 0
    assert [screen.name for screen in card.config.screen] == ["table-screen", "table-screen 2"]


@pytest.mark.parametrize("changed", [False, True])
def test_settings_are_written_as_they_are(changed: bool) -> None:
    for config in (Config(), parse(STANDARD), replace(Config(), reader=(), screen=())):
        text = to_toml(config, changed)
        assert parse(text) == config
    assert "0x3D" in to_toml(parse(STANDARD)), "as data sheets write it"
    assert "debounce" not in to_toml(parse(STANDARD), changed=True)


def test_the_limits_are_longer_than_a_person_needs() -> None:
    assert module.NOBODY > 20 * module.TURN and module.READING > 30
