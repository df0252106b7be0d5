"""The firmware's bus files on CPython, each against its chip model: long answers, silence, a bus that fails."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from mind_box.devices.nfc.frames import Decoder, command
from mind_box.devices.nfc.sink import Sink
from mind_box.devices.nfc.watch import Watch, targets
from tests.firmware.model_board import module
from tests.models.pn532_buses import Pn532I2c, Pn532Spi
from tests.models.pn532_chip import Pn532Chip
from tests.models.tags import Field, Tag

SETTINGS = SimpleNamespace(
    I2C_ID=0, I2C_SDA=4, I2C_SCL=5, I2C_FREQ=100000, SPI_ID=0, SPI_SCK=18, SPI_MOSI=19, SPI_MISO=16, SPI_CS=17
)
ATS = bytes((20, *range(19)))


class Table:
    """A bus file, the chip behind it, and a clock that is turned by hand."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.field = Field()
        self.chip = Pn532Chip(self.field)
        self.reads: list[int] = []
        machine = ModuleType("machine")
        self.slave: Pn532I2c | Pn532Spi
        if name == "bus_i2c":
            self.slave = self._i2c = Pn532I2c(self.chip, lambda: self.now)
            machine.I2C = lambda *_, **__: self  # type: ignore[attr-defined]
            machine.Pin = lambda *_: None  # type: ignore[attr-defined]
        else:
            self.slave = self._spi = Pn532Spi(self.chip, lambda: self.now)
            machine.SPI = lambda *_, **__: SimpleNamespace(  # type: ignore[attr-defined]
                write=self._spi.transfer, read=lambda count: self._spi.transfer(bytes(count))
            )
            machine.Pin = lambda *_, **__: SimpleNamespace(value=lambda v: self._spi.select(not v))  # type: ignore[attr-defined]
            machine.Pin.OUT = 1
        monkeypatch.setitem(sys.modules, "machine", machine)
        self.bus = module(name).Bus(SETTINGS)

    def writeto(self, address: int, data: bytes) -> None:
        assert address == 0x24
        if not self._i2c.write(data):
            raise OSError(5, "EIO")

    def readfrom(self, address: int, count: int) -> bytes:
        assert address == 0x24
        self.reads.append(count)
        data = self._i2c.read(count)
        if data is None:
            raise OSError(5, "EIO")
        return data

    def ask(self, code: int, params: bytes) -> list[bytes]:
        """The frames that come back."""
        decoder = Decoder()
        self.bus.write(command(code, params))
        frames = []
        for _ in range(100):
            self.now += 0.002
            frames += decoder.feed(self.bus.read())
        return frames


@pytest.fixture(params=["bus_i2c", "bus_spi"])
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(request.param, monkeypatch)


def test_the_first_frame_wakes_the_chip_and_the_second_is_answered(table: Table) -> None:
    assert table.ask(0x02, b"") == []
    assert table.ask(0x02, b"") == [b"", bytes.fromhex("d50332010607")]


def test_an_answer_longer_than_the_first_read_is_read_by_its_length(table: Table) -> None:
    """CircuitPython_PN532#13."""
    table.ask(0x02, b"")
    table.ask(0x32, b"\x05\xff\x01\x01")
    first, second = Tag(bytes(range(4, 14)), 0x20, ATS), Tag(bytes(range(5, 15)), 0x20, ATS)
    table.field.put(first)
    table.field.put(second)
    ack, answer = table.ask(0x4A, b"\x02\x00")
    assert ack == b""
    assert len(answer) > 60
    assert targets(answer[2:]) == [(1, first.uid, 0x20), (2, second.uid, 0x20)]


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_a_bus_that_is_held_at_one_level_is_a_silent_chip(table: Table, level: int) -> None:
    """Ready for ever, or never: the watch finds no frame in it, says so, and finds the chip again."""
    said: list[bool] = []

    class Ear(Sink):
        send = table.bus.write

        def up(self, version: bytes) -> None:  # noqa: ARG002
            said.append(True)

        def down(self, why: str) -> None:  # noqa: ARG002
            said.append(False)

    watch = Watch(Ear())
    watch.start(0)

    def run(seconds: float) -> None:
        end = table.now + seconds
        while table.now < end:
            table.now += 0.002
            if data := table.bus.read():
                watch.feed(data, int(table.now * 1000))
            watch.tick(int(table.now * 1000))

    run(1)
    table.slave.stuck = level
    run(10)
    assert said == [True, False]
    table.slave.stuck = None
    run(3)
    assert said == [True, False, True]


def test_a_bus_on_which_nobody_answers_gives_nothing_and_raises_nothing(table: Table) -> None:
    table.chip.dead = True
    assert table.ask(0x02, b"") == []
    table.chip.dead = False
    table.ask(0x02, b"")
    assert len(table.ask(0x02, b"")) == 2
