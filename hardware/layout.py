"""Where everything is in the box, in millimetres, from the settings: one plan for enclosure, tests and pictures.

The origin is the middle of the box on the table; x to the right, y away from seat 1, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mounts

from mind_box.hardware.parts import LABEL_FROM_EDGE
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config, ScreenSettings

BED = 220.0
"""Width of the smallest printer this must fit."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The box's own measures. Change one and build again; the tests say whether everything still fits."""

    size: float = 200.0
    corner: float = 8.0
    wall: float = 2.4
    floor: float = 2.4
    height: float = 67.0
    """Of the walls; the lid comes on top."""
    lid: float = 3.0
    slot_depth: float = 46.0
    """How far a card goes in, from the lid's upper side."""
    slot_gap: float = 2.4
    slot: tuple[float, float] = (54.0, 58.0)
    cluster: float = -22.0
    """x of the middle column: table screen, star button, lives and stars."""
    reader_distance: float = 75.0
    """From a scanner's lens to the card: 60 to 100."""
    rail: float = 40.0
    """How far the card's guide reaches down from the lid."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One part's place on the lid."""

    mount: str
    """As the parts list names it: seat-button, star-button, led, table-screen, seat-screen, piezo."""
    name: str
    x: float
    y: float
    turn: float = 0.0
    """Degrees counterclockwise: which way it faces; 0 is towards seat 1."""
    screen: ScreenSettings | None = None


class Layout:
    """The plan of one build."""

    def __init__(self, config: Config, shape: Shape | None = None) -> None:
        """Raises ``ValueError`` for a build that this enclosure has no room for."""
        self.config = config
        self.shape = shape or Shape()
        self.seats = config.box.seats
        self.seat_screens = {s.seat: s for s in config.screen if s.seat is not None}
        if self.seats > 4 and self.seat_screens:
            raise ValueError("more than 4 seats and seat screens: no room beside the buttons; leave the screens out")
        self.optical = any(READERS[r.kind].optical for r in config.reader)

    @property
    def body_height(self) -> float:
        """Up to the lid."""
        return self.shape.height

    @property
    def top(self) -> float:
        """The lid's upper side."""
        return self.body_height + self.shape.lid

    @property
    def card_stop(self) -> float:
        """Where a card in the slot stands."""
        return self.top - self.shape.slot_depth

    @property
    def label_height(self) -> float:
        """Middle of the label of a card in the slot."""
        return self.card_stop + LABEL_FROM_EDGE

    @property
    def lens(self) -> tuple[float, float, float]:
        """Where a scanner's lens goes; it looks along +y."""
        x, y = self.shape.slot
        return x, y - self.shape.reader_distance, self.label_height

    @property
    def pi(self) -> tuple[float, float]:
        """Lower left corner of the Pi: power towards seat 1's wall, USB to the right."""
        return -87.0, -70.0

    @property
    def perfboard(self) -> tuple[float, float]:
        """Lower left corner of the perfboard."""
        return -90.0, 12.0

    def seat_places(self) -> list[tuple[float, float, float]]:
        """x, y and turn of each seat's button, clockwise from seat 1: one a side, two a side from the fifth seat on."""
        reach = self.shape.size / 2 - 19
        order = {2: (0, 2), 3: (0, 1, 2)}.get(self.seats, (0, 1, 2, 3))
        extra = self.seats - len(order)
        out = []
        for side in order:
            turn = -90.0 * side
            doubled = side < extra
            for along in (20.0, -40.0) if doubled else (0.0,):  # clear of the scanner below
                out.append((*_turned(along, -reach, turn), turn))
        return out

    def spots(self) -> list[Spot]:
        """Everything that shows on the lid."""
        middle = self.shape.cluster
        out = [Spot("star-button", "star", middle, -8.0)]
        for i in range(5):
            out.append(Spot("led", f"life {i + 1}", middle - 24 + 12 * i, -34.0))
        for i in range(3):
            out.append(Spot("led", f"star {i + 1}", middle - 12 + 12 * i, -48.0))
        for screen in self.config.screen:
            if screen.seat is None:
                out.append(Spot("table-screen", "table screen", middle, 30.0, 0.0, screen))
        if self.config.gpio.buzzer is not None:
            out.append(Spot("piezo", "piezo", middle, 57.0))
        for seat, (x, y, turn) in enumerate(self.seat_places(), 1):
            out.append(Spot("seat-button", f"seat {seat}", x, y, turn))
            dx, dy = _turned(22.0, 0.0, turn)
            out.append(Spot("led", f"seat {seat}", x + dx, y + dy, turn))
            if seat in self.seat_screens:
                dx, dy = _turned(-42.0, 0.0, turn)
                out.append(Spot("seat-screen", f"seat {seat} screen", x + dx, y + dy, turn, self.seat_screens[seat]))
        return out

    def panel(self, spot: Spot) -> mounts.Panel:
        """The display module of a screen's spot."""
        if spot.screen is None:
            raise ValueError(f"{spot.name} is no screen")
        return mounts.SCREENS[spot.screen.driver, spot.screen.height]

    def screws(self) -> list[tuple[float, float]]:
        """The lid's screws."""
        reach = self.shape.size / 2 - 10
        return [(x, y) for x in (-reach, reach) for y in (-reach, reach)]


def _turned(x: float, y: float, degrees: float) -> tuple[float, float]:
    a = math.radians(degrees)
    return x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)
