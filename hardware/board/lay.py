"""Runs in KiCad's own Python: ``python3 -m board.lay design.json OUT.kicad_pcb`` places, routes and pours the board."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pcbnew
from board.router import VIA, VIA_DRILL, Router
from pcbnew import VECTOR2I, FromMM, ToMM

LIBRARY = "/usr/share/kicad/footprints"
ORIGIN = 50.0
"""Of the board on KiCad's sheet, millimetres."""
COPPER = (pcbnew.F_Cu, pcbnew.B_Cu)
NO_NET = "!"


def at(x: float, y: float) -> Any:
    """A place on the sheet."""
    return VECTOR2I(FromMM(ORIGIN + x), FromMM(ORIGIN + y))


def rules(board: Any) -> None:
    """What common fabs take for two layers, and their cheapest: 0.2 mm, holes of 0.3, 0.5 mm to the edge."""
    r = board.GetDesignSettings()
    r.m_MinClearance = r.m_TrackMinWidth = FromMM(0.2)
    r.m_ViasMinSize, r.m_MinThroughDrill, r.m_ViasMinAnnularWidth = FromMM(0.6), FromMM(0.3), FromMM(0.15)
    r.m_CopperEdgeClearance, r.m_HoleClearance, r.m_HoleToHoleMin = FromMM(0.5), FromMM(0.25), FromMM(0.5)
    r.m_MinResolvedSpokes = 1
    default = r.m_NetSettings.GetDefaultNetclass()
    default.SetClearance(FromMM(0.2))
    default.SetTrackWidth(FromMM(0.3))
    default.SetViaDiameter(FromMM(VIA))
    default.SetViaDrill(FromMM(VIA_DRILL))


def text(board: Any, words: str, x: float, y: float, size: float, below: bool = False, turn: float = 0) -> None:
    """Print, on the upper or the lower side."""
    t = pcbnew.PCB_TEXT(board)
    t.SetText(words)
    t.SetLayer(pcbnew.B_SilkS if below else pcbnew.F_SilkS)
    t.SetMirrored(below)
    t.SetPosition(at(x, y))
    t.SetTextSize(VECTOR2I(FromMM(size), FromMM(size)))
    t.SetTextThickness(FromMM(max(0.15, size / 8)))
    t.SetTextAngleDegrees(turn)
    board.Add(t)


def line(board: Any, layer: int, a: Any, b: Any, width: float) -> None:
    """A straight line of an outline."""
    s = pcbnew.PCB_SHAPE(board, pcbnew.SHAPE_T_SEGMENT)
    s.SetLayer(layer)
    s.SetStart(a)
    s.SetEnd(b)
    s.SetWidth(FromMM(width))
    board.Add(s)


def outline(board: Any, size: list[float], guide: list[float]) -> None:
    """The edge, and the guide's hole, which is milled with it."""
    w, h = size
    corners = [at(0, 0), at(w, 0), at(w, h), at(0, h)]
    for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
        line(board, pcbnew.Edge_Cuts, a, b, 0.1)
    hole = pcbnew.PCB_SHAPE(board, pcbnew.SHAPE_T_CIRCLE)
    hole.SetLayer(pcbnew.Edge_Cuts)
    hole.SetCenter(at(*guide[:2]))
    hole.SetEnd(at(guide[0] + guide[2] / 2, guide[1]))
    hole.SetWidth(FromMM(0.1))
    board.Add(hole)


def place(
    board: Any, part: dict[str, Any], nets: dict[str, Any], router: Router, joined: dict[tuple[str, Any], int]
) -> None:
    """One part, its pads on their nets."""
    lib, name = part["footprint"].split(":")
    fp = pcbnew.FootprintLoad(f"{LIBRARY}/{lib}.pretty", name)
    fp.SetFPID(pcbnew.LIB_ID(lib, name))
    fp.SetReference(part["ref"])
    fp.SetValue(part["value"])
    fp.SetPosition(at(part["x"], part["y"]))
    fp.SetOrientationDegrees(part["turn"])
    print_name(fp, part)
    if part["name"] == "PI":
        socket_below(fp)
    board.Add(fp)
    missing = set(part["pads"]) - {p.GetNumber() for p in fp.Pads()}
    if missing:
        raise SystemExit(f"{part['ref']}: {part['footprint']} has no pad {missing}")
    for pad in fp.Pads():
        net = part["pads"].get(pad.GetNumber())
        if net:
            pad.SetNet(nets[net])
        box, pos = pad.GetBoundingBox(), pad.GetPosition()
        x, y = ToMM(pos.x) - ORIGIN, ToMM(pos.y) - ORIGIN
        w, h = ToMM(box.GetWidth()) / 2, ToMM(box.GetHeight()) / 2
        half, more = min(w, h), abs(w - h)
        ends = ((x - more, y), (x + more, y)) if w > h else ((x, y - more), (x, y + more))
        if part["ref"][0] == "H":
            half = 2.3  # the screw's head
        router.solid(net or f"{NO_NET}{part['ref']}.{pad.GetNumber()}", half, *ends)
        if net:
            router.terminal(net, (x, y), joined.get((net, (round(x, 1), round(y, 1)))))
        if part["ref"][0] in "FQWJ" and net and (net.startswith("5V") or part["ref"][0] == "Q"):
            pad.SetLocalZoneConnection(pcbnew.ZONE_CONNECTION_FULL)


def print_name(fp: Any, part: dict[str, Any]) -> None:
    """The reference inside a part's outline, small; a plug's is left out for its name, which is printed large."""
    ref = fp.Reference()
    if part["ref"][0] in "HJW":
        ref.SetVisible(False)
        return
    size = 0.8
    ref.SetTextSize(VECTOR2I(FromMM(size), FromMM(size)))
    ref.SetTextThickness(FromMM(0.12))
    box = fp.GetBoundingBox(False)
    ref.SetPosition(box.GetCenter())
    if "C_Disc" in part["footprint"]:
        ref.SetPosition(VECTOR2I(box.GetRight() + FromMM(0.6), box.GetCenter().y))
    elif "CP_Radial" in part["footprint"]:
        ref.SetPosition(VECTOR2I(box.GetCenter().x, box.GetTop() - FromMM(0.7)))
    elif "Vertical_Kathode" in part["footprint"]:  # its outline fills its place
        ref.SetPosition(VECTOR2I(box.GetCenter().x, box.GetBottom() + FromMM(0.2)))
    elif "Vertical" in part["footprint"]:
        ref.SetPosition(VECTOR2I(box.GetCenter().x, box.GetBottom() + FromMM(0.7)))
    elif part["ref"].startswith("TP"):  # its net's name says more
        ref.SetVisible(False)
        fp.Value().SetVisible(True)
        fp.Value().SetLayer(pcbnew.F_SilkS)
        fp.Value().SetTextSize(VECTOR2I(FromMM(1), FromMM(1)))
        fp.Value().SetTextThickness(FromMM(0.15))
        fp.Value().SetPosition(VECTOR2I(box.GetCenter().x, box.GetBottom() + FromMM(0.6)))
    ref.SetKeepUpright(True)


def socket_below(fp: Any) -> None:
    """The body in the pictures: the stacking socket, which is soldered from below on its long pins."""
    model = fp.Models()[0]
    model.m_Filename = model.m_Filename.replace("PinHeader", "PinSocket")
    model.m_Rotation = pcbnew.VECTOR3D(0, 180, 0)
    model.m_Offset = pcbnew.VECTOR3D(0, 0, -10.0)
    fp.Models()[0] = model


def groups(data: dict[str, Any]) -> dict[tuple[str, Any], int]:
    """Places that hand-laid copper joins: net and place to the number of its group."""
    found: dict[str, list[set[Any]]] = {}
    for laid in data["laid"]:
        points = {(round(x, 1), round(y, 1)) for x, y in laid["points"]}
        mine = found.setdefault(laid["net"], [])
        for other in [g for g in mine if g & points]:
            points |= other
            mine.remove(other)
        mine.append(points)
    return {(net, p): i for net, all_of in found.items() for i, points in enumerate(all_of) for p in points}


def track(board: Any, net: Any, layer: int, width: float, a: Any, b: Any) -> None:
    """One piece of track."""
    t = pcbnew.PCB_TRACK(board)
    t.SetStart(at(*a))
    t.SetEnd(at(*b))
    t.SetWidth(FromMM(width))
    t.SetLayer(COPPER[layer])
    t.SetNet(net)
    board.Add(t)


def pour(board: Any, net: Any, size: list[float]) -> None:
    """Ground on both sides."""
    w, h = size
    for layer in COPPER:
        zone = pcbnew.ZONE(board)
        zone.SetLayer(layer)
        zone.SetNet(net)
        zone.SetLocalClearance(FromMM(0.25))
        zone.SetMinThickness(FromMM(0.25))
        zone.SetThermalReliefGap(FromMM(0.3))
        zone.SetThermalReliefSpokeWidth(FromMM(0.6))
        edge = zone.Outline()
        edge.NewOutline()
        for x, y in ((0.5, 0.5), (w - 0.5, 0.5), (w - 0.5, h - 0.5), (0.5, h - 0.5)):
            edge.Append(at(x, y))
        board.Add(zone)


def main(source: str, out: str) -> None:
    """Makes the board file. Ends with a message when a net finds no way."""
    data = json.loads(Path(source).read_text(encoding="utf-8"))
    began = time.monotonic()
    pcbnew.KIID.SeedGenerator(1)  # the same identifiers in every run
    board = pcbnew.NewBoard(out)
    rules(board)
    block = board.GetTitleBlock()
    block.SetTitle("Mind box carrier")
    block.SetRevision("1")
    block.SetComment(0, f"made from {data['digest']}")
    nets = {name: pcbnew.NETINFO_ITEM(board, name) for name in data["widths"]}
    for net in nets.values():
        board.Add(net)
    (width, height), (at_x, at_y) = data["size"], data["origin"]
    router = Router(width, height, (at_x, at_y))
    joined = groups(data)
    for part in data["parts"]:
        place(board, part, nets, router, joined)
        x, y = part["name_at"]
        if x or y:
            for below in (False, True):
                text(board, part["name"].replace("_", " "), x, y, 1.7, below)
    for words, x, y, size, below in data["words"]:
        text(board, words, x, y, size, below)
    outline(board, data["size"], data["guide"])
    x, y, wide = data["guide"]
    router.solid(f"{NO_NET}guide", wide / 2 + 0.4, (x, y), (x, y))
    for laid in data["laid"]:
        for a, b in zip(laid["points"], laid["points"][1:], strict=False):
            track(board, nets[laid["net"]], laid["layer"], laid["width"], a, b)
            router.solid(laid["net"], laid["width"] / 2, a, b, (laid["layer"],))
    if not router.route(data["widths"], "GND", lambda s: print(s, file=sys.stderr, flush=True)):
        raise SystemExit("board.lay: not every net found a way")
    for name, net in nets.items():
        tracks, vias = router.copper(name)
        for layer, a, b in tracks:
            track(board, net, layer, data["widths"][name], a, b)
        for via in vias:
            v = pcbnew.PCB_VIA(board)
            v.SetPosition(at(*via))
            v.SetFrontWidth(FromMM(VIA))
            v.SetDrill(FromMM(VIA_DRILL))
            v.SetNet(net)
            board.Add(v)
    pour(board, nets["GND"], data["size"])
    pcbnew.SaveBoard(out, board)
    board = pcbnew.LoadBoard(out)  # a new board has no rule engine yet: its pour would run over unplated holes
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    pcbnew.SaveBoard(out, board)
    print(f"{len(data['parts'])} parts, {len(nets)} nets, {len(board.GetTracks())} pieces of track and vias, "
          f"{time.monotonic() - began:.0f} s", file=sys.stderr)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
