"""An evening of many virtual boxes in virtual time: real referees and journals, the real hub, power cuts all over."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mind_box.broker.in_thread import at_once
from mind_box.broker.outbox import result_of
from mind_box.broker.topics import Result
from mind_box.club.hub import Hub
from mind_box.club.league import league
from mind_box.club.store import Store, Stored, StoreError, Taken
from mind_box.evening.book import Book
from mind_box.virtual.scripts.clock import run_virtual
from tests.broker.fake_broker import FakeBroker
from tests.broker.tables import BoxAtTable

TABLES = 32
GAMES = 2


class FullDisk(Store):
    """A database whose disk may be full."""

    full = False

    def take(self, name: str, result: Result, now: datetime) -> Taken:
        if self.full:
            raise StoreError("database or disk is full.")
        return super().take(name, result, now)


class Club:
    """A broker, a hub and its database."""

    def __init__(self, place: Path) -> None:
        self.broker = FakeBroker(asyncio.get_running_loop())
        self.store = FullDisk(str(place))
        self.store.open()
        self.begin()

    def begin(self) -> None:
        self.hub = Hub(
            _settings(), self.store, open_line=self.broker.open, beside=at_once,
            now=lambda: datetime(2026, 12, 1, 20, tzinfo=UTC),
        )  # fmt: skip
        self.hub.start()

    def kill(self) -> None:
        """The hub's process."""
        line: Any = self.hub.line
        line.kill()

    def close(self) -> None:
        self.hub.stop()
        self.store.close()


def _settings() -> Any:
    from mind_box.settings.schema import BrokerSettings

    return BrokerSettings(host="broker.test")


async def play_a_game(box: BoxAtTable, rng: random.Random) -> None:
    """Some levels without or with an error, the power cut at any moment, and everybody goes."""
    text = "hands 1 2\n"
    for level in range(1, rng.randint(1, 3)):
        cards = sorted(rng.sample(range(1, 101), 2 * level))
        text += "hands\n" + "".join(f"scan {card}\n" for card in cards)
    text += "menu end-game\nhold star 2\n"
    for line in text.splitlines():
        if rng.random() < 0.1:
            await box.do("restart")
            if line == "hands" or line.startswith("scan"):
                await box.do("hands")
        await box.do(line)
        await asyncio.sleep(rng.uniform(0, 30))
    if box.view.phase != "lobby":
        await box.do("menu end-game\nhold star 2")
    assert box.view.phase == "lobby"


def told_by(journal: Path) -> list[dict[str, Any]]:
    """What the box's own journal says of its games."""
    with Book.at(journal) as book:
        return [json.loads(json.dumps(result_of(entry))) for entry in book.oldest_first()]


def once(club: Club, tmp_path: Path) -> None:
    """Every game of every journal is there once, as the box tells it, and the league is theirs."""
    results = club.store.results()
    there = Counter((result.name, json.dumps(result.game, sort_keys=True)) for result in results)
    told = [(path.stem, game) for path in sorted(tmp_path.glob("Table*.db")) for game in told_by(path)]
    wanted = Counter((name, json.dumps(game, sort_keys=True)) for name, game in told)
    assert there == wanted
    best = league([Stored(i, name, "", game) for i, (name, game) in enumerate(told)])
    assert league(results) == best and len(best) > 1


def test_every_result_of_an_evening_with_power_cuts_is_there_once_and_the_league_is_right(tmp_path: Path) -> None:
    async def main() -> None:
        rng = random.Random(21)
        club = Club(tmp_path / "club.db")
        boxes = [BoxAtTable(club.broker, tmp_path / f"Table{i}.db", name=f"Table{i}") for i in range(TABLES)]

        async def evening(box: BoxAtTable, seed: int) -> None:
            own = random.Random(seed)
            for _ in range(GAMES):
                await play_a_game(box, own)

        async def accidents() -> None:
            for _ in range(8):
                await asyncio.sleep(rng.uniform(20, 90))
                if rng.random() < 0.5:
                    club.kill()
                    await asyncio.sleep(rng.uniform(0, 60))
                    club.begin()
                else:
                    club.broker.stop()
                    await asyncio.sleep(rng.uniform(0, 60))
                    club.broker.begin()

        await asyncio.gather(accidents(), *(evening(box, seed) for seed, box in enumerate(boxes)))
        await asyncio.sleep(1800)
        assert len(club.store.results()) == TABLES * GAMES
        for box in boxes:
            assert box.on_broker is not None and box.on_broker.status()["results_waiting"] == 0
            box.close()
        once(club, tmp_path)
        club.close()

    run_virtual(main())


def one_table(tmp_path: Path, play: Callable[[Club, BoxAtTable], Awaitable[None]]) -> None:
    async def main() -> None:
        club = Club(tmp_path / "club.db")
        box = BoxAtTable(club.broker, tmp_path / "Table1.db", name="Table1")
        await asyncio.sleep(3)
        await play(club, box)
        box.close()
        club.close()

    run_virtual(main())


ONE_GAME = "hands 1 2\nhands\nscan 10\nscan 20\nmenu end-game\nhold star 2"


def test_a_broker_that_is_away_for_a_day_costs_nothing_and_loses_nothing(tmp_path: Path) -> None:
    async def play(club: Club, box: BoxAtTable) -> None:
        club.broker.stop()
        for _ in range(12):
            await box.do(ONE_GAME)
        await asyncio.sleep(86_400)
        assert club.store.count() == 0
        club.broker.begin()
        await asyncio.sleep(60)
        assert club.store.count() == 12

    one_table(tmp_path, play)


def test_at_most_ten_results_are_on_their_way(tmp_path: Path) -> None:
    """A hub that is there and takes nothing: its disk is full."""

    async def play(club: Club, box: BoxAtTable) -> None:
        club.store.full = True
        for _ in range(15):
            await box.do(ONE_GAME)
        await asyncio.sleep(5)
        sent = [json.loads(m.payload)["seq"] for m in club.broker.sent if m.topic.endswith("/result")]
        assert set(sent) == set(range(1, 11))
        many = len(sent)
        await asyncio.sleep(3600)
        sent = [json.loads(m.payload)["seq"] for m in club.broker.sent if m.topic.endswith("/result")]
        assert set(sent) == set(range(1, 11))
        assert len(sent) - many <= 10 * 10, "again, but more and more seldom"
        assert "disk is full" in club.hub.trouble
        club.store.full = False
        await asyncio.sleep(600)
        assert not club.hub.trouble
        assert club.store.count() == 15

    one_table(tmp_path, play)


def test_a_result_that_is_taken_back_and_comes_again_counts_once(tmp_path: Path) -> None:
    async def play(club: Club, box: BoxAtTable) -> None:
        await box.do(ONE_GAME)
        await asyncio.sleep(5)
        await box.do("menu undo")
        assert box.view.phase != "lobby"
        await box.do("menu end-game\nhold star 2")
        await asyncio.sleep(5)
        assert (club.store.count(), len(club.store.results())) == (2, 1)

    one_table(tmp_path, play)


def test_a_journal_put_back_from_an_old_copy_takes_a_new_number_and_nothing_is_twice(tmp_path: Path) -> None:
    async def play(club: Club, box: BoxAtTable) -> None:
        await box.do(ONE_GAME)
        await asyncio.sleep(5)
        box.close()
        journal = tmp_path / "Table1.db"
        old = journal.read_bytes()
        newer = BoxAtTable(club.broker, journal, name="Table1")
        await asyncio.sleep(3)
        await newer.do(ONE_GAME + "\n" + ONE_GAME)
        await asyncio.sleep(5)
        newer.close()
        assert club.store.count() == 3
        for name in ("", "-wal", "-shm", ".lock"):
            journal.with_name(f"Table1.db{name}").unlink(missing_ok=True)
        journal.write_bytes(old)
        again = BoxAtTable(club.broker, journal, name="Table1")
        await asyncio.sleep(3)
        await again.do(ONE_GAME)
        await asyncio.sleep(60)
        assert len(club.store.results()) == 4
        assert again.on_broker is not None and again.on_broker.status()["results_waiting"] == 0
        again.close()

    one_table(tmp_path, play)


def test_a_copied_card_in_another_box_takes_a_new_number(tmp_path: Path) -> None:
    async def play(club: Club, box: BoxAtTable) -> None:
        await box.do(ONE_GAME)
        await asyncio.sleep(5)
        box.close()
        (tmp_path / "copy.db").write_bytes((tmp_path / "Table1.db").read_bytes())
        for name in ("Table1", "copy"):
            other = BoxAtTable(club.broker, tmp_path / f"{name}.db", name=name)
            await asyncio.sleep(3)
            await other.do(ONE_GAME.replace("20", "30" if name == "copy" else "25"))
            await asyncio.sleep(60)
            assert other.on_broker is not None and other.on_broker.status()["results_waiting"] == 0
            other.close()
        assert Counter(result.name for result in club.store.results()) == {"Table1": 2, "copy": 1}

    one_table(tmp_path, play)


def test_the_outbox_takes_no_locks_from_the_journal(tmp_path: Path) -> None:
    """Another process that looks at the journal, and was the last one for all it can see, takes its log away."""

    async def play(club: Club, box: BoxAtTable) -> None:
        del club
        await box.do(ONE_GAME)
        await asyncio.sleep(5)
        log = tmp_path / "Table1.db-wal"
        before = log.stat().st_ino
        look = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('DELETE FROM outbox'); db.close()"
        subprocess.run([sys.executable, "-c", look, tmp_path / "Table1.db"], check=True)
        assert log.stat().st_ino == before

    one_table(tmp_path, play)


@pytest.mark.parametrize("club", [False, True])
def test_a_box_without_a_hub_keeps_nothing_for_one_unless_it_is_asked_to(tmp_path: Path, club: bool) -> None:
    async def main() -> None:
        broker = FakeBroker(asyncio.get_running_loop())
        box = BoxAtTable(broker, tmp_path / "box.db", club=club)
        await asyncio.sleep(3)
        await box.do(ONE_GAME)
        await asyncio.sleep(3600)
        assert not [m for m in broker.sent if m.topic.endswith("/result")]
        box.close()

    run_virtual(main())
    import sqlite3

    with sqlite3.connect(tmp_path / "box.db") as db:
        kept = db.execute("SELECT count(*) FROM outbox").fetchone()[0]
    db.close()
    assert kept == club
