"""The set-up at the box itself: who speaks which language, how many sit around it, and does every part answer?

The self-test with a few questions before it; like that it works on the ports alone and knows no clock. Where the wires
of two buttons are swapped the settings follow them, and it is said: whoever solders may put it right, whoever plays
need not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from mind_box.devices.ports import Devices
from mind_box.game.cards import Card
from mind_box.game.figures import MAX_STARS, MIN_SEATS
from mind_box.self_test.engine import OPENING, SETTLE, SWAPPED, Answer, Script, SelfTest
from mind_box.settings.schema import LANGUAGE_NAMES, LANGUAGES, Config, GpioSettings
from mind_box.show.lamps import LampPattern
from mind_box.show.words import words_for
from mind_box.table.inputs import STAR, Edge, Input

T = TypeVar("T", str, int)

TURN = 3.0
"""Seconds that the first request stands in one language, before it stands in the next."""
NOBODY = 600.0
"""Seconds after which a box that nobody touches starts as it is, and asks again at its next start."""
READING = 120.0
"""Seconds that a fault stands, unless somebody presses a button before."""


class SetUp(SelfTest):
    """One run. ``settings`` are what came of it once it is ``done``; None: nobody was there."""

    def __init__(
        self,
        config: Config,
        devices: Devices,
        tell: Callable[[str], None] | None = None,
        enrolled: Mapping[str, Card] | None = None,
        wrong: str = "",
        asks: bool = True,
    ) -> None:
        """``config``: the pins and screens that it begins with; ``wrong``: what has to be said first.

        ``asks`` false: that is all.
        """
        self._words = words_for(config.box.language)
        super().__init__(config.box.seats, devices, self._say_now, tell, enrolled)
        self._config = config
        self._wrong = wrong
        self._asks = asks
        self._wired = {button: button for button in range(STAR, len(config.gpio.seat_buttons) + 1)}
        """Which button it is that the settings so far call by this number."""
        self.settings: Config | None = None

    def _say_now(self, message: str, **values: object) -> str:
        return self._words.say(message, **values)

    def feed(self, item: Input) -> None:
        """Takes what a port has posted; a button is the one that its wires lead to."""
        if isinstance(item, Edge):
            item = replace(item, button=self._wired.get(item.button, item.button))
        super().feed(item)

    def _swap(self, one: int, other: int) -> None:
        for key, button in self._wired.items():
            if button in (one, other):
                self._wired[key] = one + other - button

    # -- the script ------------------------------------------------------------------------------------------

    def _all(self) -> Script:
        yield from self._rest(OPENING)
        if self._wrong:
            yield from self._read_it(self._wrong, NOBODY)
        if not self._asks or not (yield from self._star()):
            return
        language = yield from self._language()
        self._seats = yield from self._how_many()
        for seat in range(1, self._seats + 1):
            yield from self._button(seat)
        self._name_swapped()
        yield from self._lamps()
        yield from self._screens()
        yield from self._reader()
        self._devices.lamps.show(LampPattern())
        for item in self.items:
            if item.detail and not (item.ok and item.what == "reader"):
                yield from self._read_it(f"{self._named(item.what)}: {self._say(item.detail)}", READING)
        box = replace(self._config.box, language=language, seats=self._seats)
        screens = tuple(s for s in self._config.screen if s.seat is None or s.seat <= self._seats)
        self.settings = replace(self._config, box=box, gpio=self._as_wired(), screen=screens)
        self._prompt("The box starts")

    def _read_it(self, text: str, seconds: float) -> Script:
        """Shows it until a button is pressed."""
        if self._tell is not None:
            self._tell(text)
        self._picture(text)
        until = self._now + seconds
        while True:
            item = yield until
            if item is None:
                return
            if isinstance(item, Edge) and item.down:
                yield from self._rest(SETTLE)
                return

    def _star(self) -> Answer:
        """The first press tells which button is the star's: asked for in every language, since none is known yet."""
        if "buttons" in self._lost:
            yield from self._read_it(f"buttons: {self._lost['buttons']}", READING)
            return False
        self._devices.lamps.show(LampPattern(stars=MAX_STARS))
        languages, turn = self._languages(), 0
        end = self._now + NOBODY
        while self._now < end:
            self._words = words_for(languages[turn % len(languages)])
            turn += 1
            self._prompt("Press {name}", name=self._say("star"))
            until = self._now + TURN
            while (item := (yield until)) is not None:
                if isinstance(item, Edge) and item.down:
                    self._swap(item.button, STAR)
                    self._result("star button", True)
                    self._devices.lamps.show(LampPattern())
                    yield from self._rest(SETTLE)
                    return True
        return False

    def _languages(self) -> tuple[str, ...]:
        """The one of the settings first."""
        first = self._config.box.language
        return (first, *(name for name in LANGUAGES if name != first))

    def _language(self) -> Generator[float, Input | None, str]:
        def ask(name: str) -> Answer:
            self._words = words_for(name)
            return self._ask("{what}?", what=LANGUAGE_NAMES[name])

        language = yield from self._choice(self._languages(), ask)
        self._words = words_for(language)
        return language

    def _how_many(self) -> Generator[float, Input | None, int]:
        def ask(seats: int) -> Answer:
            self._devices.lamps.show(LampPattern(seats=frozenset(range(1, seats + 1))))
            return self._ask("{n} seats?", n=seats)

        most, usual = len(self._config.gpio.seat_buttons), self._config.box.seats
        seats: int = yield from self._choice((*range(usual, most + 1), *range(MIN_SEATS, usual)), ask)
        return seats

    def _choice(self, options: Sequence[T], ask: Callable[[T], Answer]) -> Generator[float, Input | None, T]:
        """Round and round until one is taken; the first, where nobody answers any more."""
        end = self._now + NOBODY
        while True:
            for option in options:
                answer = yield from ask(option)
                if answer:
                    return option
                if answer is not None:
                    end = self._now + NOBODY
                elif self._now >= end:
                    return options[0]

    def _held(self, button: int) -> bool:
        return super()._held(next(key for key, meant in self._wired.items() if meant == button))

    def _means(self, pressed: int, wanted: int) -> bool:
        """A button that has no name yet gets the wanted one: the wires lead there."""
        if pressed == STAR or pressed < wanted:
            return False
        self._swap(pressed, wanted)
        return True

    def _name_swapped(self) -> None:
        """In the checker's own sentence, though the settings make it right."""
        names = {button: key for key, button in self._wired.items()}
        for number, item in enumerate(self.items):
            button = STAR if item.what == "star button" else int(item.what.split()[1])
            if names[button] != button:
                other = self._named("star" if names[button] == STAR else f"seat {names[button]}")
                why = f"{self._say(SWAPPED, others=other)} {self._say('The settings follow them.')}"
                self.items[number] = replace(item, detail=why)

    def _named(self, what: str) -> str:
        """A part as it is called in the language that was chosen: ``seat 2 button``, ``life lamp 3``."""
        message, n = re.subn(r"\d+", "{n}", what.removesuffix(" button"))
        return self._say(message, n=re.sub(r"\D", "", what)) if n else self._say(message)

    def _as_wired(self) -> GpioSettings:
        gpio = self._config.gpio
        pins = {STAR: gpio.star_button, **dict(enumerate(gpio.seat_buttons, 1))}
        wired = {button: pins[key] for key, button in self._wired.items()}
        return replace(gpio, star_button=wired.pop(STAR), seat_buttons=tuple(wired[seat] for seat in sorted(wired)))
