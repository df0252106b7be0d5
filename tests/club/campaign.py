"""Many boxes, a broker and a hub, each killed with -9 at random moments: every result once in the database.

``python -m tests.club.campaign RESULTS BOXES KILLS``: in both databases (`make club-campaign`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from mind_box.broker.outbox import result_of
from mind_box.club.store import Store
from mind_box.evening.book import Book
from mind_box.journal.opening import journal_path
from tests.broker.mosquitto import Mosquitto, free_port
from tests.club.databases import database


class Campaign:
    """The processes of a club in ``directory``."""

    def __init__(self, directory: Path, place: str, results: int, boxes: int, pause: float, seed: int) -> None:
        self.directory = directory
        self.place = place
        self.each = results // boxes
        self.boxes = boxes
        self.kills: Counter[str] = Counter()
        self._pause = pause
        self._rng = Random(seed)
        self._broker = Mosquitto(directory / "broker")
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        settings = directory / "club.toml"
        settings.write_text(
            f'[broker]\nhost = "127.0.0.1"\nport = {self._broker.port}\n'
            f'[club]\ndatabase = "{place}"\nport = {free_port()}\n'
        )
        self._hub = ["-m", "mind_box", "club", "--config", str(settings)]

    def box(self, number: int) -> list[str]:
        words = [self.directory / f"box{number}", self._broker.port, f"Table{number}", self.each, self._pause, number]
        return ["-m", "tests.club.campaign_box", *map(str, words)]

    def start(self, name: str) -> None:
        command = self._hub if name == "hub" else self.box(int(name))
        with (self.directory / f"log-{name}").open("ab") as log:
            self._running[name] = subprocess.Popen([sys.executable, *command], stdout=log, stderr=log)

    def run(self, kills: int, patience: float) -> None:
        """All of it, to the last result."""
        for name in ("hub", *map(str, range(self.boxes))):
            self.start(name)
        for _ in range(kills):
            self._wait(self._rng.uniform(0.2, 2 * self._pause * self.each / max(kills, 1)))
            what = self._rng.choice(("box", "broker", "hub"))
            self.kills[what] += 1
            name = "hub"
            if what == "broker":
                self._broker.kill()
                self._wait(self._rng.uniform(0, 1))
                self._broker.start()
                continue
            if what == "box":
                name = self._rng.choice([name for name in self._running if name != "hub"])
            self._running[name].kill()
            self._running[name].wait()
            self._wait(self._rng.uniform(0, 1))
            self.start(name)
        end = time.monotonic() + patience
        boxes = [name for name in self._running if name != "hub"]
        while any(self._running[name].poll() is None for name in boxes):
            assert time.monotonic() < end, "not all results arrived"
            self._wait(0.2)
        ended = {name: code for name in boxes if (code := self._running[name].poll())}
        assert not ended, f"boxes that failed: {ended}; see {self.directory}/log-*"
        self.close()

    def _wait(self, seconds: float) -> None:
        for process in self._running.values():
            if process.poll() is None:
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    return
                break
        else:
            time.sleep(seconds)

    def close(self) -> None:
        for process in self._running.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        self._broker.stop()

    def check(self) -> int:
        """Every game of every journal is in the database once, and nothing else; how many there are."""
        wanted: Counter[tuple[str, str]] = Counter()
        for number in range(self.boxes):
            with Book.at(journal_path(self.directory / f"box{number}")) as book:
                told = [json.dumps(result_of(entry), sort_keys=True) for entry in book.oldest_first()]
            assert len(told) == self.each
            wanted += Counter((f"Table{number}", game) for game in told)
        store = Store(self.place)
        there = Counter((result.name, json.dumps(result.game, sort_keys=True)) for result in store.results())
        rows = store.count()
        store.close()
        assert there == wanted, f"lost {len(wanted - there)}, too many {len(there - wanted)}"
        assert rows == wanted.total()
        return rows


def run(kind: str, results: int, boxes: int, kills: int, pause: float, seed: int, say: Callable[[str], None]) -> int:
    """One campaign; how many results are there, each once."""
    with tempfile.TemporaryDirectory(prefix="mind-box-club-") as place:
        directory = Path(place)
        with database(kind, directory) as url:
            campaign = Campaign(directory, url, results, boxes, pause, seed)
            began = time.monotonic()
            try:
                campaign.run(kills, patience=3600)
                rows = campaign.check()
            finally:
                campaign.close()
            took = time.monotonic() - began
            say(f"{kind}: {rows} results of {boxes} boxes, each once; killed {dict(campaign.kills)}; {took:.0f} s")
            return rows


if __name__ == "__main__":
    many, boxes, kills = map(int, sys.argv[1:4])
    for number, kind in enumerate(sys.argv[4:] or ("sqlite", "postgresql")):
        run(kind, many, boxes, kills, 1.0, 21 + number, lambda text: print(text, flush=True))
