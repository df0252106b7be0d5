"""Where everything is in the box, in millimetres, from the settings: one plan for enclosure, tests and pictures.

The origin is the middle of the box on the table; x to the right, y away from seat 1, z up. Four corners between the
seats: screens face 1|2 and 3|4; the scanner's arm or the NFC mark is at 2|3; power comes in at 4|1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mounts
import numpy as np
from sight import Screen
from solids import Frame

from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config, ScreenSettings

BED = 220.0
"""Width of the smallest printer that every part must fit."""
SCREEN_CORNERS = (-135.0, 45.0)
READER_CORNER, POWER_CORNER = 135.0, -45.0
"""Directions, degrees counterclockwise from +x. Seat 1 is at -90, seat 2 at 180."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The box's own measures. Change one and build again; the tests say whether everything still fits."""

    side: float = 108.5
    """From the middle to the walls before the seats, at the foot."""
    corner: float = 106.8
    """From the middle to the walls between them, at the foot."""
    lean: float = 70.0
    """Degrees of the walls from lying flat: steep enough that no lamp is mirrored into an eye."""
    wall: float = 2.6
    floor: float = 2.4
    height: float = 59.0
    """Of the walls; the lid comes on top."""
    lid: float = 3.0
    bevel: float = 50.0
    """Degrees from lying flat of the slopes that carry the seats' buttons."""
    bevel_top: float = 73.0
    """From the middle to the upper edge of those slopes."""
    bevel_half: float = 15.5
    """Half their width."""
    tray: tuple[float, float] = (101.0, 76.0)
    """The pile's room, long side towards the arm: the largest card and 10 mm of play."""
    tray_shift: float = 3.0
    """The tray's middle is that far from the box's, away from the arm."""
    rim: float = 3.0
    """Height of the tray's rim above the lid."""
    lens: tuple[float, float] = (80.0, 92.0)
    """The scanner's lens: from the tray's middle, towards the arm, and above the lid."""
    aim: float = 51.0
    """Degrees below level that the scanner looks."""
    visor: float = 17.0
    """How far the arm's mouth reaches beyond the lens: what hides its light from every eye."""
    hood_reach: float = 60.0
    """From the lens to the label of a card in the hood."""
    hood_lean: float = 15.0
    """Degrees from upright of that card, its upper edge away from the lens."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One part's place on a surface: where its middle is, and which way is out."""

    mount: str
    """As the parts list names it: seat-button, star-button, led, table-screen, seat-screen, piezo."""
    name: str
    frame: Frame
    screen: ScreenSettings | None = None
    on: str = "lid"
    """lid, body, or the bezel's name."""


class Layout:
    """The plan of one build."""

    def __init__(self, config: Config, shape: Shape | None = None) -> None:
        """Raises ``ValueError`` for a build that this enclosure has no room for."""
        self.config = config
        self.shape = shape or Shape()
        self.seats = config.box.seats
        self.seat_screens = {s.seat: s for s in config.screen if s.seat is not None}
        self.table_screens = [s for s in config.screen if s.seat is None]
        if self.seats > 4 and self.seat_screens:
            raise ValueError("more than 4 seats and seat screens: no room below the buttons; leave the screens out")
        if len(self.table_screens) > len(SCREEN_CORNERS):
            raise ValueError(f"{len(self.table_screens)} table screens: there are two corners to read from")
        for s in self.seat_screens.values():
            panel = mounts.SCREENS[s.driver, s.height]
            if panel.height > 14 or panel.width > 40:
                raise ValueError(f"seat screen {s.seat}: {panel.width:g} x {panel.height:g} mm; 40 x 14 fit at a seat")
        self.optical = any(READERS[r.kind].optical for r in config.reader)

    # -- heights and walls

    @property
    def body_height(self) -> float:
        """Up to the lid."""
        return self.shape.height

    @property
    def top(self) -> float:
        """The lid's upper side."""
        return self.shape.height + self.shape.lid

    def reach(self, seat_side: bool, z: float, inset: float = 0.0) -> float:
        """From the middle to a wall at a height; ``inset``: that far behind its outer side, square to it."""
        s = self.shape
        a = math.radians(s.lean)
        return (s.side if seat_side else s.corner) - z / math.tan(a) - inset / math.sin(a)

    def outline(self, z: float, inset: float = 0.0) -> list[tuple[float, float]]:
        """The eight corners of the walls at a height, counterclockwise."""
        a, g = self.reach(True, z, inset), self.reach(False, z, inset)
        b = math.sqrt(2) * g - a
        return [(a, -b), (a, b), (b, a), (-b, a), (-a, b), (-a, -b), (-b, -a), (b, -a)]

    def wall(self, azimuth: float) -> Frame:
        """The outer side of a wall; v = 0 at the table."""
        distance = self.shape.side if azimuth % 90 == 0 else self.shape.corner
        a = math.radians(azimuth)
        return Frame((distance * math.cos(a), distance * math.sin(a), 0), azimuth, self.shape.lean)

    def across(self, p: float, q: float, z: float = 0.0) -> tuple[float, float, float]:
        """A point by its distance from the arm's corner (p, through the middle) and towards seats 1|2 (q)."""
        return (p - q) / math.sqrt(2), -(p + q) / math.sqrt(2), z

    # -- seats

    def seat_directions(self) -> list[float]:
        """Where each seat is, clockwise from seat 1: one a side, two a side from the fifth seat on."""
        order = {2: (0, 2), 3: (0, 1, 2)}.get(self.seats, (0, 1, 2, 3))
        extra = self.seats - len(order)
        return [-90.0 - 90.0 * side for side in order for _ in range(2 if side < extra else 1)]

    def seat_alongs(self) -> list[float]:
        """How far to the right of the middle of its side each seat's button is."""
        right = self.shape.bevel_half
        seen: dict[float, int] = {}
        out = []
        for azimuth in self.seat_directions():
            seen[azimuth] = seen.get(azimuth, 0) + 1
            out.append(right if seen[azimuth] == 1 else -right)
        return out

    def bevel(self, azimuth: float, along: float) -> Frame:
        """The slope that a seat's button is in: its middle."""
        s = self.shape
        top = Frame((0, 0, 0), azimuth, s.bevel)
        a = math.radians(azimuth)
        origin = np.array([s.bevel_top * math.cos(a), s.bevel_top * math.sin(a), s.height]) + along * top.u
        return Frame(origin, azimuth, s.bevel).moved(0, -self.bevel_length / 2)

    @property
    def bevel_length(self) -> float:
        """Down the slope, from the lid to the wall."""
        s = self.shape
        run, fall = math.tan(math.radians(s.bevel)), math.tan(math.radians(s.lean))
        # z on the slope: height - run (x - top); x on the wall: side - z / fall
        z = (s.height - run * (s.side - s.bevel_top)) / (1 - run / fall)
        return (s.height - z) / math.sin(math.radians(s.bevel))

    # -- what shows

    def spots(self) -> list[Spot]:
        """Everything that people see or press."""
        out = [Spot("star-button", "star", self._lid(2.0, 61.0))]
        out += [Spot("led", f"star {i + 1}", self._lid(73.5, 10.0 - 10 * i)) for i in range(3)]
        out += [Spot("led", f"life {i + 1}", self._lid(62.0, 19.0 - 9.5 * i)) for i in range(5)]
        for number, (screen, corner) in enumerate(zip(self.table_screens, SCREEN_CORNERS, strict=False), 1):
            name = "table screen" if number == 1 else f"table screen {number}"
            out.append(Spot("table-screen", name, self.wall(corner).moved(0, 31.5), screen, name))
        if self.config.gpio.buzzer is not None:
            out.append(Spot("piezo", "piezo", self._lid(2.0, -61.0)))
        pairs = zip(self.seat_directions(), self.seat_alongs(), strict=True)
        for seat, (azimuth, along) in enumerate(pairs, 1):
            out.append(Spot("seat-button", f"seat {seat}", self.bevel(azimuth, along), on="body"))
            out.append(Spot("led", f"seat {seat}", *self._seat_lamp(azimuth, along)))
            if seat in self.seat_screens:
                frame = self.wall(azimuth).moved(0, 17.5)
                name = f"seat {seat} screen"
                out.append(Spot("seat-screen", name, frame, self.seat_screens[seat], name))
        return out

    def _lid(self, p: float, q: float) -> Frame:
        return Frame(self.across(p, q, self.top), -90, 0)

    def _seat_lamp(self, azimuth: float, along: float) -> tuple[Frame, None, str]:
        if self.seats > 4:
            return self.wall(azimuth).moved(along, 20.0), None, "body"
        return self.seat_mark(azimuth, -8.0), None, "lid"

    def seat_mark(self, azimuth: float, along: float) -> Frame:
        """A place on the lid's edge before a seat, u to that seat's right."""
        a = math.radians(azimuth)
        flat = Frame((79.5 * math.cos(a), 79.5 * math.sin(a), self.top), azimuth, 0)
        return flat.moved(along, 0)

    def panel(self, spot: Spot) -> mounts.Panel:
        """The display module of a screen's spot."""
        if spot.screen is None:
            raise ValueError(f"{spot.name} is no screen")
        return mounts.SCREENS[spot.screen.driver, spot.screen.height]

    def screens(self) -> list[Screen]:
        """The displays as eyes meet them: the glass lies behind the bezel's frame."""
        out = []
        for spot in self.spots():
            if spot.screen is not None:
                frame = spot.frame.moved(0, 0, -mounts.BEZEL_FRAME)
                out.append(Screen(spot.name, frame, self.panel(spot).lit, (128, spot.screen.height)))
        return out

    def screen_for(self, seat: int) -> Screen:
        """The screen that is meant for a seat: its own, else the table screen that faces it most."""
        screens = {s.name: s for s in self.screens()}
        if seat in self.seat_screens:
            return screens[f"seat {seat} screen"]
        azimuth = self.seat_directions()[seat - 1]
        tables = [s for s in screens.values() if s.name.startswith("table")]
        return min(tables, key=lambda s: abs((s.frame.azimuth - azimuth + 180) % 360 - 180))

    # -- the tray and its scanner

    @property
    def tray_middle(self) -> Frame:
        """The tray's middle on the lid; u across, v towards the arm."""
        return Frame(self.across(self.shape.tray_shift, 0, self.top), POWER_CORNER, 0)

    @property
    def eye(self) -> Frame:
        """The scanner's lens: w is where it looks, v upwards."""
        s = self.shape
        lens = self.across(s.tray_shift - s.lens[0], 0, self.top + s.lens[1])
        return Frame(lens, POWER_CORNER, 90 + s.aim)

    @property
    def hood_card(self) -> Frame:
        """A card in the hood: the middle of its lower label; v up the card, w (its face) towards the lens."""
        s = self.shape
        place = self.eye.at(0, 0, s.hood_reach)
        return Frame(place, READER_CORNER, 90 - s.hood_lean)

    @property
    def nfc(self) -> Frame:
        """Where a tag is held against the corner, in a build that reads tags."""
        return self.wall(READER_CORNER).moved(0, 28.5)

    # -- inside

    @property
    def pi(self) -> tuple[float, float]:
        """The corner of the Pi with the largest x and y: it lies turned, USB to the left, power away from seat 1."""
        return 49.5, 43.0

    @property
    def perfboard(self) -> tuple[float, float]:
        """Lower left corner of the perfboard, which stands above the Pi."""
        return -41.0, -20.0

    def posts(self) -> list[tuple[float, float]]:
        """The lid's screws, from below."""
        return [(-38.0, -68.0), (66.0, -37.0), (64.0, 42.0), (-66.0, 36.0)]
