"""Screens with their workers' real threads."""

from __future__ import annotations

import threading
import time
from functools import partial
from pathlib import Path

import pytest

from mind_box.devices.oled.i2c import open_bus
from mind_box.devices.oled.screens import CLOSING, PanelScreen, open_screens
from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SH1106Chip, SSD1306Chip
from tests.devices.aids import Inbox, nack, picture, same, wait_until
from tests.models.capture import play


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

    def hangs(_: int, __: bytes | None) -> None:
        go_on.wait(60)

    bus.trouble = hangs
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
