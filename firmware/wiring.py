"""Draws the reader's wiring from its own settings: one picture for each bus (``python firmware/wiring.py``).

The pins come from ``card_reader/settings.py``, so a picture cannot say anything else than the code does.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
PINS = {
    0: 1, 1: 2, 2: 4, 3: 5, 4: 6, 5: 7, 6: 9, 7: 10, 8: 11, 9: 12, 10: 14, 11: 15, 12: 16, 13: 17, 14: 19, 15: 20,
    16: 21, 17: 22, 18: 24, 19: 25, 20: 26, 21: 27, 22: 29, 26: 31, 27: 32, 28: 34,
}  # fmt: skip
"""GP number to the pin's place on a Pico: 1-20 on the left, from the USB socket down, 21-40 up on the right."""
POWER = {"3V3": 36, "VBUS": 40, "GND": 38}
COLOURS = {"VCC": "#c62828", "3.3V": "#c62828", "GND": "#37474f"}
SIGNALS = ("#1565c0", "#2e7d32", "#ef6c00", "#6a1b9a", "#00838f")

SWITCHES = {"uart": "switches 1 off, 2 off", "i2c": "switches 1 on, 2 off", "spi": "switches 1 off, 2 on"}

Wire = tuple[str, str, int]
"""The name at the chip's board, the name at the Pico, the pin's place there."""


def wires(bus: str) -> list[Wire]:
    """The wires of one bus: ``uart``, ``i2c``, ``spi`` or ``rc522``."""
    s: dict[str, Any] = runpy.run_path(str(HERE / "card_reader" / "settings.py"))
    power = "3.3V" if bus == "rc522" else "VCC"
    out: list[Wire] = [(power, "3V3", POWER["3V3"]), ("GND", "GND", POWER["GND"])]
    signals = {
        "uart": (("SDA/TXD", "UART_RX"), ("SCL/RXD", "UART_TX")),
        "i2c": (("SDA/TXD", "I2C_SDA"), ("SCL/RXD", "I2C_SCL")),
        "spi": (("SCK", "SPI_SCK"), ("MOSI", "SPI_MOSI"), ("MISO", "SPI_MISO"), ("SS", "SPI_CS")),
        "rc522": (
            ("SCK", "SPI_SCK"), ("MOSI", "SPI_MOSI"), ("MISO", "SPI_MISO"), ("SDA", "SPI_CS"), ("RST", "RC522_RESET"),
        ),
    }[bus]  # fmt: skip
    return out + [(there, f"GP{s[name]}", PINS[s[name]]) for there, name in signals]


def picture(bus: str) -> str:
    """The SVG of one bus."""
    chip = "RC522 board" if bus == "rc522" else "PN532 board"
    switches = SWITCHES.get(bus, "")
    rows = sorted(wires(bus), key=lambda w: _pin_y(w[2]))
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 560" font-family="DejaVu Sans, sans-serif">',
        '<rect width="760" height="560" fill="#ffffff"/>',
        _text(380, 30, f"{chip} to a Raspberry Pi Pico ({bus.upper() if bus != 'rc522' else 'SPI'})", 18, "middle"),
        '<rect x="60" y="60" width="190" height="460" rx="10" fill="#1b5e20"/>',
        '<rect x="125" y="48" width="60" height="30" rx="3" fill="#b0bec5" stroke="#607d8b"/>',
        _text(155, 68, "USB", 12, "middle"),
        _text(155, 300, "Pico", 20, "middle", "#ffffff"),
        '<rect x="530" y="120" width="180" height="320" rx="10" fill="#b71c1c"/>',
        _text(620, 106, chip, 18, "middle"),
        _text(620, 462, switches, 13, "middle"),
    ]
    for place in range(1, 41):
        x = 70 if place <= 20 else 240
        out.append(f'<circle cx="{x}" cy="{_pin_y(place)}" r="6" fill="#ffd54f" stroke="#5d4037"/>')
    for number, (there, here, place) in enumerate(rows):
        colour = COLOURS.get(there, SIGNALS[number % len(SIGNALS)])
        left = place <= 20
        x, y, end = (70 if left else 240), _pin_y(place), 160 + number * 240 // max(1, len(rows) - 1)
        lane = 300 + number * 30
        if left:  # once round the Pico's lower end
            low = 530 + number % 3 * 8
            path = f"M{x},{y} H{40 - number * 4} V{low} H{lane} V{end} H540"
        else:
            path = f"M{x},{y} H{lane} V{end} H540"
        out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="3" stroke-linejoin="round"/>')
        out.append(f'<circle cx="540" cy="{end}" r="6" fill="#ffd54f" stroke="#5d4037"/>')
        out.append(_text(552, end + 5, there, 13, "start", "#ffffff"))
        out.append(_text(84 if left else 226, y + 4, f"{here} ({place})", 11, "start" if left else "end", "#ffffff"))
    return "\n".join([*out, "</svg>", ""])


def _pin_y(place: int) -> int:
    return 90 + 21 * (place - 1 if place <= 20 else 40 - place)


def _text(x: int, y: int, words: str, size: int, anchor: str, colour: str = "#212121") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def main() -> int:
    """Writes all pictures beside this file."""
    for bus in ("uart", "i2c", "spi", "rc522"):
        (HERE / f"wiring-{bus}.svg").write_text(picture(bus))
    return 0


if __name__ == "__main__":
    sys.exit(main())
