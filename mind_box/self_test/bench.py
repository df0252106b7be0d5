"""The self-test of a bare board on the Pi: stuck lines, shorts between lines, then every plug with a test plug.

Nothing else may be plugged in. A test plug is an empty housing with as many poles as the plug, all of them joined by a
piece of wire: it takes every line of its plug to ground, through the resistors that are soldered between. So it cannot
tell a button's pole from a lamp's: where a plug has both, a *lamp plug* follows, whose button's pole is wired to ground
and whose lamp's pole has a blue or white LED to it, which conducts from 2.3 V on and so leaves the line high until the
box drives it. The engine works on ``Lines`` alone and waits by what it is given, so a test of it takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from mind_box.self_test.items import Item
from mind_box.settings.kinds import LAMPS
from mind_box.settings.schema import EXPANDER_PINS, Config

SETTLE = 0.03
"""Seconds until a line has its level: 100 nF fill through the pin's own pull-up of 50 kOhm in five of its 5 ms."""
LOOK = 0.1
"""Seconds between two looks for a test plug."""
ASK = 60.0
"""Seconds that each plug has."""
BLINK = 0.4
"""Seconds that a lamp plug's LED is lit, and then dark."""
EXCHANGED = "button and lamp of {} are exchanged"
LAMP_PLUGS = {"life": "LIVES", "star": "STARS"}
"""Lamps that have a plug of their own, as it is called on the board."""


class Lines(Protocol):
    """GPIO lines by their BCM numbers. All are inputs until they are driven."""

    def pull(self, up: bool) -> None:
        """Makes all of them inputs, pulled up or down by the pins' own resistors."""
        ...

    def low(self, line: int) -> None:
        """Drives one to ground, until the next ``pull``."""
        ...

    def high(self, line: int) -> None:
        """Drives one to 3.3 V, until the next ``pull``: a lamp's, over its resistor."""
        ...

    def levels(self) -> Mapping[int, bool]:
        """All of them now; true is high."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Line:
    """One used line of the header."""

    pin: int
    what: str
    plug: str
    pulled: bool
    """Whether the board holds it high, as it does a button's."""

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.what} (GPIO{self.pin})"


def lines_of(config: Config) -> list[Line]:
    """The lines of a box's plugs, in the order in which those are tried. What is on an expander is left out."""
    gpio, out = config.gpio, []
    for seat in range(1, config.box.seats + 1):
        out.append(Line(gpio.seat_buttons[seat - 1], f"seat {seat} button", f"SEAT {seat}", True))
        out.append(Line(gpio.seat_lamps[seat - 1], f"seat {seat} lamp", f"SEAT {seat}", False))
    out.append(Line(gpio.star_button, "star button", "STAR", True))
    for group in LAMPS:
        if group.kind in LAMP_PLUGS:
            pins = enumerate(gpio.lamps[group.kind], 1)
            out += [Line(pin, group.name.format(i), LAMP_PLUGS[group.kind], False) for i, pin in pins]
    if gpio.buzzer is not None:
        out.append(Line(gpio.buzzer, "piezo", "PIEZO", False))
    return [line for line in out if line.pin not in EXPANDER_PINS]


class Bench:
    """One run over a bare board."""

    def __init__(
        self, lines: list[Line], ports: Lines, tell: Callable[[str], None], wait: Callable[[float], None]
    ) -> None:
        """``tell`` says to the person at the bench what to do; ``wait`` lets seconds pass."""
        self._lines = lines
        self._ports = ports
        self._tell = tell
        self._wait = wait
        self.items: list[Item] = []

    @property
    def ok(self) -> bool:
        """True when everything was right."""
        return bool(self.items) and all(item.ok for item in self.items)

    def run(self) -> None:
        """Tries everything. What is stuck is not driven, and a plug on it not asked for."""
        self._tell("Nothing may be plugged in.")
        stuck = self._stuck()
        joined = self._joined(stuck)
        for line in self._lines:
            why = stuck.get(line.pin) or joined.get(line.pin, "")
            self.items.append(Item(line.name, not why, why))
        bad = stuck.keys() | joined.keys()
        for plug in dict.fromkeys(line.plug for line in self._lines):
            mine = [line for line in self._lines if line.plug == plug]
            if bad & {line.pin for line in mine}:
                self.items.append(Item(f"plug {plug}", False, "not tried: see its lines above"))
                continue
            self.items.append(self._plug(plug, mine, bad))
            buttons, lamps = ([line for line in mine if line.pulled is kind] for kind in (True, False))
            if self.items[-1].ok and buttons and lamps:
                self.items.append(self._lamp(plug, buttons[0], lamps[0]))

    def _levels(self, up: bool, low: int | None = None) -> Mapping[int, bool]:
        self._ports.pull(up)
        if low is not None:
            self._ports.low(low)
        self._wait(SETTLE)
        return self._ports.levels()

    def _stuck(self) -> dict[int, str]:
        """Lines that do not go where they should, and what it looks like."""
        down, up = self._levels(False), self._levels(True)
        out = {}
        for line in self._lines:
            if not up[line.pin]:
                out[line.pin] = "is low: a short to GND, or something is plugged in"
            elif not line.pulled and down[line.pin]:
                out[line.pin] = "is high: a short to 3V3 or to a button's line"
            elif line.pulled and not down[line.pin]:
                out[line.pin] = "is not held high: its 10 kΩ or 1 kΩ is missing, or the board is not on the header"
        for line in self._lines:
            pair = [x for x in self._lines if x.plug == line.plug and x.pin in out and up[x.pin]]
            if {x.pulled for x in pair} == {True, False} and line in pair:
                out[line.pin] = EXCHANGED.format(line.plug) + ", between the header and the resistors"
        return out

    def _joined(self, stuck: Mapping[int, str]) -> dict[int, str]:
        """Lines that follow another one which is driven low, or do not follow themselves."""
        out: dict[int, list[str]] = {}
        for line in self._lines:
            if line.pin in stuck:
                continue
            levels = self._levels(True, line.pin)
            if levels[line.pin]:
                out.setdefault(line.pin, []).append("cannot be pulled low: a short to 3V3")
            for other in self._lines:
                if other.pin not in (line.pin, *stuck) and not levels[other.pin]:
                    out.setdefault(line.pin, []).append(f"joined to {other.name}")
        self._ports.pull(True)
        return {pin: "; ".join(whys) for pin, whys in out.items()}

    def _plug(self, name: str, mine: list[Line], bad: set[int]) -> Item:
        """Asks for the test plug and looks which lines it takes to ground; then for its removal."""
        what = f"plug {name}"
        self._tell(f"Put the test plug with {len(mine) + 1} poles or more into {name}")
        others = [line for line in self._lines if line not in mine and line.pin not in bad]
        wrong: list[Line] = []
        for _ in range(round(ASK / LOOK)):
            levels = self._levels(True)
            if not all(levels[line.pin] for line in mine):
                break
            wrong = [line for line in others if not levels[line.pin]] or wrong
            self._wait(LOOK)
        else:
            if wrong:
                return Item(what, False, f"nothing came, but {_names(wrong)} answered: is it in the right plug?")
            return Item(what, False, "nothing came: its GND, or its resistors")
        self._wait(LOOK)  # it goes in pole by pole
        levels = self._levels(True)
        open_ones = [line for line in mine if levels[line.pin]]
        more = [line for line in others if not levels[line.pin]]
        self._tell(f"Pull it out of {name}")
        for _ in range(round(ASK / LOOK)):
            if all(self._levels(True)[line.pin] for line in mine):
                break
            self._wait(LOOK)
        whys = [f"open: {_names(open_ones)}: look at its resistor and its joints"] if open_ones else []
        whys += [f"{_names(more)} went low too"] if more else []
        return Item(what, not whys, "; ".join(whys))

    def _lamp(self, name: str, button: Line, lamp: Line) -> Item:
        """Asks for the lamp plug, looks which pole is which, and blinks until it is pulled out: that is the answer."""
        what = f"lamp of {name}"
        self._tell(f"Put the lamp plug into {name}")
        for _ in range(round(ASK / LOOK)):
            levels = self._levels(True)
            if not (levels[button.pin] and levels[lamp.pin]):
                break
            self._wait(LOOK)
        else:
            return Item(what, False, "nothing came")
        self._wait(LOOK)  # it goes in pole by pole
        levels = self._levels(True)
        if levels[button.pin]:
            return self._out(name, button, lamp, Item(what, False, EXCHANGED.format(name) + " at its poles"))
        if not levels[lamp.pin]:
            why = f"{lamp.name} is low too: the test plug's LED is neither blue nor white, or there is no LED in it"
            return self._out(name, button, lamp, Item(what, False, why))
        self._tell(f"Pull it out of {name} when its LED has blinked; leave it in if that stays dark")
        for _ in range(round(ASK / (2 * BLINK))):
            self._ports.high(lamp.pin)
            self._wait(BLINK)
            dark = self._levels(False)
            if dark[button.pin]:
                return Item(what, True)
            self._wait(BLINK)
        self._ports.pull(True)
        return Item(what, False, f"not seen: {lamp.name}, its GND, or the LED the wrong way round")

    def _out(self, name: str, button: Line, lamp: Line, item: Item) -> Item:
        """Waits until the plug is out, so that the next one is not taken for it."""
        self._tell(f"Pull it out of {name}")
        for _ in range(round(ASK / LOOK)):
            levels = self._levels(True)
            if levels[button.pin] and levels[lamp.pin]:
                break
            self._wait(LOOK)
        return item


def _names(some: list[Line]) -> str:
    return ", ".join(line.name for line in some)
