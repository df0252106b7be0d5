"""Models of the SSD1306, the SSD1309 and the SH1106: they take the bytes of a message and show what an eye would see.

Sources: Solomon Systech SSD1306 rev 1.1 (commands: tables 9 and 10, addressing: 10.1, charge pump: application
note) and SSD1309 rev 1.1, Sino Wealth SH1106 V2.3 (commands: table 8). What differs for a driver: the SH1106 has 132
columns, knows page addressing only, does not wrap at the end of a page, and has a DC-DC converter of its own that is
on after reset; an SSD1306 module stays dark until its charge pump is switched on. The SSD1309 has no pump (its module
makes the 12 V) and no command for one, and it can be locked.

``power_cycle`` is a loose wire: they answer as before after it.
"""

from __future__ import annotations

import random
from typing import ClassVar

from PIL import Image

WIDTH = 128
ANALOG = {0xD5: "clock", 0xD9: "precharge", 0xDB: "vcomh"}
"""Settings of voltages and frequencies: a picture flickers or is pale with wrong ones."""


class OledChip:
    """What both controllers share. RAM is random at power-up, as in the real ones.

    ``height`` is the glass: 64 or 32 rows. ``column`` is the RAM column behind the glass's first column.
    """

    COLUMNS = 128
    ARGUMENTS: ClassVar[dict[int, int]] = {}
    """Commands that are followed by argument bytes, and how many."""
    IDENTITY = 0x03
    """Low bits of the status byte, as modules in the shops answer."""
    COMS: ClassVar[dict[int, int]] = {64: 0, 32: 0}
    """The COM line behind the first row, by height of the glass."""
    WIRING: ClassVar[dict[int, int]] = {64: 0x12, 32: 0x02}
    """The COM pins setting that fits the glass, by its height."""
    scrolling = False
    """The RAM moves by itself; an SH1106 cannot do that."""

    def __init__(self, height: int = 64, column: int = 0, seed: int = 1) -> None:
        self.height = height
        self.column = column
        self._random = random.Random(seed)
        self.power_cycle()

    def power_cycle(self) -> None:
        """The supply went away and came back: every register at its reset value, RAM undefined."""
        self.ram = bytearray(self._random.randbytes(self.COLUMNS * 8))
        self.on = False
        self.inverted = False
        self.all_on = False
        self.segments_remapped = False
        self.rows_reversed = False
        self.contrast = 0x7F
        self.start_line = 0
        self.offset = 0
        self.multiplex = 63
        self.com_pins = 0x12
        self.clock, self.precharge, self.vcomh = 0x80, 0x22, 0x20
        self.page = 0
        self.col = 0
        self.unknown: list[tuple[int, ...]] = []
        """Commands that the data sheet does not have, with their arguments."""
        self.data_bytes = 0
        self.command_bytes = 0
        self._waiting: list[int] | None = None
        """A command and the arguments that have come so far; survives the end of a message."""
        self._reset()

    def _reset(self) -> None:
        """The registers that only one of them has."""

    def write(self, payload: bytes) -> None:
        """One I2C message after the address: control bytes, commands, data (SSD1306 8.1.5.2)."""
        position = 0
        while position < len(payload):
            control = payload[position]
            position += 1
            take = self._data if control & 0x40 else self._command
            if control & 0x80:  # Co: one byte, then another control byte
                for byte in payload[position : position + 1]:
                    take(byte)
                position += 1
            else:
                for byte in payload[position:]:
                    take(byte)
                return

    def read(self, count: int) -> bytes:
        """The status byte: bit 6 is set while the display is off."""
        return bytes([self.IDENTITY | (0 if self.on else 0x40)]) * count

    def _command(self, byte: int) -> None:
        self.command_bytes += 1
        if self._waiting is None:
            self._waiting = [byte]
        else:
            self._waiting.append(byte)
        operation, *arguments = self._waiting
        if len(arguments) >= self.ARGUMENTS.get(operation, 0):
            self._waiting = None
            if not self._execute(operation, arguments):
                self.unknown.append((operation, *arguments))

    def _execute(self, operation: int, a: list[int]) -> bool:
        if operation <= 0x0F:
            self.col = (self.col & 0xF0) | operation
        elif operation <= 0x1F:
            self.col = (self.col & 0x0F) | (operation & 0x0F) << 4
        elif 0x40 <= operation <= 0x7F:
            self.start_line = operation & 63
        elif operation == 0x81:
            self.contrast = a[0]
        elif operation in (0xA0, 0xA1):
            self.segments_remapped = operation == 0xA1
        elif operation in (0xA4, 0xA5):
            self.all_on = operation == 0xA5
        elif operation in (0xA6, 0xA7):
            self.inverted = operation == 0xA7
        elif operation == 0xA8:
            self.multiplex = a[0] & 63
        elif operation in (0xAE, 0xAF):
            self.on = operation == 0xAF
        elif 0xB0 <= operation <= 0xB7:
            self.page = operation & 7
        elif 0xC0 <= operation <= 0xCF:
            self.rows_reversed = bool(operation & 8)
        elif operation == 0xD3:
            self.offset = a[0] & 63
        elif operation == 0xDA:
            self.com_pins = a[0] & 0x32
        elif operation in ANALOG:
            setattr(self, ANALOG[operation], a[0])
        elif operation != 0xE3:
            return self._execute_own(operation, a)
        return True

    def _execute_own(self, operation: int, a: list[int]) -> bool:
        raise NotImplementedError

    def _data(self, byte: int) -> None:
        self.data_bytes += 1
        if self.col < self.COLUMNS:
            self.ram[self.page * self.COLUMNS + self.col] = byte
        self._advance()

    def _advance(self) -> None:
        raise NotImplementedError

    def powered(self) -> bool:
        """Whether the glass gets its voltage."""
        raise NotImplementedError

    def row(self, y: int) -> list[bool]:
        """Which pixels of a row glow, on a module that is wired as usual (upright with A1 and C8)."""
        com = y if self.rows_reversed else self.height - 1 - y
        if not self.on or not self.powered() or (com > self.multiplex and not self.all_on):
            return [False] * WIDTH
        if self.all_on:
            return [True] * WIDTH
        if (self.com_pins ^ self.WIRING[self.height]) & 0x10:
            com = com // 2 + com % 2 * (self.height // 2)  # every other line of the glass is driven as if it were
        if (self.com_pins ^ self.WIRING[self.height]) & 0x20:  # the next one; and the halves change places
            com ^= self.height // 2
        line = (com - self.COMS[self.height] + self.start_line + self.offset) & 63
        page = self._page(line >> 3)
        if not self.segments_remapped:
            page.reverse()
        mask = 1 << (line & 7)
        return [bool(byte & mask) != self.inverted for byte in page[self.column : self.column + WIDTH]]

    def _page(self, page: int) -> bytearray:
        """A page of the RAM as it is shown, the lowest column first."""
        return self.ram[page * self.COLUMNS :][: self.COLUMNS]

    def picture(self) -> Image.Image:
        """What an eye sees, as a mode ``1`` picture."""
        image = Image.new("1", (WIDTH, self.height))
        image.putdata([255 * lit for y in range(self.height) for lit in self.row(y)])
        return image


class SSD1306Chip(OledChip):
    """Solomon Systech SSD1306: 128 columns, three addressing modes, windows, a charge pump to be switched on."""

    ARGUMENTS: ClassVar[dict[int, int]] = {
        0x20: 1, 0x21: 2, 0x22: 2, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0x81: 1, 0x8D: 1, 0xA3: 2, 0xA8: 1,
        0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1,
    }  # fmt: skip

    def _reset(self) -> None:
        self.scrolling = False
        self.mode = 2
        """0 horizontal, 1 vertical, 2 page addressing."""
        self.first_column, self.last_column = 0, 127
        self.first_page, self.last_page = 0, 7
        self.pump = False

    def powered(self) -> bool:
        return self.pump

    def _execute_own(self, operation: int, a: list[int]) -> bool:
        if operation in (0x2E, 0x2F):
            if self.scrolling and operation == 0x2E:  # the RAM stays where it has been moved to
                self.ram = bytearray(b"".join(self._page(page) for page in range(8)))
            self.scrolling = operation == 0x2F
            return True
        if operation == 0x20:
            self.mode = a[0] & 3
            return self.mode != 3
        if operation == 0x21:
            self.first_column, self.last_column = a[0] & 127, a[1] & 127
            self.col = self.first_column
            return self.first_column <= self.last_column
        if operation == 0x22:
            self.first_page, self.last_page = a[0] & 7, a[1] & 7
            self.page = self.first_page
            return self.first_page <= self.last_page
        if operation == 0x8D:
            self.pump = bool(a[0] & 4)
        else:
            return operation in (0x26, 0x27, 0x29, 0x2A, 0xA3)
        return True

    def _page(self, page: int) -> bytearray:
        shown = super()._page(page)
        return shown[8:] + shown[:8] if self.scrolling else shown

    def _advance(self) -> None:
        if self.mode == 2:
            self.col = (self.col + 1) & 127
        elif self.mode == 0:
            if self.col == self.last_column:
                self.col = self.first_column
                self.page = self.first_page if self.page == self.last_page else (self.page + 1) & 7
            else:
                self.col = (self.col + 1) & 127
        elif self.page == self.last_page:
            self.page = self.first_page
            self.col = self.first_column if self.col == self.last_column else (self.col + 1) & 127
        else:
            self.page = (self.page + 1) & 7


class SSD1309Chip(SSD1306Chip):
    """Solomon Systech SSD1309, as the worst of its modules in the shops would be.

    It is an SSD1306 to the eye, but: no charge pump; ``0xFD`` locks it, and then it takes nothing but that again; its
    scroll commands have seven arguments; a VCOMH that is none of its three leaves the glass dark; and its status byte
    has the low bits of an SH1106, so that nobody relies on them.
    """

    IDENTITY = 0x08
    ARGUMENTS: ClassVar[dict[int, int]] = {
        0x20: 1, 0x21: 2, 0x22: 2, 0x26: 7, 0x27: 7, 0x29: 7, 0x2A: 7, 0x2C: 7, 0x2D: 7, 0x81: 1, 0xA3: 2, 0xA8: 1,
        0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1, 0xDC: 1, 0xFD: 1,
    }  # fmt: skip

    def _reset(self) -> None:
        super()._reset()
        self.locked = False
        self.vcomh = 0x34

    def powered(self) -> bool:
        return self.vcomh & 0x3C in (0x00, 0x34, 0x3C)

    def _execute(self, operation: int, a: list[int]) -> bool:
        if operation == 0xFD:
            self.locked = bool(a[0] & 4)
            return a[0] in (0x12, 0x16)
        return self.locked or super()._execute(operation, a)

    def _execute_own(self, operation: int, a: list[int]) -> bool:
        return operation in (0x2C, 0x2D, 0xDC) or (operation != 0x8D and super()._execute_own(operation, a))

    def _data(self, byte: int) -> None:
        if not self.locked:
            super()._data(byte)


class SH1106Chip(OledChip):
    """Sino Wealth SH1106: 132 columns, page addressing only, the column pointer stops at the end."""

    COLUMNS = 132
    IDENTITY = 0x08
    COMS: ClassVar[dict[int, int]] = {64: 0, 32: 15}
    """32 rows: as luma's settings take it to be (display offset 15); no such module was at hand."""
    WIRING: ClassVar[dict[int, int]] = {64: 0x12, 32: 0x12}
    ARGUMENTS: ClassVar[dict[int, int]] = {
        0x81: 1, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1,
    }  # fmt: skip

    def __init__(self, height: int = 64, column: int = 2, seed: int = 1) -> None:
        super().__init__(height, column, seed)

    def _reset(self) -> None:
        self.converter = True
        self._marked: int | None = None

    def powered(self) -> bool:
        return self.converter

    def _execute_own(self, operation: int, a: list[int]) -> bool:
        if operation == 0xAD:
            self.converter = bool(a[0] & 1)
        elif operation == 0xE0:  # read-modify-write: the column comes back at its end
            self._marked = self.col
        elif operation == 0xEE:
            self.col = self.col if self._marked is None else self._marked
            self._marked = None
        else:
            return 0x30 <= operation <= 0x33  # pump voltage
        return True

    def _advance(self) -> None:
        if self._marked is None or self.col < self.COLUMNS:
            self.col = min(self.col + 1, self.COLUMNS)
