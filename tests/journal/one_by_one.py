"""Events one by one, as they come at the table. ``python -m tests.journal.one_by_one DIRECTORY plain|timed|ghosts``.

Behind the shim that leaves a record of what each cost the disk. The file ``mark`` is written when one is on it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.journal.stamps import Stamp, Timed
from tests.journal.connections import connection
from tests.journal.workload import NAME

MANY = 60
FORMATS = {"plain": 1, "timed": 2, "ghosts": 3}


def play(directory: Path, what: str) -> None:
    """A game of nothing but cards; no page goes from the log into the file meanwhile."""
    mark = os.open(directory / "mark", os.O_WRONLY | os.O_CREAT, 0o600)
    journal = Journal.open(directory / NAME)
    connection(journal).execute("PRAGMA wal_autocheckpoint = 0")
    start = ev.Started((1, 2), {"ghosts": 1} if what == "ghosts" else {}, ())
    events: list[ev.Event] = [start, *map(ev.Laid, range(1, MANY + 1))]
    for n, event in enumerate(events):
        at = 86_400_000 + 1_250 * n
        journal.append([event if what == "plain" else Timed(event, Stamp("a1b2c3d4", at, at))])
        os.pwrite(mark, b"%d" % n, 0)
    assert {row.format for row in journal.rows()} == {FORMATS[what]}
    journal.close()


if __name__ == "__main__":
    play(Path(sys.argv[1]), sys.argv[2])
