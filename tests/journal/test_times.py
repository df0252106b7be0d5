"""Times in the journal (R34): format 2 beside format 1, in one file, over restarts, exports and imports."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest

from mind_box.game import events as ev
from mind_box.journal.archive import ArchiveError, export, read_games, take_in, verify
from mind_box.journal.file import NewerJournal
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row
from mind_box.journal.stamps import AGAIN, Stamp, Stamps, Timed
from tests.journal import shim
from tests.journal.connections import connection
from tests.journal.disk_model import read_calls
from tests.journal.one_by_one import FORMATS, MANY
from tests.journal.workload import NAME, START, written

TIMED = [
    Timed(START, Stamp("a1b2", 1_000, None, "2026-11-30T20:11:05Z", 50)),
    Timed(ev.Concentrated(), Stamp("a1b2", 5_000, 0)),
    Timed(ev.Laid(17), Stamp("a1b2", 8_214, 3_214)),
    Timed(ev.Laid(42), Stamp("c3d4", 12, 3_300)),
]


def test_a_row_gives_back_event_and_time(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    journal.append(TIMED)
    assert [row.timed() for row in journal.rows()] == TIMED
    journal.close()
    journal = Journal.open(folder / NAME)
    assert list(journal.table()) == TIMED
    assert journal.load().piles == ((17, 42),)
    journal.close()


def test_without_a_time_a_row_is_as_it_was_before_there_were_times() -> None:
    assert Row.of(7, ev.Laid(17)) == Row.stored(7, 1, '{"type":"Laid","card":17}')
    assert Row.of(7, Timed(ev.Laid(17))) == Row.stored(7, 1, '{"type":"Laid","card":17}')
    assert Row.of(7, TIMED[2]).format == 2


def test_a_timed_event_still_costs_one_page(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    for _ in range(300):
        journal.append(TIMED)
    connection(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal.append([TIMED[2]])
    log, pages = folder / (NAME + "-wal"), []
    for n in range(100):
        before = log.stat().st_size
        journal.append([Timed(ev.Laid(43), Stamp("a1b2c3d4", 86_400_000 + n, 100_000 + n))])
        pages.append((log.stat().st_size - before) // (1024 + 24))
    assert sorted(pages)[80] == 1, "one page, but for those few for which a new one is begun"
    journal.close()


@pytest.mark.parametrize("what", FORMATS)
def test_an_event_costs_one_page_and_one_sync_in_every_format(folder: Path, what: str) -> None:
    """Counted at the system's calls: what is written and synced between an event and the next."""
    record = folder.with_name(folder.name + ".record")
    shim.run("one_by_one", folder, what, MB_LOG=record)
    calls = list(read_calls(record.read_text()))
    record.unlink()
    marks = [n for n, call in enumerate(calls) if (call.what, call.name) == ("write", "mark")]
    assert len(marks) == MANY + 1
    pages = []
    for before, after in pairwise(marks):
        made = calls[before + 1 : after]
        assert {call.name for call in made} == {NAME + "-wal"}
        assert [call.what for call in made].count("sync") == 1 and made[-1].what == "sync", "written, then synced"
        pages.append(sum(len(call.data) for call in made) / (1024 + 24))
    assert sorted(pages)[int(0.8 * MANY)] == 1, "one page, but for those few for which a new one is begun"
    assert max(pages) <= 4, pages


def test_an_old_journal_goes_on_with_times_and_loses_nothing(folder: Path) -> None:
    path = written(folder / NAME)
    journal = Journal.open(path)
    before = list(journal.rows())
    assert all(row.stamp is None for row in before)
    for timed in TIMED:
        journal.append([timed])
        assert list(journal.rows())[: len(before)] == before
    assert not verify(journal).problems
    journal.close()
    read = Journal.looking_on(path)
    assert [row.timed() for row in read.rows(before[-1].seq + 1)] == TIMED
    read.close()


def test_export_and_import_carry_the_times(folder: Path) -> None:
    source, target = Journal.open(folder / "a.db"), Journal.open(folder / "b.db")
    source.append(TIMED)
    source.append([ev.Left(), START, ev.Laid(3)])
    out = io.StringIO()
    export(source, out)
    assert [json.loads(line)["format"] for line in out.getvalue().splitlines()] == [2, 1]
    assert take_in(target, read_games(io.StringIO(out.getvalue()))) == (2, 0)
    assert [row.body for row in target.rows()] == [row.body for row in source.rows()]
    assert take_in(target, read_games(io.StringIO(out.getvalue()))) == (0, 2)
    source.close()
    target.close()


@pytest.mark.parametrize(
    "spoilt",
    [{"run": 7}, {"ms": "soon"}, {"ms": True}, {"play": 1.5}, {"date": 20261130}, {"run": "x" * 41}, {"ms": None}],
)
def test_a_time_that_makes_no_sense_is_refused_with_its_line(spoilt: dict[str, object]) -> None:
    event = {**json.loads(Row.of(1, TIMED[0]).body), **spoilt}
    with pytest.raises(ArchiveError, match="line 1"):
        list(read_games(io.StringIO(json.dumps({"format": 2, "events": [event]}))))


def test_a_row_of_a_later_format_is_told_and_kept(folder: Path) -> None:
    path = folder / NAME
    journal = Journal.open(path)
    journal.append(TIMED)
    with journal.changing() as past:
        past.add([Row.stored(5, ev.FORMAT + 1, '{"type":"Danced","run":"a1b2","ms":1}')])
    journal.append([Timed(ev.Laid(50), Stamp("a1b2", 9_000, 4_000))])
    later, known = ev.FORMAT + 1, ev.FORMAT
    assert verify(journal).problems == (
        f"row 5 cannot be understood: format {later}, but this program reads up to {known}: update mind-box",
    )
    assert journal.load().piles == ((17, 42, 50),)
    journal.close()
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM event WHERE seq = 6")
    with pytest.raises(NewerJournal):
        Journal.open(path)


def test_dates_stand_with_a_run_and_a_game_only() -> None:
    """And once a clock is set that was not, with the first event a minute after it was asked last."""
    dates: list[str | None] = [None]
    stamps = Stamps("r", lambda ago: dates[0] and f"{dates[0]} less {ago:g}", 0.05)
    made = [stamps.stamp(ev.Laid(1), 10.0, 1.0, 10.5)]
    dates[0] = "2026"
    made += [stamps.stamp(ev.Laid(2), 10.5 + AGAIN - 1, 1.5, 10.5 + AGAIN - 0.5)]
    made += [stamps.stamp(event, 80.0, 2.0, 80.5) for event in (ev.Laid(2), ev.Laid(3), START, ev.Laid(4))]
    assert [stamp.date for stamp in made] == [None, None, "2026 less 0.5", None, "2026 less 0.5", None]
    assert [stamp.reader for stamp in made] == [50, None, None, None, 50, None]
    assert (made[0].ms, made[0].play) == (10_000, 1_000)


def test_an_export_for_its_owner_only_is_the_same_with_times(folder: Path) -> None:
    """R33: hands stand in it."""
    from mind_box.commands.journal import _to_file

    journal = Journal.open(folder / NAME)
    journal.append(TIMED)
    _to_file(journal, folder / "out", None)
    assert os.stat(folder / "out").st_mode & 0o777 == 0o600
    journal.close()
