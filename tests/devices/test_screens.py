"""The screen port: the newest picture wins, faults begin and end once, the game never waits."""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from luma.core.error import DeviceNotFoundError
from luma.core.interface.serial import i2c

from mind_box.devices.oled.i2c import open_bus
from mind_box.devices.oled.panel import HEALTH, Panel
from mind_box.devices.oled.screens import CLOSING, PanelScreen, Worker, open_screens
from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip
from tests.devices.aids import Bench, HandClock, Inbox, nack, picture, same, show, wait_until
from tests.models.capture import play


@pytest.fixture
def chip() -> SSD1306Chip:
    return SSD1306Chip()


@pytest.fixture
def bench(inbox: Inbox, clock: HandClock, chip: SSD1306Chip) -> Bench:
    return Bench(inbox, clock, [ScreenSettings()], ModelBus({0x3C: chip}))


def test_the_first_thing_an_eye_sees_is_the_first_picture(bench: Bench, chip: SSD1306Chip) -> None:
    """RAM is random at power-up: it must not be seen, not even for the time a picture takes."""
    bench.run()
    assert not chip.picture().getbbox()
    seen = []
    bench.bus.trouble = lambda *_: seen.append(chip.picture())
    show(bench, "hello")
    bench.run()
    assert all(not glass.getbbox() or same(glass, picture("hello")) for glass in seen)
    assert same(chip.picture(), picture("hello"))
    assert not chip.unknown
    assert bench.inbox == []


def test_the_newest_picture_wins_and_stale_ones_are_never_drawn(bench: Bench, chip: SSD1306Chip) -> None:
    bench.run()
    drawn = []

    def draw(text: str) -> Callable[[], object]:
        def run() -> object:
            drawn.append(text)
            return picture(text)

        return run

    for text in ("1", "2", "3"):
        bench.table.show(draw(text))  # type: ignore[arg-type]
    bench.run()
    assert drawn == ["3"]
    assert same(chip.picture(), picture("3"))


def test_an_unchanged_picture_puts_nothing_on_the_wire(bench: Bench) -> None:
    show(bench, "42")
    bench.run()
    before = bench.bus.bytes
    show(bench, "42")
    bench.run()
    assert bench.bus.bytes == before


def test_nothing_is_periodic_while_nothing_changes(bench: Bench) -> None:
    show(bench, "42")
    bench.run()
    assert bench.workers[0].patience() is None
    before = bench.bus.messages
    bench.run_for(3600)
    assert bench.bus.messages == before


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
    asked = []

    def read(count: int) -> bytes:
        asked.append(count)
        return bytes([answer])

    chip.read = read  # type: ignore[method-assign]
    for text in "123":
        show(bench, text)
        bench.run()
    assert len(asked) <= 2
    assert same(chip.picture(), picture("3"))
    assert chip.data_bytes < 2 * 1024


def test_a_program_killed_in_mid_command_does_no_harm(bench: Bench, chip: SSD1306Chip) -> None:
    chip.write(b"\x00\x26")  # scroll set-up: six arguments are missing
    show(bench, "1")
    bench.run()
    assert same(chip.picture(), picture("1"))
    assert not chip.unknown


def test_oled_stats_32_brightness_dims_and_switches_off(bench: Bench, chip: SSD1306Chip) -> None:
    """OLED_Stats#32, RNode_Firmware#37: burn-in: dim, switch off when idle."""
    show(bench, "1")
    bench.run()
    assert chip.contrast == 0xCF
    bench.table.brightness(10)
    bench.run()
    assert chip.contrast == 10
    bench.table.brightness(0)
    show(bench, "2")
    bench.run()
    assert not chip.on
    bench.table.brightness(255)
    bench.run()
    assert chip.on
    assert chip.contrast == 255
    assert same(chip.picture(), picture("2"))
    before = bench.bus.bytes
    bench.table.brightness(255)
    bench.run()
    assert bench.bus.bytes == before
    with pytest.raises(ValueError, match="0 to 255"):
        bench.table.brightness(256)


def test_brightness_survives_a_fault(bench: Bench, chip: SSD1306Chip) -> None:
    show(bench, "1")
    bench.table.brightness(0)
    bench.run()
    bench.bus.trouble = nack
    show(bench, "2")
    bench.run()
    bench.table.brightness(99)
    bench.bus.trouble = None
    chip.power_cycle()
    bench.run_for(2)
    assert (chip.on, chip.contrast) == (True, 99)


@pytest.mark.parametrize("bad", [lambda: picture("x", (128, 32)), lambda: 1 / 0, lambda: None])
def test_a_picture_that_cannot_be_drawn_is_dropped(
    bench: Bench, chip: SSD1306Chip, caplog: pytest.LogCaptureFixture, bad: Any
) -> None:
    show(bench, "1")
    bench.run()
    for _ in range(3):
        bench.table.show(bad)
        bench.run()
    assert same(chip.picture(), picture("1"))
    assert len(caplog.records) == 1
    show(bench, "2")
    bench.run()
    assert same(chip.picture(), picture("2"))
    assert bench.inbox == []


def test_several_screens_on_one_bus_share_a_worker_and_not_their_faults(inbox: Inbox, clock: HandClock) -> None:
    chips: dict[int, OledChip] = {0x3C: SSD1306Chip(), 0x3D: SH1106Chip()}
    settings = [ScreenSettings(), ScreenSettings(seat=1, driver="sh1106", address=0x3D)]
    bus = ModelBus(dict(chips))
    bench = Bench(inbox, clock, settings, bus)
    assert len(bench.workers) == 1
    bus.trouble = lambda address, payload: nack(address, payload) if address == 0x3D else None
    for screen in bench.screens.values():
        screen.show(lambda: picture("both"))
    bench.run()
    assert inbox.faults == [("seat-screen 1", True)]
    assert same(chips[0x3C].picture(), picture("both"))
    bus.trouble = None
    bench.run_for(2)
    assert same(chips[0x3D].picture(), picture("both"))
    assert bench.opened == ["i2c-1"]


def test_screens_behind_two_multiplexers(inbox: Inbox, clock: HandClock) -> None:
    muxes = {0x70: TCA9548A(), 0x71: TCA9548A()}
    places = [(0x70, 0), (0x70, 5), (0x71, 0)]
    chips = [SSD1306Chip() for _ in places]
    for (mux, channel), chip in zip(places, chips, strict=True):
        muxes[mux].channels[channel][0x3C] = chip
    settings = [ScreenSettings(seat=i, mux=m, channel=c) for i, (m, c) in enumerate(places, 1)]
    bench = Bench(inbox, clock, settings, ModelBus(dict(muxes)))
    for n in range(3):
        for i, screen in enumerate(bench.screens.values()):
            screen.show(partial(picture, f"seat {i} {n}"))
        bench.run()
        for i, chip in enumerate(chips):
            assert same(chip.picture(), picture(f"seat {i} {n}"))
    assert sum(bin(m.mask).count("1") for m in muxes.values()) == 1
    muxes[0x71].power_cycle()  # it forgot its channel
    bench.screens["seat-screen 3"].show(lambda: picture("again"))
    bench.run_for(2)
    assert same(chips[2].picture(), picture("again"))


def test_a_dead_multiplexer_takes_no_screen_of_the_other_one_with_it(inbox: Inbox, clock: HandClock) -> None:
    muxes = {0x70: TCA9548A(), 0x71: TCA9548A()}
    chips = {mux: SSD1306Chip() for mux in muxes}
    for mux, chip in chips.items():
        muxes[mux].channels[0][0x3C] = chip
    bus = ModelBus(dict(muxes))
    bench = Bench(inbox, clock, [ScreenSettings(seat=i, mux=mux, channel=0) for i, mux in enumerate(muxes, 1)], bus)

    def show(text: str) -> None:
        for screen in bench.screens.values():
            screen.show(lambda: picture(text))
        bench.run_for(10)

    show("both")
    del bus.slaves[0x71]
    show("one")
    assert same(chips[0x70].picture(), picture("one"))
    assert inbox.faults == [("seat-screen 2", True)]
    assert "0x71" in inbox.why("seat-screen 2")
    bus.slaves[0x71] = muxes[0x71]  # with the channel open that it had
    show("both again")
    assert all(same(chip.picture(), picture("both again")) for chip in chips.values())
    assert inbox.faults[1:] == [("seat-screen 2", False)]


def test_a_missing_multiplexer_is_named(inbox: Inbox, clock: HandClock) -> None:
    bench = Bench(inbox, clock, [ScreenSettings(mux=0x72)], ModelBus({0x3C: SSD1306Chip()}))
    bench.run()
    assert "multiplexer at 0x72" in inbox.why("table-screen")
    assert "screen.mux" in inbox.why("table-screen")


def test_five_lost_screens_are_tried_in_one_wake_up(inbox: Inbox, clock: HandClock) -> None:
    settings = [ScreenSettings(seat=i, mux=0x70, channel=i) for i in range(1, 6)]
    bench = Bench(inbox, clock, settings, ModelBus())
    bench.run_for(20)
    steps = 0
    worker = bench.workers[0]
    end = clock.now + 20
    while clock.now < end:
        patience = worker.patience()
        assert patience is not None
        clock.now += patience
        worker.step()
        steps += 1
    assert steps <= 11


# The same with the worker's real thread.


def live(inbox: Inbox, bus: ModelBus, *settings: ScreenSettings) -> dict[str, PanelScreen]:
    screens = open_screens(settings or [ScreenSettings()], inbox.append, open_bus=lambda _: bus)
    return {name: s for name, s in screens.items() if isinstance(s, PanelScreen)}


def test_close_waits_for_the_newest_picture_and_ends_the_thread(inbox: Inbox) -> None:
    chip = SSD1306Chip()
    bus = ModelBus({0x3C: chip})
    screen = live(inbox, bus)["table-screen"]
    thread = next(t for t in threading.enumerate() if t.name == "screens i2c-1")
    for n in range(50):
        screen.show(partial(picture, f"{n}"))
    screen.close()
    assert same(chip.picture(), picture("49"))  # and it stays on the glass
    thread.join(10)
    assert not thread.is_alive()
    assert bus.closed
    screen.show(lambda: picture("late"))
    screen.brightness(1)
    screen.close()
    assert same(chip.picture(), picture("49"))


def test_after_close_nothing_is_posted(inbox: Inbox) -> None:
    bus = ModelBus({0x3C: SSD1306Chip()})
    in_message, go_on = threading.Event(), threading.Event()

    def trouble(address: int, payload: bytes | None) -> None:
        in_message.set()
        go_on.wait(10)
        nack(address, payload)

    bus.trouble = trouble
    screen = live(inbox, bus)["table-screen"]
    thread = next(t for t in threading.enumerate() if t.name == "screens i2c-1")
    assert in_message.wait(10)
    screen.close()
    go_on.set()
    thread.join(10)
    assert not thread.is_alive()
    assert inbox == []


def test_a_hanging_bus_holds_up_neither_the_game_nor_the_end(inbox: Inbox) -> None:
    """LEMPA#20: whatever a display does, nobody waits for it; five screens of one bus are waited for once."""
    bus = ModelBus({0x3C: SSD1306Chip()})
    go_on = threading.Event()

    def hang(*_: object) -> None:
        go_on.wait(60)

    bus.trouble = hang
    screens = live(inbox, bus, *[ScreenSettings(seat=i) for i in range(1, 6)])
    began = time.monotonic()
    for _ in range(1000):
        for screen in screens.values():
            screen.show(lambda: picture("x"))
    calls = time.monotonic() - began
    began = time.monotonic()
    for screen in screens.values():
        screen.close()
    ending = time.monotonic() - began
    go_on.set()
    assert ending < len(screens) * CLOSING  # not each its half second
    assert calls < ending


def test_luma_led_matrix_253_one_worker_per_bus(inbox: Inbox) -> None:
    """luma.led_matrix#253: two threads on one bus garble it."""
    chips = {0x3C: SSD1306Chip(), 0x3D: SSD1306Chip()}
    bus = ModelBus(dict(chips))
    threads = set()
    bus.trouble = lambda *_: threads.add(threading.get_ident())
    screens = live(inbox, bus, ScreenSettings(), ScreenSettings(seat=1, address=0x3D))

    def hammer(screen: PanelScreen) -> None:
        for n in range(50):
            screen.show(partial(picture, f"{screen.name} {n}"))

    callers = [threading.Thread(target=hammer, args=(s,)) for s in screens.values()]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    for screen in screens.values():
        screen.close()
    assert len(threads) == 1
    assert same(chips[0x3C].picture(), picture("table-screen 49"))
    assert same(chips[0x3D].picture(), picture("seat-screen 1 49"))


def test_a_screen_that_was_lost_is_back_without_a_new_picture(inbox: Inbox) -> None:
    chip = SSD1306Chip()
    bus = ModelBus({0x3C: chip})
    bus.trouble = nack
    found, back = threading.Event(), threading.Event()

    def post(message: object) -> None:
        inbox.append(message)  # type: ignore[arg-type]
        (back if found.is_set() else found).set()

    screens = open_screens([ScreenSettings()], post, open_bus=lambda _: bus)
    screens["table-screen"].show(lambda: picture("1"))
    assert found.wait(10)
    bus.trouble = None
    assert back.wait(10)
    screens["table-screen"].close()
    assert inbox.faults == [("table-screen", True), ("table-screen", False)]
    assert same(chip.picture(), picture("1"))


def test_the_capture_bus_draws_the_same_picture(inbox: Inbox, tmp_path: Path) -> None:
    path = tmp_path / "wire"
    bus = f"sim:{path}"
    settings = [ScreenSettings(bus=bus), ScreenSettings(seat=2, bus=bus, address=0x3D, driver="sh1106")]
    screens = open_screens(settings, inbox.append, open_bus=open_bus)
    for name, screen in screens.items():
        screen.show(partial(picture, name))
    for screen in screens.values():
        screen.close()
    chips = {0x3C: SSD1306Chip(), 0x3D: SH1106Chip()}
    play(path.read_text(), ModelBus(dict(chips)))
    assert same(chips[0x3C].picture(), picture("table-screen"))
    assert same(chips[0x3D].picture(), picture("seat-screen 2"))
    assert inbox == []


def test_the_thread_looks_after_a_screen_at_rest(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mind_box.devices.oled.panel.HEALTH", 0.01)
    monkeypatch.setattr("mind_box.devices.oled.screens.QUIET", 0.0)
    chip = SSD1306Chip()
    screen = live(inbox, ModelBus({0x3C: chip}))["table-screen"]
    screen.show(lambda: picture("1"))
    wait_until(lambda: same(chip.picture(), picture("1")))
    screen.resting(True)
    chip.power_cycle()
    wait_until(lambda: same(chip.picture(), picture("1")))
    screen.resting(False)
    screen.close()
    assert inbox == []
