"""A small renderer: solids in, PNG pictures out. No graphics card, no display, only numpy and Pillow.

Drawings have dark lines where surfaces break; photographs of what is not built yet have light, shadow and perspective.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold
from PIL import Image, ImageDraw, ImageFont
from solids import triangles

Colour = tuple[int, int, int]
Point = tuple[float, float, float]
PAPER = (250, 250, 248)
SHADOW = 1000
"""Millimetres around the box that the lamps throw shadows in."""
BEHIND = 1 / 60
"""Nearness beyond which a corner is at or behind the eye."""
MAP = 1300
"""Pixels of those shadows, each way."""
ROOM = (74, 66, 60)
"""Of what lies behind the table."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A solid with its colour."""

    solid: Manifold
    colour: Colour
    shine: float = 0.0
    """0 dull, 1 polished."""
    glow: float = 0.0
    """How much of its colour it gives without any light on it."""


@dataclass(frozen=True, slots=True)
class Decal:
    """A picture on a flat surface in space."""

    corners: tuple[Point, Point, Point, Point]
    """Upper left, upper right, lower right, lower left."""
    image: Image.Image
    glow: float = 0.0


class Camera:
    """Looks at a point from a direction, from far away: lines that are parallel stay so."""

    def __init__(self, at: Point, around: float, above: float, across: float, size: tuple[int, int]) -> None:
        """``around``: degrees counterclockwise from seat 1's side; ``above``: degrees over the table; ``across``:
        millimetres from the picture's left to its right edge; ``size``: pixels."""
        a, b = math.radians(around - 90), math.radians(above)
        self.towards = np.array([math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b)])
        self.right = np.array([-math.sin(a), math.cos(a), 0.0])
        self.up = np.cross(self.towards, self.right)
        self._at = np.array(at, dtype=float)
        self.size = size
        self.scale = size[0] / across

    def project(self, points: np.ndarray) -> np.ndarray:
        """Points to pixels and nearness: (..., 3)."""
        rel = points - self._at
        x = rel @ self.right * self.scale + self.size[0] / 2
        y = self.size[1] / 2 - rel @ self.up * self.scale
        return np.stack([x, y, rel @ self.towards], axis=-1)

    def facing(self, corners: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """Which facets look this way."""
        del corners
        seen: np.ndarray = normals @ self.towards > 0
        return seen

    def back(self, x: np.ndarray, y: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Pixels and nearness to points in space."""
        right = (x - self.size[0] / 2) / self.scale
        up = (self.size[1] / 2 - y) / self.scale
        where: np.ndarray = self._at + right[..., None] * self.right + up[..., None] * self.up
        where += near[..., None] * self.towards
        return where


class Eye(Camera):
    """Looks from a point in space, as a person does."""

    def __init__(self, eye: Point, at: Point, wide: float, size: tuple[int, int]) -> None:
        """``wide``: degrees from the picture's left to its right edge."""
        self.eye = np.array(eye, dtype=float)
        towards = self.eye - np.array(at, dtype=float)
        self.towards = towards / np.linalg.norm(towards)
        right = np.cross([0.0, 0.0, 1.0], self.towards)
        self.right = right / np.linalg.norm(right)
        self.up = np.cross(self.towards, self.right)
        self.size = size
        self.scale = size[0] / 2 / math.tan(math.radians(wide / 2))

    def project(self, points: np.ndarray) -> np.ndarray:
        """Points to pixels and nearness, which is 1 / depth: that is linear in the picture."""
        rel = points - self.eye
        depth = np.maximum(-(rel @ self.towards), 1.0)
        x = rel @ self.right / depth * self.scale + self.size[0] / 2
        y = self.size[1] / 2 - rel @ self.up / depth * self.scale
        return np.stack([x, y, 1 / depth], axis=-1)

    def facing(self, corners: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """Which facets look this way."""
        seen: np.ndarray = np.einsum("ij,ij->i", normals, self.eye - corners[:, 0]) > 0
        return seen

    def back(self, x: np.ndarray, y: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Pixels and nearness to points in space."""
        depth = 1 / np.maximum(near, 1e-9)
        right = (x - self.size[0] / 2) / self.scale * depth
        up = (self.size[1] / 2 - y) / self.scale * depth
        where: np.ndarray = self.eye + right[..., None] * self.right + up[..., None] * self.up
        where -= depth[..., None] * self.towards
        return where


class Canvas:
    """What is known of every pixel: how near, facing where, of what colour."""

    def __init__(self, camera: Camera, fine: int) -> None:
        """``fine``: that many times the picture's pixels each way."""
        width, height = camera.size[0] * fine, camera.size[1] * fine
        self.camera, self.fine = camera, fine
        self.near = np.full((height, width), -np.inf)
        self.normal = np.zeros((height, width, 3), dtype=np.float32)
        self.paint = np.full((height, width, 3), PAPER, dtype=np.float32)
        self.look = np.zeros((height, width, 2), dtype=np.float32)

    def draw(self, things: Sequence[Thing]) -> None:
        """Solids into the buffers."""
        for thing in things:
            corners = triangles(thing.solid).astype(float)
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            lengths = np.linalg.norm(normals, axis=1)
            seen = (lengths > 1e-9) & self.camera.facing(corners, normals)
            normals = normals[seen] / lengths[seen, None]
            flat = self.camera.project(corners[seen])
            flat[..., :2] *= self.fine
            before = flat[..., 2].max(axis=1) < BEHIND if isinstance(self.camera, Eye) else np.ones(len(flat), bool)
            flat, normals = flat[before], normals[before]
            for triangle, normal in zip(flat, normals, strict=True):
                self._fill(triangle, normal, thing)

    def _fill(self, t: np.ndarray, normal: np.ndarray, thing: Thing) -> None:
        height, width = self.near.shape
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
        rows = slice(y0, y1 + 1), slice(x0, x1 + 1)
        hit = (v >= -1e-6) & (w >= -1e-6) & (v + w <= 1 + 1e-6) & (z > self.near[rows])
        self.near[rows][hit] = z[hit]
        self.normal[rows][hit] = normal
        self.paint[rows][hit] = thing.colour
        self.look[rows][hit] = (thing.shine, thing.glow)

    def paste(self, decal: Decal) -> None:
        """A picture onto what lies there already."""
        flat = self.camera.project(np.array(decal.corners))
        flat[:, :2] *= self.fine
        height, width = self.near.shape
        x0, x1 = max(0, math.floor(flat[:, 0].min())), min(width - 1, math.ceil(flat[:, 0].max()))
        y0, y1 = max(0, math.floor(flat[:, 1].min())), min(height - 1, math.ceil(flat[:, 1].max()))
        if x0 > x1 or y0 > y1:
            return
        plane = np.linalg.lstsq(np.column_stack([flat[:, :2], np.ones(4)]), flat[:, 2], rcond=None)[0]
        rows = []
        for (x, y, _), (u, v) in zip(flat, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
            rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        h = np.linalg.solve(np.array(rows), np.array([0, 0, 1, 0, 1, 1, 0, 1], dtype=float))
        xs, ys = np.meshgrid(np.arange(x0, x1 + 1) + 0.5, np.arange(y0, y1 + 1) + 0.5)
        below = h[6] * xs + h[7] * ys + 1
        u, v = (h[0] * xs + h[1] * ys + h[2]) / below, (h[3] * xs + h[4] * ys + h[5]) / below
        near = plane[0] * xs + plane[1] * ys + plane[2]
        area = slice(y0, y1 + 1), slice(x0, x1 + 1)
        slack = 3e-6 if isinstance(self.camera, Eye) else 1.5
        hit = (u >= 0) & (u < 1) & (v >= 0) & (v < 1) & (near > self.near[area] - slack)
        pixels = np.asarray(decal.image.convert("RGB"), dtype=np.float32)
        at_y = (v[hit] * pixels.shape[0]).astype(int)
        at_x = (u[hit] * pixels.shape[1]).astype(int)
        self.paint[area][hit] = pixels[at_y, at_x]
        self.look[area][hit] = (0.0, decal.glow)


def picture(things: Sequence[Thing], camera: Camera, fine: int = 2) -> Image.Image:
    """A drawing: shaded, with dark lines where the depth or the direction of the surface breaks."""
    canvas = Canvas(camera, fine)
    canvas.draw(things)
    light = camera.towards * 0.55 + camera.up * 0.75 - camera.right * 0.35
    light /= np.linalg.norm(light)
    shade = 0.62 + 0.42 * np.clip(canvas.normal @ light, 0, 1)
    drawn = np.isfinite(canvas.near)
    canvas.paint[drawn] *= shade[drawn, None]
    canvas.paint[_breaks(canvas.near, canvas.normal, camera.scale * fine) & drawn] *= 0.4
    return _finish(canvas)


def photograph(things: Sequence[Thing], decals: Sequence[Decal], camera: Camera, fine: int = 2) -> Image.Image:
    """A view with a lamp above, its shadows, the room's light, and corners that get less of it."""
    canvas = Canvas(camera, fine)
    canvas.paint[:] = ROOM
    canvas.draw(things)
    for decal in decals:
        canvas.paste(decal)
    drawn = np.isfinite(canvas.near)
    ys, xs = np.nonzero(drawn)
    where = camera.back((xs + 0.5) / fine, (ys + 0.5) / fine, canvas.near[drawn])
    normal = canvas.normal[drawn].astype(float)
    lit = np.zeros(len(where))
    gleam = np.zeros(len(where))
    eye = camera.eye if isinstance(camera, Eye) else None
    sight = (eye - where) if eye is not None else np.broadcast_to(camera.towards, where.shape)
    sight = sight / np.linalg.norm(sight, axis=1, keepdims=True)
    suns = ((22.0, 60.0), (17.0, 62.0), (20.0, 65.0))
    for around, above in suns:
        lamp = Camera((0.0, 0.0, 40.0), around, above, SHADOW, (MAP, MAP))
        shadow = Canvas(lamp, 1)
        shadow.draw(things)
        spot = lamp.project(where + normal * 0.8)
        across, down = (np.clip(spot[:, i].astype(int), 0, MAP - 1) for i in (0, 1))
        free = (
            (spot[:, 2] > shadow.near[down, across] - 1.8) | (spot[:, :2] < 1).any(1) | (spot[:, :2] > MAP - 2).any(1)
        )
        lit += free * np.clip(normal @ lamp.towards, 0, 1) / len(suns)
        half = sight + lamp.towards
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        gleam += free * np.clip((half * normal).sum(axis=1), 0, 1) ** 40 / len(suns)
    sky = 0.5 + 0.5 * normal[:, 2]
    everywhere = np.zeros((*canvas.near.shape, 3), dtype=np.float32)
    everywhere[drawn] = where
    ambient = (0.34 + 0.22 * sky) * _open(canvas, everywhere)[drawn]
    shine, glow = canvas.look[drawn].T
    light = np.minimum(ambient + 0.62 * lit, 1.15)
    paint = canvas.paint[drawn]
    mixed = paint * (light * (1 - glow) + glow)[:, None] + (255 * 0.5 * shine * gleam)[:, None]
    canvas.paint[drawn] = mixed
    return _finish(canvas)


def _open(canvas: Canvas, where: np.ndarray) -> np.ndarray:
    """How much of the room's light reaches each pixel: less in corners, where neighbours stand before it."""
    shut = np.zeros(canvas.near.shape, dtype=np.float32)
    count = 0
    for radius in (4, 9, 18):
        for i in range(8):
            a = i * math.tau / 8 + radius
            step = round(radius * math.cos(a) * canvas.fine), round(radius * math.sin(a) * canvas.fine)
            away = np.roll(where, step, axis=(0, 1)) - where
            length = np.linalg.norm(away, axis=-1) + 1e-6
            above = np.einsum("ijk,ijk->ij", away, canvas.normal) / length
            shut += np.clip(above - 0.08, 0, 1) * np.clip(1.5 - length / 30, 0, 1)
            count += 1
    return np.clip(1 - 1.5 * shut / count, 0.25, 1.0)


def _finish(canvas: Canvas) -> Image.Image:
    out = Image.fromarray(np.clip(canvas.paint, 0, 255).astype(np.uint8))
    return out.resize(canvas.camera.size, Image.Resampling.LANCZOS)


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
