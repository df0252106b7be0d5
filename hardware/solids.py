"""Shapes to build with, and solids in and out of STL files. Millimetres."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from manifold3d import CrossSection, Manifold

ROUND = 32
"""Facets of a full circle."""
FAR = 1.0
"""How far a cut reaches beyond what it cuts: faces that coincide make no clean solid."""
Outline = Sequence[tuple[float, float]]


def box(x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> Manifold:
    """A block between two corners."""
    return Manifold.cube((x1 - x0, y1 - y0, z1 - z0)).translate((x0, y0, z0))


def rod(x: float, y: float, z0: float, z1: float, diameter: float, top: float | None = None) -> Manifold:
    """An upright cylinder; a cone when its upper diameter is another."""
    upper = diameter if top is None else top
    return Manifold.cylinder(z1 - z0, diameter / 2, upper / 2, ROUND).translate((x, y, z0))


def section(points: Outline) -> CrossSection:
    """A flat outline, whichever way round its points go."""
    shape = CrossSection([list(points)])
    return shape if shape.area() > 0 else CrossSection([list(points)[::-1]])


def plate(points: Outline, z0: float, z1: float) -> Manifold:
    """An outline in x and y, from one height to another."""
    return Manifold.extrude(section(points), z1 - z0).translate((0, 0, z0))


def profile(points: Outline, y0: float, y1: float) -> Manifold:
    """An outline in x and z, from one y to another."""
    return Manifold.extrude(section([(x, -z) for x, z in points]), y1 - y0).rotate((-90, 0, 0)).translate((0, y0, 0))


def hull(points: Sequence[Sequence[float]]) -> Manifold:
    """The convex solid around points in space."""
    return Manifold.hull_points([tuple(map(float, p)) for p in points])


class Frame:
    """A surface in space: u to the right and v upwards as who stands before it sees them, w towards that person."""

    def __init__(self, origin: Sequence[float] | np.ndarray, azimuth: float, tilt: float) -> None:
        """``azimuth``: where the surface faces, degrees counterclockwise from +x; ``tilt``: degrees from lying flat."""
        a, t = math.radians(azimuth), math.radians(tilt)
        out = np.array([math.cos(a), math.sin(a), 0.0])
        self.origin = np.array(origin, dtype=float)
        self.u = np.array([-math.sin(a), math.cos(a), 0.0])
        self.v = -out * math.cos(t) + np.array([0, 0, math.sin(t)])
        self.w = np.cross(self.u, self.v)
        self.azimuth, self.tilt = azimuth, tilt

    def at(self, u: float, v: float, w: float = 0.0) -> np.ndarray:
        """A point of the surface in space."""
        where: np.ndarray = self.origin + u * self.u + v * self.v + w * self.w
        return where

    def moved(self, u: float, v: float, w: float = 0.0) -> Frame:
        """The same surface with another origin."""
        return Frame(self.at(u, v, w), self.azimuth, self.tilt)

    def place(self, solid: Manifold) -> Manifold:
        """A solid made in u, v and w, put where the surface is."""
        return solid.transform(np.column_stack([self.u, self.v, self.w, self.origin]))


def triangles(solid: Manifold) -> np.ndarray:
    """(n, 3, 3): corner points of every facet, outward by the right-hand rule."""
    mesh = solid.to_mesh()
    corners: np.ndarray = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
    return corners.astype(np.float32)


def on_bed(solid: Manifold) -> Manifold:
    """The solid over the middle of the printer's bed, its lowest point at 0."""
    low = solid.bounding_box()
    return solid.translate((-(low[0] + low[3]) / 2, -(low[1] + low[4]) / 2, -low[2]))


def write_stl(solid: Manifold, path: Path) -> None:
    """Binary STL."""
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
