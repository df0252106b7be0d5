"""The health of several panels on one bus: a multiplexer that flips, and nobody who waits for another's look."""

from __future__ import annotations

import errno
import random
from functools import partial

import pytest

from mind_box.devices.oled.panel import HEALTH
from mind_box.devices.oled.screens import BUSY
from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip
from tests.devices.aids import Bench, HandClock, Inbox, nack, picture, same
from tests.devices.test_screen_health import PROMISED
from tests.models.oled_sparks import scramble


def four(inbox: Inbox, clock: HandClock) -> tuple[Bench, TCA9548A, list[SSD1306Chip]]:
    """Four screens of one address, behind a multiplexer."""
    mux = TCA9548A()
    chips = [SSD1306Chip(seed=n) for n in range(4)]
    for n, chip in enumerate(chips):
        mux.channels[n][0x3C] = chip
    settings = [ScreenSettings(seat=n + 1, mux=0x70, channel=n) for n in range(4)]
    bench = Bench(inbox, clock, settings, ModelBus({0x70: mux}))
    show_all(bench, "first")
    return bench, mux, chips


def show_all(bench: Bench, text: str) -> None:
    for name, screen in bench.screens.items():
        screen.show(partial(picture, f"{name[-1]} {text}"))
    bench.run()


def wrong(chips: list[SSD1306Chip], *texts: str) -> list[int]:
    """Seats whose glass shows something else."""
    return [
        n for n, (chip, text) in enumerate(zip(chips, texts, strict=True), 1) if not same(chip.picture(), picture(text))
    ]


@pytest.mark.parametrize("level", ["unknown", "played", "rests"])
def test_a_multiplexer_that_flips_never_sends_a_picture_to_another_screen(
    inbox: Inbox, clock: HandClock, level: str
) -> None:
    bench, mux, chips = four(inbox, clock)
    for screen in bench.screens.values():
        if level != "unknown":
            screen.resting(level == "rests")
    for n in range(256):
        mux.mask = n
        bench.screens["seat-screen 3"].show(partial(picture, f"3 {n}"))
        bench.run()
        assert wrong(chips, "1 first", "2 first", f"3 {n}", "4 first") == []
        mux.power_cycle()
        bench.run_for(3)
    assert inbox == []


def test_a_multiplexer_that_is_stuck_is_told_and_spoils_no_other_screen(inbox: Inbox, clock: HandClock) -> None:
    bench, mux, chips = four(inbox, clock)
    for screen in bench.screens.values():
        screen.resting(True)
    mux.mask, mux.stuck = 0b0010, True
    show_all(bench, "next")
    assert wrong(chips, "1 first", "2 next", "3 first", "4 first") == []
    assert inbox.faults == [(f"seat-screen {n}", True) for n in (1, 3, 4)]
    assert "0x70 does not go to channel 0" in inbox.why("seat-screen 1")
    mux.stuck = False
    bench.run_for(2)
    assert wrong(chips, "1 next", "2 next", "3 next", "4 next") == []
    assert len(inbox.faults) == 6


def test_five_panels_are_looked_after_in_one_wake_up(inbox: Inbox, clock: HandClock) -> None:
    bench, _, chips = four(inbox, clock)
    for screen in bench.screens.values():
        clock.now += 0.05
        screen.show(lambda: picture("one after the other"))
        screen.resting(True)
        bench.run()
    worker = bench.workers[0]
    wakes, end = 0, clock.now + 600
    before = [chip.data_bytes for chip in chips]
    while clock.now < end:
        patience = worker.patience()
        assert patience is not None
        clock.now += patience
        worker.step()
        wakes += 1
    assert wakes <= 600 / HEALTH + 2
    assert all(chip.data_bytes - b >= 60 * 1024 for chip, b in zip(chips, before, strict=True))


def test_a_picture_does_not_wait_until_all_panels_are_looked_after(inbox: Inbox, clock: HandClock) -> None:
    bench, _, chips = four(inbox, clock)
    for screen in bench.screens.values():
        screen.resting(True)
    sizes: list[int] = []

    def trouble(address: int, payload: bytes | None) -> None:
        if address == 0x3C and payload and payload[0] == 0x40:
            sizes.append(len(payload))
            if len(sizes) == 1:  # the first of four looks is under way
                bench.screens["seat-screen 4"].show(lambda: picture("4 now"))

    bench.bus.trouble = trouble
    clock.now += HEALTH
    bench.run()
    assert sizes[0] > 1024 > sizes[1]
    bench.run_for(PROMISED)
    assert wrong(chips, "1 first", "2 first", "3 first", "4 now") == []


def test_a_lost_screen_keeps_nobody_from_looking_after_the_others(inbox: Inbox, clock: HandClock) -> None:
    bench, _, chips = four(inbox, clock)
    for screen in bench.screens.values():
        screen.resting(True)

    def trouble(address: int, _: bytes | None) -> None:
        if chips[1] in bench.bus.reached(address):
            nack()

    bench.bus.trouble = trouble
    show_all(bench, "next")
    assert inbox.faults == [("seat-screen 2", True)]
    scramble(chips[0], random.Random(1))
    bench.screens["seat-screen 2"].show(lambda: picture("waits"))
    bench.run_for(PROMISED + 1)
    assert wrong(chips, "1 next", "2 first", "3 next", "4 next") == []


def test_pictures_that_never_stop_do_not_keep_a_panel_from_being_looked_after(inbox: Inbox, clock: HandClock) -> None:
    bench, _, chips = four(inbox, clock)
    for screen in bench.screens.values():
        screen.resting(True)
    scramble(chips[0], random.Random(1))
    for n in range(round((HEALTH + BUSY) / 0.5) + 1):
        bench.run_for(0.5)
        show_all(bench, f"{n}")
    assert wrong(chips, f"1 {n}", f"2 {n}", f"3 {n}", f"4 {n}") == []


def test_a_bus_that_hangs_is_told_once_with_its_cure(inbox: Inbox, clock: HandClock) -> None:
    bench, _, chips = four(inbox, clock)
    for screen in bench.screens.values():
        screen.resting(True)

    def hangs(*_: object) -> None:
        raise OSError(errno.ETIMEDOUT, "Connection timed out")

    bench.bus.trouble = hangs
    bench.run_for(60)
    assert inbox.faults == [(f"seat-screen {n}", True) for n in range(1, 5)]
    assert "SDA or SCL" in inbox.why("seat-screen 1")
    bench.bus.trouble = None
    bench.run_for(2)
    assert len(inbox.faults) == 8
    assert wrong(chips, "1 first", "2 first", "3 first", "4 first") == []
