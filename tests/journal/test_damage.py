"""Journals that are damaged, and that are taken away while they are open: nothing of the game is lost."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import sqlite3
from pathlib import Path

import pytest

from mind_box.game import events as ev
from mind_box.game.evolve import replay
from mind_box.journal.file import JournalError, NewerJournal
from mind_box.journal.journal import Journal, Preference
from tests.journal.connections import connection
from tests.journal.workload import EVENTS, NAME, ROWS, START, written


def damage_found(path: Path, before: dict[str, bytes]) -> Journal:
    """Opens it; the damaged files must be there unchanged under other names, and the journal must work."""
    journal = Journal.open(path)
    if journal.damaged is not None:
        assert journal.damaged.read_bytes() == before[path.name]
    journal.append([ev.Laid(77)])
    rows = list(journal.rows())
    journal.close()
    journal = Journal.open(path)
    assert (journal.damaged, list(journal.rows())) == (None, rows)
    return journal


@pytest.mark.parametrize(
    "rubbish", [b"not a database at all" * 300, os.urandom(8192), b"SQLite format 3\0" + b"\xff" * 4000]
)
def test_rubbish_is_set_aside_and_a_fresh_journal_begun(folder: Path, rubbish: bytes) -> None:
    path = folder / NAME
    for number in (1, 2):
        path.write_bytes(rubbish)
        damage_found(path, {NAME: rubbish}).close()
        assert (folder / f"{NAME}.damaged-{number}").read_bytes() == rubbish


def test_an_empty_file_is_a_journal_that_has_yet_to_begin(folder: Path) -> None:
    (folder / NAME).touch()
    journal = Journal.open(folder / NAME)
    assert journal.damaged is None
    journal.close()


def test_the_database_of_another_program_is_not_touched(folder: Path) -> None:
    db = sqlite3.connect(folder / NAME)
    db.execute("CREATE TABLE recipe (name)")
    db.commit()
    db.close()
    theirs = (folder / NAME).read_bytes()
    damage_found(folder / NAME, {NAME: theirs}).close()
    assert (folder / f"{NAME}.damaged-1").read_bytes() == theirs


def test_a_copy_by_another_tool_is_a_journal_too(folder: Path) -> None:
    db = sqlite3.connect(written(folder / "original"))
    db.execute("VACUUM INTO ?", (str(folder / NAME),))
    db.close()
    journal = Journal.open(folder / NAME)
    assert (journal.damaged, list(journal.rows())) == (None, ROWS)
    journal.append([ev.Left()])
    assert (folder / f"{NAME}-wal").stat().st_size > 0
    journal.close()


def test_flipped_bits_never_change_the_game(folder: Path) -> None:
    """Whatever byte is wrong: the game is the one that was saved, a beginning of it, or none; never another."""
    rng = random.Random(6)
    whole = written(folder / "whole").read_bytes()
    games = [replay(EVENTS[:n]) for n in range(len(EVENTS) + 1)]
    first = max(i for i, row in enumerate(ROWS) if row.start)
    possible = [games[0], *games[first:]]
    aside = 0
    for _ in range(400):
        path = folder / "case" / NAME
        path.parent.mkdir()
        broken = bytearray(whole)
        for _ in range(rng.choice((1, 1, 4, 400))):
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        path.write_bytes(broken)
        try:
            journal = Journal.open(path)
        except NewerJournal:  # the flipped byte is the version's
            assert path.read_bytes() == broken
        else:
            if journal.damaged is not None:
                aside += 1
                assert journal.damaged.read_bytes() == broken
            assert journal.load() in possible
            journal.append([ev.Left()])
            journal.close()
        for file in path.parent.iterdir():
            file.unlink()
        path.parent.rmdir()
    assert aside > 50


def test_the_log_may_be_cut_at_any_byte(folder: Path) -> None:
    """After a power cut the write-ahead log may end anywhere: what is whole before that place counts."""
    source = folder / "source"
    journal = Journal.open(source)
    journal.append(EVENTS[:3])
    connection(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for event in EVENTS[3:7]:
        journal.append([event])
    database, log = source.read_bytes(), source.with_name("source-wal").read_bytes()
    journal.close()
    best = 3
    path = folder / "cut"
    for size in range(len(log) + 1):
        path.write_bytes(database)
        path.with_name("cut-wal").write_bytes(log[:size])
        journal = Journal.open(path)
        rows = list(journal.rows())
        assert rows == ROWS[: len(rows)]
        assert len(rows) >= best
        best = len(rows)
        journal.close()
    assert best == 7


def test_damage_met_in_mid_game_costs_nothing(folder: Path) -> None:
    path = folder / NAME
    journal = Journal.open(path)
    journal.append(EVENTS)
    connection(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    page = bytearray(path.read_bytes())
    page[1024:] = os.urandom(len(page) - 1024)
    path.write_bytes(page)
    connection(journal).execute("PRAGMA cache_size = 0")
    journal.append([ev.Laid(42)])
    assert journal.damaged is not None
    game = journal.load()
    journal.close()
    journal = Journal.open(path)
    assert journal.load() == game == replay([*EVENTS, ev.Laid(42)])
    journal.close()


@pytest.mark.parametrize("there", [True, False])
def test_a_log_beside_an_empty_file_is_kept(folder: Path, there: bool) -> None:
    """SQLite deletes it, and with it all that was written since the last checkpoint."""
    journal = Journal.open(folder / "source")
    journal.append(EVENTS)
    log = (folder / "source-wal").read_bytes()
    journal.close()
    path = folder / "case" / NAME
    path.parent.mkdir()
    path.with_name(f"{NAME}-wal").write_bytes(log)
    if there:
        path.touch()
    with pytest.raises(JournalError, match="its log is not"):
        Journal.looking_on(path)
    assert path.with_name(f"{NAME}-wal").read_bytes() == log
    journal = Journal.open(path)
    assert journal.damaged is not None
    assert journal.damaged.with_name(f"{journal.damaged.name}-wal").read_bytes() == log
    journal.append([START])
    journal.close()
    Journal.open(path).close()
    assert len(list(path.parent.glob("*.damaged-*"))) == 2


@pytest.mark.parametrize("step", ["set_aside", "connect"])
def test_a_renewal_that_fails_is_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = folder / NAME
    journal = Journal.open(path)
    journal.append(EVENTS)
    journal.append([Preference("language", "fr")])
    connection(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(path.read_bytes()[:1024] + os.urandom(4096))
    connection(journal).execute("PRAGMA cache_size = 0")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(f"mind_box.journal.journal.{step}", full)
        with pytest.raises(JournalError, match="No space left"):
            journal.append([ev.Laid(42)])
    journal.append([ev.Laid(42), ev.Laid(43)])
    journal.close()
    journal = Journal.open(path)
    assert journal.load() == replay([*EVENTS, ev.Laid(42), ev.Laid(43)])
    assert journal.preference("language") == "fr"
    journal.close()


# -- the file is taken away


@pytest.mark.parametrize("files", [[NAME], [NAME, f"{NAME}-wal", f"{NAME}-shm"]])
def test_a_journal_that_is_removed_while_it_is_open_is_begun_again(
    folder: Path, files: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    path = folder / NAME
    journal = Journal.open(path)
    journal.append(EVENTS)
    journal.append([Preference("language", "fr")])
    for file in files:
        (folder / file).unlink()
    for card in (42, 43):
        journal.append([ev.Laid(card)])
    assert len(caplog.records) == 1
    game = journal.load()
    journal.close()
    journal = Journal.open(path)
    assert journal.load() == game == replay([*EVENTS, ev.Laid(42), ev.Laid(43)])
    assert journal.preference("language") == "fr"
    journal.close()


@pytest.mark.parametrize("size", [0, 1, 1024, 4096])
def test_a_journal_that_is_cut_short_while_it_is_open_is_begun_again(folder: Path, size: int) -> None:
    path = folder / NAME
    journal = Journal.open(path)
    journal.append(EVENTS)
    connection(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal.append([ev.Laid(41)])
    os.truncate(path, size)
    for card in (42, 43):
        journal.append([ev.Laid(card)])
    assert journal.damaged is not None and journal.damaged.exists()
    game = journal.load()
    journal.close()
    journal = Journal.open(path)
    assert journal.load() == game == replay([*EVENTS, ev.Laid(41), ev.Laid(42), ev.Laid(43)])
    assert journal.damaged is None
    journal.close()


def test_the_game_goes_on_in_a_journal_that_was_put_in_the_place_of_its_own(folder: Path) -> None:
    path = folder / NAME
    backup = written(folder / "backup", [START, *map(ev.Laid, range(1, 60))])
    theirs = [row.body for row in Journal.looking_on(backup).rows()]
    journal = Journal.open(path)
    journal.append(EVENTS)
    for file in folder.glob(f"{NAME}*"):
        file.unlink()
    backup.rename(path)
    journal.append([ev.Laid(42)])
    journal.append([ev.Laid(43)])
    journal.close()
    journal = Journal.open(path)
    assert journal.load() == replay([*EVENTS, ev.Laid(42), ev.Laid(43)])
    assert [row.body for row in journal.rows()][: len(theirs)] == theirs
    journal.close()


def test_a_row_that_is_missing_in_the_middle_is_damage(folder: Path) -> None:
    """What comes after it would be laid on another table than the players'."""
    first = max(i for i, row in enumerate(ROWS) if row.start)
    for missing in range(first + 1, len(ROWS) - 1):
        path = written(folder / f"without {missing}")
        with contextlib.closing(sqlite3.connect(path)) as db, db:
            db.execute("DELETE FROM event WHERE seq = ?", (ROWS[missing].seq,))
        journal = Journal.open(path)
        assert journal.damaged is not None
        assert journal.load() == replay(EVENTS[:missing])
        journal.close()
