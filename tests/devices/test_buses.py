"""The ways to a screen: the kernel's I2C device, and SPI with its data/command pin."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mind_box.devices.oled.i2c import CHUNK, I2C_SLAVE, I2CInterface, LinuxBus, SharedBus, open_bus
from mind_box.devices.oled.screens import QUIET, open_screens
from mind_box.devices.oled.spi import open_spidev
from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip
from tests.devices.aids import HandClock, Inbox, Workers, picture, same


def test_the_kernels_bus_gets_one_write_per_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "i2c-7"
    device.write_bytes(b"")
    selected = []
    monkeypatch.setattr("fcntl.ioctl", lambda _fd, request, address: selected.append((request, address)))
    bus = LinuxBus(str(device))
    bus.write(0x3C, b"\x00\xae")
    bus.write(0x3C, b"\x40" + bytes(1024))
    bus.write(0x3D, b"\x00")
    assert selected == [(I2C_SLAVE, 0x3C), (I2C_SLAVE, 0x3D)]
    assert device.read_bytes() == b"\x00\xae\x40" + bytes(1025)
    bus.close()
    again = LinuxBus(str(device))
    assert again.read(0x3D, 2) == b"\x00\xae"
    again.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        bus.write(0x3D, b"\x00")


def test_a_message_that_was_taken_in_part_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "i2c-7"
    device.write_bytes(b"")
    monkeypatch.setattr("fcntl.ioctl", lambda *_: None)
    monkeypatch.setattr("os.write", lambda _fd, data: len(data) - 1)
    bus = LinuxBus(str(device))
    with pytest.raises(OSError, match="part"):
        bus.write(0x3C, b"\x00\xae")
    bus.close()


def test_names_of_buses(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="/dev/i2c-99"):
        open_bus("i2c-99")
    bus = open_bus(f"sim:{tmp_path}/wire")
    bus.write(0x3C, b"\x00")
    bus.close()
    assert (tmp_path / "wire").read_text() == "3c 00\n"


def test_long_data_is_cut_where_the_kernel_needs_it() -> None:
    bus = ModelBus({0x3C: SSD1306Chip()})
    lengths: list[int] = []
    bus.trouble = lambda _, payload: lengths.append(len(payload or b""))
    I2CInterface(SharedBus("i2c-1", lambda _: bus), 0x3C).data(bytes(CHUNK + 10))
    assert lengths == [CHUNK + 1, 11]


def test_a_multiplexer_is_set_only_when_the_channel_changes() -> None:
    mux = TCA9548A()
    for channel in (1, 2):
        mux.channels[channel][0x3C] = SSD1306Chip()
    bus = ModelBus({0x70: mux})
    sets: list[bytes | None] = []
    bus.trouble = lambda address, payload: sets.append(payload) if address == 0x70 else None
    shared = SharedBus("i2c-1", lambda _: bus)
    ports = [I2CInterface(shared, 0x3C, 0x70, channel) for channel in (1, 2)]
    for port in (ports[0], ports[0], ports[1], ports[1], ports[0]):
        port.command(0xE3)
    assert sets == [b"\x02", b"\x04", b"\x02"]


def test_a_multiplexer_that_misses_one_message_is_closed_all_the_same() -> None:
    """Else two panels of one address would get the same picture."""
    muxes = {0x70: TCA9548A(), 0x71: TCA9548A()}
    for mux in muxes.values():
        mux.channels[0][0x3C] = SSD1306Chip()
    bus = ModelBus(dict(muxes))
    shared = SharedBus("i2c-1", lambda _: bus)
    first, second = (I2CInterface(shared, 0x3C, mux) for mux in muxes)
    first.command(0xE3)
    spark = [errno.EREMOTEIO]

    def trouble(address: int, _: bytes | None) -> None:
        if address == 0x70 and spark:
            raise OSError(spark.pop(), "Remote I/O error")

    bus.trouble = trouble
    second.command(0xE3)
    assert [mux.mask for mux in muxes.values()] == [0, 1]


class ModelSpi:
    """spidev.SpiDev's face over a chip; the data/command pin says what the bytes are."""

    def __init__(self, wires: Wires) -> None:
        self._wires = wires
        self.max_speed_hz = 0

    def open(self, port: int, device: int) -> None:
        self._wires.check((port, device))
        self._place = (port, device)

    def writebytes(self, data: list[int]) -> None:
        self._wires.check(self._place)
        dc = self._wires.dc[self._place]
        self._wires.chips[self._place].write(bytes([0x40 if self._wires.levels[dc] else 0x00, *data]))

    def close(self) -> None:
        self._wires.closed += 1
        self._wires.check(self._place)


class Wires:
    """A controller with two chip selects that share the data/command and the reset pin."""

    def __init__(self) -> None:
        self.chips: dict[tuple[int, int], OledChip] = {(0, 0): SSD1306Chip(), (0, 1): SH1106Chip()}
        self.dc = {(0, 0): 24, (0, 1): 24}
        self.levels: dict[int, bool] = {}
        self.resets = 0
        self.closed = 0
        self.error: Exception | None = None
        self.missing: tuple[int, int] | None = None
        """A chip select that the kernel does not have."""

    def check(self, place: tuple[int, int] | None = None) -> None:
        if self.error is not None:
            raise self.error
        if place is not None and place == self.missing:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    def output(self, pin: int) -> Wire:
        self.check()
        self.levels[pin] = False
        return Wire(self, pin)

    def spi(self) -> ModelSpi:
        return ModelSpi(self)


class Wire:
    def __init__(self, wires: Wires, pin: int) -> None:
        self._wires = wires
        self._pin = pin

    def light(self, on: bool) -> None:
        if self._pin == 23 and on and not self._wires.levels[23]:
            self._wires.resets += 1
            for chip in self._wires.chips.values():
                chip.power_cycle()
        self._wires.levels[self._pin] = on

    def close(self) -> None:
        self._wires.levels.pop(self._pin)


class SpiBench:
    def __init__(self, inbox: Inbox, clock: HandClock) -> None:
        self.wires = Wires()
        self.clock = clock
        settings = [
            ScreenSettings(bus="spi-0.0", dc_pin=24, reset_pin=23),
            ScreenSettings(seat=1, bus="spi-0.1", driver="sh1106", dc_pin=24, reset_pin=23),
        ]
        workers = Workers()
        self.screens = open_screens(
            settings,
            inbox.append,
            open_output=self.wires.output,
            open_spi=self.wires.spi,
            clock=clock,
            make_worker=workers,
        )
        (self.worker,) = workers

    def show(self, text: str) -> None:
        for screen in self.screens.values():
            screen.show(lambda: picture(text))
        while self.worker.due():
            self.worker.step()


def test_two_screens_on_spi(inbox: Inbox, clock: HandClock) -> None:
    bench = SpiBench(inbox, clock)
    for text in ("1", "2"):
        bench.show(text)
        for chip in bench.wires.chips.values():
            assert same(chip.picture(), picture(text))
    assert bench.wires.resets == 1  # of a shared pin: a second pulse would wipe the other screen
    assert inbox == []


def test_spi_goes_and_comes_back(inbox: Inbox, clock: HandClock) -> None:
    bench = SpiBench(inbox, clock)
    bench.show("1")
    bench.wires.error = OSError(errno.ENODEV, "No such device")
    bench.show("2")
    assert inbox.faults == [("table-screen", True), ("seat-screen 1", True)]
    assert bench.wires.levels == {}  # its pins are free
    bench.wires.error = None
    clock.now += 2
    bench.show("3")
    assert inbox.faults[2:] == [("table-screen", False), ("seat-screen 1", False)]
    for chip in bench.wires.chips.values():
        assert same(chip.picture(), picture("3"))


@pytest.mark.parametrize(("lost", "name"), [((0, 0), "table-screen"), ((0, 1), "seat-screen 1")])
@pytest.mark.parametrize("from_the_start", [True, False])
def test_one_screen_that_is_missing_leaves_the_other_alone(
    inbox: Inbox, clock: HandClock, lost: tuple[int, int], name: str, from_the_start: bool
) -> None:
    """They share the reset pin: its pulse would wipe a picture that the box believes to be there."""
    bench = SpiBench(inbox, clock)
    if not from_the_start:
        bench.show("0")
    bench.wires.missing = lost
    for text in ("1", "1", "2"):
        bench.show(text)
        for place, chip in bench.wires.chips.items():
            assert place == lost or same(chip.picture(), picture(text))
        clock.now += 60
    assert inbox.faults == [(name, True)]
    bench.wires.missing = None
    bench.show("3")
    assert inbox.faults == [(name, True), (name, False)]
    for chip in bench.wires.chips.values():
        assert same(chip.picture(), picture("3"))


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file"), "dtparam=spi=on"),
        (PermissionError(errno.EACCES, "Permission denied"), "group spi"),
        (RuntimeError("no pin factory"), "no pin factory"),
    ],
)
def test_what_is_wrong_with_spi_is_said_with_its_cure(
    inbox: Inbox, clock: HandClock, error: Exception, cure: str
) -> None:
    bench = SpiBench(inbox, clock)
    bench.wires.error = error
    bench.show("1")
    assert cure in inbox.why("table-screen")


def test_spi_without_its_package(inbox: Inbox, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", None)
    wires = Wires()
    workers = Workers()
    open_screens(
        [ScreenSettings(bus="spi-0.0")], inbox.append, open_output=wires.output, clock=clock, make_worker=workers
    )
    workers[0].step()
    assert "/bin/pip install spidev" in inbox.why("table-screen")


def test_spi_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("spidev")
    module.SpiDev = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spidev", module)
    assert open_spidev() == {}


def test_spi_pins_need_a_pin_factory(inbox: Inbox, clock: HandClock) -> None:
    workers = Workers()
    open_screens([ScreenSettings(bus="spi-0.0")], inbox.append, clock=clock, make_worker=workers)
    workers[0].step()
    assert "pins cannot be had" in inbox.why("table-screen")


@pytest.mark.parametrize("rests", [True, False])
def test_spi_displays_that_were_without_power_are_right_again(inbox: Inbox, clock: HandClock, rests: bool) -> None:
    """They cannot be asked: by the clock at rest, and with the next picture in play, all of it comes again."""
    bench = SpiBench(inbox, clock)
    for screen in bench.screens.values():
        screen.resting(rests)
    bench.show("1")
    for chip in bench.wires.chips.values():
        chip.power_cycle()
    clock.now += 10
    bench.show("1" if rests else "2")
    clock.now += QUIET
    while bench.worker.due():
        bench.worker.step()
    for chip in bench.wires.chips.values():
        assert same(chip.picture(), picture("1" if rests else "2"))
    assert inbox == []
