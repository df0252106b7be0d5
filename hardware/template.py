"""A drilling template at full size for a box of wood or cardboard: every panel with its holes, on A4 or Letter paper.

A panel that is larger than a sheet goes on over the next, with marks to glue them by. Every sheet has a ruler.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from pathlib import Path

import bezels
import enclosure
import mounts
from layout import POWER_CORNER, READER_CORNER, SCREEN_CORNERS, Layout
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARGIN, HEAD, OVERLAP = 10.0, 22.0, 10.0
"""Millimetres: around a sheet, for its ruler and name, and of a panel that comes again on the next sheet."""


@dataclass(slots=True)
class Panel:
    """A board to cut and drill; x to the right and y upwards as seen from outside."""

    name: str
    outline: list[tuple[float, float]]
    holes: list[tuple[float, float, float, str]] = field(default_factory=list)
    """x, y, diameter, what for."""
    cuts: list[tuple[float, float, float, float, str]] = field(default_factory=list)
    """x and y of the middle, width, height, what for."""

    @property
    def size(self) -> tuple[float, float, float, float]:
        """The smallest and largest x and y."""
        xs, ys = zip(*self.outline, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


def panels(plan: Layout) -> list[Panel]:
    """The lid, a seat's wall with the slope for its button laid flat, a wall for each of the four corners."""
    out = [_lid(plan), _seat(plan)]
    for number, corner in enumerate(SCREEN_CORNERS):
        spot = next((s for s in plan.spots() if s.mount == "table-screen" and s.frame.azimuth == corner), None)
        panel = Panel(f"corner for table screen {number + 1}", _wall(plan, False))
        if spot is not None:
            w, h = bezels.window(spot, plan.panel(spot))
            panel.cuts.append((0, 31.5, w, h, "window, edges cut at 45 degrees; the screen behind it"))
            out.append(panel)
    power = Panel("corner for power", _wall(plan, False))
    for name, frame in enclosure.power_places(plan).items():
        u = float((frame.origin - plan.wall(POWER_CORNER).origin) @ frame.u)
        v = float((frame.origin - plan.wall(POWER_CORNER).origin) @ frame.v)
        if name == "switch":
            power.cuts.append((u, v, mounts.SWITCH[0], mounts.SWITCH[1], "switch"))
        else:
            power.holes.append((u, v, (mounts.POWER if name == "power" else mounts.WAKE).hole, name))
    out.append(power)
    if not plan.optical:
        v = float((plan.nfc.origin - plan.wall(READER_CORNER).origin) @ plan.nfc.v)
        mark = Panel("corner for the NFC reader: draw the ring, do not drill", _wall(plan, False))
        mark.holes.append((0, v, 34, "ring; the PN532 behind it, board at most 4 mm thick"))
        out.append(mark)
    return out


def _wall(plan: Layout, seat_side: bool) -> list[tuple[float, float]]:
    def half(z: float) -> float:
        a, g = plan.reach(True, z), plan.reach(False, z)
        return math.sqrt(2) * (g if seat_side else a) - (a if seat_side else g)

    top = enclosure.v_of(plan, plan.body_height)
    low, high = half(0), half(plan.body_height)
    return [(-low, 0), (low, 0), (high, top), (-high, top)]


def _lid(plan: Layout) -> Panel:
    panel = Panel("lid, from above, seat 1 below", plan.outline(plan.body_height))
    for spot in plan.spots():
        if spot.on == "lid":
            size = {"led": mounts.LED.hole, "piezo": 10.0}.get(spot.mount, mounts.BUTTON.hole)
            panel.holes.append((float(spot.frame.origin[0]), float(spot.frame.origin[1]), size, spot.name))
    if plan.optical:
        for p, q in enclosure.ARM_SCREWS:
            x, y, _ = plan.across(p, q)
            panel.holes.append((x, y, mounts.M3[0], "arm"))
        x, y, _ = plan.across(-70.0, 0.0)
        panel.holes.append((x, y, 13.0, "cable"))
    return panel


def _seat(plan: Layout) -> Panel:
    panel = Panel("seat's wall; the button on a wedge of 50 degrees, or straight through", _wall(plan, True))
    azimuth, along = plan.seat_directions()[0], plan.seat_alongs()[0]
    middle = plan.bevel(azimuth, along).origin
    panel.holes.append(
        (along, float(middle[2]) / math.sin(math.radians(plan.shape.lean)), mounts.BUTTON.hole, "button")
    )
    for spot in plan.spots():
        if spot.mount == "seat-screen" and spot.name.startswith("seat 1"):
            w, h = bezels.window(spot, plan.panel(spot))
            panel.cuts.append(
                (0, float(spot.frame.origin[2]) / math.sin(math.radians(plan.shape.lean)), w, h, "screen")
            )
    return panel


def write(plan: Layout, path: Path, paper: str, title: str) -> int:
    """Writes the sheets of a build; returns how many. ``paper``: a4 or letter."""
    width, height = PAPERS[paper]
    canvas = Canvas(str(path), pagesize=(width * mm, height * mm), invariant=1)
    canvas.setTitle(title)
    sheets = 0
    for panel in panels(plan):
        for tile, origin in tiles(panel, paper):
            _sheet(canvas, panel, paper, f"{title}: {panel.name}{tile}", origin)
            canvas.showPage()
            sheets += 1
    canvas.save()
    return sheets


def tiles(panel: Panel, paper: str) -> list[tuple[str, tuple[float, float]]]:
    """For each sheet its number and the point of the panel in its lower left corner."""
    width, height = PAPERS[paper]
    room = width - 2 * MARGIN, height - 2 * MARGIN - HEAD
    x0, y0, x1, y1 = panel.size
    counts = [
        max(1, math.ceil((size - OVERLAP) / (free - OVERLAP)))
        for size, free in zip((x1 - x0, y1 - y0), room, strict=True)
    ]
    out = []
    for j, i in itertools.product(range(counts[1]), range(counts[0])):
        at = [low + k * (free - OVERLAP) for low, k, free in zip((x0, y0), (i, j), room, strict=True)]
        if counts == [1, 1]:
            at = [(low + high - free) / 2 for low, high, free in zip((x0, y0), (x1, y1), room, strict=True)]
        name = "" if counts == [1, 1] else f", sheet {j * counts[0] + i + 1} of {counts[0] * counts[1]}"
        out.append((name, (at[0], at[1])))
    return out


def _sheet(canvas: Canvas, panel: Panel, paper: str, title: str, origin: tuple[float, float]) -> None:
    width, height = PAPERS[paper]
    canvas.setFont("Helvetica", 10)
    canvas.drawString(MARGIN * mm, (height - MARGIN - 4) * mm, title)
    _ruler(canvas, MARGIN, height - MARGIN - 14)
    canvas.saveState()
    clip = canvas.beginPath()
    clip.rect(MARGIN * mm, MARGIN * mm, (width - 2 * MARGIN) * mm, (height - 2 * MARGIN - HEAD) * mm)
    canvas.clipPath(clip, stroke=0)
    canvas.translate((MARGIN - origin[0]) * mm, (MARGIN - origin[1]) * mm)
    canvas.setLineWidth(0.4)
    outline = canvas.beginPath()
    outline.moveTo(*(c * mm for c in panel.outline[0]))
    for x, y in panel.outline[1:]:
        outline.lineTo(x * mm, y * mm)
    outline.close()
    canvas.drawPath(outline)
    canvas.setFont("Helvetica", 6)
    for x, y, diameter, what in panel.holes:
        canvas.circle(x * mm, y * mm, diameter / 2 * mm)
        _cross(canvas, x, y, min(3.0, diameter / 2))
        canvas.drawCentredString(x * mm, (y - diameter / 2 - 2.6) * mm, f"{what} {diameter:g}")
    for x, y, w, h, what in panel.cuts:
        canvas.rect((x - w / 2) * mm, (y - h / 2) * mm, w * mm, h * mm)
        _cross(canvas, x, y, 3.0)
        canvas.drawCentredString(x * mm, (y - h / 2 - 2.8) * mm, f"{what}: {w:.1f} x {h:.1f}")
    for x, y in itertools.product((panel.size[0], panel.size[2]), (panel.size[1], panel.size[3])):
        _cross(canvas, x, y, 4.0)
    canvas.restoreState()


def _cross(canvas: Canvas, x: float, y: float, arm: float) -> None:
    canvas.line((x - arm) * mm, y * mm, (x + arm) * mm, y * mm)
    canvas.line(x * mm, (y - arm) * mm, x * mm, (y + arm) * mm)


def _ruler(canvas: Canvas, x: float, y: float) -> None:
    """100 mm: must be that on paper, or the printer has scaled the sheet."""
    canvas.setLineWidth(0.8)
    canvas.line(x * mm, y * mm, (x + 100) * mm, y * mm)
    canvas.setLineWidth(0.3)
    for i in range(101):
        tick = 4.0 if i % 10 == 0 else 2.5 if i % 5 == 0 else 1.5
        canvas.line((x + i) * mm, y * mm, (x + i) * mm, (y + tick) * mm)
    canvas.setFont("Helvetica", 7)
    canvas.drawString((x + 103) * mm, y * mm, "100 mm: measure it. Print at 100 %, not 'fit to page'.")
