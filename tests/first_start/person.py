"""Somebody who sets a box up: reads the table's screen in any language, presses what it asks for, at a virtual box."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from mind_box.devices.ports import Devices
from mind_box.settings.schema import LANGUAGE_NAMES, LANGUAGES, Config
from mind_box.show.lamps import LampPattern
from mind_box.show.words import words_for
from mind_box.table.inputs import STAR, Post
from mind_box.table.payload import encode
from mind_box.virtual.scripts.box import VirtualBox

YES, NO = STAR, 1
Meaning = tuple[str, object]


def meanings(seats: int) -> dict[str, Meaning]:
    """Each sentence that may be asked, in every language, and what it asks for."""
    out: dict[str, Meaning] = {}
    for language in LANGUAGES:
        say = words_for(language).say
        out[say("Press {name}", name=say("star"))] = ("press", STAR)
        out[say("Show a card to the reader")] = ("card", None)
        out[say("All lamps lit?")] = ("lamps", None)
        out[say("Each screen shows its own name?")] = ("screens", None)
        for n in range(1, seats + 1):
            out[say("Press {name}", name=say("seat {n}", n=n))] = ("press", n)
            out[say("{name} lit?", name=say("seat {n} lamp", n=n))] = ("lamp", f"seat {n} lamp")
            out[say("{n} seats?", n=n)] = ("seats", n)
        for kind, most in (("life", 5), ("star", 3)):
            for n in range(1, most + 1):
                out[say("{name} lit?", name=say(kind + " lamp {n}", n=n))] = ("lamp", f"{kind} lamp {n}")
        for name in LANGUAGE_NAMES.values():
            out[say("{what}?", what=name)] = ("language", name)
    return out


def running() -> asyncio.AbstractEventLoop | None:
    """The loop that the box runs in, if it does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class Person:
    """``wired``: which button's wires this button is really on; ``dead`` buttons never answer."""

    def __init__(
        self,
        config: Config,
        language: str = "English",
        seats: int = 4,
        wired: Mapping[int, int] = {},
        dead: Iterable[int] = (),
        dark: Iterable[str] = (),
        held: Iterable[int] = (),
        there: bool = True,
    ) -> None:
        self.language, self.seats, self.wired = language, seats, dict(wired)
        self.dead, self.dark, self.there = set(dead), set(dark), there
        self.told: list[str] = []
        self.shown: list[LampPattern] = []
        self.box = VirtualBox(config.box.seats, self._time, seat_screens=False)
        for button in held:
            self.box.press(button)
        self._known = meanings(8)

    @staticmethod
    def _time() -> float:
        loop = running()
        return loop.time() if loop is not None else 0.0  # before it has power

    def open(self, _: Config, post: Post) -> Devices:
        """The box's ports."""
        return self.box.open(post)

    def __call__(self, text: str) -> None:
        """A sentence on the screen."""
        self.told.append(text)
        if self.there and running() is not None:  # else it is said after the questions
            asyncio.get_running_loop().call_later(1.0, self._answer, text)

    def _answer(self, text: str) -> None:
        question = text
        for language in LANGUAGES:
            question = question.removesuffix(words_for(language).say("(star button: yes, a seat: no)")).strip()
        match self._known.get(question):
            case ("press", int(button)):
                self.press(button)
            case ("card", _):
                self.box.scan(encode(42))
            case ("lamps", _):
                self.press(NO if self.dark else YES)
            case ("lamp", str(name)):
                self.press(NO if name in self.dark else YES)
            case ("screens", _):
                self.press(YES)
            case ("language", str(name)):
                self.press(YES if name == self.language else NO)
            case ("seats", int(n)):
                self.press(YES if n == self.seats else NO)
            case None if self.done_with(text):
                pass
            case None:
                self.press(YES)  # a fault that was read

    def done_with(self, text: str) -> bool:
        """Nothing is asked by this."""
        quiet = ("The box starts", "Watch the lamps")
        return any(text == words_for(name).say(message) for name in LANGUAGES for message in quiet)

    def press(self, button: int) -> None:
        """The person's finger, on the button that stands there; its wires may lead elsewhere."""
        if button not in self.dead:
            wired = self.wired.get(button, button)
            self.box.press(wired)
            asyncio.get_running_loop().call_later(0.1, self.box.lift, wired)


def quiet(_: object) -> int:
    """A command of the system that is not run."""
    return 0


Open = Callable[[Config, Post], Devices]
