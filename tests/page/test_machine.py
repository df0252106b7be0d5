"""The box of ``mind-box try`` with its real daemon: the same pixels, power that is cut, plugs that are pulled."""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mind_box.service.status import ask
from mind_box.settings.loading import load, parse
from mind_box.settings.schema import Config
from mind_box.settings.writing import to_toml
from mind_box.show.screens import draw
from mind_box.virtual.glass import frame_of
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip
from mind_box.virtual.tryout.box_settings import virtual_box, virtual_settings
from mind_box.virtual.tryout.machine import OFF, ON, Hooks, Machine
from tests.page.browsing import Tried, quick_box

HARDWARE = Path(__file__).parents[2] / "hardware"
PATIENCE = 20.0


@asynccontextmanager
async def running(directory: Path, config: Config) -> AsyncIterator[Machine]:
    machine = Machine(config, directory, Hooks())
    await machine.start()
    try:
        await until(lambda: machine.power == ON)
        yield machine
    finally:
        await machine.close()


async def until(true: Callable[[], Any]) -> None:
    """Waits for the other process."""
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0.005)


def drawn(machine: Machine, name: str) -> bytes:
    """The picture of the View, as the screen's frame should show it."""
    assert machine.view is not None
    size = (128, machine.screens[name].chip.height)
    return draw(machine.view, name, size, "en").tobytes()


async def shown(machine: Machine) -> None:
    """Until every screen's glass shows the View, pixel by pixel."""
    await until(lambda: all(glass.frame[2:] == drawn(machine, name) for name, glass in machine.screens.items()))


@pytest.mark.parametrize("source", ["standard", "seats", "eight"])
async def test_every_screen_shows_the_very_pixels_of_the_view(tmp_path: Path, source: str) -> None:
    """Of a maker's own settings too: multiplexers, other controllers, lamps on an expander."""
    config = virtual_box(8) if source == "eight" else load(HARDWARE / f"{source}.toml")
    async with running(tmp_path, config) as machine:
        await shown(machine)
        machine.press(1)
        await until(lambda: machine.view and machine.view.hands_down == (1,))
        await shown(machine)
        assert all(glass.frame[0] > 0 for glass in machine.screens.values())


async def play(machine: Machine) -> None:
    """From the lobby into play."""
    for seconds in (0.6, 0.1):
        machine.press(1)
        machine.press(2)
        await until(lambda: machine.view and machine.view.hands_down == (1, 2))
        await asyncio.sleep(seconds)
        machine.lift(1)
        machine.lift(2)
        await until(lambda: machine.view and not machine.view.hands_down)
    await until(lambda: machine.view and machine.view.phase == "play")


async def test_a_power_cut_is_dark_and_the_disk_brings_the_game_back(tmp_path: Path) -> None:
    async with running(tmp_path, quick_box(2)) as machine:
        await play(machine)
        machine.scan("MB1:042")
        await until(lambda: machine.view and machine.view.piles == ((42,),))
        assert machine.lamps["lives"] == [True, True, False, False, False]
        machine.cut_power()
        assert machine.power == OFF and machine.view is None
        assert not any(any(row) for row in machine.lamps.values())
        assert all(glass.frame[0] == 0 and not any(glass.frame[2:]) for glass in machine.screens.values())
        machine.press(1)
        machine.power_on()
        await until(lambda: machine.power == ON)
        assert machine.view is not None
        assert (machine.view.reason, machine.view.piles) == ("resume", ((42,),))
        machine.lift(1)
        machine.press(2)  # the button that was down at start has been seen up, and this one counts
        await until(lambda: machine.view and machine.view.hands_down == (2,))
        await shown(machine)


async def test_a_tray_s_pile_is_played_with_and_taken_off_at_the_end_of_a_level(tmp_path: Path) -> None:
    """Cards that lie there are read on and on, and each is laid once; the label on the floor says that it is empty."""
    config = quick_box(2)
    config = replace(config, reader=(replace(config.reader[0], place="tray", same_card_seconds=0.5),))
    async with running(tmp_path, config) as machine:
        await play(machine)
        machine.scan("MB1:009")
        await until(lambda: machine.view and machine.view.piles == ((9,),))
        machine.scan("MB1:040")
        await until(lambda: machine.view and machine.view.level == 2)
        await until(lambda: (ask(Path(machine.config.box.run_dir)) or {}).get("tray_label"))
        await play(machine)
        machine.scan("MB1:040")
        await until(lambda: machine.view and machine.view.piles == ((40,),))
        machine.scan("hello")
        await until(lambda: machine.view and machine.view.notices == ("unknown_card",))
        machine.scan("MB1:051")
        await until(lambda: machine.view and machine.view.piles == ((40, 51),))


async def test_a_long_name_and_a_private_journal(tmp_path: Path) -> None:
    directory = tmp_path / ("a directory with a name that is longer than a socket's may be " * 3)
    async with running(directory, quick_box(2)) as machine:
        await play(machine)
        assert (directory / "journal.db").stat().st_mode & 0o077 == 0
        run = Path(machine.config.box.run_dir)
        assert run.exists()
    assert not run.exists()


def daemon() -> int:
    """The process that the box has started last."""
    me = os.getpid()
    children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    return int([pid for pid in children if b"tryout.daemon" in Path(f"/proc/{pid}/cmdline").read_bytes()][-1])


async def test_a_daemon_that_dies_by_itself_comes_back_and_one_that_was_told_to_stop_does_not(tmp_path: Path) -> None:
    async with running(tmp_path, quick_box(2)) as machine:
        os.kill(daemon(), signal.SIGKILL)
        await until(lambda: machine.power == OFF)
        assert machine.broken
        await until(lambda: machine.power == ON)
        assert not machine.broken
        os.kill(daemon(), signal.SIGTERM)
        await until(lambda: machine.power == OFF)
        assert not machine.broken
        glass = machine.screens["table-screen"]
        assert glass.frame[0] > 0 and any(glass.frame[2:]), "the last picture stays on the glass"
        machine.power_on()
        await until(lambda: machine.power == ON)


async def test_worn_contacts_and_a_reader_that_repeats_change_nothing(tmp_path: Path) -> None:
    async with running(tmp_path, quick_box(2)) as machine:
        machine.worn = machine.repeats = True
        await play(machine)
        machine.scan("7")
        machine.scan("9")
        await until(lambda: machine.view and machine.view.level == 2)
        await asyncio.sleep(0.3)  # the second readings
        assert machine.view is not None
        assert (machine.view.level, machine.view.notices) == (2, ("level_complete",))


async def test_an_unplugged_reader_reads_nothing_until_it_is_back(tmp_path: Path) -> None:
    async with running(tmp_path, quick_box(2)) as machine:
        await play(machine)
        machine.plug("reader", False)
        await until(lambda: machine.view and machine.view.faults == ("reader",))
        machine.scan("7")
        machine.plug("reader", True)
        await until(lambda: machine.view and machine.view.faults == ())
        machine.scan("9")
        await until(lambda: machine.view and machine.view.piles != ((),))
        assert machine.view is not None and machine.view.piles == ((9,),)


def test_when_mind_box_try_dies_its_daemon_goes_too(tmp_path: Path) -> None:
    tried = Tried(tmp_path, quick_box(2))
    try:
        pid = tried.process.pid
        children = [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        assert len(children) == 1
        tried.process.kill()
        fd = os.pidfd_open(children[0])
        assert select.select([fd], [], [], PATIENCE)[0], "the daemon is left over"
        os.close(fd)
    finally:
        tried.close()


@pytest.mark.parametrize("height", [64, 32])
@pytest.mark.parametrize("kind", [SSD1306Chip, SH1106Chip])
def test_the_quick_look_at_a_glass_sees_what_the_model_says(kind: type[OledChip], height: int) -> None:
    """Whatever the registers are: the usual ones, inverted, shifted, dark."""
    rng = random.Random(height)
    for _ in range(60):
        chip = kind(height, seed=rng.randrange(1000))
        commands = [0x8D, 0x14] if kind is SSD1306Chip else []
        commands += [0xA8, height - 1, 0xA1, 0xC8, 0xDA, kind.WIRING[height]]
        if kind is SSD1306Chip and rng.random() < 0.15:
            commands += [0x2F]
        for odd in (
            [0xDA, 0x02],
            [0xDA, 0x12],
            [0xDA, 0x22],
            [0xA7],
            [0xA5],
            [0x45],
            [0xD3, 3],
            [0xA0],
            [0xC0],
            [0xAE],
            [0xA8, 15],
        ):
            if rng.random() < 0.15:
                commands += odd
        chip.write(bytes([0x00, 0xAF, *commands]))
        assert frame_of(chip)[2:] == chip.picture().tobytes()


def test_settings_survive_the_way_to_the_daemon() -> None:
    bare = replace(Config(), screen=())
    for config in (Config(), bare, virtual_box(2), virtual_box(8), load(HARDWARE / "seats.toml")):
        virtual = virtual_settings(config, Path("/somewhere"), Path("/elsewhere"))
        assert parse(to_toml(virtual)) == virtual
