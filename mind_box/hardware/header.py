"""The 40-pin header: where each BCM number is, what else wants it, and what it does before the box has started."""

from __future__ import annotations

from typing import Final

PHYSICAL: Final = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21,
    25: 22, 11: 23, 8: 24, 7: 26, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""BCM number to the pin on the header."""
BCM: Final = {pin: bcm for bcm, pin in PHYSICAL.items()}
"""Header pin to BCM number."""
SUPPLY: Final = {
    1: "3V3", 2: "5V", 4: "5V", 6: "GND", 9: "GND", 14: "GND", 17: "3V3", 20: "GND", 25: "GND",
    27: "ID_SD", 28: "ID_SC", 30: "GND", 34: "GND", 39: "GND",
}  # fmt: skip
"""Header pins that are no GPIO. 27 and 28 belong to the EEPROM of a HAT: leave them free."""
GROUNDS: Final = tuple(pin for pin, name in SUPPLY.items() if name == "GND")
I2C: Final = {2: "I2C1 SDA", 3: "I2C1 SCL"}
UART: Final = {14: "UART TXD", 15: "UART RXD"}
ONE_WIRE: Final = 4
"""Where `dtoverlay=w1-gpio` puts 1-Wire unless told otherwise."""
PWM: Final = frozenset({12, 13, 18, 19})
"""Pins with a hardware PWM channel: a piezo sounds clean there."""
PULLED_UP: Final = frozenset(range(2, 9))
"""Pulled up at power-up (BCM2835 ARM Peripherals, table 6-31; the Pi 5 keeps the same defaults): a lamp on one
of these glows faintly until the box has started. 9 to 27 are pulled down."""


def place(bcm: int) -> str:
    """``pin 11`` for BCM 17."""
    return f"pin {PHYSICAL[bcm]}"


def near_ground(pin: int) -> int:
    """The ground pin of the header nearest to a pin, the lower one of two."""
    return min(GROUNDS, key=lambda g: (abs(g - pin), g))
