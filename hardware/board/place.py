"""The carrier board as solids in its place in the box, and the Raspberry Pis that it stands on."""

from __future__ import annotations

import mounts
from board import design
from board.saved import Placed, Saved
from layout import Layout
from manifold3d import Manifold
from solids import box, rod

THICK = 1.6
STACK = 19.5
"""From the Pi's upper side to the carrier's lower one: the header's plastic, the socket of 8.5 mm, its free pins."""
PIN_REACH = 6.0
"""How far the header's pins stand out of its plastic: from there on a contact may touch one."""
JOINTS = 2.0
"""Of solder and trimmed legs below."""
SPACER = (30.0, 5.9)
"""The guide: its height over the Pi and its width over corners (M2.5, 5 mm across flats)."""
PI_BOARD = 1.5
HEIGHTS = {
    "JST_XH": 15.0, "JST_VH": 18.0, "PinHeader_2x10": 24.0, "PinHeader_2x02": 9.0, "PinHeader_2x20": 15.0,
    "R_Axial": 3.0, "C_Disc": 6.0, "DO-35": 2.5, "DO-15": 11.0, "CP_Radial": 12.5, "TO-220": 20.0, "MF-RG": 18.0,
    "TestPoint": 0.5,
}  # fmt: skip
"""Above the board, plugs with their wires bent aside; the header's row is a ribbon in its box."""
Drawn = tuple[float, float, float, float, float, float]
"""A block on a Pi: x and y from the card's corner as on Raspberry Pi's drawings, z above its board."""
_USUAL: tuple[Drawn, ...] = ((7.1, 49.8, 0, 57.9, 55.2, 2.54), (15, 12, 0, 60, 46, 15.0), (6.5, -1.8, 0, 15.8, 6, 3.6))
"""The header's plastic, a cooler, the power socket."""
PIS: dict[str, tuple[tuple[float, float], tuple[Drawn, ...]]] = {
    "3": ((85, 56), (*_USUAL, (65, 2, 0, 87.6, 18.5, 13.6), (69, 22, 0, 87.6, 36, 16), (69, 40, 0, 87.6, 54, 16),
                     (24, -1.5, 0, 40, 11, 6.6), (50, -3, 0, 57.5, 12, 6.2))),
    "4": ((85, 56), (*_USUAL, (69, 2, 0, 87.6, 16, 16), (69, 20, 0, 87.6, 34, 16), (65, 37, 0, 87.6, 54, 13.6),
                     (22, -1.8, 0, 43.5, 7, 3.3), (50, -3, 0, 57.5, 12, 6.2))),
    "5": ((85, 56), (*_USUAL, (65, 2, 0, 87.6, 18.5, 13.6), (69, 22, 0, 87.6, 36, 16), (69, 40, 0, 87.6, 54, 16),
                     (22, -1.8, 0, 43.5, 7, 3.3))),
    "Zero 2 W": ((65, 30), ((7.1, 23.8, 0, 57.9, 29.2, 2.54), (15, 5, 0, 40, 21, 10.0), (8, -1.5, 0, 60, 6, 3.6))),
}  # fmt: skip
"""Size of the board, and what stands on it and out over its edge."""


def underside(plan: Layout) -> float:
    """The height of the carrier's lower side in the box."""
    return plan.shape.floor + mounts.PI.post + 0.1 + PI_BOARD + STACK


def in_box(x: float, y: float) -> tuple[float, float]:
    """A place on the board in the box."""
    left, top = mounts.CARRIER_CORNER
    return left + x, top - y


def plate(plan: Layout, saved: Saved) -> Manifold:
    """The board itself, with its holes."""
    z = underside(plan)
    xs = [x for edge in saved.edge for x, _ in edge]
    ys = [y for edge in saved.edge for _, y in edge]
    x0, y0 = in_box(min(xs), max(ys))
    x1, y1 = in_box(max(xs), min(ys))
    out = box(x0, y0, z, x1, y1, z + THICK)
    for (x, y), diameter in saved.cut_out:
        out -= rod(*in_box(x, y), z - 1, z + THICK + 1, diameter)
    for pad in saved.pads:
        if not pad.plated:
            out -= rod(*in_box(*pad.at), z - 1, z + THICK + 1, pad.drill)
    return out


def bodies(plan: Layout, saved: Saved) -> dict[str, Manifold]:
    """Every part above the board, by its reference; the socket and the solder joints below."""
    z = underside(plan)
    out = {}
    for part in saved.parts:
        height = next((h for key, h in HEIGHTS.items() if key in part.footprint), 0.0)
        if height:
            x0, y0, x1, y1 = extent(part, saved)
            (a, d), (c, b) = in_box(x0, y0), in_box(x1, y1)
            out[part.ref] = box(a, b, z + THICK + 0.05, c, d, z + THICK + height)
    joints = Manifold()
    for pad in saved.pads:
        if pad.plated and pad.ref != "J1":
            x, y = in_box(*pad.at)
            joints += box(x - 1, y - 1, z - JOINTS, x + 1, y + 1, z - 0.05)
    out["joints"] = joints
    return out


def extent(part: Placed, saved: Saved) -> tuple[float, float, float, float]:
    """What a part takes of the board, by its pads and the width of its body."""
    margin = {"JST_XH": (2.45, 3.4), "JST_VH": (2.0, 4.8), "PinHeader_2x20": (5.1, 3.2), "TO-220": (2.5, 3.2)}
    along, across = next((m for key, m in margin.items() if key in part.footprint), (1.3, 1.3))
    if "CP_Radial" in part.footprint:
        along, across = 2.3, 4.0
    pads = [p.at for p in saved.pads if p.ref == part.ref]
    if part.turn % 180 == 90 and "PinHeader" not in part.footprint:
        along, across = across, along
    xs, ys = [p[0] for p in pads], [p[1] for p in pads]
    return min(xs) - along, min(ys) - across, max(xs) + along, max(ys) + across


def computer(plan: Layout, kind: str) -> Manifold:
    """A Pi on the posts below, its header where every Pi has it."""
    (long, wide), blocks = PIS[kind]
    x, y = plan.pi
    y -= 56 - wide  # the header is at the edge that all have in common
    z = plan.shape.floor + mounts.PI.post + 0.1
    out = box(x - long, y - wide, z, x, y, z + PI_BOARD)
    for x0, y0, z0, x1, y1, z1 in blocks:
        out += box(x - x1, y - y1, z + PI_BOARD + z0, x - x0, y - y0, z + PI_BOARD + z1)
    return out


def guide(plan: Layout) -> Manifold:
    """The long spacer on the Pi's screw next to pin 39."""
    x, y = plan.pi
    dx, dy = mounts.PI.holes[3]
    z = plan.shape.floor + mounts.PI.post + 0.1 + PI_BOARD
    return rod(x - dx, y - dy, z, z + SPACER[0], SPACER[1])


def put_on(solid: Manifold, turned: bool, dx: float, dy: float, up: float) -> Manifold:
    """Something of the carrier as it would be when it is put on wrongly: about the middle of the header."""
    x, y = in_box(design.HEADER_PIN_1[0] - 9.5 * design.PIN, design.HEADER_PIN_1[1] + design.PIN / 2)
    moved = solid.translate((-x, -y, up)).rotate((0, 0, 180 if turned else 0))
    return moved.translate((x + dx, y + dy, 0))


def goes_on(plan: Layout, saved: Saved, turned: bool = False, dx: float = 0.0, dy: float = 0.0) -> bool:
    """Whether the socket's contacts could touch the header's pins so: nothing stops the board before."""
    board = put_on(plate(plan, saved), turned, dx, dy, PIN_REACH)
    return bool((board ^ guide(plan)).volume() < 0.01)
