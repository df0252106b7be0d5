"""Bezels: the dark plates that frame the screens. They lie on their faces when they print."""

from __future__ import annotations

import enclosure
import mounts
import numpy as np
from layout import SCREEN_CORNERS, Layout, Spot
from manifold3d import Manifold
from solids import FAR, Frame, box, hull, plate

EDGE = (3.1, 2.3)
"""How much wider and higher the window is than the lit area, at each side: a slanting look needs it."""
GAP = 0.15
"""Between a part and its place, at each side."""


def window(spot: Spot, panel: mounts.Panel) -> tuple[float, float]:
    """Width and height of a screen's window."""
    if spot.screen is None:
        raise ValueError(f"{spot.name} is no screen")
    glass = mounts.GLASS[spot.screen.driver, spot.screen.height]
    wide, high = (min(lit + 2 * more, g - 0.6) for lit, more, g in zip(panel.lit, EDGE, glass, strict=True))
    return wide, high


def _cut(spot: Spot, plan: Layout, thick: float) -> Manifold:
    """The window with its bevel, the glass's bed behind it, and room for the pins' solder; around the lit middle."""
    panel = plan.panel(spot)
    w, h = (x / 2 for x in window(spot, panel))
    hole = box(-w, -h, -thick - FAR, w, h, FAR)
    slope = [(x * k, y * j, z) for z, k, j in ((-0.7, w, h), (FAR, w + 1.2, h + 1.2)) for x in (-1, 1) for y in (-1, 1)]
    hole += hull(slope)
    if spot.screen is not None:
        gw, gh = (x / 2 + 0.4 for x in mounts.GLASS[spot.screen.driver, spot.screen.height])
        hole += box(-gw, -gh, -thick - FAR, gw, gh, -mounts.BEZEL_FRAME)
    top = panel.height / 2 - panel.shift
    return hole + box(-13, top - 5, -thick - FAR, 13, top + 0.6, -1.2)


def corner(plan: Layout, number: int) -> Manifold:
    """The plate of a screen corner, in its place; without a screen it is plain."""
    wall = plan.wall(SCREEN_CORNERS[number])
    outline = enclosure.opening(plan, -GAP)
    solid = plate(outline, -mounts.BEZEL, 0)
    solid += box(-25, 4.2, -4.3, 25, 8.0, -2.3)  # the tongue below
    solid += box(-20, 55, -2.1, 20, enclosure.v_of(plan, plan.body_height + 1.4), -0.9)  # and the one above
    solid = wall.place(solid)
    for spot in plan.spots():
        if spot.mount == "table-screen" and spot.frame.azimuth == SCREEN_CORNERS[number]:
            solid -= spot.frame.place(_cut(spot, plan, mounts.BEZEL + 2))
    return solid ^ enclosure.eight(plan, (0, -0.05), (plan.top, -0.05))


def seat(plan: Layout, spot: Spot) -> Manifold:
    """The small plate of a seat's screen."""
    w, h = (x / 2 - GAP for x in enclosure.seat_bezel(plan, spot))
    deep = enclosure.SEAT_BEZEL
    return spot.frame.place(box(-w, -h, -deep, w, h, 0) - _cut(spot, plan, deep + 2))


def flat(frame: Frame, solid: Manifold) -> Manifold:
    """A plate turned onto its face."""
    turn = np.column_stack([np.vstack([frame.u, -frame.v, -frame.w]), [0, 0, 0]])
    return solid.transform(turn)
