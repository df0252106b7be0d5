"""What has to hold of a board file, found without KiCad: nets, distances, joints, widths. Each says what is wrong.

KiCad's own check sees more (corners of square pads, print, masks); this one runs wherever Python does.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from board import design
from board.saved import Pad, Point, Saved

from mind_box.hardware.boards import BOARDS
from mind_box.hardware.checks import sums, supply_ma
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config

CLEAR = 0.2
"""Millimetres between copper of two nets that common fabs make without asking more."""
DRILLS, RING, TRACK, LONGEST = (0.3, 6.3), 0.15, 0.2, 100.0
"""Millimetres: holes and the least copper around one, thinnest track, the side beyond which prices jump."""
PIN_RING, LEG = 0.3, 0.6
"""Of what is soldered by hand: copper around a hole, and the hole that the thinnest leg needs."""
READABLE = 1.5
"""Height of a plug's printed name, millimetres."""
COPPER_MM, RISE = 0.035, 20.0
"""Thickness of the copper; kelvins that a track may warm up."""
TOUCH = 0.02


@dataclass(frozen=True, slots=True)
class Shape:
    """Copper as a line with a thickness."""

    net: str
    what: str
    layers: tuple[int, ...]
    half: float
    a: Point
    b: Point


def shapes(board: Saved) -> list[Shape]:
    """All copper but the pours."""
    out = []
    for t in board.tracks:
        out.append(Shape(t.net, f"track at {t.a}", (t.layer,), t.width / 2, t.a, t.b))
    for v in board.vias:
        out.append(Shape(v.net, f"via at {v.at}", (0, 1), v.size / 2, v.at, v.at))
    for p in board.pads:
        if p.plated:
            half, more = min(p.size) / 2, (max(p.size) - min(p.size)) / 2
            dx, dy = (more, 0.0) if p.size[0] > p.size[1] else (0.0, more)
            ends = (p.at[0] - dx, p.at[1] - dy), (p.at[0] + dx, p.at[1] + dy)
            out.append(Shape(p.net or f"free {p.ref}.{p.number}", f"pad {p.ref}.{p.number}", (0, 1), half, *ends))
    return out


def _to_line(p: Point, a: Point, b: Point) -> float:
    length = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2
    t = ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / length if length else 0.0
    t = min(1.0, max(0.0, t))
    return math.hypot(p[0] - a[0] - t * (b[0] - a[0]), p[1] - a[1] - t * (b[1] - a[1]))


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def gap(x: Shape, y: Shape) -> float:
    """Between two pieces of copper, negative where they overlap."""
    if _cross(x.a, x.b, y.a, y.b):
        return -x.half - y.half
    lines = ((x.a, y.a, y.b), (x.b, y.a, y.b), (y.a, x.a, x.b), (y.b, x.a, x.b))
    return min(_to_line(*line) for line in lines) - x.half - y.half


def near(found: list[Shape], reach: float) -> Iterator[tuple[Shape, Shape]]:
    """Pairs on one layer whose rectangles are nearer than that."""
    boxes = sorted(((min(s.a[0], s.b[0]) - s.half, max(s.a[0], s.b[0]) + s.half, i) for i, s in enumerate(found)))
    for k, (_, right, i) in enumerate(boxes):
        x = found[i]
        for left, _, j in itertools.islice(boxes, k + 1, None):
            if left > right + reach:
                break
            y = found[j]
            if set(x.layers) & set(y.layers) and (
                max(min(x.a[1], x.b[1]) - x.half, min(y.a[1], y.b[1]) - y.half)
                <= min(max(x.a[1], x.b[1]) + x.half, max(y.a[1], y.b[1]) + y.half) + reach
            ):
                yield x, y


def too_near(board: Saved) -> list[str]:
    """Copper of two nets nearer than ``CLEAR``."""
    out = []
    for x, y in near(shapes(board), CLEAR):
        if x.net != y.net and (d := gap(x, y)) < CLEAR - 1e-3:
            out.append(f"{x.net} ({x.what}) and {y.net} ({y.what}): {d:.3f} mm")
    return out


def wrong_nets(board: Saved) -> list[str]:
    """Pads that are not on the net of the design."""
    wanted = {(p.ref, pad): net for p in design.design().parts for pad, net in p.pads.items()}
    found = board.pad_nets()
    return [f"{ref}.{pad}: {found.get((ref, pad), 'free')}, should be {wanted.get((ref, pad), 'free')}"
            for ref, pad in sorted(wanted.keys() | found.keys())
            if wanted.get((ref, pad)) != found.get((ref, pad))]  # fmt: skip


def unmakeable(board: Saved) -> list[str]:
    """Holes, rings, tracks and edges that a common fab does not make, or that nobody can solder."""
    out = []
    for pad in board.pads:
        if pad.plated and not LEG <= pad.drill <= DRILLS[1]:
            out.append(f"pad {pad.ref}.{pad.number}: hole of {pad.drill:g} mm")
        if pad.plated and min(pad.size) - pad.drill < 2 * PIN_RING - 1e-6:
            out.append(f"pad {pad.ref}.{pad.number}: ring of {(min(pad.size) - pad.drill) / 2:.2f} mm")
    for via in board.vias:
        if not DRILLS[0] <= via.drill <= DRILLS[1]:
            out.append(f"via at {via.at}: hole of {via.drill:g} mm")
        if via.size - via.drill < 2 * RING - 1e-6:
            out.append(f"via at {via.at}: ring of {(via.size - via.drill) / 2:.2f} mm")
    out += [f"{t.net} at {t.a}: track of {t.width:g} mm" for t in board.tracks if t.width < TRACK]
    sides = [[p[axis] for line in board.edge for p in line] for axis in (0, 1)]
    for values, wanted in zip(sides, (design.WIDTH, design.HEIGHT), strict=True):
        if not values or (min(values), max(values)) != (0, wanted) or wanted > LONGEST:
            out.append(
                f"edge: from {min(values, default=0):g} to {max(values, default=0):g} mm, should be 0 to {wanted:g}"
            )
    return out


def unnamed(board: Saved) -> list[str]:
    """Plugs whose name is not printed once on each side, large enough, to be read from there and beside the plug."""
    out = []
    for part in board.parts:
        if "JST" not in part.footprint:
            continue
        name = part.value.replace("_", " ")
        mine = [w for w in board.words if w.text == name]
        pads = [p.at for p in board.pads if p.ref == part.ref]
        if sorted(w.below for w in mine) != [False, True]:
            out.append(
                f"{name}: printed above {sum(not w.below for w in mine)}, below {sum(w.below for w in mine)} times"
            )
        for w in mine:
            side = "below" if w.below else "above"
            if w.height < READABLE:
                out.append(f"{name}: {w.height:g} mm high {side}")
            if w.below != w.mirrored:
                out.append(f"{name}: mirror writing {side}")
            others = [(math.dist(w.at, p.at), p.ref) for p in board.pads if p.ref in _plugs(board)]
            if pads and min(others)[1] != part.ref:
                out.append(f"{name}: {side} it stands beside another plug")
    return out


def _plugs(board: Saved) -> set[str]:
    return {p.ref for p in board.parts if "JST" in p.footprint}


def alike(board: Saved) -> list[list[str]]:
    """Kinds of cables whose plugs have one family and number of poles."""
    poles: dict[str, set[str]] = {}
    for part in board.parts:
        if "JST" in part.footprint:
            poles.setdefault(part.footprint, set()).add(part.value.rstrip("0123456789").rstrip("_"))
    return sorted(sorted(names) for names in poles.values() if len(names) > 1)


def misplaced(board: Saved) -> list[str]:
    """Parts that are not what and where the design has them."""
    wanted = {
        (p.ref, p.footprint, p.value, (round(p.x, 3), round(p.y, 3)), p.turn % 360) for p in design.design().parts
    }
    found = {(p.ref, p.footprint, p.value, p.at, p.turn % 360) for p in board.parts}
    return sorted(ref for ref, *_ in wanted ^ found)


def outdated(board: Saved) -> str:
    """What is wrong when the board was made from another design or by other programs; empty when not."""
    today = f"made from {design.digest()}"
    return (
        "" if board.comment == today else f"{board.comment or 'made from nothing'}, should be {today}: run `make board`"
    )


def unjoined(board: Saved) -> list[str]:
    """Nets whose pads are not all joined by tracks, vias and pours."""
    found = shapes(board)
    group = list(range(len(found)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    index = {id(s): i for i, s in enumerate(found)}
    for x, y in near(found, TOUCH):
        if x.net == y.net and root(index[id(x)]) != root(index[id(y)]) and gap(x, y) <= TOUCH:
            group[root(index[id(x)])] = root(index[id(y)])
    for net, layer, outline in board.poured:
        first = -1
        for i, s in enumerate(found):
            if s.net != net or layer not in s.layers or (first >= 0 and root(i) == root(first)):
                continue
            if _touches(s, outline):
                first = i if first < 0 else first
                group[root(i)] = root(first)
    pieces: dict[str, set[int]] = {}
    for i, s in enumerate(found):
        if s.what.startswith("pad"):
            pieces.setdefault(s.net, set()).add(root(i))
    return [f"{net}: in {len(roots)} pieces" for net, roots in sorted(pieces.items()) if len(roots) > 1]


def _touches(shape: Shape, outline: list[Point]) -> bool:
    turns = [(math.cos(k * math.tau / 16), math.sin(k * math.tau / 16)) for k in range(16)]
    rim = [(shape.a[0] + 0.9 * shape.half * c, shape.a[1] + 0.9 * shape.half * s) for c, s in turns]
    return any(inside(p, outline) for p in (*rim, shape.a, shape.b))


def inside(p: Point, outline: list[Point]) -> bool:
    """Whether a place lies in an outline."""
    odd = False
    for (x0, y0), (x1, y1) in zip(outline, outline[1:] + outline[:1], strict=True):
        if (y0 > p[1]) != (y1 > p[1]) and p[0] < x0 + (p[1] - y0) / (y1 - y0) * (x1 - x0):
            odd = not odd
    return odd


def least_width(amps: float) -> float:
    """Millimetres of track for a current: IPC-2221, outer layer, ``RISE`` kelvins."""
    area = (amps / (0.048 * RISE**0.44)) ** (1 / 0.725)  # square mils
    return float(area * 0.0254**2 / COPPER_MM)


def currents(configs: list[Config]) -> list[tuple[str, str, str, float]]:
    """Net, from a pad, to a pad, amperes at worst: of the builds that the board has to carry."""
    supply = max(supply_ma(c, b) for c in configs for b in BOARDS.values()) / 1000
    rail = max(sums(c).rail_ma - sums(c).gpio_ma for c in configs) / 1000
    reader = max(r.milliamperes for r in READERS.values()) / 1000
    out = [(design.IN_PLUS, "POWER.2", "F1.1", supply), (design.FUSED, "F1.2", "SWITCH.1", supply)]
    out += [(design.IN_MINUS, "POWER.1", "Q1.2", supply)]
    for pin, pads in ((2, ("4", "2")), (4, ("3", "1"))):
        out += [
            (design.FIVE, "SWITCH.3", f"W1.{pads[0]}", supply / 2),
            (design.TO_PI[pin], f"W1.{pads[1]}", f"PI.{pin}", supply / 2),
        ]
    out += [(design.GND, "Q1.3", f"PI.{pin}", supply / len(design.GROUND_PINS)) for pin in design.GROUND_PINS]
    out += [(design.FIVE, "SWITCH.3", f"READER.{pole}", reader) for pole in (1, 7)]
    return out + [(design.RAIL, f"PI.{design.RAIL_PIN}", f"SCREEN_{n}.2", rail) for n in range(design.CHANNELS)]


def too_thin(board: Saved, configs: list[Config]) -> list[str]:
    """Ways of a current that are narrower than it needs at their narrowest; pours are not counted on."""
    out = []
    for net, start, end, amps in currents(configs):
        width = widest(board, net, pad_of(board, start), pad_of(board, end))
        if width < least_width(amps):
            out.append(f"{net} from {start} to {end}: {width:g} mm for {amps:.1f} A, needs {least_width(amps):.2f} mm")
    return out


def pad_of(board: Saved, name: str) -> Pad:
    """``POWER.2`` or ``F1.1``: by a plug's name or a reference."""
    part, number = name.split(".")
    ref = next(p.ref for p in board.parts if part in (p.value, p.ref))
    return next(p for p in board.pads if (p.ref, p.number) == (ref, number))


def widest(board: Saved, net: str, start: Pad, end: Pad) -> float:
    """The narrowest place of the widest way over tracks between two pads; 0 when there is none."""
    mine = [s for s in shapes(board) if s.net == net]
    onward: dict[int, list[int]] = {i: [] for i in range(len(mine))}
    index = {id(s): i for i, s in enumerate(mine)}
    for x, y in near(mine, TOUCH):
        if gap(x, y) <= TOUCH:
            onward[index[id(x)]].append(index[id(y)])
            onward[index[id(y)]].append(index[id(x)])
    first, last = (next(i for i, s in enumerate(mine) if s.what == f"pad {p.ref}.{p.number}") for p in (start, end))
    heap, seen = [(-1e9, first)], set[int]()
    while heap:
        width, i = heapq.heappop(heap)
        if i == last:
            return -width
        if i in seen:
            continue
        seen.add(i)
        for j in onward[i]:
            own = mine[j].half * 2 if mine[j].what.startswith("track") else 1e9  # a via's wall is 1.2 mm around
            heapq.heappush(heap, (max(width, -own), j))
    return 0.0
