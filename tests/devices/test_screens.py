"""The screen port: the newest picture wins, nothing is periodic, several screens share a bus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip, SSD1309Chip
from tests.devices.aids import Bench, HandClock, Inbox, nack, picture, same, show


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


@pytest.mark.parametrize("rotate", [0, 1, 2, 3])
def test_each_screen_is_turned_as_it_stands(inbox: Inbox, clock: HandClock, rotate: int) -> None:
    chip = SSD1309Chip()
    bench = Bench(inbox, clock, [ScreenSettings(driver="ssd1309", rotate=rotate)], ModelBus({0x3C: chip}))
    assert bench.table.size == ((64, 128) if rotate % 2 else (128, 64))
    image = picture("up", bench.table.size)
    bench.table.show(lambda: image)
    bench.run()
    assert same(chip.picture(), image.rotate(-90 * rotate, expand=True))
    assert inbox == []


@pytest.mark.parametrize("dead", [0x3C, 0x3D])
def test_one_dead_table_screen_never_takes_the_other_down(inbox: Inbox, clock: HandClock, dead: int) -> None:
    chips = {0x3C: SSD1309Chip(), 0x3D: SSD1309Chip()}
    bus = ModelBus(dict(chips))
    names = {0x3C: "table-screen", 0x3D: "table-screen 2"}
    settings = [ScreenSettings(table=n, driver="ssd1309", address=at) for n, at in enumerate(names, 1)]
    bench = Bench(inbox, clock, settings, bus)
    (alive,) = set(chips) - {dead}

    def show(text: str) -> None:
        for screen in bench.screens.values():
            screen.show(lambda: picture(text))
        bench.run_for(10)

    show("both")
    del bus.slaves[dead]
    for n in range(5):
        show(f"{n}")
        assert same(chips[alive].picture(), picture(f"{n}"))
    assert inbox.faults == [(names[dead], True)]
    chips[dead].power_cycle()
    bus.slaves[dead] = chips[dead]
    show("both again")
    assert all(same(chip.picture(), picture("both again")) for chip in chips.values())
    assert inbox.faults[1:] == [(names[dead], False)]
