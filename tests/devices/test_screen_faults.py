"""A screen's faults: each begins and ends once, is named with its cure, and never reaches the game."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable

import pytest
from luma.core.error import DeviceNotFoundError
from luma.core.interface.serial import i2c

from mind_box.devices.oled.panel import HEALTH, Panel
from mind_box.devices.oled.screens import PanelScreen, Worker
from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip
from tests.devices.aids import Bench, HandClock, Inbox, Stuck, nack, picture, same, show


@pytest.mark.parametrize("when", ["at start", "later"])
def test_lempa_20_pikvm_876_a_missing_display_is_told_once_and_found_again(
    bench: Bench, chip: SSD1306Chip, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    """LEMPA#20: a display error stopped the buttons. pikvm#876 #742: no display at 0x3C stopped the service."""
    if when == "later":
        show(bench, "old")
        bench.run()
    bench.bus.trouble = nack
    show(bench, "1")
    bench.run_for(30)
    assert bench.inbox.faults == [("table-screen", True)]
    assert "0x3c on i2c-1" in bench.inbox.why("table-screen")
    assert "screen.address" in bench.inbox.why("table-screen")
    show(bench, "2")
    bench.bus.trouble = None
    chip.power_cycle()
    bench.run_for(2.0)  # found again within two seconds
    assert bench.inbox.faults == [("table-screen", True), ("table-screen", False)]
    assert same(chip.picture(), picture("2"))
    assert [r.levelno for r in caplog.records] == [logging.ERROR, logging.WARNING]


def test_tries_get_rarer_and_stay_below_one_a_second(bench: Bench) -> None:
    bench.bus.trouble = nack
    bench.run_for(10)
    tries = bench.bus.messages
    bench.run_for(100)
    assert (bench.bus.messages - tries) / 2 <= 51  # a try is the panel, then a look at 0x3D


def luma_not_found(*_: object) -> None:
    raise DeviceNotFoundError("I2C device not found on address: 0x3C")


FAMILIES = [
    pytest.param(nack, id="bare-OSError-121"),
    pytest.param(luma_not_found, id="luma-DeviceNotFoundError"),
]


@pytest.mark.parametrize("fail", FAMILIES)
@pytest.mark.parametrize("after", range(5))
def test_luma_oled_273_372_an_error_in_mid_frame(
    bench: Bench, chip: SSD1306Chip, fail: Callable[..., None], after: int
) -> None:
    """luma.oled#273 #372, luma.core#29, oled_phoniebox#6: errno 121 in mid-frame ends the program."""
    show(bench, "1")
    bench.run()
    left = [after]

    def trouble(address: int, payload: bytes | None) -> None:
        if left[0] == 0:
            fail(address, payload)
        left[0] -= 1

    bench.bus.trouble = trouble
    image = picture("88888888 8888").rotate(10)
    bench.table.show(lambda: image)
    bench.run()
    assert bench.inbox.faults == [("table-screen", True)]
    bench.bus.trouble = None
    bench.run_for(2)
    assert bench.inbox.faults[1:] == [("table-screen", False)]
    assert same(chip.picture(), image)


class LumaWay(i2c):  # type: ignore[misc]
    """luma's own interface: it turns errors of commands into DeviceNotFoundError, and leaves those of data bare."""

    def explain(self, error: Exception) -> str:
        return str(error)


@pytest.mark.parametrize("kind", ["command", "data"])
def test_both_families_through_lumas_own_interface(inbox: Inbox, clock: HandClock, kind: str) -> None:
    chip = SSD1306Chip()
    bus = ModelBus({0x3C: chip})

    class Nothing:
        def close(self) -> None:
            pass

    worker = Worker("i2c-1", Nothing(), clock)
    screen = PanelScreen("table-screen", Panel("ssd1306", LumaWay(bus=bus), clock=clock), worker, inbox.append, clock)
    screen.show(lambda: picture("1"))
    worker.step()

    def trouble(address: int, payload: bytes | None) -> None:
        if payload is not None and payload[0] == (0x00 if kind == "command" else 0x40):
            nack(address, payload)

    bus.trouble = trouble
    screen.show(lambda: picture("2"))
    worker.step()
    assert inbox.faults == [("table-screen", True)]
    bus.trouble = None
    clock.now += 2
    worker.step()
    assert inbox.faults == [("table-screen", True), ("table-screen", False)]
    assert same(chip.picture(), picture("2"))


@pytest.mark.parametrize("error", [RuntimeError("odd"), TypeError(), ValueError("x"), MemoryError()])
def test_an_exception_of_a_library_is_a_fault_like_any_other(bench: Bench, chip: SSD1306Chip, error: Exception) -> None:
    def trouble(*_: object) -> None:
        raise error

    bench.bus.trouble = trouble
    show(bench, "1")
    bench.run()
    assert bench.inbox.faults == [("table-screen", True)]
    bench.bus.trouble = None
    bench.run_for(2)
    assert same(chip.picture(), picture("1"))


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file"), "dtparam=i2c_arm=on"),
        (FileNotFoundError(errno.ENOENT, "No such file"), "modprobe i2c-dev"),
        (PermissionError(errno.EACCES, "Permission denied"), "group i2c"),
        (OSError(errno.EBUSY, "busy"), "dtoverlay"),
        (OSError(errno.ETIMEDOUT, "timed out"), "SDA or SCL"),
        (OSError(errno.ENODEV, "No such device"), "No such device"),
    ],
)
def test_pikvm_435_what_is_wrong_is_said_with_its_cure(bench: Bench, error: Exception, cure: str) -> None:
    """pikvm#435: no /dev/i2c-1: say which dtparam."""
    bench.cannot_open = error
    bench.run()
    assert cure in bench.inbox.why("table-screen")
    bench.cannot_open = None
    show(bench, "1")
    bench.run_for(2)
    assert bench.inbox.faults == [("table-screen", True), ("table-screen", False)]


def test_another_bus_than_1_needs_an_overlay(inbox: Inbox, clock: HandClock) -> None:
    bench = Bench(inbox, clock, [ScreenSettings(bus="i2c-22")], ModelBus())
    bench.cannot_open = FileNotFoundError(errno.ENOENT, "No such file")
    bench.run()
    assert "/dev/i2c-22" in inbox.why("table-screen")
    assert "dtoverlay" in inbox.why("table-screen")


def test_a_bus_that_vanished_is_opened_again(bench: Bench, chip: SSD1306Chip) -> None:
    show(bench, "1")
    bench.run()

    def gone(*_: object) -> None:
        raise OSError(errno.ENODEV, "No such device")

    bench.bus.trouble = gone
    show(bench, "2")
    bench.run()
    assert bench.bus.closed
    bench.bus.trouble = None
    bench.run_for(2)
    assert bench.opened == ["i2c-1", "i2c-1"]
    assert same(chip.picture(), picture("2"))


def test_a_wrong_address_is_told_where_something_answers(inbox: Inbox, clock: HandClock) -> None:
    bench = Bench(inbox, clock, [ScreenSettings(address=0x3D)], ModelBus({0x3C: SSD1306Chip()}))
    bench.run()
    assert "something answers at 0x3c" in inbox.why("table-screen")


@pytest.mark.parametrize(
    ("driver", "chip", "asked"),
    [("ssd1306", SH1106Chip(), "sh1106"), ("sh1106", SSD1306Chip(), "ssd1306"), ("sh1106", SH1106Chip(), None)],
)
def test_a_wrong_driver_is_suspected(
    inbox: Inbox, clock: HandClock, caplog: pytest.LogCaptureFixture, driver: str, chip: OledChip, asked: str | None
) -> None:
    bench = Bench(inbox, clock, [ScreenSettings(driver=driver)], ModelBus({0x3C: chip}))
    show(bench, "1")
    bench.run()
    said = [r.getMessage() for r in caplog.records if "screen.driver" in r.getMessage()]
    assert len(said) == (asked is not None)
    assert all(f'screen.driver = "{asked}"' in line for line in said)
    assert inbox == []


def test_a_panel_that_lost_its_power_for_a_moment_is_seen_at_the_next_change(bench: Bench, chip: SSD1306Chip) -> None:
    """It answers all the time, but forgot its initialisation."""
    bench.table.brightness(60)
    show(bench, "1")
    bench.run()
    chip.power_cycle()
    assert not chip.picture().getbbox()
    show(bench, "2")
    bench.run()
    assert same(chip.picture(), picture("2"))
    assert chip.contrast == 60
    assert bench.inbox == []


def test_a_panel_that_cannot_be_asked_is_believed(bench: Bench, chip: SSD1306Chip) -> None:
    """Some modules do not answer a read, or say nonsense: then nobody asks again."""
    asked = []

    def trouble(address: int, payload: bytes | None) -> None:
        if payload is None:
            asked.append(address)
            nack(address, payload)

    bench.bus.trouble = trouble
    show(bench, "1")
    bench.run()
    show(bench, "2")
    bench.run()
    assert len(asked) == 1
    assert same(chip.picture(), picture("2"))
    assert bench.inbox == []


def test_a_panel_that_cannot_be_asked_and_lost_its_power_is_found_by_a_picture_after_a_while(
    bench: Bench, chip: SSD1306Chip
) -> None:
    bench.bus.trouble = lambda _, payload: nack() if payload is None else None
    show(bench, "1")
    bench.run()
    chip.power_cycle()
    show(bench, "2")
    bench.run()
    assert not chip.picture().getbbox()
    bench.clock.now += HEALTH
    show(bench, "3")
    bench.run()
    assert same(chip.picture(), picture("3"))


@pytest.mark.parametrize("answer", [0x00, 0x43])
def test_a_status_that_does_not_change_is_not_believed(bench: Bench, chip: SSD1306Chip, answer: int) -> None:
    stuck = bench.bus.slaves[0x3C] = Stuck(chip, answer)
    for text in "123":
        show(bench, text)
        bench.run()
    assert stuck.asked <= 2
    assert same(chip.picture(), picture("3"))
    assert chip.data_bytes < 2 * 1024
