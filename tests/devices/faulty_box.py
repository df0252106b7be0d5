"""A box on models of its chips, whose buses, contacts and cables fail."""

from __future__ import annotations

import errno
from collections.abc import Callable

from luma.core.error import DeviceNotFoundError

from mind_box.devices.ports import Devices, Reader
from mind_box.table.inputs import Input, Post, Scan
from mind_box.virtual.i2c_bus import TCA9548A
from mind_box.virtual.oled_chip import OledChip
from tests.models.model_box import MUX, ModelBox
from tests.readers import faults
from tests.readers.faults import Injector
from tests.readers.models import ReaderModel

ERRORS: tuple[Callable[[], Exception], ...] = (
    *faults.ERRORS,
    lambda: OSError(errno.EREMOTEIO, "Remote I/O error"),
    lambda: DeviceNotFoundError("I2C device not found on address: 0x3C"),
)
"""What a bus, or a library above it, raises."""
BOUNCE = 0.004
"""Seconds of chatter after a press or a lift. The scripts look 30 ms after a press, the table's window is 25."""
MERGED = 0.003
"""Seconds after an edge in which the kernel may lose the next one."""
SPIKE = 0.001
APART = 0.045
"""Seconds between two spikes on one button: they must not look like a level."""


class FaultyBox(ModelBox):
    """A box in bad surroundings, for as long as ``faults`` are on."""

    def __init__(self, seats: int, faults: Injector, reader: ReaderModel) -> None:
        super().__init__(seats)
        self.faults = faults
        self.rng = faults.rng
        self.reader = reader
        self.pulled = False
        """Whether the script has unplugged the reader."""
        self.posted: list[Input] = []
        """Since the daemon was started last."""
        self.scans: list[str] = []
        self.bus.trouble = self._trouble

    def open(self, post: Post) -> Devices:
        self.posted = []

        def watched(message: Input) -> None:
            self.posted.append(message)
            if isinstance(message, Scan):
                self.scans.append(message.payload)
            post(message)

        return super().open(watched)

    def _reader(self, post: Post) -> Reader:
        return self.reader.open(post)

    def unplug(self, device: str) -> None:
        if device == "reader":
            self.pulled = True
            self.reader.unplug()
        else:
            super().unplug(device)

    def plug(self, device: str) -> None:
        if device != "reader":
            super().plug(device)
        elif self.pulled:
            self.pulled = False
            self.reader.plug()

    def cut_power(self) -> None:
        super().cut_power()
        if self.reader.cable.plugged:
            self.reader.cut_power()

    # The bus

    def _trouble(self, address: int, payload: bytes | None) -> None:
        self._pulled(address, payload)
        if payload and self.faults.hit("cut message", 0.01):
            for slave in self.bus.reached(address):
                slave.write(payload[: self.rng.randrange(len(payload))])
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        if self.faults.hit("bus or library error", 0.02):
            raise self.faults.error(ERRORS)

    def glitch(self) -> None:
        """Something loses its supply for a moment, and answers again as if nothing had been."""
        mux = self.bus.slaves[MUX]
        assert isinstance(mux, TCA9548A)
        supplied: list[TCA9548A | OledChip] = [mux, *self.panels.values()]
        self.rng.choice(supplied).power_cycle()

    # The buttons

    def press(self, button: int, told: bool = True) -> None:
        super().press(button, told)
        if told:
            self._chatter(button)

    def lift(self, button: int, told: bool = True) -> None:
        super().lift(button, told)
        if told:
            self._chatter(button)

    def _chatter(self, button: int) -> None:
        """Contacts bounce, and the kernel may lose an edge among those that come close together."""
        if not self.faults.hit("chatter", 0.5):
            return
        told = 0.0
        times = sorted(self.rng.uniform(0, BOUNCE) for _ in range(2 * self.rng.randrange(1, 6)))
        for n, time in enumerate(times):
            down = (button in self.down) == bool(n % 2)
            lost = time - told < MERGED and self.rng.random() < 0.3
            told = told if lost else time
            self.loop.call_later(time, self._bounce, button, down, lost)

    def _bounce(self, button: int, down: bool, lost: bool) -> None:
        if self.chip.gone:
            return
        if lost:
            self.faults.hit("lost edge")
            self.chip.lines[self.pin(button)].driven = not down
        else:
            self.chip.drive(self.pin(button), not down)

    def spike(self, button: int) -> None:
        """A millisecond of the other level: an electric spark, not a finger."""
        down = button in self.down
        self.chip.drive(self.pin(button), down)
        self.loop.call_later(SPIKE, self._end_of_spike, button)

    def _end_of_spike(self, button: int) -> None:
        self.chip.drive(self.pin(button), button not in self.down)
