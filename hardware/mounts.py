"""Sizes of the parts that sit in the enclosure, in millimetres: what the parts list asks for and the enclosure makes.

Cheap modules differ from maker to maker by a millimetre; what must be exact here is what has to go through a hole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Round:
    """A part that is pushed or screwed through a round hole in the lid."""

    body: float
    """Largest diameter that has to pass the hole."""
    hole: float
    flange: float
    """Diameter of the rim above the lid."""
    depth: float
    """Below the lid's upper side, leads and plugs included."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A display module glued into the back of a bezel."""

    width: float
    height: float
    depth: float
    """Behind its glass, pins and plug included."""
    window: tuple[float, float]
    """Width and height of the opening: the lit area and a little more, since modules differ."""
    shift: float
    """From the middle of the board to the middle of the window, towards the pin row."""
    lit: tuple[float, float]
    """Width and height of the lit area."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board screwed onto posts on the floor."""

    width: float
    height: float
    depth: float
    """Highest part above the board's lower side, plugs included."""
    holes: tuple[tuple[float, float], ...]
    """From the board's corner."""
    pilot: float
    """Hole in the post for the screw to cut its thread into."""
    post: float
    """Height of the posts."""


def _corners(width: float, height: float, x: float, y: float) -> tuple[tuple[float, float], ...]:
    return ((x, y), (x + width, y), (x, y + height), (x + width, y + height))


BUTTON: Final = Round(body=23.8, hole=24.2, flange=28.0, depth=36.0)
"""Snap-in arcade button for a 24 mm hole with push-on leads."""
LED: Final = Round(body=6.3, hole=6.5, flange=8.0, depth=17.0)
"""5 mm LED in a plastic clip for a 6.4 mm hole, its leads bent aside below it."""
SCREENS: Final = {
    ("ssd1306", 64): Panel(27.5, 28.0, 12.0, (25.0, 14.0), 1.5, (21.8, 10.9)),
    ("ssd1309", 64): Panel(72.0, 43.5, 14.0, (57.0, 29.5), 1.5, (55.0, 27.5)),
    ("ssd1306", 32): Panel(38.2, 12.2, 12.0, (25.0, 8.0), 0.0, (22.4, 5.6)),
    ("sh1106", 64): Panel(36.0, 34.0, 12.0, (32.0, 18.0), 1.5, (29.5, 14.8)),
}
"""0.96 inch, 2.42 inch, 0.91 inch and 1.3 inch modules by driver and height in pixels."""
BEZEL: Final = 2.6
"""Thickness of the plate that frames a screen."""
BEZEL_FRAME: Final = 0.8
"""Of that before the glass."""
GLASS: Final = {("ssd1309", 64): (60.5, 37.0), ("ssd1306", 64): (26.7, 19.3), ("ssd1306", 32): (30.0, 11.5),
                ("sh1106", 64): (34.5, 23.0)}  # fmt: skip
"""Width and height of the modules' glass, which goes into the bezel."""
GLASS_DEPTH: Final = 2.0
PCB: Final = 1.6
PI: Final = Board(85.0, 56.0, 18.0, _corners(58.0, 49.0, 3.5, 3.5), 2.2, 5.0)
"""Raspberry Pi 1 B+ to 5, from its mechanical drawing: M2.5 in holes 58 x 49 mm apart."""
ZERO: Final = Board(65.0, 30.0, 8.0, _corners(58.0, 23.0, 3.5, 3.5), 2.2, 3.0)
"""Pi Zero 2 W: on a plate of its own that is screwed onto the Pi's posts."""
CARRIER: Final = Board(99.0, 79.5, 29.0, _corners(86.0, 66.0, 10.5, 11.5), 1.8, 26.1)
"""The carrier board in the perfboard's stead, on pillars in the same places; it stands on the Pi's header."""
CARRIER_CORNER: Final = (-49.5, 50.0)
"""Its upper left corner in the box, seen from above."""
PI_PLUGS: Final = 14.0
"""Room beyond the USB side: for an angled plug."""
PERFBOARD: Final = Board(90.0, 70.0, 24.6, _corners(86.0, 66.0, 2.0, 2.0), 1.8, 30.6)
"""7 x 9 cm prototype board above the Pi; jumper plugs that stand upright on it are 23 mm high."""
PIEZO: Final = (12.5, 10.0)
"""Diameter and height of a 12 mm piezo sounder; glued behind a ring of sound holes."""
SCANNER: Final = (54.5, 21.8, 14.0)
"""A scanner that looks along its board (GM65 on its carrier): length, width, height with its lens."""
SCANNER_LENS: Final = 6.0
"""From the board's lower side to the middle of the lens."""
SCANNER_VIEW: Final = (28.0, 34.0)
"""Degrees that it sees: along the board's height and across; the arm holds it on its side, so across the tray and
along it. GM65 and DFRobot MG65: 34 to 35 by 28."""
SCANNER_RANGE: Final = (40.0, 200.0)
"""Nearest and farthest distance at which it reads codes with modules of 0.5 mm (20 mil), with a reserve."""
SCANNER_PIXELS: Final = (480, 640)
PN532: Final = (43.0, 41.0, 8.0)
PICO: Final = (51.0, 21.0, 12.0)
CARDS: Final = ((56.0, 87.0), (66.0, 91.0))
"""The smallest card without a sleeve and the largest in one. Width, height."""
CARD: Final = (66.0, 91.0, 0.5)
"""A sleeved card. Width, height, thickness."""
PILE: Final = 60
"""Cards that may lie on the tray."""
POWER: Final = Round(21.8, 22.2, 25.0, 34.0)
"""USB-C socket for a 22 mm hole with a short lead that ends in the Pi's plug."""
SWITCH: Final = (13.8, 9.0, 22.0)
"""Rocker switch KCD11: width and height of its hole, depth."""
WAKE: Final = Round(11.8, 12.2, 14.0, 20.0)
"""Push button for a 12 mm hole, wired to the Pi's RUN or power pads."""
INSERT: Final = (4.0, 6.0)
"""Hole for an M3 heat-set insert: diameter and depth."""
M3: Final = (3.4, 6.6, 3.4)
"""Clearance hole, hole for its head, depth of that."""
