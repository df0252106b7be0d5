"""What a spark does to an OLED's controller, which answers as before: its registers turn over, its RAM is scrambled."""

from __future__ import annotations

import random

from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip, SSD1309Chip

_BOTH = {
    "on": 1, "inverted": 1, "all_on": 1, "segments_remapped": 1, "rows_reversed": 1, "contrast": 0xFF,
    "start_line": 0x3F, "offset": 0x3F, "multiplex": 0x3F, "com_pins": 0x30, "clock": 0xFF, "precharge": 0xFF,
    "vcomh": 0x70,
}  # fmt: skip
REGISTERS: dict[type[OledChip], dict[str, int]] = {
    SSD1306Chip: {**_BOTH, "mode": 3, "pump": 1, "scrolling": 1},
    SSD1309Chip: {**_BOTH, "vcomh": 0x30, "mode": 3, "locked": 1, "scrolling": 1},
    SH1106Chip: {**_BOTH, "converter": 1},
}
"""What decides how the RAM is shown, by the bits that it has."""


def registers(chip: OledChip) -> dict[str, int]:
    """All that decides how the RAM is shown."""
    return {name: int(getattr(chip, name)) for name in REGISTERS[type(chip)]}


def flip(chip: OledChip, name: str, rng: random.Random) -> None:
    """One bit of a register turns over."""
    bits = [bit for bit in range(8) if REGISTERS[type(chip)][name] >> bit & 1]
    old = getattr(chip, name)
    setattr(chip, name, type(old)(old ^ 1 << rng.choice(bits)))


def scramble(chip: OledChip, rng: random.Random) -> None:
    """Nothing in the RAM is what it was."""
    chip.ram = bytearray(rng.randbytes(len(chip.ram)))
