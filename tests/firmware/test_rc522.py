"""The firmware's RC522 on CPython, in virtual time: what a glitch takes is set up again, and who is who."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from mind_box.devices.nfc.sink import Sink
from tests.firmware.model_board import module
from tests.models.rc522_chip import Rc522Chip
from tests.models.tags import Field, Ntag, Tag

SETTINGS = SimpleNamespace(SPI_ID=0, SPI_SCK=18, SPI_MOSI=19, SPI_MISO=16, SPI_CS=17, RC522_RESET=20, AWAY=1000)
SEVEN = bytes.fromhex("04a1b2c3d4e5f6")
TX, ASK, MODE, RELOAD, VERSION, RECEIVER = 0x14, 0x15, 0x11, 0x2D, 0x37, 0x26
REWRITTEN = 20


class Table(Sink):
    """The firmware's chip file above the model, and what it says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.field = Field()
        self.chip = Rc522Chip(self.field, self._time)
        self.cards: list[str | None] = []
        self.states: list[bool] = []
        machine, time = ModuleType("machine"), ModuleType("time")
        machine.SPI = lambda *_, **__: SimpleNamespace(  # type: ignore[attr-defined]
            write=self.chip.transfer, read=lambda count: self.chip.transfer(bytes(count))
        )
        machine.Pin = lambda *_, **__: SimpleNamespace(value=lambda v: self.chip.select(not v))  # type: ignore[attr-defined]
        machine.Pin.OUT = 1
        time.sleep_ms = self._sleep  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "machine", machine)
        monkeypatch.setitem(sys.modules, "time", time)
        self.reader = module("rc522").Chip(SETTINGS, self)

    def _time(self) -> float:
        self.now += 0.0001  # what a register takes
        return self.now

    def _sleep(self, ms: int) -> None:
        self.now += ms / 1000

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.reader.step(int(self.now * 1000))
            self.now += 0.01

    def hold(self, tag: Tag, seconds: float) -> None:
        self.field.put(tag)
        self.run(seconds)
        self.field.take(tag)

    def card(self, uid: bytes, text: str | None, at: int) -> None:  # noqa: ARG002
        self.cards.append(uid.hex() if text is None else text)

    def up(self, version: bytes) -> None:  # noqa: ARG002
        self.states.append(True)

    def down(self, why: str) -> None:  # noqa: ARG002
        self.states.append(False)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    table = Table(monkeypatch)
    table.run(0.5)
    return table


@pytest.mark.parametrize(("register", "value"), [(TX, 0x80), (TX, 0x81), (ASK, 0), (MODE, 0x3F), (RELOAD, 0)])
def test_a_register_that_flips_is_set_again(table: Table, register: int, value: int) -> None:
    table.chip.flip(register, value)
    table.run(0.5)
    table.hold(Ntag(SEVEN, "42"), 0.2)
    assert table.cards == ["42"]
    assert table.states == [True]


def test_a_register_that_nobody_compares_is_set_again_too(table: Table) -> None:
    before = table.chip.registers[RECEIVER]
    table.chip.flip(RECEIVER, 0x77)
    table.run(REWRITTEN)
    assert table.chip.registers[RECEIVER] == before


@pytest.mark.parametrize("version", [0x00, 0xFF, 0x12])
def test_a_version_that_is_none_is_a_silent_chip(table: Table, version: int) -> None:
    table.chip.stuck = version
    table.run(1)
    assert table.states == [True, False]
    table.chip.stuck = None
    table.run(1)
    assert table.states == [True, False, True]
    table.hold(Ntag(SEVEN, "42"), 0.2)
    assert table.cards == ["42"]


def test_a_brown_out_with_a_card_there_is_one_showing(table: Table) -> None:
    table.field.put(Ntag(SEVEN, "42"))
    for _ in range(8):
        table.run(1)
        table.chip.restart()
    assert table.cards == ["42"]
    assert table.states == [True]


def test_a_chip_that_sends_nothing_though_its_registers_are_right_is_silent(table: Table) -> None:
    table.chip.hung = True
    table.run(3)
    assert table.states == [True, False]
    table.run(10)
    assert table.states == [True, False]
    table.chip.hung = False
    table.run(1)
    table.hold(Ntag(SEVEN, "42"), 0.2)
    assert table.states == [True, False, True]
    assert table.cards == ["42"]


def test_setting_it_up_again_misses_no_card(table: Table) -> None:
    for n in range(40):
        table.run(1.2 + n * 0.37 % 5)
        table.hold(Ntag(bytes((4, n, 1, 2, 3, 4, 5)), str(n)), 0.1)
    table.run(2)
    assert table.cards == [str(n) for n in range(40)]


def test_classic_cards_that_begin_with_08_are_two_and_a_phone_is_one(table: Table) -> None:
    for uid, sak in (("08123456", 8), ("08abcdef", 8), ("08111111", 0x20), ("08222222", 0x20)):
        table.hold(Tag(bytes.fromhex(uid), sak, b"\x01" if sak & 0x20 else b""), 0.3)
        table.run(0.3)
    assert table.cards == ["08123456", "08abcdef", "08000000"]


@pytest.mark.parametrize("gap", [0.15, 0.3, 0.9])
def test_a_copy_with_the_same_number_is_read_again(table: Table, gap: float) -> None:
    tags = Ntag(SEVEN, "42"), Ntag(SEVEN, "43"), Ntag(SEVEN, "43"), Ntag(SEVEN)
    for tag in tags:
        table.hold(tag, 1)
        table.run(gap)
    assert table.cards == ["42", "43", SEVEN.hex()]


def test_two_tags_of_one_number_at_once_are_no_known_card(table: Table) -> None:
    table.field.put(Ntag(SEVEN, "42"))
    table.field.put(Ntag(SEVEN, "43"))
    table.run(3)
    assert table.cards == [SEVEN.hex()]
