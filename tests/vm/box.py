"""The box in the guest: its settings, its buttons, its lamps, its scanner and its screen."""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass
from typing import Any

from PIL import Image

from mind_box.settings.schema import GpioSettings
from mind_box.table.inputs import STAR
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip
from tests.vm.guest import PATIENCE, Guest, GuestError, until
from tests.vm.qemu import ARM, SCANNER

SETTINGS = "/etc/mind-box/box.toml"
UNIT = "mind-box.service"
RECORD = struct.Struct("<QHHH")
"""A record of the tap: nanoseconds, address, length, flags."""
REFUSED, READING = 1, 2
GATHER = 2.6
"""Seconds that hands stay down to start a game; the setting is 2.0."""
HANDS_SEEN = 5.0
"""Seconds that a hand on the table is waited for: a loaded machine is slow."""
ON_AND_OFF = 0.12
"""Seconds that a finger stays down, and the rest after it: a machine that is emulated gets some more than the
0.1 s of a script."""


@dataclass(frozen=True)
class Message:
    """One message on the I2C bus."""

    ns: int
    address: int
    payload: bytes
    refused: bool
    reading: bool


def messages(records: bytes) -> list[Message]:
    """The records of the tap, read."""
    found, at = [], 0
    while at + RECORD.size <= len(records):
        ns, address, length, flags = RECORD.unpack_from(records, at)
        at += RECORD.size
        found.append(Message(ns, address, records[at : at + length], bool(flags & REFUSED), bool(flags & READING)))
        at += length
    return found


def picture(records: bytes, address: int = 0x3C) -> Image.Image:
    """What an eye would have seen at the end of this traffic."""
    chip = SSD1306Chip()
    bus = ModelBus({address: chip})
    for message in messages(records):
        if message.address == address and not message.refused and not message.reading:
            bus.write(address, message.payload)
    return chip.picture()


class Box:
    """A box with the default pin map in ``guest``."""

    def __init__(self, guest: Guest) -> None:
        self.guest = guest
        self.gpio = GpioSettings()
        self.device = SCANNER

    # -- the service

    def configure(self, settings: str = "", reader: str = "", gpio: str = "") -> None:
        """Writes the settings: the scanner's place, and these lines besides."""
        reader = reader or f'device = "{self.device}"\n'
        self.guest.sh("mkdir -p /etc/mind-box")
        self.guest.call("shell.put", SETTINGS, f"[gpio]\n{gpio}\n[[screen]]\n[[reader]]\n{reader}\n{settings}\n")

    def restart(self, empty: bool = False) -> dict[str, Any]:
        """Starts the service (with an empty journal, if wished) and waits for its View."""
        self.guest.sh(f"systemctl stop {UNIT}; systemctl reset-failed {UNIT}", check=False)
        if empty:
            self.guest.sh("rm -rf /var/lib/mind-box/journal.db*")
        self.rest()
        self.guest.sh(f"systemctl start {UNIT} || journalctl -u {UNIT} -n 30 -o cat --no-pager")
        return self.until_up()

    def rest(self) -> None:
        """All buttons up."""
        self.guest.call("lines.drive", [[pin, 1] for pin in self.buttons.values()])

    def until_up(self) -> dict[str, Any]:
        """Waits for the service; its View."""

        def up() -> Any:
            return self.guest.call("service.view")

        try:
            view: dict[str, Any] = until(up, "the service", 60)
        except GuestError as e:
            raise GuestError(f"{e}:\n{self.log}") from None
        return view

    @property
    def view(self) -> dict[str, Any]:
        """What it shows."""
        view = self.guest.call("service.view")
        if view is None:
            raise GuestError(f"no box answers:\n{self.log}")
        return dict(view)

    def expect(self, seconds: float = 20.0, **fields: Any) -> dict[str, Any]:
        """Waits until the View has these values; raises ``GuestError`` with what it has instead."""
        seen = self.guest.call("service.wait_view", fields, seconds, seconds=seconds + PATIENCE)
        if seen is None or any(seen[name] != value for name, value in fields.items()):
            now = None if seen is None else {name: seen[name] for name in fields}
            raise GuestError(f"expected {fields}, got {now}\n{self.log}")
        return dict(seen)

    @property
    def log(self) -> str:
        """The service's log of this boot."""
        return self.guest.sh(f"journalctl -b -u {UNIT} -o short-monotonic --no-pager -n 60", check=False)

    # -- fingers, cards, eyes

    @property
    def buttons(self) -> dict[int, int]:
        """Button (0 is star) to BCM number."""
        return {STAR: self.gpio.star_button, **dict(enumerate(self.gpio.seat_buttons, 1))}

    def hold(self, *buttons: int, seconds: float = ON_AND_OFF, rest: float = ON_AND_OFF) -> None:
        """Down together, up together."""
        self.guest.call("lines.gesture", [self.buttons[b] for b in buttons], seconds, rest)

    def hands(self, *seats: int, seconds: float = 0.0) -> None:
        """Hands go down together, are seen, stay for so long, and are lifted: a player who looks at the box."""
        begun = time.monotonic()
        self.press(*seats)
        self.guest.call("service.wait_view", {"hands_down": sorted(seats)}, HANDS_SEEN)
        time.sleep(max(begun + seconds - time.monotonic(), 0.0))
        self.lift(*seats)
        self.guest.call("service.wait_view", {"hands_down": []}, HANDS_SEEN)

    def begin(self, *seats: int) -> None:
        """A game with these seats, level 1 begun: the box is in play."""
        self.hands(*seats, seconds=GATHER)
        self.expect(phase="focus", reason="level", seats=list(seats))
        self.hands(*seats)
        self.expect(phase="play")

    def press(self, *buttons: int) -> None:
        """Down, and they stay down."""
        self.guest.call("lines.drive", [[self.buttons[b], 0] for b in buttons])

    def lift(self, *buttons: int) -> None:
        """Up."""
        self.guest.call("lines.drive", [[self.buttons[b], 1] for b in buttons])

    def lamps(self) -> tuple[int, int, tuple[int, ...]]:
        """Life lamps and star lamps that are lit (counts), and the seats whose lamps are."""
        g = self.gpio
        lit = self.guest.call("lines.values", [*g.life_lamps, *g.star_lamps, *g.seat_lamps])
        lives, stars = len(g.life_lamps), len(g.star_lamps)
        return (
            sum(lit[:lives]),
            sum(lit[lives : lives + stars]),
            tuple(seat for seat, on in enumerate(lit[lives + stars :], 1) if on),
        )

    def scan(self, payload: str, settle: float = 0.7) -> None:
        """The scanner reads a code; then waits until the View has changed, or the table is content as it was."""
        before = self.view
        self.guest.scan(payload)
        self.guest.call("service.wait_other", before, settle)

    def picture(self) -> Image.Image:
        """What the table screen shows."""
        return picture(self.guest.tap())


def switch_header(box: Box, on: bool) -> None:
    """Takes the header's GPIO chip away from under whoever uses it, or gives it back."""
    if ARM:
        box.guest.sh(f"echo gpio-sim > /sys/bus/platform/drivers/gpio-sim/{'bind' if on else 'unbind'}")
    else:
        box.guest.sh(f"echo {int(on)} > /sys/kernel/config/gpio-sim/pi/live")
