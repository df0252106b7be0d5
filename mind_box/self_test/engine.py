"""The self-test: every button asked for, every lamp in turn, every screen with its name, the reader with a card.

The engine works on the ports alone and knows no clock: time comes with the inputs and with ``wake``, so a test of it
takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any, Protocol

from mind_box.devices.ports import Devices
from mind_box.game.cards import Card
from mind_box.game.figures import MAX_LIVES, MAX_STARS
from mind_box.self_test.items import Item, page, to_json
from mind_box.show.lamps import LampPattern
from mind_box.show.pictures import name_picture
from mind_box.show.words import mark
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Edge, Input, Scan
from mind_box.table.payload import is_tray, parse

ASK = 20.0
"""Seconds that a question stands."""
LIT = 0.7
"""Seconds that each lamp is on alone."""
SETTLE = 0.3
"""Seconds after an answer in which a bouncing button is not taken for the next one."""
OPENING = 1.5
"""Seconds that absent devices have to be reported in."""
SWAPPED = mark("nothing came, but {others} answered: are the wires swapped?")

Script = Generator[float, Input | None, None]
"""Yields the time until which it waits; is sent an input, or None when that time has come."""
Answer = Generator[float, Input | None, bool | None]
"""A script that ends with yes, no, or None: nobody answered."""


class Say(Protocol):
    """Puts a message into somebody's language and fills in its values."""

    def __call__(self, message: str, **values: object) -> str: ...


def english(message: str, **values: object) -> str:
    """The messages as they stand here."""
    return message.format(**values)


class SelfTest:
    """One run. Call ``start``, then ``feed`` with each input and ``wake`` when ``due`` has come, until ``done``."""

    def __init__(
        self,
        seats: int,
        devices: Devices,
        say: Say = english,
        tell: Callable[[str], None] | None = None,
        enrolled: Mapping[str, Card] | None = None,
    ) -> None:
        """``tell`` hears every question, for a terminal; ``enrolled`` maps tag identities to cards."""
        self._seats = seats
        self._enrolled = enrolled
        self._devices = devices
        self._say = say
        self._tell = tell
        self._lost: dict[str, str] = {}
        self._now = 0.0
        self._script = self._all()
        self.items: list[Item] = []
        self.due: float | None = None
        """When ``wake`` is wanted, in the time of the inputs; None once the test is over."""

    @property
    def done(self) -> bool:
        """True once everything has been tried."""
        return self.due is None and bool(self.items)

    @property
    def ok(self) -> bool:
        """True when everything worked."""
        return self.done and all(item.ok for item in self.items)

    def start(self, at: float, lost: dict[str, str] | None = None) -> None:
        """Begins; ``lost``: devices known to be missing, and why."""
        self._now = at
        self._lost.update(lost or {})
        self.due = next(self._script)

    def feed(self, item: Input) -> None:
        """Takes what a port has posted."""
        if isinstance(item, DeviceLost):
            self._lost[item.device] = item.why
        elif isinstance(item, DeviceBack):
            self._lost.pop(item.device, None)
        self._go_on(item.at, item)

    def wake(self, at: float) -> None:
        """Time has passed; earlier than ``due`` it is nothing."""
        if self.due is not None and at >= self.due:
            self._go_on(at, None)

    def _go_on(self, at: float, item: Input | None) -> None:
        self._now = max(self._now, at)
        if self.due is None:
            return
        try:
            self.due = self._script.send(item)
        except StopIteration:
            self.due = None

    # -- the script ------------------------------------------------------------------------------------------

    def _all(self) -> Script:
        yield from self._rest(OPENING)
        for button in (STAR, *range(1, self._seats + 1)):
            yield from self._button(button)
        yield from self._lamps()
        yield from self._screens()
        yield from self._sound()
        yield from self._reader()
        self._devices.lamps.show(LampPattern())
        self._show_result()

    def _button(self, button: int) -> Script:
        name = _button_name(button)
        if "buttons" in self._lost:
            self._result(f"{name} button", False, self._lost["buttons"])
            return
        self._devices.lamps.show(LampPattern(seats=frozenset({button} - {STAR})))
        held = self._held(button)
        said = self._say("star") if button == STAR else self._say("seat {n}", n=button)
        self._prompt("Let go of {name}" if held else "Press {name}", name=said)
        others: list[str] = []
        until = self._now + ASK
        while True:
            item = yield until
            if item is None:
                break
            if not isinstance(item, Edge):
                continue
            if item.button == button or (item.down and self._means(item.button, button)):
                held = held and item.down
                if item.down:
                    yield from self._rest(SETTLE)
                    self._result(f"{name} button", True, f"after {', '.join(others)}" if others else "")
                    return
            elif item.down and _button_name(item.button) not in others:
                others.append(_button_name(item.button))
        if held:
            why = mark("down all the time: its two wires touch, or the pin has no pull-up")
        elif others:
            why = SWAPPED.format(others=", ".join(others))
        else:
            why = mark("nothing came: look at its two wires and its pin")
        self._result(f"{name} button", False, why)

    def _held(self, button: int) -> bool:
        return self._devices.buttons.level(button)

    def _means(self, _pressed: int, _wanted: int) -> bool:
        """Whether this press counts as the wanted button's; a set-up may follow the wires."""
        return False

    def _lamps(self) -> Script:
        lamps = [("life lamp {n}", n, LampPattern(lives=n)) for n in range(1, MAX_LIVES + 1)]
        lamps += [("star lamp {n}", n, LampPattern(stars=n)) for n in range(1, MAX_STARS + 1)]
        lamps += [("seat {n} lamp", n, LampPattern(seats=frozenset({n}))) for n in range(1, self._seats + 1)]
        if "lamps" in self._lost:
            for what, n, _ in lamps:
                self._result(english(what, n=n), False, self._lost["lamps"])
            return
        if not self._can_answer("lamps"):
            return
        self._prompt("Watch the lamps")
        for _, _, pattern in lamps:
            self._devices.lamps.show(pattern)
            yield from self._rest(LIT)
        everything = LampPattern(MAX_LIVES, MAX_STARS, frozenset(range(1, self._seats + 1)))
        self._devices.lamps.show(everything)
        all_right = yield from self._ask("All lamps lit?")
        for what, n, pattern in lamps:
            right: bool | None = all_right
            if all_right is False:
                self._devices.lamps.show(pattern)
                right = yield from self._ask("{name} lit?", name=self._say(what, n=n))
            self._answered(english(what, n=n), right, mark("look at its polarity, its resistor and its pin"))
        self._devices.lamps.show(LampPattern())

    def _screens(self) -> Script:
        here = [name for name in self._devices.screens if name not in self._lost]
        for name in self._devices.screens:
            if name in self._lost:
                self._result(name, False, self._lost[name])
        if not here or not self._can_answer(*here):
            return
        self._names()
        all_right = yield from self._ask("Each screen shows its own name?", picture=False)
        for name in here:
            right: bool | None = all_right
            if all_right is False:
                right = yield from self._ask("{name} right?", picture=False, name=name)
            if name in self._lost:
                self._result(name, False, self._lost[name])
            else:
                wrong = mark("dark: look at VCC, GND, SDA and SCL; another's name: its address or channel")
                self._answered(name, right, wrong)

    def _sound(self) -> Script:
        if self._devices.sound is None or not self._can_answer("piezo"):
            return
        self._devices.sound.play("level_complete")
        right = yield from self._ask("Did it sound?")
        self._answered("piezo", right, "is it a passive one, on the pin of gpio.buzzer?")

    def _reader(self) -> Script:
        if not self._devices.readers:
            return
        self._prompt("Show a card to the reader")
        until = self._now + ASK
        while True:
            item = yield until
            if isinstance(item, Scan) and not is_tray(item.payload):
                card = parse(item.payload, self._enrolled)
                self._result("reader", True, _read(card, item.payload))
                return
            if item is None:
                gone = [f"{name}: {why}" for name, why in self._lost.items() if name.startswith("reader")]
                nothing = mark("nothing was read: see docs/scanners.md, or `mind-box doctor reader`")
                self._result("reader", False, "; ".join(gone) or nothing)
                return

    # -- its means -------------------------------------------------------------------------------------------

    def _ask(self, question: str, picture: bool = True, **values: object) -> Answer:
        """Star is yes, any seat is no."""
        text = self._say(question, **values)
        if self._tell is not None:
            self._tell(f"{text} {self._say('(star button: yes, a seat: no)')}")
        if picture:
            self._picture(f"{text} {self._say('Star: yes, seat: no')}")
        until = self._now + ASK
        while True:
            item = yield until
            if item is None:
                return None
            if isinstance(item, Edge) and item.down:
                yield from self._rest(SETTLE)
                return item.button == STAR

    def _rest(self, seconds: float) -> Script:
        """Waits; what comes in meanwhile is nothing but what ``feed`` makes of it."""
        until = self._now + seconds
        while True:
            item = yield until
            if item is None:
                return

    def _can_answer(self, *whats: str) -> bool:
        """Questions need the star button; without it they are not asked."""
        star = next((item for item in self.items if item.what == "star button"), None)
        if star is not None and star.ok:
            return True
        for what in whats:
            self._result(what, False, "not tried: the star button, which answers, does not work")
        return False

    def _result(self, what: str, ok: bool, detail: str = "") -> None:
        self.items.append(Item(what, ok, detail))

    def _answered(self, what: str, right: bool | None, wrong: str) -> None:
        """The result of a question; ``wrong`` is what to look at if the answer was no."""
        self._result(what, right is True, "" if right else wrong if right is False else mark("nobody answered"))

    def _prompt(self, message: str, **values: object) -> None:
        text = self._say(message, **values)
        if self._tell is not None:
            self._tell(text)
        self._picture(text)

    def _picture(self, text: str) -> None:
        for name, screen in self._devices.screens.items():
            if name.startswith("table-screen"):
                screen.show(partial(name_picture, text, screen.size))

    def _names(self) -> None:
        for screen in self._devices.screens.values():
            screen.show(partial(name_picture, screen.name, screen.size))

    def _show_result(self) -> None:
        bad = [item.what for item in self.items if not item.ok]
        if not bad:
            self._picture(self._say("Self-test: all right"))
        elif len(bad) <= 2:
            self._picture(self._say("Look at: {what}", what=", ".join(bad)))
        else:
            self._picture(self._say("{n} faults, first: {what}", n=len(bad), what=bad[0]))

    def page(self) -> str:
        """The result for people, one line a thing."""
        return page(self.items)

    def to_json(self) -> dict[str, Any]:
        """The result for programs."""
        return to_json(self.items, self.ok)


def _button_name(button: int) -> str:
    return "star" if button == STAR else f"seat {button}"


def _read(card: Card | None, payload: str) -> str:
    return f"read card {card}" if card is not None else f"read {payload!r}, which is no card: enrol it or print labels"
