"""The schematic as SVG: one circuit for each kind of part, with the pins it is repeated for, and the power budget."""

from __future__ import annotations

from html import escape

from diagram import SCREEN_NAMES

from mind_box.hardware import parts
from mind_box.hardware.boards import BOARDS
from mind_box.hardware.checks import muxes, sums, supply_ma
from mind_box.hardware.wiring import Wire, lamp_kind, ohms, wires
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config

WIDTH, PANEL = 980, 230
STYLE = (
    "text{font-family:sans-serif;font-size:15px;fill:#111}.s{font-size:13px;fill:#333}.t{font-size:18px;font-weight:bold}"
    ".w{stroke:#111;stroke-width:2;fill:none}.b{stroke:#111;stroke-width:2;fill:#fff}.f{fill:#111;stroke:#111}"
    ".p{stroke:#ccc;stroke-width:1;fill:#fff}"
)


class Drawing:
    """SVG elements, with the symbols of the trade."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.top = 0

    def line(self, *points: tuple[float, float]) -> None:
        """A wire through points."""
        self.out.append(f'<polyline class="w" points="{" ".join(f"{x:g},{y + self.top:g}" for x, y in points)}"/>')

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """A line of text."""
        cls = f' class="{kind}"' if kind else ""
        self.out.append(f'<text{cls} x="{x:g}" y="{y + self.top:g}" text-anchor="{anchor}">{escape(text)}</text>')

    def block(self, x: float, y: float, width: float, height: float, *lines: str) -> None:
        """A box with text in it."""
        self.out.append(
            f'<rect class="b" x="{x:g}" y="{y + self.top:g}" width="{width:g}" height="{height:g}" rx="4"/>'
        )
        for i, text in enumerate(lines):
            self.text(
                x + width / 2,
                y + height / 2 + 5 + (i - (len(lines) - 1) / 2) * 18,
                text,
                "" if i == 0 else "s",
                "middle",
            )

    def dot(self, x: float, y: float) -> None:
        """Wires that are joined."""
        self.out.append(f'<circle class="f" cx="{x:g}" cy="{y + self.top:g}" r="4"/>')

    def resistor(self, x: float, y: float, value: str, upright: bool = False) -> None:
        """60 long from (x, y), to the right or down."""
        width, height = (16, 60) if upright else (60, 16)
        left, up = (x - 8, y) if upright else (x, y - 8)
        self.out.append(f'<rect class="b" x="{left:g}" y="{up + self.top:g}" width="{width}" height="{height}"/>')
        self.text(*((x + 14, y + 35) if upright else (x + 30, y - 14)), value, "", "start" if upright else "middle")

    def led(self, x: float, y: float, name: str) -> None:
        """40 long from (x, y) to the right, the long leg on the left."""
        self.out.append(f'<path class="f" d="M{x + 8:g},{y - 11 + self.top:g} v22 l20,-11 z"/>')
        self.path(x, y, "h40 m-12,-11 v22")
        for dx in (16, 25):
            self.path(x + dx, y - 15, "l8,-9 m-5,0 l5,0 l0,5")
        self.text(x + 20, y + 30, name, "s", "middle")

    def ground(self, x: float, y: float) -> None:
        """Hangs at (x, y)."""
        self.path(x, y, "v10 m-12,0 h24 m-19,5 h14 m-10,5 h6")

    def path(self, x: float, y: float, moves: str) -> None:
        """Wires from (x, y) by relative moves."""
        self.out.append(f'<path class="w" d="M{x:g},{y + self.top:g} {moves}"/>')

    def rail(self, x: float, y: float, name: str) -> None:
        """An arrow up at (x, y)."""
        self.path(x, y, "v-12 m-7,0 h14")
        self.text(x, y - 18, name, "", "middle")

    def capacitor(self, x: float, y: float, value: str) -> None:
        """60 long from (x, y) down."""
        self.path(x, y, "v26 m-14,0 h28 m0,8 h-28 m14,0 v26")
        self.text(x + 20, y + 35, value)

    def button(self, x: float, y: float) -> None:
        """60 long from (x, y) down, open."""
        self.path(x, y, "v16 m0,28 v16 m12,-44 v28 m0,-14 h14")
        for dy in (16, 44):
            self.out.append(f'<circle class="b" cx="{x:g}" cy="{y + dy + self.top:g}" r="4"/>')

    def pin(self, x: float, y: float, name: str) -> None:
        """A terminal of the Pi."""
        self.out.append(f'<rect class="b" x="{x - 92:g}" y="{y - 13 + self.top:g}" width="92" height="26" rx="13"/>')
        self.text(x - 46, y + 5, name, "", "middle")

    def panel(self, title: str, height: float) -> None:
        """Begins the next circuit below the last."""
        self.out.append(f'<rect class="p" x="8" y="{self.top + 6:g}" width="{WIDTH - 16}" height="{height - 10:g}"/>')
        self.text(24, 32, title, "t")


def svg(config: Config, title: str) -> str:
    """The whole page."""
    d = Drawing()
    used = wires(config)
    d.text(24, 34, title, "t")
    d.top = 46
    for draw, height in ((_lamps, 60 + 78 * 3), (_buttons, 266), (_piezo, 150), (_bus, 250), (_power, 240)):
        if draw is _piezo and config.gpio.buzzer is None:
            continue
        draw(d, config, used, height)
        d.top += height
    size = f'width="{WIDTH}" height="{d.top + 8:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {d.top + 8:g}" {size}>'
    return "\n".join((head, f"<style>{STYLE}</style>", f'<rect {size} fill="#fff"/>', *d.out, "</svg>\n"))


def _names(some: list[Wire]) -> str:
    return ", ".join(f"{w.what} {w.line}" + (f" ({w.where})" if w.on_header else "") for w in some)


def _lamps(d: Drawing, _: Config, used: tuple[Wire, ...], height: float) -> None:
    d.panel("Lamps: light when the pin is high", height)
    for row, (kind, lamp) in enumerate(parts.LAMPS.items()):
        mine = [w for w in used if w.kind == "lamp" and lamp_kind(w.setting) == kind]
        if not mine:
            continue
        y = 76 + 78 * row
        d.pin(130, y, mine[0].line if len(mine) == 1 else f"{len(mine)} pins")
        d.line((130, y), (160, y))
        d.resistor(160, y, ohms(lamp.ohms))
        d.line((220, y), (260, y))
        d.led(260, y, lamp.colour)
        d.line((300, y), (330, y))
        d.ground(330, y)
        for i in range(0, len(mine), 2):
            d.text(380, y - 6 + 20 * (i // 2) - 10 * (len(mine) > 4), _names(mine[i : i + 2]), "s")
        d.text(850, y - 16, f"{lamp.ma:.1f} mA each", "s")
        d.text(850, y + 4, f"{lamp.worst_ma:.1f} mA at worst", "s")


def _buttons(d: Drawing, _: Config, used: tuple[Wire, ...], height: float) -> None:
    d.panel("Buttons: close to ground; the pin's own pull-up is on as well", height)
    mine = [w for w in used if w.kind == "button"]
    d.pin(130, 150, f"{len(mine)} pins")
    d.line((130, 150), (190, 150))
    d.dot(170, 150)
    d.line((170, 150), (170, 160))
    d.capacitor(170, 160, f"{parts.FILTER_NF} nF")
    d.ground(170, 220)
    d.resistor(190, 150, ohms(parts.SERIES_OHMS))
    d.line((250, 150), (330, 150), (330, 160))
    d.dot(330, 150)
    d.line((330, 150), (330, 140))
    d.resistor(330, 80, ohms(parts.PULL_UP_OHMS), upright=True)
    d.rail(330, 80, "3V3")
    d.button(330, 160)
    d.ground(330, 220)
    for i, w in enumerate(mine):
        d.text(430, 90 + 20 * i, _names([w]), "s")
    release = (parts.PULL_UP_OHMS + parts.SERIES_OHMS) * parts.FILTER_NF * 1e-6
    press = parts.SERIES_OHMS * parts.FILTER_NF * 1e-6
    d.text(660, 100, f"time constant pressed: {press:.1f} ms", "s")
    d.text(660, 120, f"time constant released: {release:.1f} ms", "s")
    d.text(660, 140, "debounce in the program: 25 ms", "s")


def _piezo(d: Drawing, _: Config, used: tuple[Wire, ...], height: float) -> None:
    d.panel("Piezo: passive, driven by PWM", height)
    wire = next(w for w in used if w.kind == "buzzer")
    d.pin(130, 90, wire.line)
    d.line((130, 90), (160, 90))
    d.resistor(160, 90, ohms(parts.PIEZO_OHMS))
    d.line((220, 90), (270, 90))
    d.block(270, 70, 90, 40, "piezo")
    d.line((360, 90), (400, 90))
    d.ground(400, 90)
    d.text(450, 95, _names([wire]), "s")


def _bus(d: Drawing, config: Config, _: tuple[Wire, ...], height: float) -> None:
    d.panel("Screens on I2C", height)
    for y, line, name, x in ((140, "GPIO2", "SDA", 240), (190, "GPIO3", "SCL", 320)):
        d.pin(130, y, line)
        d.line((130, y), (400, y))
        d.text(140, y - 6, name, "s")
        d.dot(x, y)
        d.line((x, y), (x, 130))
        d.resistor(x, 70, "", upright=True)
        d.rail(x, 70, "3V3")
    d.text(344, 96, f"{ohms(parts.PI_I2C_OHMS)},", "s")
    d.text(344, 114, "on the Pi itself", "s")
    if not muxes(config):
        d.block(400, 120, 240, 90, "OLED", *_screen_names(config))
        d.text(660, 170, "VCC to 3V3, GND to GND", "s")
        return
    address = muxes(config)[0][1]
    d.block(400, 120, 130, 100, "TCA9548A", f"0x{address:02x}", "VIN to 3V3")
    behind = sorted((s for s in config.screen if s.mux is not None), key=lambda s: s.channel)
    for i, screen in enumerate(behind):
        y = 60 + 36 * i
        kind = SCREEN_NAMES.get((screen.driver, screen.height), screen.driver)
        d.line((530, 130 + 20 * i), (570, y + 15))
        d.block(570, y, 390, 30, f"SD{screen.channel}, SC{screen.channel}: {screen.name}, {kind}")


def _screen_names(config: Config) -> list[str]:
    return [f"{s.name}, 0x{s.address:02x}" for s in config.screen if s.bus.startswith("i2c")]


def _power(d: Drawing, config: Config, _: tuple[Wire, ...], height: float) -> None:
    d.panel("Power, milliamperes at worst: every lamp and every pixel lit", height)
    total = sums(config)
    d.block(30, 80, 150, 60, "5.1 V supply", "into the Pi's socket")
    d.line((180, 110), (240, 110))
    d.block(
        240,
        60,
        190,
        110,
        "Raspberry Pi",
        f"up to {parts.PI_MA['pi4']:.0f} mA (Pi 4)",
        f"up to {parts.PI_MA['pi5']:.0f} mA (Pi 5)",
    )
    d.line((430, 85), (500, 85))
    d.block(
        500,
        62,
        400,
        46,
        f"USB 5 V: {READERS[config.reader[0].kind].part if config.reader else 'no reader'}",
        f"{total.reader_ma:.0f} mA",
    )
    d.line((430, 145), (500, 145))
    others = total.rail_ma - total.gpio_ma
    d.block(
        500,
        122,
        400,
        46,
        f"3V3: {total.rail_ma:.0f} mA of 500 mA",
        f"lamps {total.gpio_ma:.0f} of 50 mA, screens and buttons {others:.0f}",
    )
    need = ", ".join(f"{supply_ma(config, BOARDS[b]) / 1000:.1f} A for a Pi {b[-1]}" for b in ("pi3", "pi4", "pi5"))
    d.text(30, 205, f"The supply has to give {need}: the official supply of each board is enough.", "s")
