"""Drawings as files to keep: SVG, PDF and PNG."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

from mind_box.page.evenings.drawing import ROLES, Disc, Drawing, Shape, Text, svg
from mind_box.pip import pip

KINDS = ("svg", "pdf", "png")
FINE = 3
"""PNG: pixels a point, drawn three times as large and made smaller, so that lines are smooth."""
SCALE = 2


class CannotDraw(Exception):
    """A file of that kind cannot be made. ``str()`` says why and what to do."""


def as_file(drawing: Drawing, kind: str) -> bytes:
    """The drawing as a file of this kind. Raises ``CannotDraw``."""
    match kind:
        case "svg":
            return svg(drawing).encode()
        case "pdf":
            return _pdf(drawing)
        case "png":
            return _png(drawing)
    raise CannotDraw(f"a file ends in one of {', '.join(f'.{kind}' for kind in KINDS)}")


def kind_of(file: Path) -> str:
    """The kind of file that a name asks for. Raises ``CannotDraw``."""
    kind = file.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise CannotDraw(f"{file}: its name must end in one of {', '.join(f'.{kind}' for kind in KINDS)}")
    return kind


def _pdf(drawing: Drawing) -> bytes:
    try:
        from reportlab.lib.colors import HexColor
        from reportlab.pdfgen.canvas import Canvas
    except ImportError as e:
        raise CannotDraw(f"PDF needs the Python package reportlab: {pip('install', 'reportlab')}") from e
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(drawing.width, drawing.height), invariant=True)
    canvas.setTitle(drawing.title)
    for item in drawing.items:
        colour = HexColor(ROLES[item.role])
        canvas.setFillColor(colour)
        canvas.setStrokeColor(colour)
        canvas.setDash([])
        match item:
            case Text((x, y), text, _, size, align, bold):
                canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
                draw = {"start": canvas.drawString, "middle": canvas.drawCentredString, "end": canvas.drawRightString}
                draw[align](x, drawing.height - y, text)
            case Disc((x, y), radius, _, filled):
                canvas.setLineWidth(2)
                canvas.circle(x, drawing.height - y, radius, stroke=int(not filled), fill=int(filled))
            case Shape(points, _, closed, filled, width, dashed):
                canvas.setLineWidth(width)
                canvas.setDash([5, 4] if dashed else [])
                path = canvas.beginPath()
                for i, (x, y) in enumerate(points):
                    (path.lineTo if i else path.moveTo)(x, drawing.height - y)
                if closed:
                    path.close()
                canvas.drawPath(path, stroke=int(not filled), fill=int(filled))
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def _png(drawing: Drawing) -> bytes:
    from PIL import Image, ImageDraw

    many = SCALE * FINE
    image = Image.new("RGB", (round(drawing.width * many), round(drawing.height * many)), ROLES["paper"])
    pen = ImageDraw.Draw(image)
    for item in drawing.items:
        colour = ROLES[item.role]
        match item:
            case Disc((x, y), radius, _, filled):
                box = [(x - radius) * many, (y - radius) * many, (x + radius) * many, (y + radius) * many]
                pen.ellipse(box, fill=colour if filled else None, outline=colour, width=round(2 * many))
            case Shape(points, _, closed, filled, width, dashed):
                there = [(x * many, y * many) for x, y in (*points, *points[:closed])]
                if filled:
                    pen.polygon(there, fill=colour)
                for a, b in _dashes(there, 5 * many, 4 * many) if dashed else pairwise(there):
                    pen.line([a, b], fill=colour, width=max(round(width * many), 1))
            case Text((x, y), text, _, size, align, _):
                anchor = {"start": "ls", "middle": "ms", "end": "rs"}[align]
                pen.text((x * many, y * many), text, fill=colour, font=_font(size * many), anchor=anchor)
    out = io.BytesIO()
    small = image.resize((round(drawing.width * SCALE), round(drawing.height * SCALE)), Image.Resampling.LANCZOS)
    small.save(out, "PNG", optimize=True)
    return out.getvalue()


def _dashes(
    points: list[tuple[float, float]], on: float, off: float
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    dashes = []
    for (ax, ay), (bx, by) in pairwise(points):
        length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
        at = 0.0
        while at < length:
            end = min(at + on, length)
            dashes.append(
                (
                    (ax + (bx - ax) * at / length, ay + (by - ay) * at / length),
                    (ax + (bx - ax) * end / length, ay + (by - ay) * end / length),
                )
            )
            at = end + off
    return dashes


def _font(size: float) -> Any:
    from PIL import ImageFont, features

    if not features.check("freetype2"):
        raise CannotDraw("PNG needs a Pillow with FreeType; SVG and PDF do without")
    try:
        return ImageFont.load_default(size)
    except TypeError:  # Pillow before 10.1 has no letters of any size of its own
        raise CannotDraw(f"PNG needs Pillow 10.1 or newer: {pip('install', 'pillow')}") from None
