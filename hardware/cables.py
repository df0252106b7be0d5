"""Both ends of every cable as a picture: which wire goes to which hole, and to what at the part. Made from the settings."""

from __future__ import annotations

import diagram
import perfboard

from mind_box.hardware.wiring import wires
from mind_box.settings.schema import Config

PAINT = {"BK": "#222", "RD": "#d33", "YE": "#e8c020", "GN": "#3a3", "BU": "#36c", "WH": "#eee"}
ROW, LEFT, RIGHT, WIDTH = 20, 190, 560, 900


def svg(config: Config, title: str) -> str:
    """The ribbon first, then one cable below the other."""
    layout = perfboard.board(config)
    holes = {what: hole for hole, what in layout.pins.items()}
    out: list[str] = []
    y = _ribbon(out, 60)
    for plug in diagram.plugs(config, wires(config)):
        out.append(f'<text x="20" y="{y + 14}" font-weight="bold">{plug.name}</text>')
        out.append(f'<text x="{RIGHT + 60}" y="{y - 6}" font-size="10" fill="#555">{plug.kind}</text>')
        for i, (line, end, colour) in enumerate(plug.rows):
            at = y + i * ROW + 8
            hole = perfboard.name(holes[f"{plug.name}: {end if end == line else f'{line}, {end}'}"])
            paint = PAINT.get(colour, "#888")
            out.append(f'<rect x="{LEFT}" y="{at - 7}" width="34" height="14" fill="#efe7d2" stroke="#555"/>')
            out.append(f'<text x="{LEFT + 17}" y="{at + 4}" text-anchor="middle" font-size="10">{hole}</text>')
            out.append(f'<text x="{LEFT + 42}" y="{at + 4}" font-size="10">{line}</text>')
            out.append(f'<path d="M{LEFT + 110} {at} H{RIGHT}" stroke="#999" stroke-width="6"/>')
            out.append(f'<path d="M{LEFT + 110} {at} H{RIGHT}" stroke="{paint}" stroke-width="4"/>')
            out.append(_end(plug.name, line, end, RIGHT, at))
        y += len(plug.rows) * ROW + 26
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="13">'
    ground = f'<rect width="{WIDTH}" height="{y}" fill="#fff"/><text x="20" y="30" font-size="18">{title}</text>'
    return "\n".join([head, ground, *out, "</svg>"]) + "\n"


def _ribbon(out: list[str], y: int) -> int:
    """Notch and red wire, at the board's end and at the Pi's."""
    out.append(f'<text x="20" y="{y + 14}" font-weight="bold">ribbon</text>')
    for x, words, notch, edge in (
        (LEFT, "perfboard from above: notch to the edge, pin 1 is A25", True, "board's edge"),
        (RIGHT, "Pi: pin 1 is next to the microSD card, at the corner away from USB", False, "USB"),
    ):
        out.append(f'<rect x="{x}" y="{y}" width="280" height="44" fill="#333"/>')
        for i in range(20):
            for j in (0, 1):
                one = (i == 19 and j == 0) if notch else (i == 0 and j == 1)
                fill = "#f33" if one else "#fd8"
                out.append(f'<rect x="{x + 6 + 13.5 * i:g}" y="{y + 8 + 20 * j}" width="8" height="8" fill="{fill}"/>')
        if notch:
            out.append(f'<rect x="{x + 120}" y="{y - 4}" width="40" height="8" fill="#fff"/>')
        red = x + 266 if notch else x + 10
        out.append(f'<path d="M{red} {y + 44} v26" stroke="#d33" stroke-width="5"/>')
        out.append(
            f'<text x="{red + (-12 if notch else 12)}" y="{y + 64}" text-anchor="{"end" if notch else "start"}" font-size="10">red wire: pin 1</text>'
        )
        out.append(f'<text x="{x}" y="{y - 10}" font-size="10" fill="#555">{words}</text>')
        where = f'x="{x + 140}" y="{y - 24}" text-anchor="middle"' if notch else f'x="{x + 286}" y="{y + 26}"'
        out.append(f'<text {where} font-size="10" fill="#555">{edge}</text>')
    return y + 110


def _end(plug: str, line: str, end: str, x: int, y: int) -> str:
    """What is at the part's end of a wire."""
    text = f'<text x="{x + 62}" y="{y + 4}" font-size="11">{end}</text>'
    lamp = "lamp" in end
    if lamp:
        long = f'<circle cx="{x + 40}" cy="{y}" r="7" fill="#fc6" stroke="#333"/><path d="M{x} {y} h34" stroke="#333" stroke-width="2"/>'
        return long + text.replace(end, f"{end}{'' if 'long' in end else ', long leg'}")
    if line == "GND" and plug.startswith(("LIVES", "STARS", "SEAT_")) and "SCREEN" not in plug:
        return f'<path d="M{x} {y} h20 m0 -6 v12" stroke="#333" stroke-width="2" fill="none"/>' + text.replace(
            ">GND<", ">short leg, at the LED's flat side<"
        )
    if "button" in end or plug == "STAR":
        return f'<rect x="{x}" y="{y - 4}" width="22" height="8" fill="#ccc" stroke="#333"/>' + text.replace(
            ">GND<", ">the button's other tab<"
        )
    return f'<rect x="{x}" y="{y - 6}" width="12" height="12" fill="#245" stroke="#000"/>' + text
