"""The parts list, counted from the settings: what to look for, prices, alternatives, the hole each part needs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import mounts
from diagram import SCREEN_NAMES

from mind_box.hardware import parts
from mind_box.hardware.checks import muxes
from mind_box.hardware.wiring import lamp_kind, wires
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config

COLUMNS = ("part", "quantity", "what", "look for", "EUR each", "EUR", "alternatives", "mount", "hole mm")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the list."""

    part: str
    quantity: int
    what: str
    look_for: str
    each: float
    """Typical price in euro, small quantities, 2025. Prices move: the sum is for planning, not for an invoice."""
    alternatives: str = ""
    mount: str = ""
    """Which opening or posts of the enclosure it sits in; empty: lies inside or is soldered."""
    hole: str = ""

    @property
    def total(self) -> float:
        """Price of the line, euro."""
        return self.quantity * self.each


def bill(config: Config) -> tuple[Line, ...]:
    """Everything to buy for a build."""
    return (*_computer(), *_table(config), *_screens(config), *_reader(config), *_board(config), *_case(config))


def total(config: Config) -> float:
    """What it costs together, euro."""
    return sum(line.total for line in bill(config))


def as_csv(config: Config) -> str:
    """The list as CSV, a header line first, the sum last."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for x in bill(config):
        cells = [x.part, x.quantity, x.what, x.look_for, f"{x.each:.2f}", f"{x.total:.2f}", x.alternatives, x.mount]
        writer.writerow([*cells, x.hole])
    writer.writerow(["total", "", "", "", "", f"{total(config):.2f}", "", "", ""])
    return out.getvalue()


def _computer() -> Iterator[Line]:
    yield Line(
        "pi",
        1,
        "Raspberry Pi",
        "any with the 40-pin header: 3B+, 4 (1 GB) or 5 (1 GB)",
        42.0,
        "Zero 2 W with header (20 EUR), on the printed plate, its USB through an OTG adapter",
        "pi",
        "M2.5 posts 58 x 49",
    )
    yield Line("sd", 1, "microSD card, 16 GB or more", "A1, 'high endurance'", 9.0)
    yield Line(
        "psu",
        1,
        "power supply 5.1 V 3 A, USB-C",
        "the official one, with a USB-C plug for every Pi",
        9.0,
        "Pi 5: 5.1 V 5 A also lets it feed more over USB; not needed here",
    )
    size = mounts.POWER
    yield Line(
        "power-socket",
        1,
        "USB-C panel socket with a lead, 15-20 cm",
        "round, 22 mm hole with a nut, 3 A or more; its plug fits the Pi: USB-C, or micro-USB up to a Pi 3 and Zero",
        6.0,
        "screw-terminal sockets and plugs of the same rating, soldered to 0.75 mm2 wire",
        "power",
        f"{size.hole:g} round",
    )
    width, height, _ = mounts.SWITCH
    yield Line(
        "switch",
        1,
        "rocker switch KCD11",
        "snap-in, on and off, 3 A or more; in the red wire of the socket's lead",
        0.8,
        "leave it out and close the hole with the switch, unwired",
        "switch",
        f"{width:g} x {height:g}",
    )
    yield Line(
        "wake-button",
        1,
        "push button, 12 mm, closes while pressed",
        "PBS-33B or the like, two wires with a 2-pin plug",
        0.8,
        "wires to the pads J2 of a Pi 5, or RUN and GND of an older one",
        "wake",
        f"{mounts.WAKE.hole:g} round",
    )


def _table(config: Config) -> Iterator[Line]:
    used = wires(config)
    seats = sum(w.kind == "button" for w in used) - 1
    b = mounts.BUTTON
    look = "snap-in arcade button for 24 mm holes, microswitch inside, no lamp"
    other = "any push button that closes, for a 24 mm hole; 30 mm after changing mounts.py"
    yield Line("button-seat", seats, "seat button, 24 mm", look, 2.5, other, "seat-button", f"{b.hole:g} round")
    yield Line(
        "button-star", 1, "star button, 24 mm, another colour", look, 2.5, other, "star-button", f"{b.hole:g} round"
    )
    yield Line(
        "tab-leads", 2 * (seats + 1), "push-on lead 2.8 mm", "for arcade buttons, 20 cm", 0.2, "solder the wires on"
    )
    for kind, lamp in parts.LAMPS.items():
        count = sum(w.kind == "lamp" and lamp_kind(w.setting) == kind for w in used)
        yield Line(
            f"led-{kind}",
            count,
            f"LED 5 mm {lamp.colour}, diffused",
            f"AlInGaP, at least {parts.MCD:g} mcd at 20 mA, {lamp.low_volts:g}-{lamp.high_volts:g} V at 2 mA, e.g. "
            f"{lamp.order}",
            0.25,
            "any colour below 2.4 V; not 'high efficiency' (10 mcd); no white, blue or pure green (3 V)",
        )
    lamps = sum(w.kind == "lamp" for w in used)
    c = mounts.LED
    yield Line(
        "led-clip",
        lamps,
        "clip for a 5 mm LED",
        f"for a {c.body + 0.1:.1f} mm hole, plastic, with ring",
        0.12,
        "a drop of hot glue",
        "led",
        f"{c.hole:g} round",
    )


def _screens(config: Config) -> Iterator[Line]:
    kinds: dict[tuple[str, int], list[str]] = {}
    for s in config.screen:
        kinds.setdefault((s.driver, s.height), []).append("table-screen" if s.seat is None else "seat-screen")
    prices = {("ssd1306", 64): 4.0, ("ssd1309", 64): 17.0, ("ssd1306", 32): 4.0, ("sh1106", 64): 7.0}
    for kind, places in kinds.items():
        window = mounts.SCREENS.get(kind)
        hole = f"window {window.window[0]:g} x {window.window[1]:g}" if window else ""
        name = SCREEN_NAMES.get(kind, f"OLED {kind[0]}")
        where = places[0].replace("-", " ") if len(set(places)) == 1 else "screen"
        yield Line(
            f"oled-{kind[0]}-{kind[1]}",
            len(places),
            f"{where}: {name}, I2C",
            f"{kind[0].upper()}, 4 pins GND VCC SCL SDA, 3.3 V",
            prices.get(kind, 6.0),
            "another size: change driver and height in the settings",
            "/".join(dict.fromkeys(places)),
            hole,
        )
    if muxes(config):
        yield Line("mux", len(muxes(config)), "TCA9548A breakout", "8 I2C channels, address 0x70", 4.0, "PCA9548A")
    if config.gpio.expander:
        yield Line("expander", 1, "MCP23017 breakout", "I2C, 16 lines, address 0x20", 4.0)


def _reader(config: Config) -> Iterator[Line]:
    for kind, count in _counted(r.kind for r in config.reader):
        if READERS[kind].optical:
            yield Line(
                "scanner",
                count,
                "QR scanner: Grow GM65 on its carrier board",
                "5 V, micro USB on its board, 53 x 21 mm, sees 34 x 28 degrees; virtual COM port, light of its own",
                28.0,
                "see docs/scanners.md, model by model; no GM65-S or GM60-S (3.3 V), nothing that sees less",
                "scanner",
                f"arm, boards up to {mounts.SCANNER[0]:g} x {mounts.SCANNER[1]:g}",
            )
            yield Line(
                "label-sheet",
                2,
                "full-sheet label paper, matt",
                "A4 or Letter, permanent, white; a label at each end of a card",
                0.8,
                "card sleeves and inserts",
            )
        elif kind == "rdm6300":
            yield Line(
                "rdm6300",
                count,
                "RDM6300 module with its coil",
                "125 kHz, UART with 5 V supply; the coil under the slot",
                4.0,
                "ID-12LA or ID-20LA (antenna inside)",
                "nfc",
                "coil 46 x 33, glued",
            )
            yield Line(
                "tags",
                120,
                "125 kHz sticker EM4100, 25 mm round",
                "EM4100 or TK4100, under 0.8 mm",
                0.2,
                "they cannot be written: mind-box cards enrol",
            )
        else:
            size = f"board {mounts.PN532[0]:g} x {mounts.PN532[1]:g}"
            yield Line(
                "pn532",
                count,
                "PN532 NFC module",
                "'V3', red, with the antenna on the board and two switches",
                7.0,
                "RC522 over SPI (shorter range)",
                "nfc",
                size,
            )
            yield Line(
                "tags",
                120,
                "NFC sticker NTAG213, 25 mm round, thin",
                "NTAG213 or 215, under 0.2 mm",
                0.14,
                "100 for the plain deck; 22 mm are fine; no metal-backed ones",
            )
        plugged = sum(r.kind == kind and not r.on_header for r in config.reader)
        if plugged and "adapter" in READERS[kind].part:
            look = "CP2102 or CH340, with a 5 V pin"
            yield Line("usb-serial", plugged, "USB serial adapter", look, 3.0, "the header's UART: /dev/serial0")
        if kind == "firmware":
            yield Line(
                "rp2040",
                count,
                "RP2040 board",
                "Raspberry Pi Pico or Pico W with header pins",
                5.0,
                "another RP2040 board: MicroPython of its own",
            )
        if plugged:
            yield Line(
                "usb-cable",
                plugged,
                "USB cable, A to the reader's socket",
                "data lines, 50 cm or less",
                3.0,
                "",
                "usb-cable",
            )


def _counted(kinds: Iterator[str]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    return list(counts.items())


def _board(config: Config) -> Iterator[Line]:
    used = wires(config)
    sizes: dict[float, int] = {}
    for w in used:
        if w.kind == "lamp":
            size = parts.LAMPS[lamp_kind(w.setting)].ohms
            sizes[size] = sizes.get(size, 0) + 1
    buttons = sum(w.kind == "button" for w in used)
    sizes[parts.SERIES_OHMS] = sizes[parts.PULL_UP_OHMS] = buttons
    piezos = sum(w.kind == "buzzer" for w in used)
    if piezos:
        sizes[parts.PIEZO_OHMS] = piezos
        yield Line(
            "piezo",
            piezos,
            f"piezo sounder, 12 mm: {parts.PIEZO}",
            "a bare piezo for 4 kHz; a multimeter sees it open",
            0.9,
            "Murata PKM13EPYH4000-A0; no 'passive buzzer' of 16 or 42 ohm, which is a coil",
            "piezo",
            f"{mounts.PIEZO[0]:g} round, glued",
        )
    for size, count in sizes.items():
        yield Line(f"r{size:g}", count, f"resistor {size:g} ohm", "1/4 W, 5 % or better", 0.03, "the next larger value")
    yield Line("c100n", buttons, f"capacitor {parts.FILTER_NF} nF", "ceramic, 2.54 or 5.08 mm", 0.08, "47 to 220 nF")
    yield Line(
        "perfboard",
        1,
        "prototype board 7 x 9 cm",
        "2.54 mm, plated holes",
        1.5,
        "stripboard of that size; or, with its own parts list, the carrier board",
        "perfboard",
        "posts 86 x 66",
    )
    yield Line("ribbon", 1, "40-way ribbon cable with IDC sockets", "2 x 20, 15-20 cm, for the GPIO header", 3.0)
    yield Line("box-header", 1, "2 x 20 box header", "2.54 mm, straight", 0.8)
    yield Line("pin-strip", 2, "pin header strip, 40 pins", "2.54 mm, breakable", 0.5)
    yield Line(
        "jumpers",
        2 if muxes(config) else 1,
        "40 jumper wires female-female, 20-30 cm",
        "2.54 mm",
        3.5,
        "crimp your own; JST-XH is sturdier",
    )
    yield Line("wire", 1, "hook-up wire 0.14 mm2, 10 m", "black, red and three more colours", 5.0)
    yield Line("heat-shrink", 1, "heat-shrink tubing, 1 m", "1.5-2 mm before it shrinks", 1.0, "insulating tape")


def _case(config: Config) -> Iterator[Line]:
    yield Line(
        "filament",
        1,
        "filament for the enclosure, about 450 g, and 30 g in a second colour",
        "PLA or PETG; dark for the body, light for what is set in",
        12.0,
        "a printing service: give it the STL files",
    )
    yield Line(
        "screw-lid",
        4,
        "machine screw M3 x 16",
        "any head up to 6.5 mm; from below, nobody sees them",
        0.1,
        "",
        "lid-screw",
        f"{mounts.M3[0]:g} round",
    )
    arm = any(READERS[r.kind].optical for r in config.reader)
    yield Line(
        "insert",
        6 if arm else 4,
        "heat-set insert M3, 5 to 6 mm long",
        f"for a {mounts.INSERT[0]:g} mm hole",
        0.12,
        "self-cutting screws M3 x 16: drill nothing, they hold a few times",
    )
    yield Line("screw-shelf", 4, "screw M3 x 10, self-cutting, countersunk", "for plastic", 0.1, "", "", "2.6 pilot")
    yield Line(
        "screw-pi", 4, "screw M2.5 x 6, self-cutting", "for plastic", 0.1, "M2.5 machine screw", "pi", "2.2 pilot"
    )
    yield Line(
        "screw-board", 4, "screw M2 x 6, self-cutting", "for plastic", 0.1, "M2 machine screw", "perfboard", "1.8 pilot"
    )
    if arm:
        yield Line("screw-arm", 2, "machine screw M3 x 8, countersunk", "lid to arm", 0.1, "", "arm-screw", "3.4 round")
        yield Line(
            "screw-halves", 2, "screw M3 x 16, self-cutting, countersunk", "arm's halves", 0.1, "", "", "2.6 pilot"
        )
    yield Line("feet", 4, "self-adhesive rubber foot, 10-12 mm", "", 0.1)
    yield Line("tape", 1, "double-sided foam tape", "about 1 mm thick, 12-20 mm wide", 2.0, "hot glue")
    yield Line("ties", 10, "cable tie 2.5 x 100 mm", "", 0.03)
