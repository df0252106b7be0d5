"""From settings to wires: what each used pin is soldered to. Everything drawn or listed is made from this."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mind_box.hardware import header, parts
from mind_box.settings.kinds import LAMPS
from mind_box.settings.schema import EXPANDER_PINS, Config, pin_uses

PARTS = {
    "star_button": ("button", "star button"),
    "seat_buttons": ("button", "seat {} button"),
    "buzzer": ("buzzer", "piezo"),
} | {group.setting: ("lamp", group.name) for group in LAMPS}
"""What a setting of ``[gpio]`` stands for: the kind of part, and its name with its number."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One used pin."""

    setting: str
    """As ``pin_uses`` names it: ``gpio.life_lamps[1]``."""
    pin: int
    """BCM number, or 100-115 on the expander."""
    kind: str
    """button, lamp, buzzer or bus."""
    what: str
    """For people: ``life lamp 1``."""
    via: str
    """What lies between the pin and the part."""

    @property
    def on_header(self) -> bool:
        """False when the wire goes to the expander."""
        return self.pin not in EXPANDER_PINS

    @property
    def line(self) -> str:
        """``GPIO17``, or ``GPA3`` on the expander."""
        if self.on_header:
            return f"GPIO{self.pin}"
        number = self.pin - EXPANDER_PINS.start
        return f"GP{'AB'[number // 8]}{number % 8}"

    @property
    def physical(self) -> int | None:
        """Pin of the 40-pin header; None on the expander."""
        return header.PHYSICAL[self.pin] if self.on_header else None

    @property
    def where(self) -> str:
        """``pin 11``, or ``expander``."""
        return header.place(self.pin) if self.on_header else "expander"


def wires(config: Config) -> tuple[Wire, ...]:
    """Every used pin, in the order of ``pin_uses``."""
    return tuple(_wire(setting, pin) for setting, pin in pin_uses(config))


def lamp_kind(setting: str) -> str:
    """``life``, ``star`` or ``seat`` for a lamp's setting."""
    return setting.partition(".")[2].partition("_")[0]


def _wire(setting: str, pin: int) -> Wire:
    named = re.fullmatch(r"gpio\.(\w+?)(?:\[(\d+)\])?", setting)
    if named is None:  # a bus: "screen.bus i2c-1 (SDA)"
        bus = re.search(r"\(([^)]+)\)", setting)
        what = bus[1] if bus else setting.partition(".")[2].removesuffix("_pin").upper()
        return Wire(setting, pin, "bus", f"{_bus_of(setting)} {what}".strip(), "straight through")
    key, number = named[1], named[2]
    kind, name = PARTS[key]
    if kind == "lamp":
        lamp = parts.LAMPS[lamp_kind(setting)]
        via = f"{ohms(lamp.ohms)} to the long leg of a {lamp.colour} LED, short leg to GND"
    elif kind == "button":
        via = (
            f"{ohms(parts.SERIES_OHMS)} to the button, {ohms(parts.PULL_UP_OHMS)} from the button to 3V3, "
            f"{parts.FILTER_NF} nF from the pin to GND; button's other side to GND"
        )
    else:
        via = f"{ohms(parts.PIEZO_OHMS)} to the piezo, other side to GND"
    return Wire(setting, pin, kind, name.format(number), via)


def ohms(value: float) -> str:
    """``680 Ω``, ``10 kΩ``."""
    return f"{value / 1000:g} kΩ" if value >= 1000 else f"{value:g} Ω"


def _bus_of(setting: str) -> str:
    for word, name in (("i2c", "I2C"), ("spi", "SPI"), ("UART", ""), ("dc_pin", "SPI"), ("reset_pin", "SPI")):
        if word in setting:
            return name
    return ""
