"""What people see from their seats: rays from every eye to every pixel, and what a shiny glass shows them instead.

Lengths are millimetres from the middle of the box on the table, angles degrees.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold
from solids import Frame

OUT = (450.0, 600.0, 750.0)
"""How far from the box's middle an eye is, along the table."""
UP = (300.0, 425.0, 550.0)
"""How high above the table."""
ASIDE = (-100.0, 0.0, 100.0)
"""People lean: to the left and right of the middle of their place."""
GLASS = 2.0
"""From a display's surface down to its pixels."""
BENDS = 1.5
"""Refraction of that glass."""
LAMPS = (1000.0, 2000.0)
"""Heights above the table where a room's lamps hang."""
ROOM = 2500.0
"""Any lamp nearer than this, along the table, might shine into a glass; beyond are walls."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A display as an eye meets it."""

    name: str
    frame: Frame
    """On the surface of its glass, in the middle of the lit area, v up."""
    lit: tuple[float, float]
    pixels: tuple[int, int]

    @property
    def pitch(self) -> float:
        """From one pixel to the next."""
        return self.lit[0] / self.pixels[0]

    def points(self, every: int = 1) -> np.ndarray:
        """(n, 3): where pixels are, those at the rim always among them."""
        columns, rows = (_spread(n, every) for n in self.pixels)
        us = ((columns + 0.5) / self.pixels[0] - 0.5) * self.lit[0]
        vs = ((rows + 0.5) / self.pixels[1] - 0.5) * self.lit[1]
        return np.array([self.frame.at(u, v, -GLASS) for u, v in itertools.product(us, vs)])

    def leaves(self, points: np.ndarray, eye: np.ndarray) -> np.ndarray:
        """(n, 3): where the light that an eye sees of these pixels comes out of the glass."""
        towards = eye - points
        towards = towards / np.linalg.norm(towards, axis=1, keepdims=True)
        straight = towards @ self.frame.w
        level = towards - straight[:, None] * self.frame.w
        slant = np.linalg.norm(level, axis=1) / BENDS
        aside = GLASS * slant / np.sqrt(1 - slant**2)
        length = np.maximum(np.linalg.norm(level, axis=1, keepdims=True), 1e-9)
        out: np.ndarray = points + aside[:, None] * level / length + GLASS * self.frame.w
        return out


def _spread(count: int, every: int) -> np.ndarray:
    return np.unique(np.append(np.arange(0, count, every), count - 1))


def eyes(azimuth: float, aside: float = 0.0) -> np.ndarray:
    """(n, 3): where the eyes of the seat in that direction may be; ``aside``: its place is that far to the right."""
    a = math.radians(azimuth)
    out, right = np.array([math.cos(a), math.sin(a), 0]), np.array([-math.sin(a), math.cos(a), 0])
    return np.array(
        [out * far + right * (aside + lean) + np.array([0, 0, up]) for far in OUT for up in UP for lean in ASIDE]
    )


def hidden(points: np.ndarray, eye: np.ndarray, obstacles: Iterable[Manifold]) -> np.ndarray:
    """(n,) True for each point that something stands before."""
    blocked = np.zeros(len(points), dtype=bool)
    starts = points + (eye - points) / np.linalg.norm(eye - points, axis=1, keepdims=True) * 0.02
    for solid in obstacles:
        for i in np.flatnonzero(~blocked & _near(starts, eye, np.array(solid.bounding_box()))):
            blocked[i] = bool(solid.ray_cast(tuple(starts[i]), tuple(eye)))
    return blocked


def _near(starts: np.ndarray, eye: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Which lines to the eye pass through the box around something: cheap, before a ray is cast."""
    run = eye - starts
    run = np.where(np.abs(run) < 1e-9, 1e-9, run)
    ends = np.sort([(bounds[:3] - starts) / run, (bounds[3:] - starts) / run], axis=0)
    near: np.ndarray = np.maximum(ends[0].max(axis=1), 0) <= np.minimum(ends[1].min(axis=1), 1)
    return near


def hidden_share(screen: Screen, looking: np.ndarray, obstacles: Sequence[Manifold], every: int = 1) -> float:
    """The largest part of a screen that any of the eyes does not see, 0 to 1."""
    points = screen.points(every)
    return max(float(hidden(screen.leaves(points, eye), eye, obstacles).mean()) for eye in looking)


def roll(frame: Frame, eye: np.ndarray) -> float:
    """How far from upright a picture stands for an eye whose head is upright."""
    towards = eye - frame.origin
    towards = towards / np.linalg.norm(towards)
    right = np.cross([0, 0, 1], towards)
    right /= np.linalg.norm(right)
    up = np.cross(towards, right)
    return math.degrees(math.atan2(abs(float(frame.v @ right)), float(frame.v @ up)))


def oblique(frame: Frame, eye: np.ndarray) -> float:
    """Degrees between the line of sight and straight onto the screen."""
    towards = eye - frame.origin
    return math.degrees(math.acos(float(towards @ frame.w) / float(np.linalg.norm(towards))))


def glare(frame: Frame, eye: np.ndarray) -> float:
    """How near, along the table, a lamp would have to hang to be mirrored into an eye; infinite: none can."""
    towards = eye - frame.origin
    towards = towards / np.linalg.norm(towards)
    back = 2 * float(towards @ frame.w) * frame.w - towards
    if back[2] <= 0:
        return math.inf
    reached = [frame.origin + back * (height - frame.origin[2]) / back[2] for height in LAMPS]
    ends = sorted(math.hypot(p[0], p[1]) for p in reached)
    return ends[0]


def arc_minutes(length: float, distance: float) -> float:
    """Under what angle something is seen that is looked at straight on."""
    return math.degrees(2 * math.atan(length / 2 / distance)) * 60
