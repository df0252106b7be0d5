"""Screens dim and go dark when nobody is there, and never while a level is played (R18)."""

from __future__ import annotations

import asyncio

import pytest

from mind_box.journal.journal import Journal
from mind_box.referee import Referee
from mind_box.service.idle import DIM, FULL, OFF, Idle
from mind_box.settings.schema import Config
from mind_box.virtual.scripts.box import VirtualBox, VirtualScreen
from mind_box.virtual.scripts.clock import run_virtual

DIM_AFTER, DARK_AFTER = 300.0, 1800.0


class Watched(VirtualScreen):
    """Writes down how bright it was told to be, and when."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__("table-screen")
        self.levels: list[tuple[float, int]] = []
        self._loop = loop

    def brightness(self, level: int) -> None:
        self.levels.append((self._loop.time(), level))


class Table:
    """A referee on a virtual box, its screens watched."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.box = VirtualBox(2, self.loop.time)
        screen = Watched(self.loop)
        self.levels = screen.levels
        self.referee = Referee(Config(), Journal.in_memory())
        self.referee.start(self.box.open)
        self.idle = Idle([screen], DIM_AFTER, DARK_AFTER, self.loop)
        self.referee.touched = self.idle.touched
        self.idle.touched(self.referee.view)

    async def hands(self, seconds: float) -> None:
        """Both hands down and up; the last thing that happens at the table."""
        for seat in (1, 2):
            self.box.press(seat)
        await asyncio.sleep(seconds)
        for seat in (1, 2):
            self.box.lift(seat)

    async def play(self) -> None:
        await self.hands(2.5)
        await asyncio.sleep(1)
        await self.hands(0.5)
        await asyncio.sleep(0.1)
        assert self.referee.view.phase == "play"


def test_nobody_comes() -> None:
    async def main() -> None:
        table = Table()
        await asyncio.sleep(3600)
        assert table.levels == [(DIM_AFTER, DIM), (DARK_AFTER, OFF)]
        await table.hands(0.01)  # too short to be a press, long enough to see that somebody is there
        assert table.levels[2:] == [(3600, FULL)]

    run_virtual(main())


def test_who_wakes_the_screens_is_given_the_whole_time_again() -> None:
    async def main() -> None:
        table = Table()
        await asyncio.sleep(DIM_AFTER + 100)
        await table.hands(0.01)
        await asyncio.sleep(2 * DARK_AFTER)
        woken = DIM_AFTER + 100
        assert table.levels[:2] == [(DIM_AFTER, DIM), (woken, FULL)]
        waited = [(round(at - woken), level) for at, level in table.levels[2:]]
        assert waited == [(DIM_AFTER, DIM), (DARK_AFTER, OFF)]

    run_virtual(main())


@pytest.mark.parametrize("before", [0, DIM_AFTER - 2])
def test_no_screen_changes_by_itself_while_a_level_is_played(before: float) -> None:
    """Whoever waits long for a card must not be told how long: the last hand counts as lifted after its debounce."""

    async def main() -> None:
        table = Table()
        await asyncio.sleep(before)
        await table.play()
        await asyncio.sleep(7200)
        assert table.levels == []
        table.box.press(1)
        await asyncio.sleep(0.1)
        table.box.lift(1)
        lifted = table.loop.time()
        assert table.referee.view.phase == "focus"
        await asyncio.sleep(3600)
        waited = [(round(at - lifted, 1), level) for at, level in table.levels]
        assert waited == [(DIM_AFTER, DIM), (DARK_AFTER, OFF)]

    run_virtual(main())


def test_a_vote_that_runs_out_goes_back_to_play_and_nothing_dims() -> None:
    async def main() -> None:
        table = Table()
        await table.play()
        table.box.press(0)
        await asyncio.sleep(0.1)
        table.box.lift(0)
        await asyncio.sleep(7200)
        assert table.referee.view.phase == "play" and table.levels == []

    run_virtual(main())
