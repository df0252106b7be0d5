"""What a spark or a loose wire does to a panel: the glass is wrong until the next picture, or for ten seconds."""

from __future__ import annotations

import random
import sys

import pytest

from mind_box.devices.oled.screens import QUIET
from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip, SSD1309Chip
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.script import parse_script
from tests.devices.aids import Bench, HandClock, Inbox, Stuck, nack, picture, same, show
from tests.devices.driven import DriverPlayer
from tests.models import oled_sparks
from tests.models.oled_sparks import flip, registers, scramble

PROMISED = 10.0
"""Seconds until a glass is right again while no level is played."""
CHIPS = {"ssd1306": SSD1306Chip, "ssd1309": SSD1309Chip, "sh1106": SH1106Chip}
REGISTERS = [(kind, register) for kind, chip in CHIPS.items() for register in oled_sparks.REGISTERS[chip]]
VITAL = ("segments_remapped", "start_line", "inverted", "contrast", "pump", "converter", "locked", "mode", "on")
"""What comes with the pictures of a level, however many other settings have their turn."""


def one(inbox: Inbox, clock: HandClock, kind: str, height: int = 64) -> tuple[Bench, OledChip]:
    """A screen that shows its first picture."""
    chip = CHIPS[kind](height)
    bench = Bench(inbox, clock, [ScreenSettings(driver=kind, height=height)], ModelBus({0x3C: chip}))
    show(bench, "first")
    bench.run()
    return bench, chip


def right(chip: OledChip, before: dict[str, int], text: str) -> bool:
    """Whether an eye sees this picture, as bright and steady as ever."""
    return registers(chip) == before and same(chip.picture(), picture(text, (128, chip.height)))


@pytest.mark.parametrize("height", [64, 32])
@pytest.mark.parametrize(("kind", "register"), REGISTERS)
def test_a_register_that_flips_is_right_with_the_next_picture(
    inbox: Inbox, clock: HandClock, kind: str, register: str, height: int
) -> None:
    """Where nobody says whether a level is played, a picture brings everything."""
    bench, chip = one(inbox, clock, kind, height)
    before = registers(chip)
    for n in range(20):
        flip(chip, register, random.Random(n))
        assert registers(chip) != before
        clock.now += PROMISED
        show(bench, f"{n}")
        bench.run()
        assert right(chip, before, f"{n}")
    assert inbox == []


@pytest.mark.parametrize(("kind", "register"), REGISTERS)
def test_in_play_what_no_picture_can_do_without_comes_with_the_next_one(
    inbox: Inbox, clock: HandClock, kind: str, register: str
) -> None:
    bench, chip = one(inbox, clock, kind)
    bench.table.resting(False)
    before = registers(chip)
    wrong = 0
    for n in range(40):
        if right(chip, before, f"{n - 1}") or n == 0:
            flip(chip, register, random.Random(n))
            wrong = 0
        clock.now += PROMISED
        show(bench, f"{n}")
        bench.run()
        wrong += 1
        if register != "scrolling":  # to stop it the RAM has to be written again: at the next rest
            assert right(chip, before, f"{n}") or wrong < (1 if register in VITAL else 8)


@pytest.mark.parametrize(("kind", "register"), REGISTERS)
def test_at_rest_a_register_that_flips_is_found_by_the_clock(
    inbox: Inbox, clock: HandClock, kind: str, register: str
) -> None:
    bench, chip = one(inbox, clock, kind)
    bench.table.resting(True)
    before = registers(chip)
    for n in range(5):
        flip(chip, register, random.Random(n))
        bench.run_for(PROMISED)
        assert right(chip, before, "first")
    assert inbox == []


@pytest.mark.parametrize("kind", CHIPS)
@pytest.mark.parametrize("damage", ["scramble", "power_cycle", "command left open"])
def test_at_rest_whatever_happens_to_the_panel_is_found_by_the_clock(
    inbox: Inbox, clock: HandClock, kind: str, damage: str
) -> None:
    bench, chip = one(inbox, clock, kind)
    bench.table.resting(True)
    before = registers(chip)
    for n in range(5):
        if damage == "scramble":
            scramble(chip, random.Random(n))
        elif damage == "power_cycle":
            chip.power_cycle()
        else:
            chip.write(b"\x00\x81" if kind == "sh1106" else b"\x00\x26")
            scramble(chip, random.Random(n))
        bench.run_for(PROMISED)
        assert right(chip, before, "first")
    assert inbox == []


@pytest.mark.parametrize("kind", CHIPS)
def test_ram_that_was_scrambled_in_play_is_right_at_the_next_rest(inbox: Inbox, clock: HandClock, kind: str) -> None:
    """And where nobody says what is played, with the next picture."""
    bench, chip = one(inbox, clock, kind)
    before = registers(chip)
    scramble(chip, random.Random(1))
    clock.now += PROMISED
    show(bench, "next")
    bench.run()
    assert right(chip, before, "next")
    bench.table.resting(False)
    scramble(chip, random.Random(2))
    for n in range(6):
        clock.now += PROMISED
        show(bench, f"{n}")
        bench.run()
    bench.table.resting(True)
    bench.run_for(QUIET)
    assert right(chip, before, "5")


@pytest.mark.parametrize("kind", CHIPS)
@pytest.mark.parametrize("asked", [True, False])
def test_in_play_a_panel_that_was_without_power_is_right_with_the_next_picture(
    inbox: Inbox, clock: HandClock, kind: str, asked: bool
) -> None:
    bench, chip = one(inbox, clock, kind)
    if not asked:
        bench.bus.trouble = lambda _, payload: nack() if payload is None else None
        chip.on = False
        show(bench, "asked in vain")
        bench.run_for(2)
        bench.inbox.clear()
    bench.table.resting(False)
    before = registers(chip)
    chip.power_cycle()
    clock.now += PROMISED
    show(bench, "next")
    bench.run()
    assert right(chip, before, "next")
    assert inbox == []


def test_a_panel_that_goes_for_good_at_rest_is_told_by_the_clock_and_comes_back(inbox: Inbox, clock: HandClock) -> None:
    bench, chip = one(inbox, clock, "ssd1306")
    bench.table.resting(True)
    bench.run_for(3600)
    assert inbox == []
    bench.bus.trouble = nack
    bench.run_for(PROMISED)
    assert inbox.faults == [("table-screen", True)]
    chip.power_cycle()
    bench.bus.trouble = None
    bench.run_for(2)
    assert inbox.faults == [("table-screen", True), ("table-screen", False)]
    assert same(chip.picture(), picture("first"))


def test_a_panel_that_goes_in_play_is_told_at_rest(inbox: Inbox, clock: HandClock) -> None:
    bench, _ = one(inbox, clock, "ssd1306")
    bench.table.resting(False)
    bench.bus.trouble = nack
    bench.run_for(600)
    assert inbox == []
    bench.table.resting(True)
    bench.run_for(QUIET)
    assert inbox.faults == [("table-screen", True)]


def test_nothing_goes_by_the_clock_in_play(inbox: Inbox, clock: HandClock) -> None:
    bench, _ = one(inbox, clock, "ssd1306")
    bench.table.resting(True)
    bench.run_for(60)
    before = bench.bus.messages
    bench.table.resting(False)
    assert bench.workers[0].patience() is None
    clock.now += 3600
    bench.run()
    show(bench, "first")  # it stands there already
    bench.run()
    assert bench.bus.messages == before


def test_a_look_after_the_panel_shows_nothing(inbox: Inbox, clock: HandClock) -> None:
    """Neither when it is right, nor when its RAM came up at random: that stays dark until it is the picture."""
    bench, chip = one(inbox, clock, "ssd1306")
    bench.table.resting(True)
    seen = []
    bench.bus.trouble = lambda *_: seen.append(chip.picture())
    bench.run_for(PROMISED)
    assert len(seen) > 3
    assert all(same(glass, picture("first")) for glass in seen)
    seen.clear()
    chip.power_cycle()
    bench.run_for(PROMISED)
    assert all(same(glass, picture("first")) or not glass.getbbox() for glass in seen)


def test_a_dark_panel_stays_dark_and_is_right_when_it_is_lit(inbox: Inbox, clock: HandClock) -> None:
    bench, chip = one(inbox, clock, "ssd1306")
    bench.table.brightness(0)
    bench.run()
    bench.table.resting(True)
    chip.power_cycle()
    bench.run_for(PROMISED)
    assert not chip.on
    bench.table.resting(False)
    chip.power_cycle()
    clock.now += PROMISED
    bench.table.brightness(255)
    bench.run()
    assert (chip.on, chip.contrast) == (True, 255)
    assert same(chip.picture(), picture("first"))


def test_a_status_that_begins_to_lie_costs_one_whole_picture(inbox: Inbox, clock: HandClock) -> None:
    """It says "off" for ever: after one answer to a panel that was just switched on it is believed no more."""
    bench, chip = one(inbox, clock, "ssd1306")
    bench.table.resting(False)
    bench.bus.slaves[0x3C] = Stuck(chip, 0x43)
    for n in range(5):
        show(bench, f"{n}")
        bench.run()
        assert same(chip.picture(), picture(f"{n}"))
    assert chip.data_bytes < 3 * 1024


# Screens that cannot be built


def broken_init(*_: object, **__: object) -> None:
    raise TypeError("__init__() got an unexpected keyword argument 'page_address_offset'")


HOWS = ("luma has another signature", "luma says nothing", "no luma", "no such driver")


@pytest.mark.parametrize("how", HOWS)
def test_a_screen_that_cannot_be_built_is_its_own_fault(
    inbox: Inbox, clock: HandClock, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    column = (0, 1, 3, 4)[HOWS.index(how)]  # one of a kind is made: this one was not yet
    settings = [ScreenSettings(driver="sh1106", address=0x3D, column=column), ScreenSettings(seat=1)]
    healthy = how != "no luma"
    if how == "luma has another signature":
        monkeypatch.setattr("mind_box.devices.oled.drivers.DirtySH1106.__init__", broken_init)
    elif how == "luma says nothing":
        monkeypatch.setattr("mind_box.devices.oled.drivers.DirtySH1106.command", lambda *_: None)
    elif how == "no luma":
        monkeypatch.setitem(sys.modules, "mind_box.devices.oled.panel", None)
    else:
        settings[0] = ScreenSettings(driver="st7789", address=0x3D)
    chip = SSD1306Chip()
    bench = Bench(inbox, clock, settings, ModelBus({0x3C: chip, 0x3D: SH1106Chip()}))
    for screen in bench.screens.values():
        assert screen.size == (128, 64)
        screen.resting(True)
        screen.show(lambda: picture("goes on"))
        screen.brightness(20)
    bench.run_for(60)
    assert inbox.faults[0] == ("table-screen", True)
    assert inbox.faults[1:] == ([] if healthy else [("seat-screen 1", True)])
    assert "luma.oled" in inbox.why("table-screen")
    assert "/bin/pip install" in inbox.why("table-screen")
    assert same(chip.picture(), picture("goes on")) == healthy
    for screen in bench.screens.values():
        screen.close()


# The whole way, from the View


def test_the_referee_says_when_a_level_is_played() -> None:
    async def main() -> None:
        script = parse_script("hands 1 2 3\nhands\nwait 3600\nup 1\ntap star\nwait 1\ntap 1\ntap 2\ntap 3\nwait 11\n")
        player = DriverPlayer(script, lambda _: None)
        panel, bus = player.box.panels["table-screen"], player.box.bus
        await player.sleep(5)
        panel.power_cycle()
        await player.sleep(PROMISED)
        assert player.wrong() == []  # in the lobby
        for line in player.lines[:2]:
            await player.act(line.number, line.action)
        assert player.view.phase == "play"
        await player.sleep(1)
        before = bus.messages
        panel.power_cycle()
        await player.sleep(3600)
        await player.act(4, player.lines[3].action)
        assert bus.messages == before  # nothing by the clock, for an hour
        await player.act(5, player.lines[4].action)
        assert player.view.phase == "vote"
        assert player.wrong() == []  # with the next picture
        before = bus.messages
        scramble(panel, random.Random(1))
        await player.sleep(20)
        assert bus.messages == before
        for line in player.lines[6:9]:
            await player.act(line.number, line.action)
        assert player.view.phase == "focus"
        await player.sleep(QUIET)
        assert player.wrong() == []
        player.referee.close()

    run_virtual(main())
