"""Small printed parts: the perfboard's shelf, a Zero's plate, the holder for cards that are put aside."""

from __future__ import annotations

import enclosure
import inlays
import mounts
from layout import Layout
from manifold3d import CrossSection, JoinType, Manifold
from solids import FAR, box, rod


def shelf(plan: Layout, board: mounts.Board = mounts.PERFBOARD) -> Manifold:
    """Four pillars above the Pi, joined at their feet: for the perfboard, or for the carrier board."""
    floor, height = plan.shape.floor, plan.shape.floor + board.post
    holes = enclosure.shelf_holes(plan)
    (x0, y0), (x1, y1) = holes[0], holes[3]
    low = floor + 0.1
    solid = box(x0 - 3, y0, low, x0 + 3, y1, low + 2.4)
    for y in (y0, y1):
        solid += box(x0, y - 3, low, x1, y + 3, low + 2.4)
    for x, y in holes:
        solid += rod(x, y, low, height, 6.4)
        solid -= rod(x, y, low - FAR, low + 10, enclosure.PILOT) + rod(x, y, height - 8, height + FAR, board.pilot)
    return solid


def zero_plate(plan: Layout) -> Manifold:
    """Carries a Pi Zero on the four posts of a large Pi."""
    x, y = plan.pi
    z = plan.shape.floor + mounts.PI.post + 0.1
    solid = box(x - 68, y - 56, z, x, y, z + 2.4) - box(x - 52, y - 16, z - FAR, x - 16, y - 8, z + 9)
    for hx, hy in enclosure.pi_holes(plan):
        solid -= rod(hx, hy, z - FAR, z + 9, 2.8)
    for dx, dy in mounts.ZERO.holes:
        hx, hy = x - 3.5 - dx, y - 19.0 - dy
        solid += rod(hx, hy, z, z + 2.4 + mounts.ZERO.post, 6)
        solid -= rod(hx, hy, z - FAR, z + 9, mounts.ZERO.pilot)
    return solid


def aside() -> Manifold:
    """Lies beside the box: cards put aside stay together and are seen from everywhere."""
    width, height = mounts.CARD[0] + 6, mounts.CARD[1] + 6
    inner = CrossSection.square((width - 6, height - 6), True).offset(3, JoinType.Round, 2.0, 24)
    foot = inner.offset(2.0, JoinType.Round, 2.0, 24)
    solid = Manifold.extrude(foot, 1.0) + Manifold.extrude(foot.offset(0.6, JoinType.Round, 2.0, 24), 6.0).translate(
        (0, 0, 0.6)
    )
    solid -= Manifold.extrude(inner, 9).translate((0, 0, 1.8))
    solid -= box(-14, -99, 1.8, 14, 99, 9) + box(-99, -18, 1.8, 99, 18, 9)
    return solid - Manifold.extrude(inlays.star(26), 9).translate((0, 0, 1.0))


def aside_star() -> Manifold:
    """The star in its floor, in the second colour."""
    return Manifold.extrude(inlays.star(26), 0.8).translate((0, 0, 1.0))
