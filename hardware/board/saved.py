"""Reads a KiCad board file, without KiCad: pads, tracks, vias, pours, holes, print. Millimetres from its corner."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Tree = list[Any]
"""A list of words, texts and lists."""
Point = tuple[float, float]
ORIGIN = 50.0
COPPER = {"F.Cu": 0, "B.Cu": 1}
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)')


def parse(text: str) -> Tree:
    """An s-expression. Raises ``ValueError`` where its brackets do not match."""
    stack: list[Tree] = [[]]
    for match in TOKEN.finditer(text):
        quoted, bracket, word = match.groups()
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            if len(stack) < 2:
                raise ValueError(f"a bracket is closed at {match.start()} that was never opened")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word if quoted is None else quoted.replace('\\"', '"').replace("\\\\", "\\"))
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError("brackets are left open")
    tree: Tree = stack[0][0]
    return tree


def children(tree: Tree, name: str) -> Iterator[Tree]:
    """The lists in a list that begin with a word."""
    return (x for x in tree if isinstance(x, list) and x and x[0] == name)


def child(tree: Tree, name: str) -> Tree:
    """The first of them; empty when there is none."""
    return next(children(tree, name), [])


def place(tree: Tree) -> Point:
    """The first two numbers of a list, without the sheet's margin."""
    return round(float(tree[1]) - ORIGIN, 4), round(float(tree[2]) - ORIGIN, 4)


@dataclass(frozen=True, slots=True)
class Pad:
    """One pad of a part."""

    ref: str
    number: str
    net: str
    at: Point
    size: Point
    """Width and height as it lies."""
    drill: float
    plated: bool


@dataclass(frozen=True, slots=True)
class Track:
    """A piece of track."""

    net: str
    layer: int
    width: float
    a: Point
    b: Point


@dataclass(frozen=True, slots=True)
class Via:
    """Joins both layers."""

    net: str
    at: Point
    size: float
    drill: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A part as it lies."""

    ref: str
    footprint: str
    value: str
    at: Point
    turn: float


@dataclass(frozen=True, slots=True)
class Words:
    """Print on a side of the board."""

    text: str
    at: Point
    height: float
    below: bool
    mirrored: bool


@dataclass(slots=True)
class Saved:
    """What a board file holds."""

    comment: str = ""
    parts: list[Placed] = field(default_factory=list)
    pads: list[Pad] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)
    poured: list[tuple[str, int, list[Point]]] = field(default_factory=list)
    """Net, layer and outline of every piece of a pour."""
    words: list[Words] = field(default_factory=list)
    edge: list[tuple[Point, Point]] = field(default_factory=list)
    cut_out: list[tuple[Point, float]] = field(default_factory=list)
    """Milled round holes: middle and diameter."""

    def pad_nets(self) -> dict[tuple[str, str], str]:
        """(ref, pad) to net, of the pads that have one."""
        return {(p.ref, p.number): p.net for p in self.pads if p.net}


def read(path: Path) -> Saved:
    """The board in a file."""
    return build(parse(path.read_text(encoding="utf-8")))


def build(tree: Tree) -> Saved:
    """The board of a parsed file."""
    names = {item[1]: item[2] for item in children(tree, "net")}

    def net(item: Tree) -> str:
        entry = child(item, "net")
        return names.get(entry[1], "") if entry else ""

    out = Saved()
    for item in children(child(tree, "title_block"), "comment"):
        out.comment = item[2]
    for item in children(tree, "footprint"):
        _part(out, item, net)
    for item in children(tree, "segment"):
        out.tracks.append(Track(net(item), COPPER[child(item, "layer")[1]], float(child(item, "width")[1]),
                                place(child(item, "start")), place(child(item, "end"))))  # fmt: skip
    for item in children(tree, "via"):
        drill = float(child(item, "drill")[1])
        out.vias.append(Via(net(item), place(child(item, "at")), float(child(item, "size")[1]), drill))
    for zone in children(tree, "zone"):
        for piece in children(zone, "filled_polygon"):
            points = [place(xy) for xy in children(child(piece, "pts"), "xy")]
            out.poured.append((net(zone), COPPER[child(piece, "layer")[1]], points))
    for item in children(tree, "gr_line"):
        if child(item, "layer")[1] == "Edge.Cuts":
            out.edge.append((place(child(item, "start")), place(child(item, "end"))))
    for item in children(tree, "gr_circle"):
        if child(item, "layer")[1] == "Edge.Cuts":
            middle, rim = place(child(item, "center")), place(child(item, "end"))
            out.cut_out.append((middle, round(2 * math.dist(middle, rim), 4)))
    for item in children(tree, "gr_text"):
        out.words.append(_words(item, item[1]))
    return out


def _words(item: Tree, text: str) -> Words:
    effects = child(item, "effects")
    size = child(child(effects, "font"), "size")
    mirrored = "mirror" in child(effects, "justify")
    return Words(text, place(child(item, "at")), float(size[1]), child(item, "layer")[1].startswith("B."), mirrored)


def _part(out: Saved, item: Tree, net: Any) -> None:
    where = child(item, "at")
    x, y = place(where)
    turn = float(where[3]) if len(where) > 3 else 0.0
    texts = {p[1]: p[2] for p in children(item, "property")}
    ref = texts["Reference"]
    out.parts.append(Placed(ref, item[1], texts["Value"], (x, y), turn))
    a = math.radians(turn)
    for pad in children(item, "pad"):
        at = child(pad, "at")
        dx, dy = float(at[1]), float(at[2])
        middle = (round(x + dx * math.cos(a) + dy * math.sin(a), 4), round(y - dx * math.sin(a) + dy * math.cos(a), 4))
        w, h = (float(v) for v in child(pad, "size")[1:3])
        lies = float(at[3]) if len(at) > 3 else 0.0
        if round(lies) % 180 == 90:
            w, h = h, w
        drill = [v for v in child(pad, "drill")[1:] if not isinstance(v, list) and v != "oval"]
        out.pads.append(
            Pad(ref, pad[1], net(pad), middle, (w, h), float(drill[0]) if drill else 0.0, pad[2] == "thru_hole")
        )
