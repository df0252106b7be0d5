"""SSD1306, SSD1309 and SH1106 on luma.oled, sending only what changed.

Stock luma sends the whole picture each time: 1,034 to 1,128 bytes, 93 ms at 100 kHz. These subclasses keep
what the glass shows and send the windows that differ. They are drop-ins for luma's own classes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Protocol

from luma.oled.device import sh1106, ssd1306
from PIL import Image

WIDTH = 128


class SerialInterface(Protocol):
    """What luma asks of a way to the controller."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: bytes) -> None: ...
    def cleanup(self) -> None: ...


def pack(image: Image.Image, rotate: int = 0) -> bytes:
    """A mode ``1`` picture, in so many quarter turns clockwise, as the controller's RAM.

    That is page after page, one byte a column, bit 0 on top. The turn by 90 degrees makes each column one row of
    bytes, so Pillow does the work of all 8,192 pixels.
    """
    turn = _TURNS[rotate]
    turned = image if turn is None else image.transpose(turn)
    pages = turned.width // 8
    columns = turned.tobytes()
    return b"".join(columns[pages - 1 - page :: pages] for page in range(pages))


_TURNS = (Image.Transpose.ROTATE_270, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_90, None)
"""Pillow's turn (it counts anticlockwise) for a picture of so many quarter turns. Turned clockwise once more, a column
is a row read from the bottom up: first the lowest page, in it first the lowest pixel."""

Window = tuple[int, int, int, int]
"""First and last column, first and last page."""


_LIT = b"0" + b"1" * 255
"""A byte of a page as the digit that says whether anything in it is lit."""

_RUN = re.compile("1+")
_STEPS = ((), (1,), (1, 1), (1, 2), (1, 2, 1), (1, 2, 2), (1, 2, 3), (1, 2, 4))
"""Shifts that together reach so many columns, none farther than the sum of those before and one."""


def differing(old: bytes, new: bytes) -> list[int]:
    """Which columns differ, page by page: one bit a column, the first one in the highest."""
    bits = (int.from_bytes(old) ^ int.from_bytes(new)).to_bytes(len(new)).translate(_LIT)
    return [int(bits[i : i + WIDTH], 2) for i in range(0, len(new), WIDTH)]


def closed(columns: int, gap: int) -> int:
    """The columns, and those between any two that have at most ``gap`` others, 0 to 7, between them."""
    steps = _STEPS[gap]
    for step in steps:
        columns |= columns << step
    for step in steps:
        columns &= columns >> step
    return columns


def edges(runs: int) -> list[tuple[int, int]]:
    """First and last column of each run."""
    return [(m.start(), m.end() - 1) for m in _RUN.finditer(f"{runs:0{WIDTH}b}")]


def runs(pages: Sequence[int]) -> list[Window]:
    """What differs as runs of columns in one page each; what lies between two of them costs more than another run."""
    return [(x0, x1, n, n) for n, page in enumerate(pages) if page for x0, x1 in edges(closed(page, 6))]


Band = tuple[int, int, int]
"""First page, the page behind its last one, and its runs of columns."""


def bands(pages: Sequence[int]) -> tuple[int, list[Band]]:
    """What differs, and its bytes on I2C: the cheapest way to cut the pages into bands of some height.

    A window costs address, control, 3 bytes of command for its columns, then address and control of the data; the
    pages of a band are told once, in 3 bytes.
    """
    cheapest: list[tuple[int, Band | None]] = [(0, None)]
    """Bytes up to each page, and the band that ends there; None: nothing differs in the page before."""
    for end, page in enumerate(pages, 1):
        cost, band = cheapest[-1][0], None
        if page:
            cost, union = 1 << 30, 0
            for start in reversed(range(end)):
                union |= pages[start]
                height = end - start
                least = cheapest[start][0] + 10
                if not pages[start] or least + height * union.bit_count() >= cost:  # a gap only costs more
                    continue
                wide = closed(union, 7 // height)
                more = least + 7 * ((wide & ~(wide >> 1)).bit_count() - 1) + height * wide.bit_count()
                if more < cost:
                    cost, band = more, (start, end, wide)
        cheapest.append((cost, band))
    found: list[Band] = []
    end = len(pages)
    while end:
        band = cheapest[end][1]
        end = end - 1 if band is None else band[0]
        if band is not None:
            found.append(band)
    return cheapest[-1][0], found[::-1]


def windows(pages: Sequence[int]) -> list[Window]:
    """What differs as windows: in bands as wide as the glass, or left and right of the widest gap by themselves."""
    cost, cut = bands(pages)
    union = 0
    for page in pages:
        union |= page
    blocks = edges(closed(union, 7))
    if len(blocks) > 1:
        _, edge = max((right[0] - left[1], left[1]) for left, right in itertools.pairwise(blocks))
        mask = (1 << WIDTH - 1 - edge) - 1
        left, right = bands([page & ~mask for page in pages]), bands([page & mask for page in pages])
        if left[0] + right[0] < cost:
            cut = left[1] + right[1]
    return [(x0, x1, start, end - 1) for start, end, wide in cut for x0, x1 in edges(wide)]


class _Dirty:
    """What both controllers have in common. Mixed in front of luma's class."""

    _glass: bytes | None = None
    """What the controller's RAM holds; None while that is not known."""
    rotate: int
    mode: str
    size: tuple[int, int]

    def forget(self) -> None:
        """The glass shows something unknown: the next picture is sent whole."""
        self._glass = None

    @property
    def unknown(self) -> bool:
        """Whether the next picture is sent whole."""
        return self._glass is None

    def shows(self, frame: bytes) -> bool:
        """Whether the glass shows this packed picture already."""
        return frame == self._glass

    def display(self, image: Image.Image) -> None:
        """Shows a mode ``1`` picture of the device's size; what the glass already shows is not sent."""
        if image.mode != self.mode or image.size != self.size:
            raise ValueError(f"the picture is {image.mode} {image.size}, the screen {self.mode} {self.size}")
        self.update(pack(image, self.rotate))

    def update(self, new: bytes, first: Sequence[int] = ()) -> None:
        """Shows a picture that ``pack`` made, behind the commands ``first``. After an error the glass is unknown."""
        old, self._glass = self._glass, None
        if new != old:
            self._send(old, new, first)
        self._glass = new

    def _send(self, old: bytes | None, new: bytes, first: Sequence[int]) -> None:
        raise NotImplementedError


class DirtySSD1306(_Dirty, ssd1306):  # type: ignore[misc]
    """An SSD1306 or SSD1309 that gets windows: column and page ranges in horizontal addressing (data sheets 10.1.4)."""

    def __init__(self, serial: SerialInterface, height: int = 64, rotate: int = 0, column: int = 0) -> None:
        self._column = column
        super().__init__(serial, width=WIDTH, height=height, rotate=rotate)
        del self._mask, self._offsets  # luma's display() walks these tables; they take 0.4 MB a screen

    def _send(self, old: bytes | None, new: bytes, first: Sequence[int]) -> None:
        whole = [(0, WIDTH - 1, 0, len(new) // WIDTH - 1)]
        rows = columns = None
        for x0, x1, p0, p1 in whole if old is None else windows(differing(old, new)):
            # A window that has been filled begins again at its first page and column: only what is new is said.
            command = () if (x0, x1) == columns else (0x21, self._column + x0, self._column + x1)
            self.command(*first, *command, *(() if (p0, p1) == rows else (0x22, p0, p1)))
            first = ()
            rows, columns = (p0, p1), (x0, x1)
            self.data(b"".join(new[p * WIDTH + x0 : p * WIDTH + x1 + 1] for p in range(p0, p1 + 1)))


class DirtySH1106(_Dirty, sh1106):  # type: ignore[misc]
    """An SH1106 that gets runs of columns: it knows pages only, and no windows (data sheet, page addressing)."""

    def __init__(self, serial: SerialInterface, height: int = 64, rotate: int = 0, column: int = 2) -> None:
        super().__init__(serial, width=WIDTH, height=height, rotate=rotate, page_address_offset=column)

    def _send(self, old: bytes | None, new: bytes, first: Sequence[int]) -> None:
        whole = [(0, WIDTH - 1, page, page) for page in range(len(new) // WIDTH)]
        told = None
        for x0, x1, page, _ in whole if old is None else runs(differing(old, new)):
            column = self._page_address_offset + x0
            self.command(*first, *(() if page == told else (0xB0 | page,)), column & 0x0F, 0x10 | column >> 4)
            first, told = (), page
            self.data(new[page * WIDTH + x0 : page * WIDTH + x1 + 1])
