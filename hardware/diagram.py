"""The wiring diagram's source for wireviz, made from the settings: what is drawn cannot disagree with the pins.

The perfboard has one row of pins for each cable, its own GND in it, as it is soldered.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

from mind_box.hardware import parts
from mind_box.hardware.wiring import Wire, lamp_kind, ohms, wires
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config, ReaderSettings, ScreenSettings

GROUND, RAIL = "GND", "3V3"
BLACK, RED, YELLOW, GREEN, BLUE, WHITE = "BK", "RD", "YE", "GN", "BU", "WH"
SCREEN_NAMES = {
    ("ssd1306", 64): '0.96" OLED 128x64',
    ("ssd1309", 64): '2.42" OLED 128x64',
    ("ssd1306", 32): '0.91" OLED 128x32',
    ("sh1106", 64): '1.3" OLED 128x64',
}
PN532_WIRES = (
    ("3V3(OUT)", "VCC", RED),
    ("GND", "GND", BLACK),
    ("GP4", "RXD (SCL)", GREEN),
    ("GP5", "TXD (SDA)", YELLOW),
)
"""RP2040 board to PN532 on its UART, as firmware/card_reader/settings.py has it, and the wire's colour."""
PN532_MODE = "both switches at 0 (HSU, its UART)"


@dataclass
class Plug:
    """One cable from the perfboard to a part: wire by wire, what it is on either end."""

    name: str
    kind: str
    notes: str = ""
    length: float = 0.3
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    """Line on the perfboard, name at the part, colour."""


class Diagram:
    """Collects connectors, cables and connections, in the order in which they are drawn."""

    def __init__(self, title: str) -> None:
        self._title = title
        self.connectors: dict[str, dict[str, Any]] = {}
        self.cables: dict[str, dict[str, Any]] = {}
        self.connections: list[list[dict[str, Any]]] = []

    def connector(self, name: str, kind: str, labels: list[str], notes: str = "", **more: Any) -> None:
        """A part with labelled pins."""
        wrapped = "\n".join(line for part in notes.splitlines() for line in textwrap.wrap(part, 44))
        extra = {"notes": wrapped} if notes else {}
        self.connectors[name] = {"type": kind, "show_pincount": False, **more, "pinlabels": labels, **extra}

    def cable(self, name: str, colours: list[str], length: float, kind: str = "wire 0.14 mm²") -> None:
        """A bundle of wires, metres long."""
        self.cables[name] = {"type": kind, "length": length, "show_wirecount": False, "colors": colours}

    def join(self, left: str, pins: list[int], cable: str, numbers: list[int], right: str, ends: list[int]) -> None:
        """Wires ``numbers`` of a cable from the left part's pins to the right part's."""
        self.connections.append([{left: pins}, {cable: numbers}, {right: ends}])

    def plug(self, left: str, first: int, plug: Plug) -> None:
        """A whole cable from rows of the left part, ``first`` counted from 1."""
        count = list(range(1, len(plug.rows) + 1))
        self.connector(plug.name, plug.kind, [end for _, end, _ in plug.rows], plug.notes)
        self.cable(f"W_{plug.name}", [colour for _, _, colour in plug.rows], plug.length)
        self.join(left, [first + i for i in range(len(count))], f"W_{plug.name}", count, plug.name, count)

    def text(self) -> str:
        """The YAML file."""
        data = {"metadata": {"title": self._title}, "connectors": self.connectors, "cables": self.cables}
        return _yaml(data | {"connections": self.connections})


def source(config: Config, title: str) -> str:
    """The diagram as YAML for wireviz."""
    return draw(config, title).text()


def draw(config: Config, title: str) -> Diagram:
    """The Pi, the ribbon, the perfboard with its resistors, and every part."""
    d = Diagram(title)
    used = wires(config)
    rows: list[tuple[str, str, str]] = []
    later: list[tuple[int, Plug]] = []
    for plug in plugs(config, used):
        later.append((len(rows) + 1, plug))
        rows += plug.rows
    _board(d, used, [line for line, _, _ in rows])
    for first, plug in later:
        d.plug("BOARD", first, plug)
    _expander(d, used)
    _behind_muxes(d, config)
    for number, reader in enumerate(config.reader, 1):
        if not reader.on_header:
            _usb_reader(d, reader, number, len(config.reader))
    return d


def _board(d: Diagram, used: tuple[Wire, ...], lines: list[str]) -> None:
    """The Pi's header, the 40-way ribbon and the perfboard that carries the resistors."""
    wired = [w for w in used if w.line in lines and w.on_header]  # SPI's MISO is taken, but leads nowhere
    rows = sorted(((w.physical or 0, w.line) for w in wired), key=lambda r: lines.index(r[1]))
    rows = [(1, RAIL), (14, GROUND), *rows]
    d.connector(
        "PI",
        "Raspberry Pi",
        [line for _, line in rows],
        "Numbers: pins of the header. Of GND 14, 20, 30 and 34 are joined, of 3V3 only 1.",
        subtype="40-pin header",
        pins=[pin for pin, _ in rows],
    )
    d.cable("RIBBON", [_colour(line, used) for _, line in rows], 0.15, "40-way IDC ribbon, used wires")
    d.connector("BOARD", "perfboard 7 x 9 cm", lines, _board_notes(used))
    left, count = [pin for pin, _ in rows], list(range(1, len(rows) + 1))
    d.join("PI", left, "RIBBON", count, "BOARD", [lines.index(line) + 1 for _, line in rows])


def _board_notes(used: tuple[Wire, ...]) -> str:
    notes = ["All GND are joined, all 3V3 are joined."]
    sizes: dict[float, list[str]] = {}
    for w in used:
        if w.kind == "lamp" and w.on_header:
            sizes.setdefault(parts.LAMPS[lamp_kind(w.setting)].ohms, []).append(w.line)
    notes += [f"{ohms(size)} in series: {', '.join(lines)}." for size, lines in sizes.items()]
    lines = [w.line for w in used if w.kind == "button"]
    notes.append(
        f"{ohms(parts.SERIES_OHMS)} in series, {ohms(parts.PULL_UP_OHMS)} to 3V3 at the button's end, "
        f"{parts.FILTER_NF} nF to GND at the Pi's end: {', '.join(lines)}."
    )
    lines = [w.line for w in used if w.kind == "buzzer"]
    return "\n".join(notes + [f"{ohms(parts.PIEZO_OHMS)} in series: {line}." for line in lines])


def _colour(line: str, used: tuple[Wire, ...]) -> str:
    if line in (GROUND, RAIL):
        return BLACK if line == GROUND else RED
    wire = next(w for w in used if w.line == line)
    if wire.kind == "lamp":
        return {"life": RED, "star": YELLOW, "seat": GREEN}[lamp_kind(wire.setting)]
    return {"button": BLUE, "buzzer": YELLOW}.get(wire.kind, WHITE)


def plugs(config: Config, used: tuple[Wire, ...]) -> list[Plug]:
    """Everything that plugs into the perfboard, in the order of its pins."""
    out = []
    legs = "Long legs to the numbered wires, short legs to GND."
    for kind, name in (("life", "LIVES"), ("star", "STARS")):
        lamps = [w for w in used if w.kind == "lamp" and lamp_kind(w.setting) == kind and w.on_header]
        if lamps:
            plug = Plug(name, f"{len(lamps)} x LED 5 mm {parts.LAMPS[kind].colour}", legs)
            plug.rows = [(w.line, w.what, _colour(w.line, used)) for w in lamps] + [(GROUND, GROUND, BLACK)]
            out.append(plug)
    for button in (w for w in used if w.kind == "button" and w.what != "star button"):
        seat = button.what.split()[1]
        lamps = [w for w in used if w.what == f"seat {seat} lamp" and w.on_header]
        kind = f"button 24 mm, LED 5 mm {parts.LAMPS['seat'].colour}" if lamps else "button 24 mm"
        plug = Plug(f"SEAT_{seat}", kind, rows=[(button.line, "button", BLUE)])
        plug.rows += [(w.line, "lamp, long leg", GREEN) for w in lamps] + [(GROUND, GROUND, BLACK)]
        out.append(plug)
    star = next(w for w in used if w.what == "star button")
    out.append(Plug("STAR", "button 24 mm", rows=[(star.line, "star button", BLUE), (GROUND, GROUND, BLACK)]))
    for w in used:
        if w.kind == "buzzer":
            out.append(Plug("PIEZO", "passive piezo 12 mm", rows=[(w.line, "+", YELLOW), (GROUND, GROUND, BLACK)]))
    out += [_screen_plug(s) for s in config.screen if s.mux is None]
    bus = [("GPIO2", "SDA", GREEN), ("GPIO3", "SCL", YELLOW), (RAIL, RAIL, RED), (GROUND, GROUND, BLACK)]
    if config.gpio.expander:
        out.append(Plug("EXPANDER", "MCP23017 breakout", "Address 0x20: A0 to A2 to GND, RESET to 3V3.", 0.1, bus))
    for mux in sorted({s.mux for s in config.screen if s.mux is not None}):
        straps = [f"A{i}" for i in range(3) if mux >> i & 1]
        strapped = f"{', '.join(straps)} to VIN" if straps else "A0 to A2 open"
        out.append(Plug(_mux_name(mux), "TCA9548A breakout", f"Address 0x{mux:02x}: {strapped}.", 0.1, bus))
    out += [_screen_plug(s) for s in _by_channel(config)]
    for number, reader in enumerate(config.reader, 1):
        if reader.on_header:
            rows = [("GPIO15", "TXD", WHITE), ("GPIO14", "RXD", WHITE), (GROUND, GROUND, BLACK)]
            out.append(Plug(f"READER_{number}", f"{reader.kind} reader", "5 V from pin 2 of the header.", 0.3, rows))
    return out


def _screen_plug(screen: ScreenSettings) -> Plug:
    name = screen.name.upper().replace("-", "_").replace(" ", "_")
    kind = SCREEN_NAMES.get((screen.driver, screen.height), f"OLED {screen.driver}")
    if screen.bus.startswith("spi"):
        select = 8 if screen.bus.endswith(".0") else 7
        lines = (("GPIO11", "CLK"), ("GPIO10", "MOSI"), (f"GPIO{select}", "CS"),
                 (f"GPIO{screen.dc_pin}", "DC"), (f"GPIO{screen.reset_pin}", "RES"))  # fmt: skip
        rows = [(line, end, WHITE) for line, end in lines]
        return Plug(name, kind, "", 0.2, [(GROUND, GROUND, BLACK), (RAIL, "VCC", RED), *rows])
    rows = [(GROUND, GROUND, BLACK), (RAIL, "VCC", RED)]
    rows += [("GPIO3", "SCL", YELLOW), ("GPIO2", "SDA", GREEN)] if screen.mux is None else []
    return Plug(name, kind, f"Address 0x{screen.address:02x}.", 0.25, rows)


def _by_channel(config: Config) -> list[ScreenSettings]:
    return sorted((s for s in config.screen if s.mux is not None), key=lambda s: (s.mux, s.channel))


def _mux_name(mux: int) -> str:
    return f"MUX_{mux:02x}"


def _expander(d: Diagram, used: tuple[Wire, ...]) -> None:
    """Lamps on the expander: rows are added to it, one block for each group."""
    far = [w for w in used if not w.on_header]
    for kind, name in (("life", "LIVES"), ("star", "STARS"), ("seat", "SEAT_LAMPS")):
        lamps = [w for w in far if lamp_kind(w.setting) == kind]
        if lamps:
            lamp = parts.LAMPS[kind]
            note = f"{ohms(lamp.ohms)} in series with every long leg."
            plug = Plug(name, f"{len(lamps)} x LED 5 mm {lamp.colour}", note)
            plug.rows = [(w.line, w.what, _colour(w.line, used)) for w in lamps] + [(GROUND, GROUND, BLACK)]
            _extend(d, "EXPANDER", plug)


def _behind_muxes(d: Diagram, config: Config) -> None:
    """SCL and SDA of the screens behind one: a breakout has GND and VIN only once, so those come from the perfboard."""
    for screen in _by_channel(config):
        name, mux = _screen_plug(screen).name, _mux_name(screen.mux or 0)
        d.connectors[name]["pinlabels"] += ["SCL", "SDA"]
        d.cables[f"W_{name}"]["colors"] += [YELLOW, GREEN]
        labels = d.connectors[mux]["pinlabels"]
        labels += [f"SC{screen.channel}", f"SD{screen.channel}"]
        d.join(mux, [len(labels) - 1, len(labels)], f"W_{name}", [3, 4], name, [3, 4])


def _extend(d: Diagram, name: str, plug: Plug) -> None:
    """Hangs a cable onto a part that is itself the end of one."""
    labels = d.connectors[name]["pinlabels"]
    first = len(labels) + 1
    labels += [line for line, _, _ in plug.rows]
    d.plug(name, first, plug)


def _usb_reader(d: Diagram, reader: ReaderSettings, number: int, of: int) -> None:
    name, socket = ("READER", "PI_USB") if of == 1 else (f"READER_{number}", f"PI_USB_{number}")
    pico = reader.kind == "firmware"
    labels = ["USB"] + ([line for line, _, _ in PN532_WIRES] if pico else [])
    d.connector(socket, "Raspberry Pi", ["USB"], subtype="any USB-A socket")
    d.connector(name, READERS[reader.kind].part, labels, reader.device)
    d.cable(f"W_{name}", [BLACK], 0.5, "USB cable")
    d.join(socket, [1], f"W_{name}", [1], name, [1])
    if pico:
        d.plug(name, 2, Plug("PN532", "PN532 NFC module", PN532_MODE, 0.15, list(PN532_WIRES)))


def _yaml(value: Any, indent: int = 0) -> str:
    """Just enough YAML: dicts and lists of dicts in blocks, everything flat in brackets, all text quoted."""
    pad = "  " * indent
    out = []
    if isinstance(value, dict):
        for key, item in value.items():
            nested = isinstance(item, dict) or (isinstance(item, list) and any(isinstance(i, list) for i in item))
            out.append(f"{pad}{key}:\n{_yaml(item, indent + 1)}" if nested else f"{pad}{key}: {_flat(item)}\n")
        return "".join(out)
    for item in value:
        joins = (f"{pad}  - {{{', '.join(f'{k}: {_flat(v)}' for k, v in end.items())}}}\n" for end in item)
        out.append(f"{pad}-\n{''.join(joins)}")
    return "".join(out)


def _flat(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_flat(v) for v in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return str(value)
