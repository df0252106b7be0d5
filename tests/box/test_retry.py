"""A journal that could not be written is tried again by itself, and the fault is shown until it holds."""

from __future__ import annotations

import asyncio
import itertools
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.journal.opening import open_journal
from mind_box.journal.writer import AGAIN, Keeper
from mind_box.referee import Referee
from mind_box.settings.schema import Config
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from tests.box.stalls import Stalling
from tests.box.test_referee import Disk, gather


def with_its_keeper(disk: Disk) -> tuple[Referee, Keeper]:
    """A box that has started, and what it hands over to be kept."""
    made: list[Keeper] = []

    def make(*args: Any) -> Keeper:
        made.append(Keeper(*args))
        return made[-1]

    with patch("mind_box.referee.Keeper", make):
        referee = Referee(Config(), disk.journal)
    referee.start(VirtualBox(4, asyncio.get_running_loop().time).open)
    return referee, made[0]


@pytest.mark.parametrize("stall", [None, 0.3])
def test_a_disk_that_works_again_is_found_without_anybody_doing_anything(stall: float | None) -> None:
    """With the writer in its thread (it answers later) and without."""

    async def main() -> None:
        loop, disk = asyncio.get_running_loop(), Disk()
        box = VirtualBox(4, loop.time)
        referee = Referee(Config(), disk.journal, writer=Stalling(disk.journal, lambda: stall) if stall else None)
        referee.start(box.open)
        await gather(box, 1, 2, 3)
        await asyncio.sleep(1)
        disk.full = True
        await gather(box, 1, 2, 3)
        box.scan("10")
        await asyncio.sleep(1)
        assert (referee.view.pile, referee.view.faults) == ((10,), ("journal",))
        shown: list[float] = []
        referee.listeners.append(lambda _: shown.append(loop.time()))
        await asyncio.sleep(500)
        assert (referee.view.faults, shown) == (("journal",), []), "said until it holds, and said once"
        disk.full = False
        fixed = loop.time()
        await asyncio.sleep(AGAIN[1] + 1)
        assert referee.view.faults == ()
        assert 0 < shown[0] - fixed <= AGAIN[1] + (stall or 0)
        assert disk.journal.load().piles == ((10,),)
        assert [type(e).__name__ for e in disk.saved] == ["Started", "Concentrated", "Laid"]
        tries = disk.tries
        await asyncio.sleep(3600)
        assert disk.tries == tries, "what is saved is not tried again"
        referee.close()

    run_virtual(main())


def test_the_attempts_become_rarer_and_begin_anew_after_a_success() -> None:
    async def main() -> None:
        disk = Disk()
        referee, keeper = with_its_keeper(disk)
        for _ in range(2):
            disk.full, disk.times = True, []
            keeper.keep([ev.Stopped(by_press=True)])
            await asyncio.sleep(600)
            gaps = [round(b - a, 6) for a, b in itertools.pairwise(disk.times)]
            assert gaps[:8] == [1, 2, 4, 8, 16, 32, 60, 60] and set(gaps[8:]) == {60}
            disk.full = False
            await asyncio.sleep(60)
            assert referee.saved
        disk.full = True
        keeper.keep([ev.Stopped(by_press=True)])
        tries = disk.tries
        referee.close()
        await asyncio.sleep(600)
        assert disk.tries == tries, "a box that has closed its journal leaves it alone"

    run_virtual(main())


def test_an_input_between_two_attempts_tries_at_once_and_does_not_put_off_the_next() -> None:
    async def main() -> None:
        disk = Disk()
        referee, keeper = with_its_keeper(disk)
        disk.full = True
        began = asyncio.get_running_loop().time()
        for _ in range(100):
            keeper.keep([ev.Stopped(by_press=True)])
            await asyncio.sleep(0.3)
        by_itself = [round(t - began, 6) for t in disk.times if round((t - began) / 0.3, 6) % 1]
        assert by_itself == [1, 7]  # those at 3 and 15 s fall together with an input
        assert disk.tries == 100 + 4
        referee.close()

    run_virtual(main())


def test_a_directory_that_is_there_later_is_found_by_itself(tmp_path: Path) -> None:
    """Nothing has happened at the table, so nothing waits: that it can be written is news all the same."""
    path = tmp_path / "state" / "journal.db"
    journal = Journal.open(path)
    journal.append([ev.Started((1, 2), {}, ((2, "classic", False, 4),)), ev.Concentrated(), ev.Laid(3)])
    journal.close()
    away = tmp_path / "away"
    path.parent.rename(away)
    path.parent.write_text("a file stands in the way")

    async def main() -> None:
        journal, saved = open_journal(path.parent)
        assert not saved
        referee = Referee(Config(), journal, saved=saved)
        referee.start(VirtualBox(4, asyncio.get_running_loop().time).open)
        await asyncio.sleep(100)
        assert referee.view.faults == ("journal",)
        path.parent.unlink()
        away.rename(path.parent)
        await asyncio.sleep(AGAIN[1])
        assert referee.view.faults == ()
        referee.close()
        journal.close()

    run_virtual(main())
    journal = Journal.open(path)
    assert len(list(journal.rows())) == 3, "nothing happened, so nothing was added: the game can still be had"
    journal.close()


def test_that_a_journal_was_damaged_is_said_until_a_game_is_saved(tmp_path: Path) -> None:
    """The fresh one can be written at once: but nobody would have read it."""
    path = tmp_path / "journal.db"
    path.write_bytes(os.urandom(4096))

    async def main() -> None:
        journal, saved = open_journal(tmp_path)
        box = VirtualBox(4, asyncio.get_running_loop().time)
        referee = Referee(Config(), journal, saved=saved)
        referee.start(box.open)
        await asyncio.sleep(3600)
        assert referee.view.faults == ("journal",)
        await gather(box, 1, 2)
        assert referee.view.faults == ()
        referee.close()
        journal.close()

    run_virtual(main())
