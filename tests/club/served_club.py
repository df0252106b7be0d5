"""The hub's page with tables and results, served in a thread for a browser; the broker is the test's own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from mind_box.broker.in_thread import at_once
from mind_box.broker.outbox import result_of
from mind_box.broker.topics import Result, text_of_event, text_of_state
from mind_box.club.hub import Hub
from mind_box.club.server import ClubPage
from mind_box.club.store import Store
from mind_box.evening.book import Entry
from mind_box.evening.telling import told
from mind_box.settings.schema import BrokerSettings, ClubSettings
from mind_box.table.view import View
from mind_box.virtual.evenings import TEAMS, SimulatedEvening
from tests.broker.fake_broker import FakeBroker

PLAY = View(phase="play", seats=(1, 2, 3), level=4, last_level=10, lives=3, stars=2, piles=((12, 31, 47),), remaining=6)
VIEWS = {
    "Biber": PLAY,
    "Dachs": replace(PLAY, phase="focus", reason="error", lives=1, level=7, piles=((5, 88),)),
    "Fuchs": View(),
    "Hase": replace(PLAY, phase="won", level=10, lives=4, stars=3),
    "Igel": replace(PLAY, variant="extreme", piles=(("W12", "W33"), ("R40",)), level=2, faults=("reader",)),
    "Luchs": replace(PLAY, phase="lost", lives=0, level=5),
}


def game(seed: int, date: datetime) -> dict[str, Any]:
    """A simulated game as a box sends it."""
    kept = SimulatedEvening(TEAMS[seed % len(TEAMS)], Random(seed), date=date.strftime("%Y-%m-%dT%H:%M:%SZ")).played()
    whole = told(kept)
    assert whole is not None
    return result_of(Entry(1, "", 1, None, whole))


class ServedClub:
    """``close`` ends it."""

    def __init__(self, directory: Path, views: dict[str, View], results: int, language: str = "en") -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.store = Store(str(directory / "club.db"))
        self.store.open()
        now = datetime.now(UTC)
        names = list(views)
        for i in range(results):
            began = now - timedelta(minutes=30 * (results - i) % 900 + 20)
            self.store.take(names[i % len(names)], Result(f"{i:016x}", 1, 1, None, game(i, began)), now)
        self.ask(self._open(views, language))

    async def _open(self, views: dict[str, View], language: str) -> None:
        self.broker = FakeBroker(self._loop)
        settings = BrokerSettings(host="broker.test")
        self.hub = Hub(settings, self.store, open_line=self.broker.open, beside=at_once)
        self.page = ClubPage(ClubSettings(port=0), language, self.hub, self.store)
        self.hub.changed = self.page.changed
        await self.page.start()
        self.hub.start()
        for name, view in views.items():
            self.put(name, "availability", b"online")
            self.put(name, "state", text_of_state(view, "en").encode())

    def put(self, name: str, what: str, payload: bytes) -> None:
        """A box says something; in the loop."""
        self.broker.pass_on(f"mind-box/{name}/{what}", payload, what != "event")

    def say(self, name: str, what: str, payload: bytes) -> None:
        """The same from the test."""
        self.call(lambda: self.put(name, what, payload))

    def happen(self, name: str, code: str, number: str, **rest: Any) -> None:
        self.say(name, "event", text_of_event({"code": code, **rest}, number).encode())

    def call(self, act: Callable[[], Any]) -> None:
        async def work() -> None:
            act()

        self.ask(work())

    def ask(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.page.port}"

    def close(self) -> None:
        self.call(self.hub.stop)
        self.ask(self.page.stop())
        self.store.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
