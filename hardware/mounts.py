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
    """A display module glued behind a window in the lid."""

    width: float
    height: float
    depth: float
    """Below the lid's lower side, pins and plug included."""
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
LED: Final = Round(body=6.3, hole=6.5, flange=8.0, depth=22.0)
"""5 mm LED in a plastic clip for a 6.4 mm hole."""
SCREENS: Final = {
    ("ssd1306", 64): Panel(27.5, 28.0, 12.0, (25.0, 14.0), 1.5, (21.8, 10.9)),
    ("ssd1309", 64): Panel(72.0, 43.5, 14.0, (57.0, 29.5), 1.5, (55.0, 27.5)),
    ("ssd1306", 32): Panel(38.2, 12.2, 12.0, (25.0, 8.0), 0.0, (22.4, 5.6)),
    ("sh1106", 64): Panel(36.0, 34.0, 12.0, (32.0, 18.0), 1.5, (29.5, 14.8)),
}
"""0.96 inch, 2.42 inch, 0.91 inch and 1.3 inch modules by driver and height in pixels."""
PI: Final = Board(85.0, 56.0, 18.0, _corners(58.0, 49.0, 3.5, 3.5), 2.2, 5.0)
"""Raspberry Pi 1 B+ to 5, from its mechanical drawing: M2.5 in holes 58 x 49 mm apart. A Pi Zero fits the two posts
of one long side."""
PI_PLUGS: Final = 40.0
"""Room beyond the USB side for plugs and the bend of their cables."""
PERFBOARD: Final = Board(90.0, 70.0, 16.0, _corners(86.0, 66.0, 2.0, 2.0), 1.8, 4.0)
"""7 x 9 cm prototype board."""
PIEZO: Final = (12.5, 10.0)
"""Diameter and height of a 12 mm piezo sounder; glued behind a ring of sound holes."""
SCANNER: Final = (60.0, 30.0, 20.0)
"""The largest scanner board that the bracket holds: length, width, height with its lens."""
PN532: Final = (43.0, 41.0, 8.0)
PICO: Final = (51.0, 21.0, 12.0)
CARD: Final = (66.0, 91.0, 1.2)
"""The largest card: a standard card in a sleeve. Width, height, thickness."""
PLUG: Final = (12.0, 8.0)
"""The power cable's plug, which must pass the notch in the wall."""
