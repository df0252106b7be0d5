"""The enclosure: body, lid and scanner brackets as solids, made from the plan in layout.py, written as STL.

Every part prints without supports: the body on its floor, the lid on its upper side, the brackets on their side.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

import mounts
import numpy as np
from layout import Layout, Spot
from manifold3d import CrossSection, JoinType, Manifold

ROUND = 32
"""Facets of a full circle."""
PILOT = 2.6
"""Hole for an M3 screw to cut its thread into."""
FAR = 1.0
"""How far a cut reaches beyond what it cuts: faces that coincide make no clean solid."""


def box(x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> Manifold:
    """A block between two corners."""
    return Manifold.cube((x1 - x0, y1 - y0, z1 - z0)).translate((x0, y0, z0))


def rod(x: float, y: float, z0: float, z1: float, diameter: float) -> Manifold:
    """An upright cylinder."""
    return Manifold.cylinder(z1 - z0, diameter / 2, diameter / 2, ROUND).translate((x, y, z0))


def slab(size: float, corner: float, z0: float, z1: float) -> Manifold:
    """A square plate with round corners, around the origin."""
    inner = size - 2 * corner
    outline = CrossSection.square((inner, inner), True).offset(corner, JoinType.Round, 2.0, ROUND)
    return Manifold.extrude(outline, z1 - z0).translate((0, 0, z0))


def body(plan: Layout) -> Manifold:
    """Floor and walls with all posts."""
    s, height = plan.shape, plan.body_height
    inside = slab(s.size - 2 * s.wall, s.corner - s.wall, s.floor, height + FAR)
    solid = slab(s.size, s.corner, 0, height) - inside
    for x, y in plan.screws():
        right, up = math.copysign(4, x), math.copysign(4, y)
        to_corner = Manifold.cube((8, 8, height)).translate((x + right - 4, y + up - 4, 0))
        post = (rod(x, y, 0, height, 9) + to_corner) ^ slab(s.size, s.corner, 0, height)
        solid += post - rod(x, y, height - 16, height + FAR, PILOT)
    for board, corner in ((mounts.PI, plan.pi), (mounts.PERFBOARD, plan.perfboard)):
        for dx, dy in board.holes:
            x, y = corner[0] + dx, corner[1] + dy
            solid += rod(x, y, 0, s.floor + board.post, 6) - rod(x, y, s.floor, s.floor + board.post + FAR, board.pilot)
    slot_x, slot_y = s.slot
    solid += box(slot_x - 30, slot_y - 2.5, 0, slot_x + 30, slot_y + 2.5, plan.card_stop)
    solid -= _power_hole(plan)
    solid += _tie_rib(plan)
    for i in range(7):  # air for the Pi
        x = plan.pi[0] + 14 + 9 * i
        solid -= box(x, plan.pi[1] + 12, -FAR, x + 3, plan.pi[1] + 44, s.floor + FAR)
    if plan.optical:
        lens_x, lens_y, _ = plan.lens
        for along in BRACKET_SCREWS:
            y = lens_y - along
            solid -= rod(lens_x, y - 8, -FAR, s.floor + FAR, 3.4) + rod(lens_x, y + 8, -FAR, s.floor + FAR, 3.4)
            solid -= box(lens_x - 1.7, y - 8, -FAR, lens_x + 1.7, y + 8, s.floor + FAR)
    return solid


def _power_hole(plan: Layout) -> Manifold:
    """Where the power plug goes straight through the wall: the Pi's socket is 11.2 mm from its corner."""
    width, height = mounts.PLUG
    x, wall = plan.pi[0] + 11.2, -plan.shape.size / 2
    z = plan.shape.floor + mounts.PI.post + 3.2
    return box(
        x - width / 2 - 1,
        wall - FAR,
        z - height / 2 - 1,
        x + width / 2 + 1,
        wall + plan.shape.wall + FAR,
        z + height / 2 + 1,
    )


def _tie_rib(plan: Layout) -> Manifold:
    """Ribs with an eye for a cable tie, where the USB cable passes."""
    out = Manifold()
    for x, y in ((plan.pi[0] + 40, -86.0), (40.0, -90.0)):
        z = plan.shape.floor
        out += box(x - 6, y - 1.5, 0, x + 6, y + 1.5, z + 9) - box(x - 2.5, y - 2, z + 2, x + 2.5, y + 2, z + 5)
    return out


def lid(plan: Layout) -> Manifold:
    """The lid in its place on the body."""
    s, z0, z1 = plan.shape, plan.body_height, plan.top
    solid = slab(s.size, s.corner, z0, z1)
    inner, corner = s.size - 2 * s.wall - 0.6, s.corner - s.wall - 0.3
    lip = slab(inner, corner, z0 - 3, z0) - slab(inner - 3.2, corner - 1.6, z0 - 3 - FAR, z0 + FAR)
    for x, y in plan.screws():
        lip -= box(x - 12, y - 12, z0 - 3 - FAR, x + 12, y + 12, z0 + FAR)
    solid += lip
    for x, y in plan.screws():
        solid -= rod(x, y, z0 - FAR, z1 + FAR, 3.4)
    for spot in plan.spots():
        solid = _opening(plan, solid, spot)
    solid += _guide(plan)
    slot_x, slot_y = s.slot
    half, gap = (mounts.CARD[0] + 2) / 2, s.slot_gap / 2
    solid -= box(slot_x - half, slot_y - gap, z0 - s.rail - FAR, slot_x + half, slot_y + gap, z1 + FAR)
    for mark in marks(plan):
        solid -= Manifold.extrude(mark, 0.6 + FAR).translate((0, 0, z1 - 0.6))
    return solid


def _opening(plan: Layout, solid: Manifold, spot: Spot) -> Manifold:
    z0, z1 = plan.body_height, plan.top
    at = (spot.x, spot.y, 0)
    if spot.mount in ("seat-button", "star-button", "led"):
        size = mounts.LED if spot.mount == "led" else mounts.BUTTON
        return solid - rod(spot.x, spot.y, z0 - FAR, z1 + FAR, size.hole)
    if spot.mount == "piezo":
        diameter, _ = mounts.PIEZO
        ring = rod(0, 0, z0 - 3, z0, diameter + 3) - rod(0, 0, z0 - 3 - FAR, z0, diameter + 0.4)
        solid += ring.translate(at)
        holes = [(0.0, 0.0)] + [(4 * math.cos(a), 4 * math.sin(a)) for a in (i * math.tau / 6 for i in range(6))]
        for x, y in holes:
            solid -= rod(spot.x + x, spot.y + y, z0 - FAR, z1 + FAR, 2)
        return solid
    panel = plan.panel(spot)
    width, height = panel.width + 0.6, panel.height + 0.6
    frame = box(-width / 2 - 1.2, -height / 2 - 1.2, z0 - 2, width / 2 + 1.2, height / 2 + 1.2, z0)
    frame -= box(-width / 2, -height / 2, z0 - 2 - FAR, width / 2, height / 2, z0 + FAR)
    window = box(-panel.window[0] / 2, panel.shift - panel.window[1] / 2, z0 - FAR,
                 panel.window[0] / 2, panel.shift + panel.window[1] / 2, z1 + FAR)  # fmt: skip
    turn = (0, 0, spot.turn)
    return solid + frame.rotate(turn).translate(at) - window.rotate(turn).translate(at)


def _guide(plan: Layout) -> Manifold:
    """What holds a card in the slot: open towards a scanner, a thin wall towards an NFC antenna."""
    s, z0 = plan.shape, plan.body_height
    x, y = s.slot
    half, gap, wall = (mounts.CARD[0] + 2) / 2, s.slot_gap / 2, 2.4
    block = box(x - half - wall, y - gap - wall, z0 - s.rail, x + half + wall, y + gap + wall, z0)
    if plan.optical:
        return block - box(x - half + 6, y - gap - wall - FAR, z0 - s.rail - FAR, x + half - 6, y, z0)
    return block - box(x - half + 6, y - gap - wall - FAR, z0 - s.rail - FAR, x + half - 6, y - gap - 1.6, z0)


def _heart(a: float) -> float:
    return 13 * math.cos(a) - 5 * math.cos(2 * a) - 2 * math.cos(3 * a) - math.cos(4 * a)


def marks(plan: Layout) -> list[CrossSection]:
    """Shallow signs on the lid: a heart at the lives, a star at the stars, an arrow at the slot's reading side."""
    x = plan.shape.cluster
    spokes = [(i * math.pi / 5, 5.0 if i % 2 == 0 else 2.1) for i in range(10)]
    star = [(math.sin(a) * r, math.cos(a) * r) for a, r in spokes]
    angles = [i * math.tau / 40 for i in range(40)]
    heart = [(4.5 * math.sin(a) ** 3, 0.28 * _heart(a)) for a in angles]
    arrow = [(-5.0, 0.0), (5.0, 0.0), (0.0, -7.0)]
    slot_x, slot_y = plan.shape.slot
    places = ((heart, x - 35, -34.0), (star, x - 25, -48.0), (arrow, slot_x, slot_y - 5))
    out = []
    for points, at_x, at_y in places:
        shape = CrossSection([points[::-1]])
        out.append((shape if shape.area() > 0 else CrossSection([points])).translate((at_x, at_y)))
    return out


BRACKET_WIDTH = 30.0
BRACKET_SCREWS = (16.0, 56.0)
"""Behind the lens, millimetres: the middle of the slots in the floor."""


def bracket_flat(plan: Layout) -> Manifold:
    """For scanners that look along their board (GM65 on its carrier): a bench that the board is tied onto."""
    s = plan.shape
    x, y, z = plan.lens
    top = z - 6.0 - s.floor  # the lens axis lies about 6 mm above the board's lower side
    length = mounts.SCANNER[0] + 2
    shelf = top - 4
    front, rear = (along - 6 for along in BRACKET_SCREWS)  # legs 12 mm thick, the screws in their middle
    profile = [(0, top), (0, shelf), (front, shelf), (front, 0), (front + 12, 0), (front + 12, shelf), (rear, shelf)]
    profile += [(rear, 0), (rear + 12, 0), (rear + 12, shelf), (length, shelf), (length, top)]
    solid = _side_profile([(-px, pz) for px, pz in profile])
    for along in (4.0, 24.0, 44.0):  # eyes for cable ties
        for side in (-11.0, 11.0):
            solid -= box(side - 1.5, -along - 5, top - 4 - FAR, side + 1.5, -along, top + FAR)
    for along in BRACKET_SCREWS:
        solid -= rod(0, -along, -FAR, 14, PILOT)
    return solid.translate((x, y, s.floor))


def bracket_upright(plan: Layout) -> Manifold:
    """For scanners that look out of the face of their board: an upright plate to tie or tape it to."""
    s = plan.shape
    x, y, z = plan.lens
    top = z + 14.0 - s.floor
    back = mounts.SCANNER[2] - 8.0  # from the plate's front to the lens
    profile = [(-back, 0), (-back, top), (-back - 4, top), (-back - 4, 8), (-62, 8), (-62, 0)]
    solid = _side_profile(profile)
    for height in (18.0, 30.0, 42.0):
        for side in (-11.0, 11.0):
            solid -= box(side - 1.5, -back - 4 - FAR, height, side + 1.5, -back + FAR, height + 5)
    for along in BRACKET_SCREWS:
        solid -= rod(0, -along, -FAR, 6.5, PILOT)
    return solid.translate((x, y, s.floor))


def _side_profile(points: list[tuple[float, float]]) -> Manifold:
    """A (y, z) outline, BRACKET_WIDTH wide in x around 0."""
    shape = CrossSection([points])
    if shape.area() <= 0:
        shape = CrossSection([points[::-1]])
    solid = Manifold.extrude(shape, BRACKET_WIDTH).translate((0, 0, -BRACKET_WIDTH / 2))
    return solid.rotate((90, 0, 90))


def parts(plan: Layout) -> dict[str, Manifold]:
    """All printed parts, each in its place in the box."""
    out = {"body": body(plan), "lid": lid(plan)}
    if plan.optical:
        out |= {"bracket-flat": bracket_flat(plan), "bracket-upright": bracket_upright(plan)}
    return out


def for_printing(name: str, solid: Manifold) -> Manifold:
    """The part turned as it prints without supports, on the bed at z = 0."""
    if name == "lid":
        solid = solid.rotate((180, 0, 0))
    elif name.startswith("bracket"):
        solid = solid.rotate((0, 90, 0))
    low = solid.bounding_box()
    return solid.translate((-(low[0] + low[3]) / 2, -(low[1] + low[4]) / 2, -low[2]))


def triangles(solid: Manifold) -> np.ndarray:
    """(n, 3, 3): corner points of every facet, outward by the right-hand rule."""
    mesh = solid.to_mesh()
    corners: np.ndarray = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    return corners.astype(np.float32)


def write_stl(solid: Manifold, path: Path) -> None:
    """Binary STL, millimetres."""
    corners = triangles(solid)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    facets = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    facets["normal"] = normals / np.where(lengths == 0, 1, lengths)
    facets["corners"] = corners
    path.write_bytes(b"mind box".ljust(80, b"\0") + struct.pack("<I", len(facets)) + facets.tobytes())


def read_stl(path: Path) -> np.ndarray:
    """The facets of a binary STL as (n, 3, 3)."""
    data = path.read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    facets = np.frombuffer(data, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")], offset=84)
    if len(facets) != count:
        raise ValueError(f"{path}: {len(facets)} facets, its head says {count}.")
    return facets["corners"].copy()
