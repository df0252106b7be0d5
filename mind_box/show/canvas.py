"""A 1-bit picture under the pen. It keeps a list of what was drawn where, so tests can measure every layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from PIL import Image, ImageDraw

from mind_box.game.values import dataclass
from mind_box.show import icons
from mind_box.show.fonts import Face, mask, width

Box = tuple[int, int, int, int]
"""Left, top, right, bottom; right and bottom are the first column and row outside."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing drawn: what it says and the box its ink fills."""

    what: str
    box: Box
    cap: int = 0
    """Of a text: how high its capitals or digits are, in pixels; 0: a picture."""


class Canvas:
    """Pixels count from the top left corner. Texts stand by the top of their capitals, whatever the face."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.width, self.height = size
        self.image = Image.new("1", size)
        self.marks: list[Mark] = []
        self.shortened: list[str] = []
        """Texts that did not fit their place and lost their end. Empty for every screen: a test measures it."""
        self._draw = ImageDraw.Draw(self.image)

    def text(
        self,
        x: int,
        y: int,
        text: str,
        faces: Face | Sequence[Face],
        *,
        room: int | None = None,
        align: str = "left",
        ink: int = 1,
    ) -> int:
        """Draws one line and returns how wide it is.

        ``y`` is the top of its capitals; ``x`` its left edge, right edge or middle, as ``align`` says. It is set
        in the first of ``faces`` in which it fits ``room`` (default: as far as the edge). Icons are written as
        the characters of ``icons.INLINE``. At the upper edge an accent moves its line down instead of being cut off.
        """
        if room is None:
            room = {"left": self.width - x, "right": x, "center": 2 * min(x, self.width - x)}[align]
        face = faces if isinstance(faces, Face) else next((f for f in faces if measure(text, f) <= room), faces[-1])
        if measure(text, face) > room:
            self.shortened.append(text)
            while text and measure(text + "…", face) > room:
                text = text[:-1]
            text += "…"
        wide = measure(text, face)
        x -= {"left": 0, "right": wide, "center": wide // 2}[align]
        y = max(y, rise(text, face))
        self._runs(x, y, text, face, ink)
        return wide

    def _runs(self, x: int, y: int, text: str, face: Face, ink: int) -> None:
        first, top, bottom = x, y + face.cap, y
        for run in _split(text):
            if run in icons.INLINE:
                shape = icons.small(run, face.cap)
                down = (face.cap - shape.height) // 2
            else:
                shape, down = mask(run, face)
            self._draw.bitmap((x, y + down), shape, fill=ink)
            top, bottom = min(top, y + down), max(bottom, y + down + shape.height)
            last = x + shape.width
            x = last + _gap(face)
        if text.strip():
            self.marks.append(Mark(text, (first, top, last, bottom), face.cap))

    def icon(self, x: int, y: int, name: str, cap: int = 11, *, ink: int = 1) -> int:
        """Draws a small icon with its top left corner here; returns its width."""
        shape = icons.small(name, cap)
        self._draw.bitmap((x, y), shape, fill=ink)
        self.marks.append(Mark(name, (x, y, x + shape.width, y + shape.height)))
        return shape.width

    def emblem(self, x: int, y: int, name: str, size: int) -> None:
        """Draws a large icon with its top left corner here."""
        shape = icons.large(name, size)
        self._draw.bitmap((x, y), shape, fill=1)
        left, top, right, bottom = shape.getbbox() or (0, 0, 0, 0)
        self.marks.append(Mark(name, (x + left, y + top, x + right, y + bottom)))

    def fill(self, box: Box) -> None:
        """Lights a whole box; what is drawn on it needs ``ink=0``."""
        left, top, right, bottom = box
        self._draw.rectangle((left, top, right - 1, bottom - 1), fill=1)

    def frame(self, box: Box) -> None:
        """Draws the outline of a box, its corners rounded off."""
        left, top, right, bottom = box
        self._draw.rounded_rectangle((left, top, right - 1, bottom - 1), 2, outline=1)

    def disc(self, box: Box) -> None:
        """Lights a box with its corners rounded off."""
        left, top, right, bottom = box
        self._draw.rounded_rectangle((left, top, right - 1, bottom - 1), 2, fill=1)


@lru_cache(maxsize=1024)
def measure(text: str, face: Face) -> int:
    """How wide a line is, icons included."""
    runs = _split(text)
    wide = sum(icons.small(r, face.cap).width if r in icons.INLINE else width(r, face) for r in runs)
    return wide + _gap(face) * (len(runs) - 1) if runs else 0


@lru_cache(maxsize=1024)
def rise(text: str, face: Face) -> int:
    """Rows that the ink of a line rises above its capitals."""
    return max((-mask(run, face)[1] for run in _split(text) if run not in icons.INLINE), default=0)


def _gap(face: Face) -> int:
    return 2 if face.cap < 11 else 3


@lru_cache(maxsize=1024)
def _split(text: str) -> tuple[str, ...]:
    runs: list[str] = []
    for character in text:
        if character in icons.INLINE or not runs or runs[-1] in icons.INLINE:
            runs.append(character)
        else:
            runs[-1] += character
    return tuple(run for run in runs if run in icons.INLINE or run.strip())


def wrap(text: str, face: Face, room: int) -> list[str]:
    """The text broken at blanks into lines that fit ``room``; a single word may still be too wide."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and measure(f"{lines[-1]} {word}", face) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def largest(text: str, faces: Sequence[Face], room: int, rows: Callable[[Face], int]) -> tuple[Face, list[str]]:
    """The text as lines in the first face in which it fits ``room`` and the rows there are; else in the last."""
    for face in faces:
        lines = wrap(text, face, room)
        if len(lines) <= rows(face) and all(measure(line, face) <= room for line in lines):
            break
    return face, lines
