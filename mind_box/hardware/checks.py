"""Electrical sense: what the pins, the rails and the bus would have to carry, against what the board allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mind_box.hardware import header, parts
from mind_box.hardware.boards import Board
from mind_box.hardware.parts import Lamp
from mind_box.hardware.wiring import Wire, lamp_kind, ohms, wires
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth saying about a build."""

    refused: bool
    """True: do not build it like this. False: good to know."""
    text: str
    """What, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What everything draws at once, milliamperes, at worst: every lamp lit, every pixel lit."""

    lamps: int
    pin_ma: float
    """The most that one lamp takes from its pin."""
    gpio_ma: float
    """From all header pins together."""
    expander_ma: float
    rail_ma: float
    """From 3V3: lamps, screens, multiplexer, expander, buttons held down."""
    reader_ma: float
    """From 5 V over USB."""


def sums(config: Config, lamps: Mapping[str, Lamp] = parts.LAMPS) -> Sums:
    """Adds up a build."""
    all_wires = wires(config)
    lit = [(w, lamps[lamp_kind(w.setting)].worst_ma) for w in all_wires if w.kind == "lamp"]
    piezo = sum(parts.PIEZO_MA for w in all_wires if w.kind == "buzzer")
    gpio = sum(ma for w, ma in lit if w.on_header) + piezo
    expander = sum(ma for w, ma in lit if not w.on_header)
    buttons = sum(parts.RAIL / parts.PULL_UP_OHMS * 1000 for w in all_wires if w.kind == "button")
    screens = sum(parts.SCREEN_MA[s.driver] * s.height / 64 for s in config.screen)
    chips = parts.MUX_MA * len(muxes(config)) + (parts.EXPANDER_MA if config.gpio.expander else 0.0)
    return Sums(
        lamps=len(lit),
        pin_ma=max((ma for _, ma in lit), default=0.0),
        gpio_ma=gpio,
        expander_ma=expander,
        rail_ma=gpio + expander + buttons + screens + chips,
        reader_ma=sum(READERS[r.kind].milliamperes for r in config.reader),
    )


def supply_ma(config: Config, board: Board, lamps: Mapping[str, Lamp] = parts.LAMPS) -> float:
    """What the 5 V power supply has to give at worst, milliamperes."""
    total = sums(config, lamps)
    return parts.PI_MA[board.name] + total.rail_ma * parts.RAIL_FROM_5V + total.reader_ma


def muxes(config: Config) -> tuple[tuple[str, int], ...]:
    """The multiplexers in use as (bus, address)."""
    return tuple(sorted({(s.bus, s.mux) for s in config.screen if s.mux is not None}))


def check(config: Config, board: Board, lamps: Mapping[str, Lamp] = parts.LAMPS) -> tuple[Finding, ...]:
    """Everything that speaks against a build or should be known about it, refusals first.

    A pin named twice never gets here: ``mind_box.settings.loading`` refuses it when the file is read.
    """
    all_wires = wires(config)
    found = [*_pins(config, all_wires), *_currents(config, board, lamps), *_bus(config), *_modules(config)]
    return tuple(sorted(found, key=lambda f: not f.refused))


def _modules(config: Config) -> Iterable[Finding]:
    """What has to be done to a display module before it is wired."""
    large = [s.name for s in config.screen if s.driver == "ssd1309" and s.bus.startswith("i2c")]
    if large:
        yield Finding(False, f"{', '.join(large)} (2.42 inch): {parts.LARGE_SCREEN_TO_I2C}")
    if muxes(config):
        yield Finding(
            False,
            "behind a TCA9548A every channel needs pull-ups of its own: a module without any (its SDA and SCL show no "
            f"{ohms(parts.SCREEN_I2C_OHMS)} to VCC) needs one from each of the two to 3V3.",
        )


def _pins(config: Config, all_wires: Iterable[Wire]) -> Iterable[Finding]:
    for wire in all_wires:
        if wire.kind == "bus" or not wire.on_header:
            continue
        at = f"{wire.what} on GPIO{wire.pin} ({wire.where})"
        if wire.pin in header.I2C:
            if wire.kind == "button":
                wakes = " Held low it also wakes a Pi that has been shut down." if wire.pin == 3 else ""
                yield Finding(False, f"{at}: has a fixed 1.8 kΩ pull-up; works while I2C stays unused.{wakes}")
            else:
                yield Finding(
                    True,
                    f"{at}: {header.I2C[wire.pin]} has a fixed 1.8 kΩ pull-up that lights the lamp by itself, and "
                    "the system scans that bus: move it to a pin from 5 to 27.",
                )
        if wire.pin in header.UART:
            yield Finding(
                True,
                f"{at}: {header.UART[wire.pin]} carries the serial console at boot; a pressed button would short it "
                f"and a lamp would flicker: use another pin{_more_pins(config)}.",
            )
        if wire.pin == header.ONE_WIRE:
            yield Finding(
                False,
                f"{at}: 1-Wire takes this pin when it is on; keep `dtoverlay=w1-gpio` out of config.txt.",
            )
        if wire.kind != "button" and wire.pin in header.PULLED_UP - set(header.I2C):
            yield Finding(False, f"{at}: is pulled up at power-up and glows faintly until the box has started.")
        if wire.kind == "buzzer" and wire.pin not in header.PWM:
            yield Finding(False, f"{at}: has no hardware PWM; tones are cleaner on GPIO 12, 13, 18 or 19.")


def _more_pins(config: Config) -> str:
    if config.box.seats > 6 and not config.gpio.expander:
        return f" ({config.box.seats} seats need an MCP23017 for the lamps: gpio.expander and pins from 100)"
    return ""


def _currents(config: Config, board: Board, lamps: Mapping[str, Lamp]) -> Iterable[Finding]:
    total = sums(config, lamps)
    cure = "larger resistors, or lamps on an MCP23017 (gpio.expander)"
    for kind, lamp in lamps.items():
        mine = [w for w in wires(config) if w.kind == "lamp" and lamp_kind(w.setting) == kind]
        sizes = (f"{kind} lamps: {lamp.worst_ma:.1f} mA each at worst ({parts.RAIL} V - {lamp.low_volts} V over "
                 f"{lamp.ohms:g} Ω - {parts.TOLERANCE:.0%})")  # fmt: skip
        if any(w.on_header for w in mine) and lamp.worst_ma > board.pin_ma:
            yield Finding(
                True,
                f"{sizes} is more than the {board.pin_ma:g} mA that a pin of the {board.title} gives: at least "
                f"{_least_ohms(lamp, board.pin_ma):.0f} Ω.",
            )
        if any(not w.on_header for w in mine) and lamp.worst_ma > parts.EXPANDER_PIN_MA:
            yield Finding(True, f"{sizes} is more than the {parts.EXPANDER_PIN_MA:g} mA of an MCP23017's pin.")
    if total.gpio_ma > board.total_ma:
        yield Finding(
            True,
            f"all lamps and the piezo together: {_sum_text(config, lamps)} = {total.gpio_ma:.1f} mA, more than the "
            f"{board.total_ma:g} mA that all pins of the {board.title} give together: {cure}.",
        )
    if total.expander_ma > parts.EXPANDER_TOTAL_MA:
        yield Finding(
            True,
            f"the expander's lamps: {total.expander_ma:.1f} mA, more than the {parts.EXPANDER_TOTAL_MA:g} mA that an "
            "MCP23017 takes: larger resistors.",
        )
    if total.rail_ma > board.rail_ma:
        yield Finding(
            True,
            f"3V3: {total.rail_ma:.0f} mA with every pixel lit, more than the {board.rail_ma:g} mA of the "
            f"{board.title}: feed the screens from a 3.3 V regulator on 5 V.",
        )


def _sum_text(config: Config, lamps: Mapping[str, Lamp]) -> str:
    terms = []
    for kind, lamp in lamps.items():
        count = sum(w.kind == "lamp" and w.on_header and lamp_kind(w.setting) == kind for w in wires(config))
        if count:
            terms.append(f"{count} x {lamp.worst_ma:.1f} mA ({kind})")
    if config.gpio.buzzer is not None:
        terms.append(f"{parts.PIEZO_MA:.1f} mA (piezo)")
    return " + ".join(terms)


def _least_ohms(lamp: Lamp, ma: float) -> float:
    return (parts.RAIL - lamp.low_volts) / (ma / 1000) / (1 - parts.TOLERANCE) + 0.5


def _bus(config: Config) -> Iterable[Finding]:
    direct = sum(s.bus == "i2c-1" and s.mux is None for s in config.screen)
    chips = sum(bus == "i2c-1" for bus, _ in muxes(config)) + bool(config.gpio.expander)
    if direct + chips == 0:
        return
    siemens = 1 / parts.PI_I2C_OHMS + direct / parts.SCREEN_I2C_OHMS + chips / parts.MUX_I2C_OHMS
    ma = (parts.RAIL - parts.I2C_LOW) * siemens * 1000
    if ma > parts.I2C_SINK_MA:
        yield Finding(
            True,
            f"i2c-1: the Pi's 1.8 kΩ and the modules' pull-ups make {1 / siemens:.0f} Ω, {ma:.1f} mA for a chip to "
            f"pull low, more than {parts.I2C_SINK_MA:g} mA: unsolder the pull-ups of all screens but one, or put a "
            "TCA9548A in between.",
        )
