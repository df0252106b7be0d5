"""What the scanner sees: labels on the tray in every turn a card can lie in, and the one in the hood."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import mounts
import numpy as np
import sight
from layout import Layout
from solids import Frame

from mind_box.cards import qr
from mind_box.hardware.parts import LABEL_FROM_EDGE

LABEL = 15.0
"""Side of a label's code with the white around it, as it is printed."""
MODULES = qr.WIDTH
"""Of that, each way."""
SKEW = 3.0
"""Degrees between the turns that are tried."""
STEEPEST = 55.0
"""Degrees from straight on at which a scanner still reads: the makers say 55 to 65."""
PIXELS = 2.5
"""Of the scanner's picture for a module of the code, at least. Modules of 0.5 mm at the 200 mm up to which the makers
give them have 2.6; `test_sight.py` decodes such pictures, out of focus too."""


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
    return bool(readable(plan.eye, code))


def readable(eye: Frame, codes: np.ndarray) -> np.ndarray:
    """The same for the corners of many codes, (..., 4, 3), before a lens anywhere."""
    rel = codes - eye.origin
    depth = rel @ eye.w
    before = (depth > 0).all(-1)
    x, y = in_picture(eye, codes)
    seen = before & (np.abs(x) <= SCREEN[0] / 2).all(-1) & (np.abs(y) <= SCREEN[1] / 2).all(-1)
    distance = np.linalg.norm(rel, axis=-1)
    near, far = mounts.SCANNER_RANGE
    within: np.ndarray = seen & (near <= distance.min(-1)) & (distance.max(-1) <= far)
    return within & (slant(eye, codes) <= STEEPEST) & (pixels(eye, codes) >= PIXELS)


def slant(eye: Frame, codes: np.ndarray) -> np.ndarray:
    """Degrees between the line of sight and straight onto a code."""
    normal = np.cross(codes[..., 1, :] - codes[..., 0, :], codes[..., 3, :] - codes[..., 0, :])
    ray = codes.mean(-2) - eye.origin
    share = np.abs((normal * ray).sum(-1)) / np.linalg.norm(normal, axis=-1) / np.linalg.norm(ray, axis=-1)
    return np.asarray(np.degrees(np.arccos(np.minimum(share, 1.0))))


def pixels(eye: Frame, codes: np.ndarray) -> np.ndarray:
    """Pixels of the scanner's picture for one module, where the code looks smallest."""
    x, y = in_picture(eye, codes)
    area = 0.5 * np.abs((x * np.roll(y, -1, -1) - y * np.roll(x, -1, -1)).sum(-1))
    sides = np.hypot(x - np.roll(x, 1, -1), y - np.roll(y, 1, -1))
    return np.asarray(area / sides.max(-1) / MODULES)


SCREEN = mounts.SCANNER_PIXELS


def in_picture(eye: Frame, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where points are in the scanner's picture, pixels from its middle; what is behind the lens is far outside."""
    rel = points - eye.origin
    depth = np.maximum(rel @ eye.w, 1e-6)
    half = [math.tan(math.radians(view / 2)) for view in mounts.SCANNER_VIEW]
    across, up = rel @ eye.u / depth, rel @ eye.v / depth
    return across * SCREEN[0] / 2 / half[0], up * SCREEN[1] / 2 / half[1]


def all_lies(plan: Layout) -> np.ndarray:
    """The codes of every way that a card lies, (heights, ways, ends, 4, 3): on the bare tray, and on a whole pile."""
    heights = np.linspace(0, mounts.PILE * mounts.CARD[2], 4)
    return np.array([[list(labels(lie, size, h + 0.1)) for lie, size in lies(plan)] for h in heights])


def floor_label(plan: Layout) -> np.ndarray:
    """The label that says that the tray is empty: in its middle."""
    return corners(plan.tray_middle.moved(0, 0, 0.1))


def share_from(plan: Layout, height: float, codes: np.ndarray) -> float:
    """The share of all lies that the best lens at this height above the lid reads, wherever along the arm it stands
    and however steeply it looks."""
    best = 0.0
    for away, aim in itertools.product(np.arange(48, 105, 4), np.arange(34, 73, 3)):
        eye = Layout(plan.config, replace(plan.shape, lens=(float(away), height), aim=float(aim))).eye
        best = max(best, float(readable(eye, codes).any(-1).mean()))
    return best


def shining(plan: Layout) -> np.ndarray:
    """Points of the scanner's front: its lens and the lamps beside it."""
    eye = plan.eye
    half = mounts.SCANNER[1] / 2 - 3
    low, high = -mounts.SCANNER_LENS, mounts.SCANNER[2] - mounts.SCANNER_LENS
    return np.array([eye.at(u, v, 0.3) for u in np.linspace(low + 1, high - 1, 4) for v in np.linspace(-half, half, 5)])


def around() -> Iterator[np.ndarray]:
    """Eyes on all sides of the table: at the seats, and between them, where others sit."""
    for azimuth in range(-90, 270, 45):
        yield from sight.eyes(azimuth)


def face(frame: Frame, up: float, every: float = 7.0) -> np.ndarray:
    """Points all over a card's face, but for the 2 mm at its edge that are white.

    ``up``: from the frame's origin to the card's lower edge, negative below it.
    """
    width, height, thick = mounts.CARD
    us = np.linspace(-width / 2 + 2, width / 2 - 2, math.ceil(width / every))
    vs = np.linspace(up + 2, up + height - 2, math.ceil(height / every))
    return np.array([frame.at(u, v, thick / 2 + 0.05) for u in us for v in vs])
