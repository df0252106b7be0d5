"""What each Raspberry Pi allows on its header, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Board:
    """Limits of one board, in milliamperes."""

    name: str
    title: str
    """The boards that share these limits."""
    pin_ma: float
    """Out of one GPIO pin."""
    total_ma: float
    """Out of all GPIO pins together."""
    rail_ma: float
    """Out of the header's 3V3 pins, the GPIO pins' current counted in."""
    source: str


_PADS = (
    "16 mA a pin is what the pads are designed for (Raspberry Pi documentation, GPIO pads control); "
    "50 mA in all is the source limit of the Compute Module data sheets"
)
_RP1 = (
    "the RP1's pads leave reset at 4 mA drive strength (RP1 peripherals, PADS_BANK0; strongest setting 12 mA) and "
    "nothing here changes that; 50 mA in all from the CM5 data sheet (raspberrypi/documentation#3486)"
)
_UP_TO_4 = "Pi Zero to Pi 4"
BOARDS: Final = {
    **{name: Board(name, _UP_TO_4, 16, 50, 500, _PADS) for name in ("pi0", "pi1", "pi2", "pi3", "pi4")},
    "pi5": Board("pi5", "Pi 5", 4, 50, 500, _RP1),
}
"""Boards with the 40-pin header. 500 mA on 3V3 is the careful figure of pinout.xyz for all boards since the B+ (the
modules' data sheets say 600)."""
