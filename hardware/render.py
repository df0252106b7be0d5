"""A small shaded renderer: solids in, PNG pictures out. No graphics card, no display, only numpy and Pillow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from enclosure import triangles
from manifold3d import Manifold
from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Point = tuple[float, float, float]
PAPER = (250, 250, 248)


@dataclass(frozen=True, slots=True)
class Thing:
    """A solid with its colour."""

    solid: Manifold
    colour: Colour


class Camera:
    """Looks at a point from a direction, from far away: lines that are parallel stay so."""

    def __init__(self, at: Point, around: float, above: float, across: float, size: tuple[int, int]) -> None:
        """``around``: degrees counterclockwise from seat 1's side; ``above``: degrees over the table; ``across``:
        millimetres from the picture's left to its right edge; ``size``: pixels."""
        a, b = math.radians(around - 90), math.radians(above)
        self.towards = np.array([math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b)])
        self.right = np.array([-math.sin(a), math.cos(a), 0.0])
        self.up = np.cross(self.towards, self.right)
        self._at = np.array(at)
        self.size = size
        self.scale = size[0] / across

    def project(self, points: np.ndarray) -> np.ndarray:
        """Points to pixels and nearness: (..., 3)."""
        rel = points - self._at
        x = rel @ self.right * self.scale + self.size[0] / 2
        y = self.size[1] / 2 - rel @ self.up * self.scale
        return np.stack([x, y, rel @ self.towards], axis=-1)


def picture(things: Sequence[Thing], camera: Camera, fine: int = 2) -> Image.Image:
    """The shaded picture, with dark lines where the depth or the direction of the surface breaks."""
    width, height = camera.size[0] * fine, camera.size[1] * fine
    depth = np.full((height, width), -np.inf)
    facing = np.zeros((height, width, 3))
    paint = np.full((height, width, 3), PAPER, dtype=float)
    for thing in things:
        corners = triangles(thing.solid).astype(float)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        seen = (lengths > 1e-9) & (normals @ camera.towards > 0)
        normals = normals[seen] / lengths[seen, None]
        flat = camera.project(corners[seen])
        flat[..., :2] *= fine
        for triangle, normal in zip(flat, normals, strict=True):
            _fill(triangle, normal, thing.colour, depth, facing, paint)
    light = camera.towards * 0.55 + camera.up * 0.75 - camera.right * 0.35
    light /= np.linalg.norm(light)
    shade = 0.62 + 0.42 * np.clip(facing @ light, 0, 1)
    drawn = np.isfinite(depth)
    paint[drawn] *= shade[drawn, None]
    paint[_breaks(depth, facing, camera.scale * fine) & drawn] *= 0.4
    out = Image.fromarray(np.clip(paint, 0, 255).astype(np.uint8))
    return out.resize(camera.size, Image.Resampling.LANCZOS)


def _fill(
    t: np.ndarray, normal: np.ndarray, colour: Colour, depth: np.ndarray, facing: np.ndarray, paint: np.ndarray
) -> None:
    """One triangle into the depth buffer."""
    height, width = depth.shape
    x0, x1 = max(0, math.floor(t[:, 0].min())), min(width - 1, math.ceil(t[:, 0].max()))
    y0, y1 = max(0, math.floor(t[:, 1].min())), min(height - 1, math.ceil(t[:, 1].max()))
    if x0 > x1 or y0 > y1:
        return
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = t
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if abs(area) < 1e-12:
        return
    xs, ys = np.meshgrid(np.arange(x0, x1 + 1) + 0.5, np.arange(y0, y1 + 1) + 0.5)
    v = ((xs - ax) * (cy - ay) - (cx - ax) * (ys - ay)) / area
    w = ((bx - ax) * (ys - ay) - (xs - ax) * (by - ay)) / area
    z = az + v * (bz - az) + w * (cz - az)
    window = depth[y0 : y1 + 1, x0 : x1 + 1]
    hit = (v >= -1e-6) & (w >= -1e-6) & (v + w <= 1 + 1e-6) & (z > window)
    window[hit] = z[hit]
    facing[y0 : y1 + 1, x0 : x1 + 1][hit] = normal
    paint[y0 : y1 + 1, x0 : x1 + 1][hit] = colour


def _breaks(depth: np.ndarray, facing: np.ndarray, scale: float) -> np.ndarray:
    """Where neighbouring pixels belong to different surfaces."""
    out = np.zeros(depth.shape, dtype=bool)
    solid = np.where(np.isfinite(depth), depth, -1e6)
    for axis in (0, 1):
        near = [slice(None), slice(None)]
        far = [slice(None), slice(None)]
        near[axis], far[axis] = slice(None, -1), slice(1, None)
        a, b = tuple(near), tuple(far)
        turned = np.einsum("ijk,ijk->ij", facing[a], facing[b]) < 0.9
        out[a] |= turned | (np.abs(solid[a] - solid[b]) > 1.2 + 8 / scale)
    return out


def annotate(image: Image.Image, camera: Camera, notes: Sequence[tuple[str, Point, tuple[int, int]]]) -> Image.Image:
    """Writes labels with leader lines: text, the point in space, and where the text goes, in pixels from that point."""
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(max(15, image.width // 62))
    for text, point, (dx, dy) in notes:
        x, y, _ = camera.project(np.array(point))
        box = draw.textbbox((x + dx, y + dy), text, font=font, anchor="mm")
        end = (x + dx, box[3] + 2) if dy < 0 else (x + dx, box[1] - 2)
        if abs(dx) > abs(dy):
            end = (box[0] - 3, y + dy) if dx > 0 else (box[2] + 3, y + dy)
        draw.line([(x, y), end], fill=(30, 30, 30), width=2)
        draw.ellipse([x - 3, y - 3, x + 3, y + 3], fill=(30, 30, 30))
        draw.rectangle([box[0] - 4, box[1] - 2, box[2] + 4, box[3] + 2], fill=(255, 255, 255))
        draw.text((x + dx, y + dy), text, fill=(0, 0, 0), font=font, anchor="mm")
    return image


def measure(image: Image.Image, camera: Camera, a: Point, b: Point, text: str) -> Image.Image:
    """A dimension line with arrows between two points in space."""
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(max(15, image.width // 62))
    (ax, ay, _), (bx, by, _) = camera.project(np.array(a)), camera.project(np.array(b))
    draw.line([(ax, ay), (bx, by)], fill=(200, 0, 0), width=3)
    length = math.hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / length, (by - ay) / length
    for x, y, s in ((ax, ay, 1), (bx, by, -1)):
        tips = [(x + s * (ux * 12 - uy * t), y + s * (uy * 12 + ux * t)) for t in (-5, 5)]
        draw.polygon([(x, y), *tips], fill=(200, 0, 0))
    middle = ((ax + bx) / 2, (ay + by) / 2)
    box = draw.textbbox(middle, text, font=font, anchor="mm")
    draw.rectangle([box[0] - 4, box[1] - 2, box[2] + 4, box[3] + 2], fill=(255, 255, 255))
    draw.text(middle, text, fill=(200, 0, 0), font=font, anchor="mm")
    return image
