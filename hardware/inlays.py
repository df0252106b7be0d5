"""What is set into the lid in another colour: hearts, stars, the seats' numbers. Each is a body of its own."""

from __future__ import annotations

import itertools
import math

from layout import Layout
from manifold3d import CrossSection, JoinType, Manifold, OpType
from solids import section

DEEP = 0.8
"""Four layers: opaque in any colour."""
STROKE = 1.5
DIGITS = {
    1: [[(-1.6, 2.2), (0, 3.6), (0, -3.6)]],
    2: [[(-2, 2), (-1.4, 3.2), (0, 3.6), (1.6, 3), (2, 1.8), (1.4, 0.4), (-2, -3.6), (2.1, -3.6)]],
    3: [[(-2, 3.6), (2, 3.6), (0, 0.9), (1.5, 0.4), (2, -1.2), (1.3, -3), (-0.3, -3.6), (-2, -3)]],
    4: [[(0.9, -3.6), (0.9, 3.6), (-2.2, -1.5), (2.2, -1.5)]],
    5: [[(1.9, 3.6), (-1.6, 3.6), (-1.8, 0.5), (0.2, 0.9), (1.7, 0.2), (2, -1.4), (1.2, -3), (-0.4, -3.6), (-2, -3)]],
    6: [[(1.5, 3.6), (-0.8, 1.8), (-2, -1.2), (-1.3, -3), (0, -3.6), (1.5, -3), (2, -1.4), (1.3, 0.1), (0, 0.5),
         (-1.6, -0.4)]],
    7: [[(-2, 3.6), (2.1, 3.6), (-0.5, -3.6)]],
    8: [[(0, 0.5), (-1.5, 1.2), (-1.6, 2.8), (0, 3.6), (1.6, 2.8), (1.5, 1.2), (0, 0.5), (-1.9, -0.6), (-2, -2.6),
         (0, -3.6), (2, -2.6), (1.9, -0.6), (0, 0.5)]],
}  # fmt: skip
"""Strokes of the figures, 7 mm high."""


def stroke(lines: list[list[tuple[float, float]]], scale: float = 1.0) -> CrossSection:
    """Lines as wide as a pen."""
    out = CrossSection()
    for line in lines:
        for (ax, ay), (bx, by) in itertools.pairwise(line):
            pen = CrossSection.circle(STROKE / 2, 16)
            ends = [pen.translate((ax * scale, ay * scale)), pen.translate((bx * scale, by * scale))]
            out += CrossSection.batch_hull(ends)
    return out


def heart(size: float) -> CrossSection:
    """A heart, about ``size`` high and wide."""
    points = []
    for i in range(48):
        a = i * math.tau / 48
        y = 13 * math.cos(a) - 5 * math.cos(2 * a) - 2 * math.cos(3 * a) - math.cos(4 * a)
        points.append((16 * math.sin(a) ** 3 * size / 32, y * size / 30))
    return section(points)


def star(size: float) -> CrossSection:
    """A star with five points, rounded a little."""
    spokes = [(math.pi / 2 + i * math.pi / 5, size / 2 if i % 2 == 0 else size / 4.4) for i in range(10)]
    return section([(math.cos(a) * r, math.sin(a) * r) for a, r in spokes]).offset(0.3, JoinType.Round, 2.0, 16)


def marks(plan: Layout) -> list[CrossSection]:
    """The outlines on the lid, in x and y."""
    out = []
    hearts = [(62.0, 30.0, heart(9)), (73.5, 21.0, star(9)), (73.5, -21.0, star(9)), (62.0, -30.0, heart(9))]
    for p, q, shape in hearts:
        x, y, _ = plan.across(p, q)
        out.append(shape.rotate(45.0).translate((x, y)))
    x, y, _ = plan.across(2.0, -61.0)
    for r in (8.5, 12.5, 16.5):
        ring = CrossSection.circle(r, 64) - CrossSection.circle(r - 1.4, 64)
        out.append(ring.translate((x, y)))
    seats: dict[float, list[int]] = {}
    for seat, azimuth in enumerate(plan.seat_directions(), 1):
        seats.setdefault(azimuth, []).append(seat)
    for azimuth, here in seats.items():
        places = {here[0]: -19.5} if len(here) == 1 else {}
        for seat, along in places.items():
            frame = plan.seat_mark(azimuth, along)
            out.append(stroke(DIGITS[seat], 0.95).rotate(azimuth + 90).translate(tuple(frame.origin[:2])))
    return out


def sunk(plan: Layout, shape: CrossSection, above: float = 0.0) -> Manifold:
    """An outline as the body that fills its place in the lid."""
    return Manifold.extrude(shape, DEEP + above).translate((0, 0, plan.top - DEEP))


def colours(plan: Layout) -> Manifold:
    """All inlays of the lid as one part: printed in the second colour, or pressed in."""
    return Manifold.batch_boolean([sunk(plan, m) for m in marks(plan)], OpType.Add)
