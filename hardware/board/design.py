"""The carrier board before a track is drawn: its parts, where each lies, which net each of its pads is on.

Made from carrier.toml by the same pins and plugs as the wiring diagram, the parts list and the perfboard. Millimetres
from the board's upper left corner as seen from above; x to the right, y down, turns counterclockwise, as KiCad has it.
The board lies in the box as on this drawing, seat 1 below: ``place.py`` says where.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import diagram

from mind_box.hardware import header, parts
from mind_box.hardware.wiring import Wire, lamp_kind, ohms, wires
from mind_box.settings.loading import load
from mind_box.settings.schema import Config

HERE = Path(__file__).parent
WIDTH, HEIGHT = 99.0, 79.5
GND, RAIL = "GND", "3V3"
IN_PLUS, IN_MINUS, FUSED, FIVE = "5V_IN", "GND_IN", "5V_FUSED", "5V"
TO_PI = {2: "5V_PIN_2", 4: "5V_PIN_4"}
"""The header's 5 V pins, each joined to 5V by a wire link of its own: none with the ribbon."""
GROUND_PINS = (14, 20, 30, 34)
"""The only ground pins that are used, and of the 3V3 pins only the first: with these no ribbon that is turned or one
place off joins 5 V to a pin (``insertion.py`` computes it)."""
RAIL_PIN = 1
HEADER_PIN_1 = (90.63, 58.23)
PIN = 2.54
GUIDE = (37.5, 59.5, 6.4)
"""Hole for the long spacer on the Pi's screw next to pin 39: what lets the socket on one way only."""
HOLES = ((10.5, 2.0), (96.5, 2.0), (10.5, 68.0), (96.5, 68.0))
"""Of the pillars, M2: those of the perfboard."""

RESISTOR = "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P7.62mm_Horizontal"
CERAMIC = "Capacitor_THT:C_Disc_D3.8mm_W2.6mm_P2.50mm"
SMALL_DIODE = "Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal"
TEST_POINT = "TestPoint:TestPoint_THTPad_D2.0mm_Drill1.0mm"
HEADER = "Connector_PinHeader_2.54mm:PinHeader_2x20_P2.54mm_Vertical"
"""Holes for the socket from below or the box header from above."""
SCREW_HOLE = "MountingHole:MountingHole_2.2mm_M2"
ZENER, CLAMP, SURGE, FET, FUSE = "BZX79-C5V6", "BAT85", "P6KE6.8A", "IRLZ44N", "MF-RG400"
UART_OHMS, GATE_OHMS = 1_000, 10_000
CHANNELS = 5
"""Screens behind a multiplexer: the table's and one for each of four seats."""


def xh(poles: int) -> str:
    """A JST-XH plug."""
    return f"Connector_JST:JST_XH_B{poles}B-XH-A_1x{poles:02}_P2.50mm_Vertical"


def vh(poles: int) -> str:
    """A JST-VH plug, for the supply."""
    return f"Connector_JST:JST_VH_B{poles}P-VH_1x{poles:02}_P3.96mm_Vertical"


@dataclass(frozen=True, slots=True)
class Part:
    """One part in its place."""

    ref: str
    footprint: str
    value: str
    x: float
    y: float
    turn: int
    pads: dict[str, str]
    """Pad to net; a pad that is not named stays free."""
    name: str = ""
    """Of a plug, printed large on both sides."""
    name_at: tuple[float, float] = (0.0, 0.0)
    """(0, 0): nowhere; it is no plug."""


@dataclass(frozen=True, slots=True)
class Laid:
    """Copper that is drawn by hand: what carries amperes."""

    net: str
    layer: int
    """0 above, 1 below."""
    width: float
    points: tuple[tuple[float, float], ...]


@dataclass(slots=True)
class Design:
    """Everything that the board is made of."""

    parts: list[Part] = field(default_factory=list)
    laid: list[Laid] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(
        self, kind: str, footprint: str, value: str, at: tuple[float, float], turn: int, pads: dict[str, str]
    ) -> None:
        """Numbers a part and places it."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.parts.append(Part(f"{kind}{self.counts[kind]}", footprint, value, *at, turn, pads))

    def plug(
        self,
        footprint: str,
        name: str,
        at: tuple[float, float],
        turn: int,
        nets: list[str],
        name_at: tuple[float, float],
    ) -> None:
        """A plug with its name, nets by pole."""
        self.counts["J"] = self.counts.get("J", 0) + 1
        pads = {str(i): net for i, net in enumerate(nets, 1) if net}
        self.parts.append(Part(f"J{self.counts['J']}", footprint, name, *at, turn, pads, name, name_at))

    def nets(self) -> dict[str, list[tuple[str, str]]]:
        """Net to its pads as (ref, pad)."""
        out: dict[str, list[tuple[str, str]]] = {}
        for part in self.parts:
            for pad, net in part.pads.items():
                out.setdefault(net, []).append((part.ref, pad))
        return dict(sorted(out.items()))


@functools.cache
def config() -> Config:
    """The settings that the board is wired for."""
    return load(HERE / "carrier.toml")


def header_pad(pin: int) -> tuple[float, float]:
    """Where a pin of the Pi's header is: odd ones in the upper row, 1 at the right."""
    column, row = divmod(pin - 1, 2)
    return round(HEADER_PIN_1[0] - PIN * column, 2), round(HEADER_PIN_1[1] + PIN * row, 2)


@functools.cache
def design() -> Design:
    """The whole board."""
    out = Design()
    used = {w.line: w for w in wires(config()) if w.on_header}
    plugs = {plug.name: plug for plug in diagram.plugs(config(), wires(config()))}
    pins = {str(w.physical): line for line, w in used.items()}
    pins |= {str(p): GND for p in GROUND_PINS} | {str(RAIL_PIN): RAIL} | {str(p): net for p, net in TO_PI.items()}
    out.plug(HEADER, "PI", HEADER_PIN_1, 270, [pins.get(str(p), "") for p in range(1, 41)], (94.6, 59.5))
    for seat in range(1, config().box.seats + 1):
        _pressed(out, plugs[f"SEAT_{seat}"], used, 5.0 + 12.8 * (seat - 1))
    _pressed(out, plugs["STAR"], used, 5.0 + 12.8 * 6)
    _lamps(out, plugs["LIVES"], used, 80.5, 6)
    _lamps(out, plugs["STARS"], used, 60.5, 5)
    _lamps(out, plugs["PIEZO"], used, 90.5, 2)
    _screens(out)
    _uart(out, used)
    _power(out)
    for net, at in ((FIVE, (95.5, 47.0)), (RAIL, (95.5, 36.0)), (GND, (95.5, 41.5)), ("GPIO2", (45.0, 36.0)),
                    ("GPIO3", (45.0, 41.5))):  # fmt: skip
        out.add("TP", TEST_POINT, {"GPIO2": "SDA", "GPIO3": "SCL"}.get(net, net), at, 0, {"1": net})
    for at in HOLES:
        out.add("H", SCREW_HOLE, "M2", at, 0, {})
    return out


def _end(plug: diagram.Plug, end: str) -> str:
    """The net between a plug and its resistor: ``SEAT_1_BUTTON``, ``LIVES_3``."""
    words = end.removesuffix(", long leg").split()
    return f"{plug.name}_{words[-1] if words[-1].isdigit() else words[-1].upper()}".replace("+", "PLUS")


def _pressed(out: Design, plug: diagram.Plug, used: dict[str, Wire], x: float) -> None:
    """A button's plug with its filter and clamp, its lamp's resistor beside it."""
    nets = [net if net == GND else _end(plug, end) for net, end, _ in plug.rows]
    out.plug(xh(len(nets)), plug.name, (x + 1.5, 8.4), 0, nets, (x + 1.25 + 1.25 * len(nets), 14.1))
    for line, end, _ in plug.rows:
        if line == GND:
            continue
        net, wire = _end(plug, end), used[line]
        top, bottom = 17.0, 28.2
        if wire.kind == "button":
            out.add("R", RESISTOR, ohms(parts.SERIES_OHMS), (x, top), 270, {"1": net, "2": line})
            out.add("R", RESISTOR, ohms(parts.PULL_UP_OHMS), (x + 3.2, top), 270, {"1": net, "2": RAIL})
            out.add("D", SMALL_DIODE, ZENER, (x + 9.6, top), 270, {"1": net, "2": GND})
            out.add("C", CERAMIC, f"{parts.FILTER_NF} nF", (x, bottom), 0, {"1": line, "2": GND})
        else:
            value = ohms(parts.LAMPS[lamp_kind(wire.setting)].ohms)
            out.add("R", RESISTOR, value, (x + 6.4, top), 270, {"1": net, "2": line})


def _lamps(out: Design, plug: diagram.Plug, used: dict[str, Wire], right: float, poles: int) -> None:
    """Lamps or the piezo: a resistor each, ground in the poles that are left. Pole 1 is at the right."""
    lines = [(line, end) for line, end, _ in plug.rows if line != GND]
    nets = [_end(plug, end) for _, end in lines]
    nets += [GND] * (poles - len(nets))
    out.plug(xh(poles), plug.name, (right, 38.0), 180, nets, (right - 1.25 * (poles - 1), 42.8))
    for i, (line, _) in enumerate(lines):
        wire = used[line]
        size = parts.PIEZO_OHMS if wire.kind == "buzzer" else parts.LAMPS[lamp_kind(wire.setting)].ohms
        out.add("R", RESISTOR, ohms(size), (right - 3.0 * i, 45.4), 270, {"1": nets[i], "2": line})


def _screens(out: Design) -> None:
    """A plug for each channel and one for the multiplexer; between them pins for jumpers or for the module's wires."""
    places = [(5.0, 36.0), (19.0, 36.0), (5.0, 47.0), (19.0, 47.0), (5.0, 58.0)]
    for n, (x, y) in enumerate(places):
        out.plug(xh(4), f"SCREEN_{n}", (x, y), 0, [GND, RAIL, f"SC{n}", f"SD{n}"], (x + 3.75, y - 4.3))
    out.plug(xh(4), "MUX", (19.0, 58.0), 0, [GND, RAIL, "GPIO3", "GPIO2"], (22.75, 53.7))
    rows: list[str] = []
    for n in range(CHANNELS):
        rows += [f"SC{n}", "GPIO3", f"SD{n}", "GPIO2"]
    out.plug("Connector_PinHeader_2.54mm:PinHeader_2x10_P2.54mm_Vertical", "CHANNELS", (32.6, 32.0), 0, rows, (0, 0))


def _uart(out: Design, used: dict[str, Wire]) -> None:
    """The reader's plug reads the same from both ends but for two lines: forced in turned it destroys nothing."""
    poles = [FIVE, GND, "READER_TXD", RAIL, "READER_RXD", GND, FIVE]
    out.plug(xh(7), "READER", (28.0, 74.8), 0, poles, (35.5, 71.0))
    for y, line, net in ((65.2, "GPIO15", "READER_TXD"), (68.6, "GPIO14", "READER_RXD")):
        if line in used:
            out.add("R", RESISTOR, ohms(UART_OHMS), (22.0, y), 0, {"1": net, "2": line})
            out.add("D", SMALL_DIODE, CLAMP, (43.0, y), 180, {"1": RAIL, "2": line})


def _power(out: Design) -> None:
    """From the socket's lead over fuse and switch to the Pi; the transistor in the ground lead blocks a wrong one."""
    out.plug(vh(2), "POWER", (62.5, 74.0), 0, [IN_MINUS, IN_PLUS], (55.3, 75.8))
    out.plug(vh(3), "SWITCH", (75.6, 74.0), 0, [FUSED, "", FIVE], (81.4, 68.6))
    out.add("F", "Fuse:Fuse_Bourns_MF-RG400", FUSE, (68.4, 66.2), 0, {"1": IN_PLUS, "2": FUSED})
    out.add("Q", "Package_TO_SOT_THT:TO-220-3_Vertical", FET, (57.4, 67.6), 0, {"1": "GATE", "2": IN_MINUS, "3": GND})
    out.add("R", RESISTOR, ohms(GATE_OHMS), (45.6, 69.6), 0, {"1": IN_PLUS, "2": "GATE"})
    out.add("D", "Diode_THT:D_DO-15_P5.08mm_Vertical_KathodeUp", SURGE, (71.05, 70.8), 270, {"1": FUSED, "2": GND})
    out.add("C", "Capacitor_THT:CP_Radial_D8.0mm_P3.50mm", "470 µF", (92.85, 75.15), 0, {"1": FIVE, "2": GND})
    (left, _), (right, _) = header_pad(4), header_pad(2)
    out.add("W", "Connector_PinHeader_2.54mm:PinHeader_2x02_P2.54mm_Vertical", "two wires", (left, 67.0), 0,
            {"1": TO_PI[4], "2": TO_PI[2], "3": FIVE, "4": FIVE})  # fmt: skip
    for pin, net in TO_PI.items():
        x, y = header_pad(pin)
        out.laid += [Laid(net, layer, 1.6, ((x, 67.0), (x, y))) for layer in (0, 1)]
    for layer in (0, 1):
        out.laid += [
            Laid(IN_PLUS, layer, 2.0, ((66.46, 74.0), (66.46, 68.14), (68.4, 66.2))),
            Laid(FUSED, layer, 2.0, ((73.5, 67.4), (75.6, 69.5), (75.6, 74.0))),
            Laid(FIVE, layer, 2.4, ((83.52, 74.0), (83.52, 71.6), (85.58, 69.54), (left, 69.54))),
            Laid(FIVE, layer, 1.7, ((left, 69.54), (right, 69.54))),
            Laid(IN_MINUS, layer, 2.0, ((62.5, 74.0), (59.94, 71.44), (59.94, 67.6))),
        ]
    out.laid.append(Laid(FIVE, 1, 1.2, ((83.52, 74.0), (86.8, 77.28), (90.72, 77.28), (92.85, 75.15))))
    out.laid.append(Laid(FIVE, 1, 1.0, ((83.52, 74.0), (79.3, 78.2), (44.6, 78.2), (43.0, 76.6), (43.0, 74.8))))
    out.laid.append(Laid(FIVE, 1, 1.0, ((44.6, 78.2), (29.6, 78.2), (28.0, 76.6), (28.0, 74.8))))
    out.laid.append(Laid(GND, 0, 1.6, ((62.48, 67.6), (62.48, 63.6))))
    out.laid.append(Laid(GND, 0, 1.6, (*((header_pad(pin)[0], 63.6) for pin in (14, 20)), (62.48, 63.6),
                                       *((header_pad(pin)[0], 63.6) for pin in (30, 34)))))  # fmt: skip
    for pin in GROUND_PINS:
        out.laid.append(Laid(GND, 0, 1.4, ((header_pad(pin)[0], 63.6), header_pad(pin))))


WIDTHS = {RAIL: 0.6, GND: 0.6, FIVE: 0.8, IN_PLUS: 0.4, FUSED: 0.8, IN_MINUS: 0.8}
"""Of what the router draws, millimetres; every other net has 0.3. Amperes go over what is laid by hand."""
WIDTH_ELSE = 0.3


WORDS = (
    ("THE MIND BOX", 12.6, 73.4, 1.7, False),
    ("carrier 1", 12.6, 76.2, 1.3, False),
    ("ribbon: notch here", 66.5, 55.3, 1.0, False),
    ("W1 only with", 81.2, 64.7, 0.9, False),
    ("the socket", 81.2, 66.1, 0.9, False),
    ("PI: the socket is on this side", 66.5, 56.0, 1.3, True),
    ("spacer", 31.4, 63.0, 0.9, False),
    ("-", 62.5, 77.0, 1.3, True),
    ("+", 66.46, 77.0, 1.3, True),
    *((str(n), 38.4, 33.3 + 5.08 * n, 1.2, False) for n in range(CHANNELS)),
)
"""Printed besides the plugs' names: words, x, y, height, on the lower side."""


def as_json() -> str:
    """For the script that runs in KiCad's own Python."""
    made = design()
    data = {
        "size": [WIDTH, HEIGHT],
        "guide": GUIDE,
        "parts": [asdict(p) for p in made.parts],
        "laid": [asdict(x) for x in made.laid],
        "widths": {net: WIDTHS.get(net, WIDTH_ELSE) for net in made.nets()},
        "origin": header_pad(1),
        "words": WORDS,
    }
    sources = [json.dumps(data).encode(), *((HERE / name).read_bytes() for name in ("router.py", "lay.py"))]
    data["digest"] = hashlib.sha256(b"".join(sources)).hexdigest()[:16]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def digest() -> str:
    """Stands in the board file: which design, and which programs, it was made by."""
    return str(json.loads(as_json())["digest"])


def header_nets() -> Iterator[tuple[int, str]]:
    """Header pin to net, of the pins that are used."""
    for pad, net in design().parts[0].pads.items():
        yield int(pad), net


def bcm(net: str) -> int | None:
    """The GPIO of a header-side net."""
    return int(net[4:]) if net.startswith("GPIO") and int(net[4:]) in header.PHYSICAL else None
