"""What a box does with ten games takes as long with ten thousand, counted in steps of SQLite's machine."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from mind_box.game import events as ev
from mind_box.journal.archive import export, read_games, take_in, verify
from mind_box.journal.journal import Journal
from mind_box.journal.past import AT_ONCE
from mind_box.journal.rows import Row
from mind_box.virtual.scripts.record import read_game
from tests.journal.connections import connection

FEW, MANY = 10, 10_000
PRUNED = 100
CARDS = 12


def game(number: int) -> list[ev.Event]:
    """One of many like it: the same start, other cards."""
    return [
        ev.Started((1, 2), {}, ()),
        ev.Concentrated(),
        *(ev.Laid((number // 100**place) % 100 + 1) for place in range(3)),
        *map(ev.Laid, range(1, CARDS)),
        ev.Left(),
    ]


def exported(*numbers: int) -> io.StringIO:
    """A file of these games."""
    games = ([ev.to_stored(e) for e in game(number)] for number in numbers)
    return io.StringIO("".join(json.dumps({"format": ev.FORMAT, "events": events}) + "\n" for events in games))


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    directory = tmp_path_factory.mktemp("many")
    paths = {}
    for count in (FEW, MANY):
        paths[count] = path = directory / f"{count}.db"
        journal = Journal.open(path)
        journal.append([event for number in range(count) for event in game(number)])
        journal.close()
    return paths


class Steps:
    """What SQLite and this program do, in steps of SQLite's machine and rows that were made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        connect = sqlite3.connect
        stored = Row.__init__

        def counted(*args: object, **kwargs: object) -> object:
            db = connect(*args, **kwargs)  # type: ignore[call-overload]
            db.set_progress_handler(self._step, 1)
            return db

        def made(row: Row, *args: object, **kwargs: object) -> None:
            self.count += 1
            stored(row, *args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(sqlite3, "connect", counted)
        monkeypatch.setattr(Row, "__init__", made)

    def _step(self) -> int:
        self.count += 1
        return 0

    def of(self, act: Callable[[], object]) -> int:
        before = self.count
        act()
        return self.count - before


def _open(path: Path) -> None:
    Journal.open(path).close()


def _export(path: Path) -> None:
    journal = Journal.looking_on(path, load=False)
    out = io.StringIO()
    assert export(journal, out, 1) == (1, 0)
    assert json.loads(out.getvalue())["summary"]["events"] == len(game(0))
    journal.close()


def _import(path: Path) -> None:
    journal = Journal.open(path)
    assert take_in(journal, read_games(exported(123_456, 7, 3))) == (1, 2)
    journal.close()


def _record(path: Path) -> None:
    assert len(read_game(path, -1)) == len(game(0))


def _play(path: Path) -> None:
    journal = Journal.open(path)
    for event in game(99):
        journal.append([event])
    journal.close()


def _drop(path: Path) -> None:
    """One step, after which whatever waits is written."""
    journal = Journal.open(path)
    assert journal.prune(3, 10**9)
    journal.close()


@pytest.mark.parametrize("act", [_open, _export, _record, _import, _play, _drop])
def test_it_does_not_grow_with_what_is_there(
    journals: dict[int, Path], act: Callable[[Path], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(monkeypatch)
    taken = {}
    for count, path in journals.items():
        copy = folder / path.name
        copy.write_bytes(path.read_bytes())
        taken[count] = steps.of(partial(act, copy))
    one_step = 10 * AT_ONCE if act is _drop else 0
    assert taken[MANY] <= taken[FEW] + one_step, taken


def test_a_step_of_pruning_ends_with_a_game_and_all_is_done_in_the_end(journals: dict[int, Path], folder: Path) -> None:
    path = folder / "journal.db"
    path.write_bytes(journals[MANY].read_bytes())
    journal = Journal.open(path)
    steps = []
    while gone := journal.prune(PRUNED, 10**9):
        steps.append(gone)
        assert next(journal.rows()).start
    assert sum(steps) == MANY - PRUNED
    assert max(steps) * len(game(0)) <= AT_ONCE + len(game(0))
    with journal.past() as past:
        assert past.games() == PRUNED
    assert take_in(journal, read_games(exported(5, MANY - 5))) == (1, 1), "what went is known no more"
    journal.close()


def test_an_earlier_versions_journal_is_read_once_and_its_games_are_known(folder: Path) -> None:
    path = folder / "journal.db"
    journal = Journal.open(path)
    for number in range(20):
        journal.append(game(number))
    connection(journal).execute("DROP TABLE known")
    journal.close()
    journal = Journal.open(path)
    journal.append(game(20))  # the one before is known, those before that are not
    for _ in range(2):
        assert take_in(journal, read_games(exported(0, 7, 19, 20))) == (0, 4)
    assert take_in(journal, read_games(exported(21))) == (1, 0)
    assert take_in(journal, read_games(exported(21))) == (0, 1)
    assert [row.event() for row in read_game(path, -1)] == game(20), "the game at the table stays"
    assert [row.seq for row in journal.rows()] == list(range(1, 22 * len(game(0)) + 1))
    journal.close()


def test_an_earlier_version_may_have_played_on_in_between(folder: Path) -> None:
    path = folder / "journal.db"
    for first, knows in ((0, True), (5, False), (10, True)):
        journal = Journal.open(path)
        for number in range(first, first + 5):
            journal.append(game(number))
            if not knows:
                connection(journal).execute("DELETE FROM known WHERE start > ?", (5 * len(game(0)) - len(game(0)),))
        journal.close()
    journal = Journal.open(path)
    assert take_in(journal, read_games(exported(*range(15)))) == (0, 15)
    journal.close()


@pytest.mark.parametrize("damaged", [False, True])
def test_a_look_at_everything_and_an_export_of_all_need_no_room(folder: Path, damaged: bool) -> None:
    journal = Journal.open(folder / "journal.db")
    journal.append([event for number in range(500) for event in game(number)])
    if damaged:
        connection(journal).execute("UPDATE event SET crc = 0")
    with open(os.devnull, "w") as nowhere:
        export(journal, nowhere, 1)
        tracemalloc.start()
        report = verify(journal)
        export(journal, nowhere)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.games == 500
    assert len(report.problems) == (20 if damaged else 0)
    assert peak < report.bytes
    journal.close()
