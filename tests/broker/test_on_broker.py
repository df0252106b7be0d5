"""A box on a broker, in virtual time: what stands in its topics, whose name it is, and what may come in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from mind_box.broker.on_broker import CLAIM, LATELY
from mind_box.table.view import View
from mind_box.virtual.scripts.clock import run_virtual
from tests.broker.fake_broker import PAUSE, FakeBroker
from tests.broker.tables import LEFT, LEVEL, BoxAtTable

FUCHS = "mind-box/Fuchs"


def evening(tmp_path: Path, play: Callable[[FakeBroker, BoxAtTable], Awaitable[None]], **settings: Any) -> FakeBroker:
    """One box called Fuchs, and what happens at it and at the broker."""

    async def main() -> FakeBroker:
        broker = FakeBroker(asyncio.get_running_loop())
        box = BoxAtTable(broker, tmp_path / "journal.db", **settings)
        await asyncio.sleep(CLAIM + 1)
        await play(broker, box)
        await asyncio.sleep(1)
        box.close()
        return broker

    return run_virtual(main())


def events(broker: FakeBroker) -> list[dict[str, Any]]:
    return [json.loads(sent.payload) for sent in broker.sent if sent.topic == f"{FUCHS}/event"]


def test_what_the_table_shows_stands_in_its_topic(tmp_path: Path) -> None:
    async def play(broker: FakeBroker, box: BoxAtTable) -> None:
        assert broker.topic(f"{FUCHS}/availability") == "online"
        for line in LEVEL.strip().splitlines():
            await box.do(line + "\nwait 1")
            state = box.state()
            assert View.from_json(state["view"]) == box.view
            assert set(state) == {"format", "language", "view"}
        assert box.view.level == 2

    broker = evening(tmp_path, play)
    assert [event["event_type"] for event in events(broker)] == ["laid", "laid", "level_complete"]
    assert broker.topic(f"{FUCHS}/availability") == "offline"


def test_an_event_is_numbered_and_the_broker_that_did_not_get_it_gets_it_again_with_its_number(tmp_path: Path) -> None:
    async def play(_: FakeBroker, box: BoxAtTable) -> None:
        await box.do("hands 1 2\nhands")
        box.line.pull()
        await box.do("scan 10")
        box.line.plug()
        await asyncio.sleep(PAUSE)
        box.line.break_()
        await asyncio.sleep(PAUSE + CLAIM + 1)

    sent = events(evening(tmp_path, play))
    assert [event["event_type"] for event in sent] == ["laid", "laid"]
    assert sent[0] == sent[1]


def test_what_happened_long_ago_is_no_news(tmp_path: Path) -> None:
    """A broker that is away for a day is told what the table shows, not what a light should have flashed at."""

    async def play(broker: FakeBroker, box: BoxAtTable) -> None:
        broker.stop()
        await box.do(LEVEL)
        await asyncio.sleep(86_400)
        broker.begin()
        await asyncio.sleep(PAUSE + CLAIM + LATELY)
        assert box.state()["view"]["level"] == 2

    assert events(evening(tmp_path, play)) == []


def test_a_box_without_power_is_offline_and_comes_back_as_it_was(tmp_path: Path) -> None:
    async def play(broker: FakeBroker, box: BoxAtTable) -> None:
        await box.do(LEVEL)
        box.line.kill()
        assert broker.topic(f"{FUCHS}/availability") == "offline"
        await box.do("restart")
        await asyncio.sleep(CLAIM + 1)
        assert broker.topic(f"{FUCHS}/availability") == "online"
        assert box.state()["view"]["level"] == 2

    evening(tmp_path, play)


def test_another_box_of_the_same_name_stays_quiet_and_takes_the_name_when_it_is_free(tmp_path: Path) -> None:
    async def play(broker: FakeBroker, box: BoxAtTable) -> None:
        other = BoxAtTable(broker, tmp_path / "other.db")
        await asyncio.sleep(CLAIM + 0.5)
        assert "another box that is called Fuchs" in other.line.trouble
        quiet = len(broker.sent)
        await other.do(LEVEL)
        assert {sent.client for sent in broker.sent[quiet:]} <= {box.line.client}
        assert box.state()["view"]["phase"] == "lobby"
        assert broker.topic(f"{FUCHS}/availability") == "online"
        assert other.view.level == 2, "its game goes on"

        box.line.pull()
        await asyncio.sleep(120)
        assert other.state()["view"]["level"] == 2
        other.close()
        box.line.plug()

    evening(tmp_path, play)


def test_of_two_boxes_of_one_name_that_come_at_the_same_time_one_keeps_it(tmp_path: Path) -> None:
    async def main() -> None:
        broker = FakeBroker(asyncio.get_running_loop())
        boxes = [BoxAtTable(broker, tmp_path / f"{i}.db") for i in range(2)]
        await asyncio.sleep(CLAIM + 2)
        assert sorted(bool(box.line.trouble) for box in boxes) == [False, True]
        for box in boxes:
            box.close()

    run_virtual(main())


def test_identify_shows_the_name_in_the_lobby_until_somebody_plays(tmp_path: Path) -> None:
    async def play(broker: FakeBroker, box: BoxAtTable) -> None:
        screen = box.box.screens["table-screen"]

        def look() -> bytes:
            assert screen.picture is not None
            return screen.picture().tobytes()

        lobby = look()
        broker.pass_on(f"{FUCHS}/identify", b"")
        await asyncio.sleep(1)
        named = look()
        assert named != lobby
        await asyncio.sleep(20)
        assert look() == lobby

        broker.pass_on(f"{FUCHS}/identify", b"anything")
        await asyncio.sleep(1)
        assert look() == named
        await box.do(LEVEL)  # the first press is a press
        assert box.view.level == 2
        told = look()
        before = box.view
        broker.pass_on(f"{FUCHS}/identify", b"")
        await asyncio.sleep(1)
        assert (look(), box.view) == (told, before), "a game is not disturbed"

    evening(tmp_path, play)


RUBBISH = [
    b"",
    b"\xff\xfe",
    b"[]",
    b"{}",
    b"null",
    b'{"format": 1}',
    b'{"format": 2, "box": "x", "had": 5, "state": 1}',
    b'{"format": 1, "box": 7, "had": "many", "state": []}',
    b"[" * 100_000,
    b'{"format": 1, "box": "x", "had": -1}',
    b'{"format": 1, "box": "x", "had": 1e400, "state": "online", "run": {}}',
]


def test_nothing_from_a_broker_touches_a_game(tmp_path: Path) -> None:
    """Any bytes in any topic, retained or not, before and during a game."""

    async def play(broker: FakeBroker, box: BoxAtTable) -> None:
        topics = [
            f"{FUCHS}/{what}" for what in ("availability", "owner", "identify", "had", "state", "event", "result")
        ]
        for part in LEVEL.strip().splitlines():
            for topic in (*topics, "mind-box-club/availability"):
                for payload in RUBBISH:
                    broker.pass_on(topic, payload, retain=True)
                    broker.pass_on(topic, payload)
            await asyncio.sleep(0.5)
            await box.do(part)
        await asyncio.sleep(PAUSE + CLAIM + 65)
        box.line.break_()
        await asyncio.sleep(PAUSE + CLAIM + 1)
        assert (box.view.level, box.view.lives, box.view.faults) == (2, 2, ())
        assert box.state()["view"]["level"] == 2
        assert broker.topic(f"{FUCHS}/availability") == "online"

    evening(tmp_path, play)


@pytest.mark.parametrize("club", [False, True])
def test_a_box_asks_the_broker_for_nothing_but_its_own_topics(tmp_path: Path, club: bool) -> None:
    wanted: list[str] = []

    async def play(broker: FakeBroker, _: BoxAtTable) -> None:
        wanted.extend(broker.wanted())

    evening(tmp_path, play, club=club)
    own = {f"{FUCHS}/{what}" for what in ("availability", "owner", "identify")}
    assert set(wanted) == own | ({f"{FUCHS}/had", "mind-box-club/availability"} if club else set())


def test_a_silent_table_says_nothing(tmp_path: Path) -> None:
    """R18: nothing is periodic."""

    async def play(broker: FakeBroker, box: BoxAtTable) -> None:
        await box.do("hands 1 2\nhands")
        before = len(broker.sent)
        loop = asyncio.get_running_loop()
        timers = loop.timers  # type: ignore[attr-defined]
        await asyncio.sleep(3600)
        assert len(broker.sent) == before
        assert loop.timers <= timers  # type: ignore[attr-defined]

    evening(tmp_path, play)


def test_no_time_leaves_the_box_before_the_level_is_over(tmp_path: Path) -> None:
    """R36: neither what is told of a level nor when anything happened."""

    async def play(_: FakeBroker, box: BoxAtTable) -> None:
        await box.do(LEVEL)
        await box.do("hands\nscan 5")
        await box.do(LEFT)

    broker = evening(tmp_path, play)
    told = 0
    for sent in broker.sent:
        fields = json.loads(sent.payload) if sent.payload.startswith("{") else {}
        if sent.topic.endswith("/state"):
            over = fields["view"]["phase"] not in ("play", "vote")
            assert over or fields["view"]["told"] == []
            told += bool(fields["view"]["told"])
        if sent.topic.endswith("/event"):
            assert set(fields) <= {"format", "id", "event_type", "card", "cards", "early", "level"}
    assert told, "between levels there is something to tell"
