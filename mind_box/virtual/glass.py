"""The screens of a virtual box: display chips on their buses, and what an eye sees on the glass."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image

from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus, Slave
from mind_box.virtual.oled_chip import WIDTH, OledChip, SH1106Chip, SSD1306Chip, SSD1309Chip

_BACK = {1: Image.Transpose.ROTATE_90, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_270}
"""Pillow's turn, anticlockwise, that undoes so many quarter turns."""


@dataclass(slots=True)
class Glass:
    """One screen of the box."""

    name: str
    chip: OledChip
    place: dict[int, Slave]
    """The bus or the multiplexer's channel that the chip is on."""
    address: int
    rotate: int = 0
    """Quarter turns clockwise of the picture on it: whoever it is meant for sees it upright."""
    frame: bytes = b""
    counted: int = -1
    plugged: bool = True

    def plug(self, plugged: bool) -> None:
        """Pulls the display's cable, or puts it back: either way its supply was gone."""
        self.plugged = plugged
        self.chip.power_cycle()
        if plugged:
            self.place[self.address] = self.chip
        else:
            del self.place[self.address]
        self.counted = -1

    def look(self) -> bytes | None:
        """The glass, if it is not what it was at the last look."""
        counted = self.chip.data_bytes + self.chip.command_bytes
        if counted == self.counted:
            return None
        self.counted = counted
        frame = frame_of(self.chip, self.rotate)
        if frame == self.frame:
            return None
        self.frame = frame
        return frame


def fit(settings: ScreenSettings, buses: dict[str, ModelBus]) -> Glass:
    """Solders a display to its bus, behind its multiplexer if it has one."""
    bus = buses.setdefault(settings.bus, ModelBus())
    place = bus.slaves
    if settings.mux is not None:
        mux = bus.slaves.setdefault(settings.mux, TCA9548A())
        assert isinstance(mux, TCA9548A)
        place = mux.channels[settings.channel]
    kind = {"ssd1306": SSD1306Chip, "ssd1309": SSD1309Chip, "sh1106": SH1106Chip}[settings.driver]
    chip = kind(settings.height, **({} if settings.column is None else {"column": settings.column}))
    place[settings.address] = chip
    return Glass(settings.name, chip, place, settings.address, settings.rotate)


def frame_of(chip: OledChip, rotate: int = 0) -> bytes:
    """The glass as bytes: contrast (0: dark), height, then rows of pixels, first pixel in the highest bit."""
    glows = chip.on and chip.powered()
    picture = _upright(chip) if glows and _is_upright(chip) else chip.picture()
    if rotate:
        picture = picture.transpose(_BACK[rotate])
    return bytes([chip.contrast if glows else 0, picture.height]) + picture.tobytes()


def _is_upright(chip: OledChip) -> bool:
    """Whether the registers are as luma sets them: the picture is the RAM, each column from the top."""
    plain = chip.segments_remapped and chip.rows_reversed and not (chip.inverted or chip.all_on or chip.scrolling)
    plain &= not (chip.com_pins ^ chip.WIRING[chip.height]) & 0x30
    return plain and chip.start_line == chip.offset == chip.COMS[chip.height] == 0 and chip.multiplex == chip.height - 1


def _upright(chip: OledChip) -> Image.Image:
    """What ``chip.picture()`` would give, forty times as fast: Pillow turns the columns into rows."""
    pages = chip.height // 8
    columns = bytearray(WIDTH * pages)
    for page in range(pages):
        start = page * chip.COLUMNS + chip.column
        columns[pages - 1 - page :: pages] = chip.ram[start : start + WIDTH]
    return Image.frombytes("1", (chip.height, WIDTH), bytes(columns)).transpose(Image.Transpose.ROTATE_90)
