"""A drawing of few kinds of shapes, in points from the upper left, and the same as SVG.

Colours are roles: what carries one is told apart by its shape too. On a page a style sheet gives the roles its own
colours, by day and by night; in a file they are those of print.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, pi, sin
from xml.sax.saxutils import escape, quoteattr

from mind_box.game.values import dataclass

Point = tuple[float, float]

ROLES = {
    "ink": "#18201c", "soft": "#47534c", "line": "#c3ccc5", "tempo": "#0b6e99", "heart": "#b3261e", "star": "#8a5b00",
    "paper": "#ffffff", "seat1": "#1f5fa8", "seat2": "#a5451a", "seat3": "#2d7a3a", "seat4": "#7a3a99",
    "seat5": "#8a6d00", "seat6": "#00757a", "seat7": "#a02860", "seat8": "#4f5b66",
}  # fmt: skip
"""Each role and its colour on paper; all are readable there."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A closed or open line of straight pieces."""

    points: tuple[Point, ...]
    role: str
    closed: bool = False
    filled: bool = False
    width: float = 1.5
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle, filled or not."""

    at: Point
    radius: float
    role: str
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; ``align`` is start, middle or end."""

    at: Point
    text: str
    role: str = "ink"
    size: float = 12.0
    align: str = "start"
    bold: bool = False


Item = Shape | Disc | Text


class Drawing:
    """What is drawn, in order; ``title`` says it in one sentence."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.items: list[Item] = []

    def line(self, points: Sequence[Point], role: str = "line", width: float = 1.5, dashed: bool = False) -> None:
        """Straight pieces from point to point."""
        self.items.append(Shape(tuple(points), role, width=width, dashed=dashed))

    def disc(self, at: Point, radius: float, role: str, filled: bool = True) -> None:
        """A circle."""
        self.items.append(Disc(at, radius, role, filled))

    def text(
        self, at: Point, text: object, role: str = "ink", size: float = 12.0, align: str = "start", bold: bool = False
    ) -> None:
        """A line of text; ``at`` is on its base line."""
        self.items.append(Text(at, str(text), role, size, align, bold))

    def star(self, at: Point, radius: float) -> None:
        """A star."""
        x, y = at
        corners = [
            (x + r * sin(i * pi / 5), y - r * cos(i * pi / 5)) for i, r in enumerate([radius, radius * 0.42] * 5)
        ]
        self.items.append(Shape(tuple(corners), "star", closed=True, filled=True))

    def heart(self, at: Point, radius: float, filled: bool = True) -> None:
        """A heart."""
        x, y = at
        curve = []
        for i in range(24):
            a = i * pi / 12
            dx = 16 * sin(a) ** 3
            dy = 13 * cos(a) - 5 * cos(2 * a) - 2 * cos(3 * a) - cos(4 * a)
            curve.append((x + dx * radius / 16, y - dy * radius / 16))
        self.items.append(Shape(tuple(curve), "heart", closed=True, filled=filled, width=1.2))

    def cross(self, at: Point, radius: float, role: str) -> None:
        """A cross of two lines."""
        x, y = at
        self.line([(x - radius, y - radius), (x + radius, y + radius)], role, 2)
        self.line([(x - radius, y + radius), (x + radius, y - radius)], role, 2)


def svg(drawing: Drawing, inline: bool = False) -> str:
    """As SVG; ``inline``: for a page, whose style sheet colours it, beside a table that says the same."""
    size = f'viewBox="0 0 {drawing.width:g} {drawing.height:g}"'
    if inline:
        head = f'<svg class="drawing" {size} role="img" aria-label={quoteattr(drawing.title)}>'
    else:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width:g}" height="{drawing.height:g}" {size}>\n'
            f"<title>{escape(drawing.title)}</title>\n"
            f'<rect width="100%" height="100%" fill="{ROLES["paper"]}"/>'
        )
    return "\n".join([head, *map(_element, drawing.items), "</svg>\n"])


def _element(item: Item) -> str:
    colour = ROLES[item.role]
    if isinstance(item, Text):
        x, y = item.at
        bold = ' font-weight="700"' if item.bold else ""
        return (
            f'<text class="fill-{item.role}" x="{x:.1f}" y="{y:.1f}" font-size="{item.size:g}" fill="{colour}" '
            f'text-anchor="{item.align}" font-family="Helvetica, Arial, sans-serif"{bold}>{escape(item.text)}</text>'
        )
    if isinstance(item, Disc):
        x, y = item.at
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{item.radius:g}" {_paint(item.role, item.filled, 2.0)}/>'
    kind = "polygon" if item.closed else "polyline"
    dashes = ' stroke-dasharray="5 4"' if item.dashed else ""
    return f'<{kind} points="{_points(item.points)}" {_paint(item.role, item.filled, item.width)}{dashes}/>'


def _paint(role: str, filled: bool, width: float) -> str:
    colour = ROLES[role]
    if filled:
        return f'class="fill-{role}" fill="{colour}"'
    return f'class="stroke-{role}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"'


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
