"""A box of the campaign, in a process of its own: real journal, outbox and link; games come from simulated tables.

``python -m tests.club.campaign_box JOURNAL PORT NAME GAMES PAUSE SEED``: ends when the hub has all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

from mind_box.broker.on_broker import BoxOnBroker
from mind_box.journal.journal import Journal
from mind_box.journal.opening import journal_path, open_journal
from mind_box.journal.writer import WriterThread
from mind_box.referee import Referee
from mind_box.settings.schema import BrokerSettings, Config
from mind_box.table.view import View
from mind_box.virtual.evenings import Players, SimulatedEvening
from mind_box.virtual.scripts.box import VirtualBox

HASTY = Players((1, 2), 0.3, 0.4, 0.5)
"""They lose soon."""
OVER, LOBBY = View(phase="lost", seats=(1, 2), level=2, last_level=12), View()


def waiting_in(directory: Path) -> int:
    """How many results the hub has not confirmed."""
    with contextlib.closing(sqlite3.connect(journal_path(directory))) as db:
        many: int = db.execute("SELECT count(*) FROM outbox").fetchone()[0]
    return many


async def main(directory: Path, port: int, name: str, games: int, pause: float, seed: int) -> None:
    journal, _ = open_journal(directory)
    loop = asyncio.get_running_loop()
    writer = WriterThread(journal, loop)
    config = replace(Config(), broker=BrokerSettings(host="127.0.0.1", port=port, name=name, club=True))
    referee = Referee(config, journal, writer=writer)
    referee.start(VirtualBox(4, loop.time).open)
    box = BoxOnBroker(config, referee)
    box.start()
    while True:
        with journal.past() as past:
            played = past.games()
        if played >= games:
            break
        kept = SimulatedEvening(HASTY, Random(seed * 10_000 + played)).played()
        written = asyncio.Event()

        def write(journal: Journal, kept: list = kept) -> None:  # type: ignore[type-arg]
            journal.append(kept)

        writer.do(write, lambda _, written=written: written.set())  # type: ignore[misc]
        await written.wait()
        box.show(OVER)
        box.show(LOBBY)
        await asyncio.sleep(pause)
    while waiting_in(directory):
        await asyncio.sleep(1)
    box.stop()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    where, port, name, games, pause, seed = sys.argv[1:]
    asyncio.run(main(Path(where), int(port), name, int(games), float(pause), int(seed)))
