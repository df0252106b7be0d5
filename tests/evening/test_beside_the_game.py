"""What there is to tell is found beside the game (R36): in a worker, begun only between levels, and without numpy."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from mind_box.evening import facts
from mind_box.game.state import Ended
from mind_box.journal.journal import Journal
from mind_box.journal.stamps import Timed
from mind_box.journal.writer import AtOnce
from mind_box.page.evenings import serving
from mind_box.storyteller import Storyteller
from mind_box.table.facts import Fact
from mind_box.table.view import View
from mind_box.virtual.evenings import demo

FACT = Fact("play", (), (12.0,))


class Finding:
    """Takes the place of what is found: tells in which thread it is begun, and ends when it may."""

    def __init__(self, result: Any) -> None:
        self.threads: list[int] = []
        self.may_end = threading.Event()
        self.begun = threading.Event()
        self._result = result

    def __call__(self, *_: object) -> Any:
        self.threads.append(threading.get_ident())
        self.begun.set()
        assert self.may_end.wait(20)
        return self._result


async def soon(what: Callable[[], bool]) -> None:
    """Until another thread has come so far."""
    async with asyncio.timeout(20):
        while not what():
            await asyncio.sleep(0.001)


class Table:
    """What a storyteller needs of a referee."""

    def __init__(self, journal: Journal) -> None:
        self.listeners: list[Callable[[View], None]] = []
        self.writer = AtOnce(journal)
        self.playing = False
        self.told: list[tuple[int, tuple[Fact, ...], int]] = []

    def tell(self, ended: int, found: tuple[Fact, ...]) -> None:
        self.told.append((ended, found, threading.get_ident()))

    def level_ends(self, level: int) -> None:
        for listener in self.listeners:
            listener(View(phase="focus", reason="level", level=level + 1, ended=Ended(level, (10, 20), ())))


@pytest.fixture
def table() -> Table:
    journal = Journal.in_memory()
    demo(journal, 1)
    return Table(journal)


async def test_a_level_s_story_is_found_off_the_loop_s_thread(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding((1, (FACT,)))
    monkeypatch.setattr(facts, "facts_of_last_level", finding)
    teller = Storyteller(table)  # type: ignore[arg-type]  # all that it needs of one
    table.level_ends(1)
    await soon(finding.begun.is_set)  # the loop lives on, though nothing is found yet
    assert not table.told
    finding.may_end.set()
    await soon(lambda: bool(table.told))
    here = threading.get_ident()
    assert finding.threads != [here] and len(finding.threads) == 1
    assert table.told == [(1, (FACT,), here)], "told in the loop's own thread"
    teller.close()


async def test_no_story_is_begun_while_a_level_is_played(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is at the first level's when the second ends; when it comes to that, the third is played."""
    finding = Finding((1, (FACT,)))
    monkeypatch.setattr(facts, "facts_of_last_level", finding)
    teller = Storyteller(table)  # type: ignore[arg-type]
    table.level_ends(1)
    await soon(finding.begun.is_set)
    table.level_ends(2)
    table.playing = True
    finding.may_end.set()
    await soon(lambda: bool(table.told))
    await asyncio.to_thread(teller._worker.shutdown)  # type: ignore[union-attr]  # noqa: SLF001 -- all it was given
    assert len(finding.threads) == 1


def test_what_is_begun_goes_on_no_longer_than_to_the_next_fact() -> None:
    """The next level may begin in the middle of it."""
    journal = Journal.in_memory()
    demo(journal, 1)
    kept: list[Timed] = list(journal.table())
    asked = []

    def go_on() -> bool:
        asked.append(True)
        return len(asked) < 2

    assert len(facts.facts_of_last_level(kept)[1]) > 2
    assert facts.facts_of_last_level(kept, go_on)[1] == ()
    assert len(asked) == 2


class Pages:
    """The evenings' pages, and whether a level is played."""

    def __init__(self, journal: Path) -> None:
        self.playing = False
        app = web.Application()
        self.evenings = serving.EveningPages(app, serving.Box(lambda: journal, lambda: "en", lambda: self.playing))
        self._runner = web.AppRunner(app)
        self._session = aiohttp.ClientSession()

    async def open(self) -> None:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()

    async def get(self) -> int:
        async with self._session.get(f"http://127.0.0.1:{self._runner.addresses[0][1]}/evenings") as answer:
            return answer.status

    async def close(self) -> None:
        await self._session.close()
        self.evenings.close()
        await self._runner.cleanup()


@pytest.fixture
async def pages(tmp_path: Path) -> AsyncIterator[Pages]:
    path = tmp_path / "journal.db"
    journal = Journal.open(path)
    demo(journal, 1)
    journal.close()
    pages = Pages(path)
    await pages.open()
    yield pages
    await pages.close()


async def test_a_page_is_made_off_the_loop_s_thread_and_never_while_a_level_is_played(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = Finding("made")
    monkeypatch.setattr(serving, "list_page", finding)
    first = asyncio.create_task(pages.get())
    await soon(finding.begun.is_set)
    waits = asyncio.create_task(pages.get())
    queue = pages.evenings._worker._work_queue  # noqa: SLF001 -- it waits for the worker
    await soon(lambda: queue.qsize() > 0)
    pages.playing = True
    assert await pages.get() == 503
    finding.may_end.set()
    assert (await first, await waits) == (503, 503)
    assert len(finding.threads) == 1 and finding.threads != [threading.get_ident()]
    pages.playing = False
    assert await pages.get() == 200
    assert len(finding.threads) == 2


LOADED = """
import importlib, pkgutil, sys
import mind_box.evening, mind_box.ghost, mind_box.page.evenings, mind_box.storyteller
for room in (mind_box.evening, mind_box.ghost, mind_box.page.evenings):
    for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        importlib.import_module(module.name)
print(len([name for name in sys.modules if name.startswith("mind_box.evening.")]))
print([name for name in ("numpy", "scipy", "pandas", "matplotlib") if name in sys.modules])
"""


def test_an_evening_needs_no_numpy() -> None:
    """Of the evening, its pages and pictures, and the ghosts' model nothing loads it, though it is installed here."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    modules, heavy = done.stdout.splitlines()
    assert int(modules) >= 10 and heavy == "[]"
