"""The perfboard hole by hole: where every part goes, and which wires join them below. Made from the settings.

Columns are numbered from 1, rows lettered from A: A1 is the upper left hole as seen from above, the header's edge up.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import diagram

from mind_box.hardware import parts
from mind_box.hardware.wiring import Wire, lamp_kind, ohms, wires
from mind_box.settings.schema import Config

COLUMNS, ROWS = 30, "ABCDEFGHIJKLMNOPQRSTUVWX"
"""Of a 7 x 9 cm board; many have 34 by 25."""
FRONT, SECOND = "X", "N"
"""Rows of the plugs."""
HEADER_RIGHT = 25
"""Column of the header's pin 1: its notch points to the edge, so pin 1 is at the right."""
GROUNDS, RAILS = (14, 20, 30, 34), (1,)
"""Header pins that are used of GND and 3V3, as on the carrier board: with no others is a turned ribbon harmless."""
Hole = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Part:
    """A part with two legs."""

    what: str
    a: Hole
    b: Hole


@dataclass(slots=True)
class Board:
    """What is soldered where."""

    pins: dict[Hole, str] = field(default_factory=dict)
    """Pins of plugs and of the header that are used."""
    parts: list[Part] = field(default_factory=list)
    joints: list[tuple[Hole, Hole]] = field(default_factory=list)
    """Wires on the lower side, from one solder joint to another."""


def name(hole: Hole) -> str:
    """``X12``."""
    return f"{hole[1]}{hole[0]}"


def header_hole(pin: int) -> Hole:
    """Where a pin of the box header is."""
    return HEADER_RIGHT - (pin - 1) // 2, "A" if pin % 2 else "B"


def board(config: Config) -> Board:
    """The layout of a build. Raises ``ValueError`` when its plugs need more than two rows."""
    used = {w.line: w for w in wires(config) if w.on_header}
    out = Board()
    for pin in range(1, 41):
        out.pins[header_hole(pin)] = f"header {pin}"
    ground = [header_hole(p) for p in GROUNDS]
    rail = [header_hole(p) for p in RAILS]
    column = {FRONT: 1, SECOND: 1}
    for plug in diagram.plugs(config, wires(config)):
        row = FRONT if plug.name.startswith(("LIVES", "STARS", "SEAT_")) and "SCREEN" not in plug.name else SECOND
        buttons = any(line in used and used[line].kind == "button" for line, _, _ in plug.rows)
        first = column[row]
        column[row] = first + len(plug.rows) + (1 if row == FRONT or buttons or len(plug.rows) > 2 else 0)
        if column[row] - 1 > COLUMNS + 1:
            raise ValueError(f"{plug.name} is one too many for row {row} of the perfboard")
        for i, (line, end, _) in enumerate(plug.rows):
            hole = (first + i, row)
            out.pins[hole] = f"{plug.name}: {end if end == line else f'{line}, {end}'}"
            if line == diagram.GROUND:
                ground.append(hole)
            elif line == diagram.RAIL:
                rail.append(hole)
            else:
                _signal(out, used[line], hole, (first + len(plug.rows), row), ground, rail)
    _chain(out, ground)
    _chain(out, rail)
    return out


def _signal(out: Board, wire: Wire, hole: Hole, spare: Hole, ground: list[Hole], rail: list[Hole]) -> None:
    """From a plug's pin through its resistor to the header, and what a button needs besides."""
    end = header_hole(wire.physical or 0)
    size = series(wire)
    if size is None:
        out.joints.append((hole, end))
        return
    near, far = up(hole, 1), up(hole, 5)
    out.parts.append(Part(ohms(size), near, far))
    out.joints += [(hole, near), (far, end)]
    if wire.kind == "button":
        pull, top = up(spare, 1), up(spare, 5)
        out.parts.append(Part(ohms(parts.PULL_UP_OHMS), pull, top))
        out.joints.append((near, pull))
        rail.append(top)
        low, high = up(spare, 7), up(spare, 9)
        out.parts.append(Part(f"{parts.FILTER_NF} nF", low, high))
        out.joints.append((far, low))
        ground.append(high)


def series(wire: Wire) -> float | None:
    """The resistor between a plug's pin and the header, ohms; None: there is none."""
    if wire.kind == "lamp":
        return parts.LAMPS[lamp_kind(wire.setting)].ohms
    return {"button": float(parts.SERIES_OHMS), "buzzer": float(parts.PIEZO_OHMS)}.get(wire.kind)


def up(hole: Hole, rows: int) -> Hole:
    """The hole that many rows nearer to the header."""
    return hole[0], ROWS[ROWS.index(hole[1]) - rows]


def _chain(out: Board, holes: list[Hole]) -> None:
    """One wire from each to the next, by column, so that none is long."""
    ordered = sorted(holes)
    out.joints += list(itertools.pairwise(ordered))


def nets(layout: Board) -> list[set[Hole]]:
    """Holes that are joined, without going through a part."""
    group = {h: {h} for h in [*layout.pins, *(h for p in layout.parts for h in (p.a, p.b))]}
    for a, b in layout.joints:
        if group[a] is not group[b]:
            group[a] |= group[b]
            for hole in group[b]:
                group[hole] = group[a]
    return list({id(g): g for g in group.values()}.values())


def markdown(layout: Board) -> Iterator[str]:
    """The tables for whoever solders."""
    yield "| plug | holes |\n|---|---|\n"
    plugs: dict[str, list[str]] = {}
    for hole, what in layout.pins.items():
        if ": " in what:
            plug, line = what.split(": ", 1)
            plugs.setdefault(plug, []).append(f"{name(hole)} {line}")
    for plug, holes in plugs.items():
        yield f"| {plug} | {'; '.join(holes)} |\n"
    yield "\n| part | from | to |\n|---|---|---|\n"
    for part in sorted(layout.parts, key=lambda p: (p.what, p.a)):
        yield f"| {part.what} | {name(part.a)} | {name(part.b)} |\n"
    yield "\n| wire below | from | to |\n|---|---|---|\n"
    for a, b in sorted(layout.joints, key=lambda j: (min(j), max(j))):
        pins = [layout.pins[h] for h in (a, b) if layout.pins.get(h, "").startswith("header")]
        number = f" (pin {pins[0].split()[1]})" if pins else ""
        yield f"| {'bare' if a[0] == b[0] and near(a, b) else 'insulated'} | {name(a)} | {name(b)}{number} |\n"


def near(a: Hole, b: Hole) -> bool:
    """Whether two holes of a column are neighbours."""
    return abs(ROWS.index(a[1]) - ROWS.index(b[1])) == 1


def svg(layout: Board, below: bool) -> str:
    """The board from above, or from below with its wires: mirrored, as it lies when it is turned over."""
    step, edge = 22, 40
    width, height = COLUMNS * step + 2 * edge, len(ROWS) * step + 2 * edge

    def at(hole: Hole) -> tuple[int, int]:
        x = hole[0] - 1 if not below else COLUMNS - hole[0]
        return edge + x * step + step // 2, edge + ROWS.index(hole[1]) * step + step // 2

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">'
    ]
    out.append(f'<rect x="12" y="12" width="{width - 24}" height="{height - 24}" rx="8" fill="#e7dcc3" stroke="#555"/>')
    for column in range(1, COLUMNS + 1):
        for row in ROWS:
            x, y = at((column, row))
            out.append(f'<circle cx="{x}" cy="{y}" r="3" fill="#fff" stroke="#b79"/>')
        x, _ = at((column, "A"))
        out.append(f'<text x="{x}" y="30" text-anchor="middle">{column}</text>')
    for row in ROWS:
        _, y = at((1, row))
        out.append(f'<text x="26" y="{y + 4}" text-anchor="middle">{row}</text>')
    colours = {"680": "#c0392b", "1 k": "#2a6", "220": "#b6b", "10 k": "#27c", "100 ": "#e90"}
    for part in layout.parts:
        (x0, y0), (x1, y1) = at(part.a), at(part.b)
        colour = next((c for key, c in colours.items() if part.what.startswith(key)), "#444")
        faint = ' stroke-opacity="0.25"' if below else ""
        out.append(f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="{colour}" stroke-width="7"{faint}/>')
    if below:
        for a, b in layout.joints:
            (x0, y0), (x1, y1) = at(a), at(b)
            out.append(f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#222" stroke-width="1.4"/>')
    for hole, what in layout.pins.items():
        x, y = at(hole)
        one = what == "header 1"
        fill = "#d00" if one else "#333" if what.startswith("header") else "#064"
        out.append(f'<rect x="{x - 5}" y="{y - 5}" width="10" height="10" fill="{fill}"><title>{what}</title></rect>')
        if one:
            out.append(f'<text x="{x}" y="{y - 9}" text-anchor="middle" fill="#d00">pin 1</text>')
    for x, y, plug in _labels(layout, at):
        out.append(f'<text x="{x}" y="{y + 18}" font-size="9">{plug}</text>')
    side = "from below: turned over like a page, the header stays up" if below else "from above"
    out.append(f'<text x="{width // 2}" y="{height - 18}" text-anchor="middle" font-size="13">{side}</text></svg>')
    return "\n".join(out) + "\n"


def _labels(layout: Board, at: object) -> Iterator[tuple[int, int, str]]:
    seen: dict[str, list[Hole]] = {}
    for hole, what in layout.pins.items():
        if ": " in what:
            seen.setdefault(what.split(": ")[0], []).append(hole)
    for plug, holes in seen.items():
        spots = [at(h) for h in holes]  # type: ignore[operator]
        yield min(x for x, _ in spots) - 6, spots[0][1], plug


def page(build: str, config: Config) -> str:
    """The page of a build."""
    return "".join(
        [
            f"# Perfboard of the {build} build, hole by hole\n\n",
            f"Made from [{build}.toml]({build}.toml) by `make hardware`. Holes: row letter and column number; A1 is the upper left one with the\n",
            "header's edge up, seen from above. All parts and plugs go in from above; wires join their legs below.\n\n",
            "| from above | from below |\n|---|---|\n",
            f"| ![the board from above](perfboard-{build}-above.svg) | ![the board from below](perfboard-{build}-below.svg) |\n\n",
            f"The box header is in rows A and B, columns {HEADER_RIGHT - 19} to {HEADER_RIGHT}, its notch to the edge: pin 1 is A{HEADER_RIGHT}.\n\n",
            *markdown(board(config)),
        ]
    )
