"""The scanner's arm and the hood that makes a covered place of it. Both are halves that print lying on their sides.

In these outlines x is the distance from the arm's corner through the middle (p of the plan) and z the height.
"""

from __future__ import annotations

import math

import mounts
from enclosure import ARM_SCREWS, PILOT
from layout import Layout
from manifold3d import CrossSection, JoinType, Manifold
from solids import FAR, box, profile, rod, section

HALF = 15.0
"""Half the arm's width."""
SKIN = 2.4
BODY, TAIL = 14.0, 65.0
"""Of the head: half its depth, and how far it reaches behind the lens."""
Point = tuple[float, float]


def along(plan: Layout, s: float, t: float) -> Point:
    """A point of the head: s before the lens, t towards its upper side."""
    a = math.radians(plan.shape.aim)
    x, z = plan.shape.tray_shift - plan.shape.lens[0], plan.top + plan.shape.lens[1]
    return x + s * math.cos(a) + t * math.sin(a), z - s * math.sin(a) + t * math.cos(a)


def outline(plan: Layout) -> CrossSection:
    """The arm from the side: a foot, a stem, the head with its mouth."""
    top, visor = plan.top, plan.shape.visor
    head = [along(plan, visor, -BODY), along(plan, visor, BODY), along(plan, -TAIL, BODY), along(plan, -TAIL, -BODY)]
    stem = [(-60.0, top), (-66.5, top + 26), (-73.0, top + 52), along(plan, visor - 3, -BODY + 1),
            along(plan, -26, -BODY + 1), (-90.5, top + 66), (-86.5, top + 34), (-84.0, top)]  # fmt: skip
    shape = section(head) + section(stem)
    soft = shape.offset(-2.0, JoinType.Round, 2.0, 24).offset(2.0, JoinType.Round, 2.0, 24)
    return (soft + section([(-60.0, top), (-60.0, top + 3), (-84.0, top + 3), (-84.0, top)])).simplify(0.05)


def whole(plan: Layout) -> Manifold:
    """Both halves as one, along x."""
    top = plan.top
    shape = outline(plan)
    inner = shape.offset(-SKIN, JoinType.Round, 2.0, 24).simplify(0.05)
    mouth = section([along(plan, 0, -BODY + SKIN), along(plan, 0, BODY - SKIN),
                     along(plan, 40, BODY - SKIN), along(plan, 40, -BODY + SKIN)])  # fmt: skip
    solid = _extrude(shape, -HALF, HALF) - _extrude(inner, -HALF + SKIN, HALF - SKIN)
    solid -= _extrude(mouth, -HALF + SKIN, HALF - SKIN)
    for x, y in ARM_SCREWS:
        near, far = sorted((math.copysign(6.4, y), math.copysign(HALF, y)))
        block = box(x - 5.5, near, top, x + 5.5, far, top + 9)
        solid += block ^ _extrude(shape, -HALF, HALF)
        solid -= rod(x, y, top - FAR, top + mounts.INSERT[1] + 2, mounts.INSERT[0])
    solid -= rod(-70, 0, top - FAR, top + SKIN + FAR, 12.4)
    solid += _ribs(plan)
    for x, z in joints(plan):
        solid += profile(_ring(x, z, 3.6), -HALF + SKIN - 0.1, HALF - SKIN + 0.1)
        solid -= profile(_ring(x, z, PILOT / 2), -2.5, HALF - SKIN)
        solid -= profile(_ring(x, z, 1.7), -HALF - FAR, 0)
        solid -= (
            Manifold.cylinder(3.6, 3.3, 1.5, 32).rotate((0, 0, 3)).rotate((-90, 0, 0)).translate((x, -HALF - 0.1, z))
        )
    return solid


def joints(plan: Layout) -> list[Point]:
    """Where a countersunk screw holds the halves together."""
    return [(-77.5, plan.top + 41), along(plan, -60.5, 8.0)]


def _ring(x: float, z: float, r: float) -> list[Point]:
    return [(x + r * math.cos(i * math.tau / 24), z + r * math.sin(i * math.tau / 24)) for i in range(24)]


def _extrude(shape: CrossSection, y0: float, y1: float) -> Manifold:
    return Manifold.extrude(shape, y1 - y0).rotate((90, 0, 0)).translate((0, y1, 0))


def _ribs(plan: Layout) -> Manifold:
    """What the scanner's circuit board lies against, and stops at both its ends."""
    out = Manifold()
    for s in CLAMPS:
        rear = [along(plan, a, b * (BODY - 1)) for a, b in ((s, -1), (s, 1), (s - 3, 1), (s - 3, -1))]
        out += profile(rear, -HALF + 1, -mounts.SCANNER_LENS - 0.1)
    for s in (0.6, -mounts.SCANNER[0] - 0.6):
        end = s + math.copysign(1.6, s)
        for side in (-1, 1):
            edge = [along(plan, a, side * b) for a, b in ((s, 9.0), (s, BODY - 1), (end, BODY - 1), (end, 9.0))]
            out += profile(edge, -HALF + 1, HALF - 1)
    return out


CLAMPS = (-9.0, -40.0)


def _clamps(plan: Layout) -> Manifold:
    """What presses the board's edges against the other half."""
    half = mounts.SCANNER[1] / 2
    out = Manifold()
    for s in CLAMPS:
        for side in (-1, 1):
            edge = [
                along(plan, a, side * b)
                for a, b in ((s, half - 1), (s, half + 0.6), (s - 3, half + 0.6), (s - 3, half - 1))
            ]
            out += profile(edge, 1.8 - mounts.SCANNER_LENS, HALF - 1)
    return out


def halves(plan: Layout) -> dict[str, Manifold]:
    """Left (with the countersinks) and right, as seen from the tray."""
    right, left = whole(plan).split_by_plane((0, 1, 0), 0.0)
    return {"arm-left": left.rotate((0, 0, TURN)), "arm-right": (right + _clamps(plan)).rotate((0, 0, TURN))}


TURN = -45.0
"""From x to where the arm stands."""


# -- the hood

CARD_HALF = mounts.CARD[0] / 2 + 1.0
CHEEK = 2.4


def _card_line(plan: Layout, up: float, w: float) -> Point:
    """A point of the hood's card plane: up from the label's middle, w towards the lens."""
    a = math.radians(plan.shape.hood_lean)
    x, z = along(plan, plan.shape.hood_reach, 0)
    return x + up * math.sin(a) - w * math.cos(a), z + up * math.cos(a) + w * math.sin(a)


def hood(plan: Layout) -> Manifold:
    """The hood over the near end of the tray, along x: three walls and a roof; a card is its door."""
    top, from_edge = plan.top, 14.0
    upper = mounts.CARD[1] - from_edge
    gap = 0.9
    roof = [along(plan, 11.0, -9.0), along(plan, 11.0, 76.0)]
    outer = [(-63.5, top), (-63.5, top + 57), roof[0], roof[1], _card_line(plan, upper + 11, -3.0),
             _card_line(plan, -from_edge - 3, -3.0), (-38.5, top)]  # fmt: skip
    inner = [(-61.1, top - 9), (-61.1, top + 56), along(plan, 13.4, -8.0), along(plan, 13.4, 90.0),
             _card_line(plan, 120, -40), _card_line(plan, -80, -40)]  # fmt: skip
    width = CARD_HALF + CHEEK
    full = profile(outer, -width, width)
    sheet = full - profile(inner, -width - FAR, width + FAR)
    before = profile([_card_line(plan, -90, gap + 0.2), _card_line(plan, 140, gap + 0.2), _card_line(plan, 140, -60),
                      _card_line(plan, -90, -60)], -60, 60)  # fmt: skip
    cheeks = profile(outer, -width, -CARD_HALF) + profile(outer, CARD_HALF, width)
    rails = Manifold()
    for w0, w1 in ((gap, gap + 2.2), (-2.8, -gap)):
        strip = [
            _card_line(plan, u, w)
            for u, w in ((-from_edge - 1, w0), (-from_edge - 1, w1), (upper + 10.7, w1), (upper + 10.7, w0))
        ]
        rails += profile(strip, -CARD_HALF - 1, -CARD_HALF + 3.2) + profile(strip, CARD_HALF - 3.2, CARD_HALF + 1)
    lip = [
        _card_line(plan, u, w)
        for u, w in (
            (upper - 6, gap + 0.1),
            (upper - 6, gap + 2.3),
            (upper + 10.5, gap + 2.3),
            (upper + 10.5, gap + 0.1),
        )
    ]
    rails += profile(lip, -width + 0.9, width - 0.9)
    ledge = [
        _card_line(plan, u, w)
        for u, w in ((-from_edge - 2.8, -2.7), (-from_edge - 2.8, 3.1), (-from_edge, 3.1), (-from_edge, -2.7))
    ]
    solid = (sheet - before) + cheeks + rails + profile(ledge, -width + 0.7, width - 0.7)
    solid -= _extrude(outline(plan).offset(0.5, JoinType.Round, 2.0, 24), -HALF - 0.5, HALF + 0.5)
    rim = plan.shape.tray_shift - plan.shape.tray[0] / 2
    solid -= box(rim - 2.8, -80, top - FAR, rim + 0.4, 80, top + plan.shape.rim + 0.4)
    return solid


def hood_halves(plan: Layout) -> dict[str, Manifold]:
    """Glued together along the middle."""
    right, left = hood(plan).split_by_plane((0, 1, 0), 0.0)
    return {"hood-left": left.rotate((0, 0, TURN)), "hood-right": right.rotate((0, 0, TURN))}


def lying(solid: Manifold, left: bool) -> Manifold:
    """A half turned onto its outer side."""
    return solid.rotate((0, 0, -TURN)).rotate((90 if left else -90, 0, 0))
