"""The enclosure: body and lid as solids, made from the plan in layout.py. Bezels, arm and hood: parts.py beside it.

Every part prints without supports: the body on its floor, the lid on its upper side.
"""

from __future__ import annotations

import math

import inlays
import mounts
from layout import POWER_CORNER, READER_CORNER, SCREEN_CORNERS, Layout, Spot
from manifold3d import CrossSection, JoinType, Manifold
from solids import FAR, Frame, box, hull, plate, profile, rod

BOSS = 9.0
"""Diameter of what holds a screw."""
PILOT = 2.6
"""Hole for an M3 screw to cut its thread into."""


def eight(plan: Layout, low: tuple[float, float], high: tuple[float, float]) -> Manifold:
    """A block with the box's eight walls between two heights, each given with how far it is set in."""
    points = []
    for z, inset in (low, high):
        points += [(x, y, z) for x, y in plan.outline(z, inset)]
    return hull(points)


def outside(plan: Layout) -> Manifold:
    """The body as if it were full: a chamfer at the foot, slopes for the seats' buttons."""
    s = plan.shape
    foot = hull([(x, y, 0) for x, y in plan.outline(0, 1.4)] + [(x, y, 1.4) for x, y in plan.outline(1.4)])
    return foot + eight(plan, (1.4, 0), (s.height, 0)) - bevels(plan, 0.0)


def bevels(plan: Layout, thick: float) -> Manifold:
    """What is cut away for the slopes; ``thick``: that much more, for the inner side of a wall."""
    s = plan.shape
    run = math.tan(math.radians(s.bevel))
    half, start, far = s.bevel_half + thick, s.bevel_top - thick, s.side + 20
    level = s.height - thick / math.cos(math.radians(s.bevel))  # of the slope where it meets the lid's edge
    points = [(start, level + thick * run), (start, s.height + 30), (far, s.height + 30)]
    points.append((far, level - run * (far - s.bevel_top)))
    out = Manifold()
    for azimuth, along in zip(plan.seat_directions(), plan.seat_alongs(), strict=True):
        out += profile(points, along - half, along + half).rotate((0, 0, azimuth))
    return out


def opening(plan: Layout, grow: float = 0.0) -> list[tuple[float, float]]:
    """The hole in a corner's wall that a bezel fills, in u and v: open to the lid."""
    top = plan.body_height / math.sin(math.radians(plan.shape.lean))
    wide, narrow = 36.9 + grow, 33.0 + grow
    return [(-wide, 5.5 - grow), (wide, 5.5 - grow), (wide, 53), (narrow, top), (-narrow, top), (-wide, 53)]


def body(plan: Layout) -> Manifold:
    """Floor and walls with all posts."""
    s = plan.shape
    full = outside(plan)
    hollow = eight(plan, (s.floor, s.wall), (s.height + FAR, s.wall)) - bevels(plan, s.wall)
    solid = full - hollow
    for x, y in plan.posts():
        solid += rod(x, y, 0, s.height - 12, BOSS + 2) ^ full
    for x, y in plan.posts():
        clear, head, _ = mounts.M3
        solid -= rod(x, y, -FAR, s.height - 16, head) + rod(x, y, -FAR, s.height, clear)
        solid -= rod(x, y, s.height - 16, s.height - 14.4, head, clear)  # a roof that prints
    solid += _posts(plan) ^ full
    solid = _board_holes(plan, solid)
    for corner in SCREEN_CORNERS:
        wall = plan.wall(corner)
        points = [(u, v + (FAR if v > 55 else 0)) for u, v in opening(plan)]
        solid -= wall.place(plate(points, -s.wall - FAR, FAR))
        solid -= wall.place(box(-26, 3.9, -s.wall - 2, 26, 8, -s.wall + 0.5)) ^ rodless(plan)
    solid -= _vents(plan) + _power(plan)
    for spot in plan.spots():
        if spot.on == "body":
            solid = through(plan, solid, spot)
        elif spot.mount == "seat-screen":
            panel = plan.panel(spot)
            w, h = seat_bezel(plan, spot)
            recess = box(-w / 2, -h / 2, -SEAT_BEZEL, w / 2, h / 2, FAR)
            w, h = panel.width / 2 + 0.4, panel.height / 2 + 0.4
            solid -= spot.frame.place(recess + box(-w, -h - panel.shift, -9, w, h - panel.shift, 0))
    if not plan.optical:
        solid -= mark(plan, 0.8)
    return solid


SEAT_BEZEL = 1.4
"""Depth of the recess in a seat's wall."""


def seat_bezel(plan: Layout, spot: Spot) -> tuple[float, float]:
    """Width and height of the recess that a seat's bezel is glued into."""
    panel = plan.panel(spot)
    return panel.width + 4.6, panel.height + 5.6


def rodless(plan: Layout) -> Manifold:
    """The inside of the outer skin: what may be cut without being seen."""
    return eight(plan, (0.6, 0.8), (plan.body_height + FAR, 0.8))


def _posts(plan: Layout) -> Manifold:
    floor = plan.shape.floor
    out = Manifold()
    for x, y in pi_holes(plan):
        out += rod(x, y, 0, floor + mounts.PI.post, 6.2)
    for x, y in ((-58.0, -42.0), (30.0, -60.0)):  # eyes for a cable tie
        out += box(x - 6, y - 1.5, 0, x + 6, y + 1.5, floor + 9) - box(
            x - 2.5, y - 2, floor + 2, x + 2.5, y + 2, floor + 5
        )
    return out


def pi_holes(plan: Layout) -> list[tuple[float, float]]:
    """Where the Pi is screwed down."""
    x, y = plan.pi
    return [(x - dx, y - dy) for dx, dy in mounts.PI.holes]


def shelf_holes(plan: Layout) -> list[tuple[float, float]]:
    """Where the shelf for the perfboard is screwed down from below, and the perfboard onto it."""
    x, y = plan.perfboard
    return [(x + dx, y + dy) for dx, dy in mounts.PERFBOARD.holes]


def _board_holes(plan: Layout, solid: Manifold) -> Manifold:
    floor = plan.shape.floor
    clear, head, _ = mounts.M3
    for x, y in pi_holes(plan):
        solid -= rod(x, y, floor, floor + mounts.PI.post + FAR, mounts.PI.pilot)
    for x, y in shelf_holes(plan):
        solid -= rod(x, y, -FAR, floor + FAR, clear) + rod(x, y, -0.01, 1.7, head, clear)
    return solid


def _vents(plan: Layout) -> Manifold:
    """Air for the Pi: in through the floor, out high in the two corners without a screen."""
    out = Manifold()
    x, y = plan.pi
    for i in range(7):
        left = x - 70 + 9 * i
        out += box(left, y - 44, -FAR, left + 3, y - 12, plan.shape.floor + FAR)
    for corner, low, high in ((POWER_CORNER, 42.0, 57.0), (READER_CORNER, 10.0, 57.0 if plan.optical else 8.0)):
        wall = plan.wall(corner)
        for i in range(-4, 5):
            if high > low:
                out += wall.place(box(5 * i - 1.2, low, -plan.shape.wall - FAR, 5 * i + 1.2, high, FAR))
    return out


def _power(plan: Layout) -> Manifold:
    """Socket, switch and wake button in the power corner's wall."""
    out = Manifold()
    for name, frame in power_places(plan).items():
        if name == "switch":
            w, h, _ = mounts.SWITCH
            out += frame.place(box(-w / 2, -h / 2, -6, w / 2, h / 2, FAR))
        else:
            size = mounts.POWER if name == "power" else mounts.WAKE
            out += frame.place(rod(0, 0, -6, FAR, size.hole))
    return out


def power_places(plan: Layout) -> dict[str, Frame]:
    """Where power comes in."""
    wall = plan.wall(POWER_CORNER)
    return {"power": wall.moved(0, 27), "switch": wall.moved(-25, 27), "wake": wall.moved(29, 25)}


def lid(plan: Layout) -> Manifold:
    """The lid in its place on the body, without what is set into it in another colour."""
    s = plan.shape
    z0, z1 = plan.body_height, plan.top
    edge = [(x, y, z0) for x, y in plan.outline(z0)] + [(x, y, z0 + 0.8) for x, y in plan.outline(z0)]
    solid = hull(edge + [(x, y, z1) for x, y in plan.outline(z0, 2.2)])
    solid -= _groove(plan)
    solid -= bevels(plan, 0.0) ^ eight(plan, (z0 - FAR, -9), (z1 + 9, -9))
    lip = plate(plan.outline(z0, s.wall + 0.4), z0 - 3, z0) - plate(plan.outline(z0, s.wall + 2.2), z0 - 4, z0 + FAR)
    for corner in SCREEN_CORNERS:
        lip -= plan.wall(corner).place(box(-60, 20, -30, 60, 90, 30))
    solid += lip - bevels(plan, s.wall + 0.8)
    for x, y in plan.posts():
        solid += rod(x, y, z0 - 11.6, z0 + FAR, BOSS) ^ eight(plan, (0, s.wall + 0.4), (z0 + 2, s.wall + 0.4))
        solid -= rod(x, y, z0 - 12.6, z0 - 11.6 + mounts.INSERT[1] + 2, mounts.INSERT[0])
    for corner in SCREEN_CORNERS:  # where the bezels' upper edges go in
        solid -= plan.wall(corner).place(box(-20.3, 55, -2.3, 20.3, v_of(plan, z0 + 1.8), -0.7))
    for spot in plan.spots():
        if spot.on == "lid":
            solid = through(plan, solid, spot)
    if plan.optical:
        solid -= arm_holes(plan)
    for shape in inlays.marks(plan):
        solid -= inlays.sunk(plan, shape, FAR)
    return solid


def v_of(plan: Layout, z: float) -> float:
    """How far up a wall's slope a height is."""
    return z / math.sin(math.radians(plan.shape.lean))


RING = (2.4, 1.2)
"""The tray's ring: width, and how deep it is set into the lid."""


def ring_outlines(plan: Layout) -> tuple[CrossSection, CrossSection]:
    """The inner and the outer edge of the tray's ring, u across and v along."""
    long, wide = plan.shape.tray
    inner = CrossSection.square((wide - 6, long - 6), True).offset(3, JoinType.Round, 2.0, 24)
    return inner, inner.offset(RING[0], JoinType.Round, 2.0, 24)


def ring(plan: Layout) -> Manifold:
    """The tray's rim in its place: low, chamfered, open in the middle of each side for fingers."""
    inner, outer = ring_outlines(plan)
    rim, deep = plan.shape.rim, RING[1]
    solid = Manifold.extrude(outer, rim - 0.8 + deep) + Manifold.extrude(
        outer.offset(-0.8, JoinType.Round, 2.0, 24), rim + deep
    )
    solid -= Manifold.extrude(inner, 20).translate((0, 0, -FAR))
    solid -= box(-16, -80, deep, 16, 80, 9) + box(-80, -22, deep, 80, 22, 9)
    return plan.tray_middle.place(solid.translate((0, 0, -deep)))


def _groove(plan: Layout) -> Manifold:
    inner, outer = ring_outlines(plan)
    deep = RING[1] + 0.05
    cut = Manifold.extrude(outer.offset(0.1, JoinType.Round, 2.0, 24), deep + FAR)
    cut -= Manifold.extrude(inner.offset(-0.1, JoinType.Round, 2.0, 24), deep + 3).translate((0, 0, -FAR))
    return plan.tray_middle.place(cut.translate((0, 0, -deep)))


def through(plan: Layout, solid: Manifold, spot: Spot) -> Manifold:
    """A hole for a button or a lamp; sound holes and a ring for a piezo."""
    frame = spot.frame
    if spot.mount in ("seat-button", "star-button", "led"):
        size = mounts.LED if spot.mount == "led" else mounts.BUTTON
        return solid - frame.place(rod(0, 0, -plan.shape.lid - 4, FAR, size.hole))
    if spot.mount == "piezo":
        z0 = -plan.shape.lid
        diameter, _ = mounts.PIEZO
        solid += frame.place(rod(0, 0, z0 - 3, z0, diameter + 3) - rod(0, 0, z0 - 3 - FAR, z0, diameter + 0.4))
        for i in range(7):
            a, r = i * math.tau / 6, 4 if i else 0
            solid -= frame.place(rod(r * math.cos(a), r * math.sin(a), z0 - FAR, FAR, 2))
    return solid


def arm_holes(plan: Layout) -> Manifold:
    """In the lid: two screws from below into the arm's foot, and the way of its cable."""
    out = Manifold()
    clear, head, _ = mounts.M3
    for p, q in ARM_SCREWS:
        x, y, _ = plan.across(p, q)
        out += rod(x, y, plan.body_height - FAR, plan.top + FAR, clear)
        out += rod(x, y, plan.body_height - FAR, plan.body_height + 1.5, head + 0.2, clear)
    x, y, _ = plan.across(-70.0, 0.0)
    return out + rod(x, y, plan.body_height - FAR, plan.top + FAR, 13)


ARM_SCREWS = ((-71.0, 11.5), (-71.0, -11.5))
"""Of the arm's foot, p and q."""


def mark(plan: Layout, deep: float) -> Manifold:
    """The NFC build's spot on its corner: a ring, sunk into the wall."""
    ring = rod(0, 0, -deep, FAR, 34) - rod(0, 0, -deep - FAR, FAR + 1, 30)
    for r in (20.0, 12.0):
        ring += rod(0, 0, -deep, FAR, r + 3) - rod(0, 0, -deep - FAR, FAR + 1, r)
    return plan.nfc.place(ring)
