"""SSD1306 and SH1106 on luma.oled, sending only what changed.

Stock luma sends the whole picture each time: 1,034 to 1,128 bytes, 93 ms at 100 kHz. These subclasses keep
what the glass shows and send the windows that differ. They are drop-ins for luma's own classes.
"""

from __future__ import annotations

import re
from typing import Protocol

from luma.oled.device import sh1106, ssd1306
from PIL import Image

WIDTH = 128


class SerialInterface(Protocol):
    """What luma asks of a way to the controller."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: bytes) -> None: ...
    def cleanup(self) -> None: ...


def pack(image: Image.Image, upside_down: bool = False) -> bytes:
    """A mode ``1`` picture as the controller's RAM: page after page, one byte a column, bit 0 on top.

    The turn by 90 degrees makes each column one row of bytes, so Pillow does the work of all 8,192 pixels.
    """
    pages = image.height // 8
    # Turned clockwise, a column is a row read from the bottom up: first the lowest page, in it first the lowest pixel.
    turn = Image.Transpose.ROTATE_90 if upside_down else Image.Transpose.ROTATE_270
    columns = image.transpose(turn).tobytes()
    return b"".join(columns[pages - 1 - page :: pages] for page in range(pages))


Window = tuple[int, int, int, int]
"""First and last column, first and last page."""


def runs(old: bytes, new: bytes, gap: int) -> list[Window]:
    """The columns that differ, page by page; what stands at most ``gap`` columns apart is one run."""
    found: list[Window] = []
    find = re.compile(rb"[^\0](?:\0{0,%d}[^\0])*" % gap).finditer
    for page in range(len(new) // WIDTH):
        a, b = old[page * WIDTH : (page + 1) * WIDTH], new[page * WIDTH : (page + 1) * WIDTH]
        if a != b:
            differing = (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(WIDTH, "big")
            found += [(m.start(), m.end() - 1, page, page) for m in find(differing)]
    return found


def merged(pieces: list[Window], overhead: int) -> list[Window]:
    """Joins windows on neighbouring pages where one window costs no more bytes than two."""
    done: list[Window] = []
    for x0, x1, p0, p1 in pieces:
        best = None
        for i, (a0, a1, q0, q1) in enumerate(done):
            if q1 != p0 - 1:
                continue
            low, high = min(a0, x0), max(a1, x1)
            more = (high - low + 1) * (p1 - q0 + 1) - (a1 - a0 + 1) * (q1 - q0 + 1) - (x1 - x0 + 1) * (p1 - p0 + 1)
            if more <= overhead and (best is None or more < best[0]):
                best = (more, i, (low, high, q0, p1))
        if best is None:
            done.append((x0, x1, p0, p1))
        else:
            done[best[1]] = best[2]
    return done


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
        self.update(pack(image, self.rotate == 2))

    def update(self, new: bytes) -> None:
        """Shows a picture that ``pack`` made. After an error the glass counts as unknown."""
        old, self._glass = self._glass, None
        if new != old:
            self._send(old, new)
        self._glass = new

    def _send(self, old: bytes | None, new: bytes) -> None:
        raise NotImplementedError


class DirtySSD1306(_Dirty, ssd1306):  # type: ignore[misc]
    """An SSD1306 that gets windows: column and page ranges in horizontal addressing mode (data sheet 10.1.4)."""

    OVERHEAD = 10
    """Bytes that a window costs on I2C: address, control, 6 of command; address, control."""

    def __init__(self, serial: SerialInterface, height: int = 64, rotate: int = 0, column: int = 0) -> None:
        self._column = column
        super().__init__(serial, width=WIDTH, height=height, rotate=rotate)
        del self._mask, self._offsets  # luma's display() walks these tables; they take 0.4 MB a screen

    def _send(self, old: bytes | None, new: bytes) -> None:
        pages = len(new) // WIDTH
        whole = [(0, WIDTH - 1, 0, pages - 1)]
        rows = columns = None
        for x0, x1, p0, p1 in whole if old is None else merged(runs(old, new, self.OVERHEAD), self.OVERHEAD):
            # A window that has been filled begins again at its first page and column: only what is new is said.
            command = () if (x0, x1) == columns else (0x21, self._column + x0, self._column + x1)
            self.command(*command, *(() if (p0, p1) == rows else (0x22, p0, p1)))
            rows, columns = (p0, p1), (x0, x1)
            if p0 == p1 or (x0 == 0 and x1 == WIDTH - 1):
                self.data(new[p0 * WIDTH + x0 : p1 * WIDTH + x1 + 1])
            else:
                self.data(b"".join(new[p * WIDTH + x0 : p * WIDTH + x1 + 1] for p in range(p0, p1 + 1)))


class DirtySH1106(_Dirty, sh1106):  # type: ignore[misc]
    """An SH1106 that gets runs of columns: it knows pages only, and no windows (data sheet, page addressing)."""

    OVERHEAD = 7
    """Bytes that a run costs on I2C: address, control, 3 of command; address, control."""

    def __init__(self, serial: SerialInterface, height: int = 64, rotate: int = 0, column: int = 2) -> None:
        super().__init__(serial, width=WIDTH, height=height, rotate=rotate, page_address_offset=column)

    def _send(self, old: bytes | None, new: bytes) -> None:
        whole = [(0, WIDTH - 1, page, page) for page in range(len(new) // WIDTH)]
        for x0, x1, page, _ in whole if old is None else runs(old, new, self.OVERHEAD):
            column = self._page_address_offset + x0
            self.command(0xB0 | page, column & 0x0F, 0x10 | column >> 4)
            self.data(new[page * WIDTH + x0 : page * WIDTH + x1 + 1])
