"""The signs of life that open pages are sent when nothing happens at the table."""

from __future__ import annotations

import asyncio

from aiohttp import web

from mind_box.page.web import BEAT, Visitor, Visitors
from mind_box.virtual.scripts.clock import run_virtual


class Counted(Visitor):
    def __init__(self) -> None:
        super().__init__(web.WebSocketResponse())
        self.times: list[float] = []

    def alive(self) -> None:
        self.told = asyncio.get_running_loop().time()
        self.times.append(self.told)


class Woken(Visitors[Counted]):
    """Counts how often its timer rings."""

    wakes = 0

    def _beat(self) -> None:
        self.wakes += 1
        super()._beat()


def test_each_page_hears_something_in_time_and_one_timer_serves_all() -> None:
    async def hour() -> None:
        loop = asyncio.get_running_loop()
        pages = [Counted() for _ in range(40)]
        visitors = Woken(pages)
        for _ in pages:
            visitors.begin()
        start = loop.time()
        busy = pages[0]
        while loop.time() < start + 3600:
            await asyncio.sleep(4)
            busy.told = loop.time()
        assert visitors.wakes <= 3600 / BEAT + 2
        assert busy.times == [], "who is told something anyway hears nothing more"
        for page in pages[1:]:
            gaps = [b - a for a, b in zip([start, *page.times], page.times, strict=False)]
            assert max(gaps) <= 1.5 * BEAT and len(page.times) >= 3600 / (1.5 * BEAT) - 1
        visitors.clear()
        await asyncio.sleep(2 * BEAT)
        before = visitors.wakes
        await asyncio.sleep(3600)
        assert visitors.wakes == before, "nobody looks"
        visitors.stop()

    run_virtual(hour())
