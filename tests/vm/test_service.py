"""The installed service under a real service manager: hung, restricted, without devices, without room, out of time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.vm.box import UNIT, Box, switch_header
from tests.vm.guest import until
from tests.vm.install import PYTHON
from tests.vm.qemu import SCANNER

Figure = Callable[[str, Any], None]
NAK = "/sys/module/i2c_fake/parameters"


@pytest.mark.quick
def test_a_hung_process_is_killed_and_the_game_goes_on(box: Box, figure: Figure) -> None:
    box.begin(1, 2, 3)
    box.scan("12")
    box.expect(piles=[[12]])
    watchdog = float(box.guest.sh(f"systemctl show -P WatchdogUSec {UNIT}").strip().removesuffix("s"))
    times = box.guest.call("service.freeze", watchdog * 2 + 60)
    figure(f"watchdog of {watchdog:g} s: killed and back after, s", times)
    assert times["back"] is not None, box.log
    assert times["killed"] <= watchdog * 1.5 + 5
    view = box.expect(phase="focus", reason="resume", piles=[[12]])
    assert view["notices"] == ["resumed"]
    box.hands(1, 2, 3)
    box.expect(phase="play")


def _another_than(box: Box, pid: int) -> bool:
    return box.guest.call("service.main_pid") not in (0, pid)


def test_killed_ten_times_in_a_row_it_still_comes_back(box: Box) -> None:
    """systemd gives up on a unit that fails too often: this one must not."""
    for _ in range(10):
        pid = box.guest.call("service.main_pid")
        box.guest.sh(f"kill -KILL {pid}")
        until(partial(_another_than, box, pid), "another process", 60)
    box.until_up()


PROBE = "/etc/systemd/system/mind-box.service.d/probe.conf"
RESULT = "/var/lib/mind-box/probe.json"


@pytest.fixture
def probe(box: Box) -> Iterator[dict[str, Any]]:
    """What a program can do in the service's place."""
    guest = box.guest
    guest.sh("mkdir -p /home/pi /usr/local/lib/probe && cp /tests/probe.py /usr/local/lib/probe/")
    guest.sh(f"mkdir -p $(dirname {PROBE}); systemctl stop {UNIT}; rm -f {RESULT}")
    program = f"{PYTHON} /usr/local/lib/probe/probe.py {RESULT} {SCANNER}"
    guest.call(
        "shell.put", PROBE,
        f"[Service]\nType=oneshot\nWatchdogSec=0\nRestart=no\nExecStartPre=\nExecStart=\nExecStart={program}\n",
    )  # fmt: skip
    try:
        guest.sh(f"systemctl daemon-reload; systemctl start {UNIT} || journalctl -u {UNIT} -n 20 --no-pager")
        yield json.loads(guest.sh(f"cat {RESULT}"))
    finally:
        guest.sh(f"rm -f {PROBE} {RESULT} /var/lib/mind-box/probe; systemctl daemon-reload", check=False)


@pytest.mark.quick
def test_every_restriction_holds_and_every_device_is_there(probe: dict[str, Any], figure: Figure) -> None:
    allowed = [name for name, came in probe["forbidden"].items() if came == "done"]
    missing = {name: came for name, came in probe["needed"].items() if came != "done"}
    figure("restrictions tried from inside the unit", probe["forbidden"])
    figure("writable and executable memory, from inside the unit", probe["writable code"])
    assert not allowed and not missing
    assert probe["user"] != 0


def test_the_unit_is_sound_and_scores_well(box: Box, figure: Figure) -> None:
    assert box.guest.sh(f"systemd-analyze verify /etc/systemd/system/{UNIT} 2>&1 | grep -i mind-box", check=False) == ""
    said = box.guest.sh(f"systemd-analyze security --no-pager {UNIT}", check=False)
    score = float(re.findall(r"exposure level for .*: ([\d.]+)", said)[0])
    figure("systemd-analyze security: exposure", score)
    assert score <= 2.5


def test_nothing_is_there_at_boot(box: Box) -> None:
    """No reader, no display, no header: the box runs and says what is missing; each is found when it comes."""
    guest = box.guest
    guest.sh(f"systemctl stop {UNIT}")
    guest.unplug_scanner()
    guest.sh(f"echo 1 > {NAK}/nak")
    switch_header(box, on=False)
    try:
        guest.sh(f"systemctl start {UNIT}")
        box.until_up()
        view = box.expect(phase="lobby")
        until(lambda: sorted(box.view["faults"]) == ["buttons", "lamps", "reader", "table-screen"], "every fault", 30)
        said = box.log
        assert SCANNER in said and "0x3c on i2c-1" in said
        assert view["phase"] == "lobby"
    finally:
        guest.sh(f"echo 0 > {NAK}/nak")
        switch_header(box, on=True)
        guest.plug_scanner()
    box.rest()
    box.expect(faults=[], seconds=40.0)
    box.begin(1, 2, 3)
    box.scan("12")
    box.expect(piles=[[12]])


def test_the_display_stops_answering_in_mid_game(box: Box) -> None:
    box.begin(1, 2, 3)
    box.guest.sh(f"echo 3 > {NAK}/nak_after")  # in the middle of a frame
    for card in (12, 13, 14):
        box.scan(str(card))
    view = box.expect(faults=["table-screen"])
    assert view["level"] == 2, "the game waited for the display"
    box.guest.sh(f"echo 0 > {NAK}/nak")
    box.expect(faults=[])
    from tests.vm.test_game import shows_picture

    until(lambda: shows_picture(box), "the picture after the display came back", 15)
    process = f"[{box.guest.call('service.main_pid')}]: "
    lines = [line for line in box.log.splitlines() if process in line and "table-screen: " in line]
    assert len(lines) <= 4, "a fault is logged when it begins and when it ends"


def test_a_full_disk(box: Box) -> None:
    """The game goes on in memory, and says so; with room again it is saved again."""
    box.begin(1, 2, 3)
    box.scan("12")
    box.expect(piles=[[12]])
    box.guest.sh("dd if=/dev/zero of=/var/lib/mind-box/filler bs=64k 2>/dev/null; sync", check=False)
    try:
        for card in range(20, 26):  # more than what was left in the last blocks
            box.scan(str(card), settle=3.0)
        faults = box.view["faults"]
        level = box.view["level"]
        assert level >= 2 or len(box.view["piles"][0]) > 1, "the game stopped"
    finally:
        box.guest.sh("rm -f /var/lib/mind-box/filler; sync")
    assert faults == ["journal"]
    box.hands(1, 2, 3)
    box.expect(faults=[], seconds=40.0)
    before = box.view
    box.guest.sh(f"systemctl kill -s KILL {UNIT}")
    until(lambda: (box.guest.call("service.view") or {}).get("notices") == ["resumed"], "the game after a kill", 60)
    assert [box.view[k] for k in ("level", "lives", "piles")] == [before[k] for k in ("level", "lives", "piles")]


def test_the_wall_clock_is_stepped(box: Box) -> None:
    """A Pi without a battery learns the date from the network: years forward, in mid-gesture; and once back."""
    guest = box.guest
    for step in ("+3 years", "-6 years"):
        box.restart(empty=True)
        box.press(1, 2, 3)
        guest.sh(f"date -s '{step}' >/dev/null")
        box.expect(hands_down=[1, 2, 3])
        guest.sh("sleep 2.3")
        box.lift(1, 2, 3)
        box.expect(phase="focus", reason="level", hands_down=[])
        box.hands(1, 2, 3)
        box.expect(phase="play")
        guest.sh("date -s '+1 hour' >/dev/null")
        box.scan("12")
        box.expect(piles=[[12]])
        box.hold(0)
        box.expect(phase="vote")
        guest.sh("date -s '+1 hour' >/dev/null; sleep 1")
        assert box.view["phase"] == "vote", "the vote ran out by the wall clock"
        box.hold(0)
        box.expect(phase="play")
    assert "Traceback" not in box.log


def test_a_soak_of_taps_leaves_no_wake_ups_behind(box: Box, figure: Figure) -> None:
    """After a few hundred inputs the box is as quiet as before: no timer, thread or buffer is left."""
    box.begin(1, 2, 3)
    for _ in range(60):
        box.hold(2, seconds=0.06, rest=0.06)
        box.hold(1, 2, 3, seconds=0.1, rest=0.06)
    box.restart()
    idle = box.guest.call("service.idle", 30.0)
    figure("idle for 30 s after 120 gestures", idle)
    assert idle["wake-ups/s"] <= 2.0
