"""The electrical values of the build: one place for the tables, the checks, the drawings and the parts list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RAIL: Final = 3.3
"""Volts that a GPIO pin drives when high; real pins sag a little, which only lowers a lamp's current."""
RAIL_FROM_5V: Final = 3.3 / 5 / 0.8
"""Amperes of 5 V for one of 3.3 V: every Pi from 1 B+ on makes it in a switching regulator, of 80 % at least."""
TOLERANCE: Final = 0.05
"""Of a carbon-film resistor."""


LEAST_RAIL: Final = 3.2
"""What a pin drives at least, with the 3.3 V supply 3 % low."""
MCD: Final = 300.0
"""What is asked of every LED: at least so many millicandela at 20 mA. It shines about as its current."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """A 5 mm LED with its series resistor, from a GPIO pin to ground."""

    colour: str
    volts: float
    """Forward voltage at about 2 mA, typical."""
    low_volts: float
    """The lowest forward voltage that a data sheet allows: the most current."""
    high_volts: float
    """The highest one: the least light."""
    ohms: float
    order: str
    """An example to order by."""

    @property
    def ma(self) -> float:
        """Current when lit, milliamperes, typical."""
        return max(0.0, (RAIL - self.volts) / self.ohms * 1000)

    @property
    def worst_ma(self) -> float:
        """Current when lit with the lowest forward voltage and a resistor at the low end of its tolerance."""
        return max(0.0, (RAIL - self.low_volts) / (self.ohms * (1 - TOLERANCE)) * 1000)

    @property
    def least_mcd(self) -> float:
        """Millicandela when lit with the highest forward voltage, a resistor at the high end and a low supply."""
        return max(0.0, (LEAST_RAIL - self.high_volts) / (self.ohms * (1 + TOLERANCE)) * 1000) * MCD / 20


LAMPS: Final = {
    "life": Lamp("red", 1.9, 1.6, 2.2, 680, "Kingbright WP7113SURDK"),
    "star": Lamp("yellow", 1.85, 1.5, 2.1, 680, "Kingbright WP7113SYDK (number not verified)"),
    "seat": Lamp("green", 2.0, 1.6, 2.3, 680, "Kingbright WP7113CGDK (number not verified)"),
}
"""AlInGaP, all below 2.4 V at 2 mA (a yellow one for 2 mA, Kingbright WP7113LSYCK/J3: 1.5, 1.85 and 2.1 V). GaAsP and
GaP, which shops call high efficiency, give a thirtieth of the light or less (Vishay TLHR5400: 1.6 mcd at 10 mA). White,
blue and pure green ones need about 3 V, which 3.3 V hardly leaves any resistor for: their brightness would be chance.
The numbers to order by are examples: what the parts list asks for is what counts. Of the first one it was found that it
is a 5 mm LED of that maker; the other two follow the maker's scheme and were found nowhere."""

PULL_UP_OHMS: Final = 10_000
"""From a button to 3V3. The pin's own pull-up (about 50 kOhm) is on as well, so a box without these works too."""
SERIES_OHMS: Final = 1_000
"""Between a button and its pin: limits what an electrostatic spark or a pin set wrongly to output can drive."""
FILTER_NF: Final = 100
"""From the pin to ground. With the resistors: 0.1 ms when pressed, 1.1 ms when released, far below the 25 ms of
``table.debounce``, far above the spikes of a cold ceiling lamp."""
PIEZO_OHMS: Final = 220
PIEZO: Final = "TDK PS1240P02BT"
"""A bare piezo of 12.2 mm for 4 kHz, 70 dB(A) at 10 cm with 3 V. A multimeter sees it open: what measures 16 or 42 Ω is
a coil, sold under the same name, and takes from the pin what the resistor leaves it, 14 mA."""
PIEZO_MA: Final = 4.0
"""Average of a passive 12 mm piezo through its resistor at 2-4 kHz, an upper bound."""

PI_I2C_OHMS: Final = 1_800
"""Fixed pull-ups on the Pi's SDA1 and SCL1."""
SCREEN_I2C_OHMS: Final = 4_700
"""Pull-ups that cheap display modules carry."""
MUX_I2C_OHMS: Final = 10_000
"""Pull-ups on a TCA9548A or MCP23017 breakout's bus side."""
I2C_SINK_MA: Final = 3.0
I2C_LOW: Final = 0.4
"""A chip need not sink more than 3 mA at 0.4 V (I2C specification, standard and fast mode)."""

SCREEN_MA: Final = {"ssd1306": 25.0, "ssd1309": 165.0, "sh1106": 40.0}
"""From 3V3 with every pixel lit, 128x64; text lights a tenth of that. A 2.42 inch module makes its 12 V itself: 128
columns of 0.32 mA (SSD1309 data sheet, segment current at full contrast) at the box's contrast of 207 of 256 are 33 mA
of them, which through a converter of 75 % are 165 mA of 3.3 V."""
LARGE_SCREEN_TO_I2C: Final = (
    "most modules come set to SPI. The table on its back says which resistor to move for I2C (R8 to R9 or R3 to R5, as "
    "printed; where R10 to R12 belong to I2C, close them too). D2 must be joined to D1, else it takes everything and "
    "acknowledges nothing. Seven pins: CS to GND; DC is the address, GND for 0x3c, 3V3 for 0x3d; RES over 10 kΩ to 3V3 "
    "and 1 µF to GND. Four pins: the address is a resistor, printed 0x78 (0x3c) or 0x7A (0x3d). Feed it 3.3 V."
)
"""From what builders of several makes found; no module was at hand."""
WAKE: Final = (
    "a button from RUN to GND, two holes beside the header, starts a Pi that has been shut down; pressed while it runs "
    "it is a pulled plug. On a Pi 5 the two pads of J2, its power button, which shuts down as well"
)
SWITCH: Final = "in the 5 V lead, for 3 A or more; off only after the menu's shut-down, as the plug"
"""Parts that touch no pin of the header."""
MUX_MA: Final = 1.0
EXPANDER_MA: Final = 1.0
EXPANDER_PIN_MA: Final = 25.0
EXPANDER_TOTAL_MA: Final = 125.0
"""MCP23017 data sheet DS20001952, absolute maximum ratings: a pin, and into VDD."""
PI_MA: Final = {"pi0": 600.0, "pi1": 600.0, "pi2": 800.0, "pi3": 1200.0, "pi4": 1500.0, "pi5": 2400.0}
"""From 5 V, busy, without what hangs on it: an upper bound for choosing the power supply."""

LABEL_FROM_EDGE: Final = 14.0
"""Millimetres from a card's short edge to the middle of its label: where the slot's reader looks."""
