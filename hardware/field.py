"""What the scanner sees: labels on the tray in every turn a card can lie in, and the one in the hood."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import mounts
import numpy as np
from layout import Layout
from solids import Frame

from mind_box.hardware.parts import LABEL_FROM_EDGE

LABEL = 15.0
"""Side of a label's code."""
MODULES = 21
"""Of the code, each way: MB1:042:F2 is a QR code of version 1."""
SKEW = 3.0
"""Degrees between the turns that are tried."""
STEEPEST = 55.0
"""Degrees from straight on at which a scanner still reads: the makers say 55 to 65."""
PIXELS = 3.0
"""Of the scanner's picture for a module of the code, at least."""


def lies(plan: Layout) -> Iterator[tuple[Frame, tuple[float, float]]]:
    """Every way that a card lies on the empty tray: either end first, as skewed and as far aside as the rim lets it.

    With it the card's size: the smallest without a sleeve and the largest in one.
    """
    long, wide = plan.shape.tray
    middle = plan.tray_middle
    for width, height in mounts.CARDS:
        for skew in np.arange(-45, 45.1, SKEW):
            c, s = abs(math.cos(math.radians(skew))), abs(math.sin(math.radians(skew)))
            free_u, free_v = (wide - width * c - height * s) / 2, (long - height * c - width * s) / 2
            if free_u < 0 or free_v < 0:
                continue
            for i, j, turn in itertools.product((-1, 0, 1), (-1, 0, 1), (0, 180)):
                yield Frame(middle.at(i * free_u, j * free_v), middle.azimuth + skew + turn, 0), (width, height)


def labels(frame: Frame, size: tuple[float, float], height: float = 0.0) -> Iterator[np.ndarray]:
    """The corners of the codes at both ends of a card."""
    for end in (-1, 1):
        v = end * (size[1] / 2 - LABEL_FROM_EDGE)
        yield corners(frame.moved(0, v, height))


def corners(frame: Frame) -> np.ndarray:
    """The corners of a code around a frame's origin."""
    half = LABEL / 2
    return np.array([frame.at(u, v) for u, v in ((-half, -half), (half, -half), (half, half), (-half, half))])


def reads(plan: Layout, code: np.ndarray) -> bool:
    """Whether a code lies in the scanner's view, in its range, not too slanted, and large enough in its picture."""
    eye = plan.eye
    rel = code - eye.origin
    depth = rel @ eye.w
    if (depth <= 0).any():
        return False
    view = [math.tan(math.radians(a / 2)) for a in mounts.SCANNER_VIEW]
    across, up = rel @ eye.u / depth, rel @ eye.v / depth
    near, far = mounts.SCANNER_RANGE
    distance = np.linalg.norm(rel, axis=1)
    inside = (np.abs(across) <= view[0]).all() and (np.abs(up) <= view[1]).all()
    return bool(inside and near <= distance.min() and distance.max() <= far
                and slant(plan, code) <= STEEPEST and pixels(plan, code) >= PIXELS)  # fmt: skip


def slant(plan: Layout, code: np.ndarray) -> float:
    """Degrees between the line of sight and straight onto a code."""
    normal = np.cross(code[1] - code[0], code[3] - code[0])
    ray = code.mean(0) - plan.eye.origin
    share = abs(float(normal @ ray)) / float(np.linalg.norm(normal) * np.linalg.norm(ray))
    return math.degrees(math.acos(min(1.0, share)))


def pixels(plan: Layout, code: np.ndarray) -> float:
    """Pixels of the scanner's picture for one module, where the code looks smallest."""
    eye = plan.eye
    rel = code - eye.origin
    depth = rel @ eye.w
    picture = []
    for axis, view, count in zip((eye.u, eye.v), mounts.SCANNER_VIEW, mounts.SCANNER_PIXELS, strict=True):
        picture.append(rel @ axis / depth * count / 2 / math.tan(math.radians(view / 2)))
    x, y = picture
    area = 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
    sides = [math.hypot(x[i] - x[i - 1], y[i] - y[i - 1]) for i in range(4)]
    return area / max(sides) / MODULES


def shining(plan: Layout) -> np.ndarray:
    """Points of the scanner's front: its lens and the lamps beside it."""
    eye = plan.eye
    half = mounts.SCANNER[1] / 2 - 3
    low, high = -mounts.SCANNER_LENS, mounts.SCANNER[2] - mounts.SCANNER_LENS
    return np.array([eye.at(u, v, 0.3) for u in np.linspace(low + 1, high - 1, 4) for v in np.linspace(-half, half, 5)])


def face(frame: Frame, up: float, every: float = 7.0) -> np.ndarray:
    """Points all over a card's face, but for the 2 mm at its edge that are white.

    ``up``: from the frame's origin to the card's lower edge, negative below it.
    """
    width, height, thick = mounts.CARD
    us = np.linspace(-width / 2 + 2, width / 2 - 2, math.ceil(width / every))
    vs = np.linspace(up + 2, up + height - 2, math.ceil(height / every))
    return np.array([frame.at(u, v, thick / 2 + 0.05) for u in us for v in vs])
