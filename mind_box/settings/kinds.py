"""The kinds of card reader and of lamp, a row each: settings, drivers, doctor, checks, drawings and pages read them."""

from __future__ import annotations

from typing import Literal

from mind_box.game.figures import MAX_LIVES, MAX_STARS
from mind_box.game.values import dataclass

HEADER_UART = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")
"""The serial port on the header, by its names; it takes GPIO 14 and 15."""


@dataclass(frozen=True, slots=True)
class ReaderKind:
    """One kind of card reader."""

    driver: str
    """The module of ``mind_box.devices.readers`` whose ``driver`` makes it; only a box that has one imports it."""
    part: str
    """Its name in the drawings."""
    milliamperes: float
    """What it takes from 5 V."""
    device: str = "/dev/mind-box-scanner"
    """Its path where the settings name none: systemd/udev.rules gives these names."""
    speed: int = 9600
    """Bits a second on its serial line."""
    keyboard: bool = False
    """The kernel takes it for a keyboard; else it is on a serial line."""
    optical: bool = False
    """It reads labels; else tags."""
    handling: float = 0.9
    """Seconds that a person needs to take a card from the hand, show it and let go: an estimate, from which ghosts go
    on (R43). Where the pile itself lies under the reader, laying is showing."""
    resolves: float = 0.05
    """Seconds: of two cards that come closer together than this it cannot be told which was first (R37)."""

    @property
    def group(self) -> str:
        """Whose members may open it."""
        return "input" if self.keyboard else "dialout"

    @property
    def folder(self) -> str:
        """Where the kernel's names for it are that survive replugging."""
        return "/dev/input/by-id" if self.keyboard else "/dev/serial/by-id"


UnseenAt = Literal["antenna", "slot", "hood"]
"""Where a reader takes a card that nobody sees: face down over its antenna, in its slot, in the hood over its tray."""

READERS = {
    "serial": ReaderKind("lines", "QR scanner (GM65 or the like)", 200.0, optical=True),
    "hid": ReaderKind(
        "lines", "QR scanner as a keyboard", 200.0, keyboard=True, optical=True, handling=1.0, resolves=0.1
    ),
    "pn532": ReaderKind("pn532", "PN532 on a USB serial adapter", 150.0, speed=115200, handling=0.7),
    "rdm6300": ReaderKind("rdm6300", "RDM6300 on a USB serial adapter", 50.0, handling=0.7, resolves=0.1),
    "firmware": ReaderKind(
        "board",
        "RP2040 board (Raspberry Pi Pico)",
        250.0,
        device="/dev/mind-box-board",
        speed=115200,
        handling=0.6,
        resolves=0.02,
    ),
}
"""By ``reader.kind``. What they resolve: a 2D scanner looks 30 times a second and needs two pictures, a keyboard types
a code key by key, a tag is looked for every 0.05 s, our board tells itself when it first saw one. The currents: a 2D
scanner with its light on (GM65: 160), a PN532 with its field on."""


@dataclass(frozen=True, slots=True)
class LampGroup:
    """Lamps of one meaning, named by one setting of ``[gpio]``."""

    kind: str
    count: int | None
    """None: one a seat."""
    name: str
    """What the lamp of this number is called."""

    @property
    def setting(self) -> str:
        """Its list of pins in ``GpioSettings``."""
        return f"{self.kind}_lamps"


LAMPS = (
    LampGroup("seat", None, "seat {} lamp"),
    LampGroup("life", MAX_LIVES, "life lamp {}"),
    LampGroup("star", MAX_STARS, "star lamp {}"),
)


def usual(field: str) -> str:
    """A field's value that most kinds of reader have, and which others have which: for the settings' own words."""
    values = {kind: getattr(row, field) for kind, row in READERS.items()}
    most, *others = sorted(set(values.values()), key=[*values.values()].count, reverse=True)
    rare = [f", of kind {' and '.join(kind for kind in values if values[kind] == value)} {value}" for value in others]
    return f"{most}{''.join(rare)}"
