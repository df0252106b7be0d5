"""Pin factories on a real GPIO chip of the kernel: which works, how fast, and what it costs to do nothing."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import pytest

from mind_box.game.cards import VARIANTS
from tests.vm.box import GATHER, Box, switch_header
from tests.vm.install import PYTHON
from tests.vm.qemu import ARM

Figure = Callable[[str, Any], None]
LIMIT = 15.0
"""Milliseconds from the end of the debounce window to the lamp, where a process that slept wakes up within 1 ms."""

PI = pytest.mark.skipif(not ARM, reason="gpiozero's factory for lgpio asks for a Pi's revision, and a PC has none")


def in_focus(box: Box) -> None:
    """Three hands asked for: a seat's lamp goes out when its hand is down, and lights when it is lifted."""
    box.hands(1, 2, 3, seconds=GATHER)
    box.expect(phase="focus", waiting=[1, 2, 3])


def with_factory(box: Box, factory: str, settings: str = "") -> None:
    box.configure(gpio=f'factory = "{factory}"', settings=settings)
    box.restart(empty=True)


@pytest.mark.parametrize(
    ("factory", "window"),
    [pytest.param("gpiod", 25, marks=pytest.mark.quick), ("gpiod", 5), pytest.param("lgpio", 25, marks=PI)],
)
def test_press_to_lamp(box: Box, figure: Figure, factory: str, window: int) -> None:
    """With our factory the lamp follows at most 15 ms (median) after the debounce window; on a busy machine at most 15
    times as late as the guest wakes up a process that only slept. Each press and each pause is long enough for that."""
    with_factory(box, factory, f"[table]\ndebounce = {window / 1000}")
    assert factory in box.guest.call("service.ask")["pins"].lower()
    in_focus(box)
    busy = max(1.0, statistics.median(box.guest.call("measure.late", 50, 0.05)))
    long = max(0.15, (window + LIMIT * busy) / 1000)
    times = box.guest.call("measure.press_to_lamp", box.gpio.seat_buttons[0], box.gpio.seat_lamps[0], 200, long, long)
    bare = statistics.median(times.pop("wake-up"))
    figure("a process that slept wakes up late by, median ms", round(bare, 2))
    for what, ms in times.items():
        after = sorted(t - window for t in ms if t is not None)
        assert len(after) >= 190, f"{what}: not in time: {[i for i, t in enumerate(ms) if t is None]}"
        assert after[0] >= -1.0, "a lamp before the debounce window was over"
        figure(f"{what} to lamp beyond a {window} ms window, {factory}: median, p95, max ms ({len(after)} of 200)",
               [round(x, 1) for x in (statistics.median(after), after[len(after) * 19 // 20], after[-1])])  # fmt: skip
        if factory == "gpiod":
            best = min(
                statistics.median(t - window for t in ms[i : i + 20] if t is not None) for i in range(0, 200, 20)
            )
            assert best <= LIMIT * max(1.0, bare)


@pytest.mark.parametrize("factory", [pytest.param("gpiod", marks=pytest.mark.quick), pytest.param("lgpio", marks=PI)])
def test_beside_load_no_press_is_lost(box: Box, factory: str) -> None:
    """102 taps of star: each chooses the next of five presets, so what the lobby shows tells how many have counted."""
    with_factory(box, factory)
    for n in range(4):
        box.guest.sh(f"systemd-run --unit load-{n} {PYTHON} -c 'while True: pass'")
    try:
        for _ in range(102):
            box.guest.call("lines.gesture", [box.gpio.star_button], 0.15, 0.15)
    finally:
        for n in range(4):
            box.guest.sh(f"systemctl stop load-{n}")
    box.expect(phase="lobby", menu=None, variant=VARIANTS[102 % len(VARIANTS)])


def test_a_bouncing_button_is_one_press_and_a_spike_none(box: Box) -> None:
    box.begin(1, 2, 3)
    pin = box.gpio.seat_buttons[1]
    for _ in range(5):  # spikes of a few ms, as a motor nearby makes them
        box.guest.call("lines.gesture", [pin], 0.003, 0.1)
    assert box.view["phase"] == "play"
    box.guest.call("lines.bounce", pin, 0, 9, 0.002)
    box.expect(phase="focus", reason="stop", hands_down=[2])
    box.guest.call("lines.bounce", pin, 1, 9, 0.002)
    box.expect(hands_down=[])


def test_where_rpi_gpio_cannot_work_it_says_so(box: Box, figure: Figure) -> None:
    with_factory(box, "rpigpio")
    view = box.expect(faults=["buttons", "lamps"])
    assert view["phase"] == "lobby"
    (line, *_) = [line for line in box.log.splitlines() if "rpigpio" in line or "RPi.GPIO" in line]
    figure("what RPi.GPIO says here", line.partition("]: ")[2])


def test_the_chip_goes_away_and_comes_back(box: Box) -> None:
    """The header's driver is unbound under the running box: said, nothing spins, and it is found again."""
    switch_header(box, on=False)
    try:
        box.expect(faults=["buttons", "lamps"])
        idle = box.guest.call("service.idle", 5.0)
        assert idle["cpu %"] < 20, idle
    finally:
        switch_header(box, on=True)
    box.rest()
    box.expect(faults=[])
    box.hands(1, 2, seconds=GATHER)
    box.expect(phase="focus", seats=[1, 2])


def test_a_line_that_is_taken_is_named_with_its_holder(box: Box) -> None:
    box.guest.sh("systemctl stop mind-box")
    pin = box.gpio.seat_buttons[0]
    box.guest.sh(
        f"systemd-run --unit thief {PYTHON} -c 'import gpiod, time;"
        "from mind_box.devices.gpio.header_chip import header_chip;"
        f'request = gpiod.request_lines(str(header_chip().path), consumer="a-thief", config={{{pin}: None}});'
        "time.sleep(600)'"
    )
    try:
        box.guest.sh("systemctl start mind-box")
        box.until_up()
        box.expect(faults=["buttons"])
        assert "a-thief" in box.log and f"GPIO{pin}" in box.log
    finally:
        box.guest.sh("systemctl stop thief")
    box.expect(faults=[])


@pytest.mark.parametrize("factory", [pytest.param("gpiod", marks=pytest.mark.quick), pytest.param("lgpio", marks=PI)])
def test_idle(box: Box, figure: Figure, factory: str) -> None:
    with_factory(box, factory)
    idle = box.guest.call("service.idle", 60.0)
    figure(f"idle for 60 s, {factory}", idle)
    if factory == "gpiod":
        assert idle["wake-ups/s"] <= 2.0
