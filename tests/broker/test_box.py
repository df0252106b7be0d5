"""A whole box in another process, on a real Mosquitto: what it says there, and what it is when it dies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mind_box.service.status import ask, describe
from tests.broker.mosquitto import Mosquitto
from tests.broker.test_link import Listener, at, known, until
from tests.e2e.machine import Machine


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path / "broker")
    yield broker
    broker.stop()


def box_on(broker: Mosquitto, directory: Path, **more: str) -> Machine:
    settings = {"host": '"127.0.0.1"', "port": str(broker.port), "name": '"Fuchs"', "prefix": '"box"', **more}
    return Machine(directory, "[broker]\n" + "\n".join(f"{name} = {value}" for name, value in settings.items()) + "\n")


async def test_a_box_says_how_it_stands_and_is_offline_when_it_dies(broker: Mosquitto, tmp_path: Path) -> None:
    import asyncio

    from mind_box.broker.link import Link, Will

    watcher = Listener()
    watcher.line = Link(at(broker.port), "watcher", Will("w", "w"), watcher, asyncio.get_running_loop())
    watcher.line.start()
    await known(watcher)

    def now(what: str) -> str | None:
        return next((text for topic, text, _ in reversed(watcher.heard_) if topic == f"box/Fuchs/{what}"), None)

    with box_on(broker, tmp_path / "box", club="true") as box:
        box.start()
        await until(lambda: now("availability") == "online" and now("state"))
        assert json.loads(now("state") or "")["view"]["phase"] == "lobby"
        status = ask(box.run)
        assert status is not None and status["broker"]["connected"]
        assert "Broker: connected, as Fuchs" in describe(status)
        box.begin()
        await until(lambda: json.loads(now("state") or "")["view"]["phase"] != "lobby")
        box.kill()
        await until(lambda: now("availability") == "offline")
        box.start()
        await until(lambda: now("availability") == "online")
        assert box.stop() == 0
        await until(lambda: now("availability") == "offline")
    with closing(sqlite3.connect(box.state / "journal.db")) as db:
        assert db.execute("SELECT count(*) FROM outbox").fetchone()[0] == 0, "no game is over yet"
    watcher.line.stop()


def test_a_box_whose_broker_is_not_there_plays_and_says_so(broker: Mosquitto, tmp_path: Path) -> None:
    broker.kill()
    with box_on(broker, tmp_path / "box") as box:
        box.start()
        box.until(lambda: (ask(box.run) or {})["broker"]["trouble"])
        status = ask(box.run)
        assert status is not None and "nothing listens there" in describe(status)
        box.begin()
        assert box.stop() == 0
