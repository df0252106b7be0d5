"""The journal's file: the names that it gets when it is set aside, and what stands in its lock."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from mind_box.journal.file import claim, set_aside, sign, signed
from mind_box.journal.journal import Journal
from tests.journal.workload import EVENTS, written


def test_files_that_are_set_aside_are_counted_and_their_logs_go_with_them(folder: Path) -> None:
    path = folder / "journal.db"
    for text in ("a", "b", "c"):
        path.write_text(text)
        (folder / "journal.db-wal").write_text(text.upper())
        (folder / "journal.db-shm").write_text("index")
        set_aside(path, ValueError("x"))
    assert {p.name: p.read_text() for p in folder.iterdir()} == {
        "journal.db.damaged-1": "a", "journal.db.damaged-1-wal": "A",
        "journal.db.damaged-2": "b", "journal.db.damaged-2-wal": "B",
        "journal.db.damaged-3": "c", "journal.db.damaged-3-wal": "C",
    }  # fmt: skip


def test_a_log_alone_keeps_its_pair_of_names(folder: Path) -> None:
    path = folder / "journal.db"
    (folder / "journal.db-wal").write_text("A")
    assert set_aside(path, ValueError("x")) == folder / "journal.db.damaged-1"
    assert {p.name: p.read_text() for p in folder.iterdir()} == {
        "journal.db.damaged-1": "", "journal.db.damaged-1-wal": "A",
    }  # fmt: skip


def test_nothing_there_is_set_aside_without_a_word(folder: Path) -> None:
    set_aside(folder / "journal.db", ValueError("x"))
    assert list(folder.iterdir()) == []


def test_the_lock_says_who_has_it_and_whether_games_were_kept(folder: Path) -> None:
    path, lock = folder / "journal.db", folder / "journal.db.lock"
    assert not signed(path)
    fd = claim(path)
    assert fd is not None
    assert lock.read_text() == f"{os.getpid()} new"
    assert not signed(path)
    sign(path)
    assert lock.read_text() == f"{os.getpid()}"
    assert signed(path)
    os.close(fd)
    lock.write_text("4294967296 and more")
    sign(path, kept=False)
    assert lock.read_text() == f"{os.getpid()} new"
    again = claim(path)  # new before, new after
    assert again is not None
    assert not signed(path)
    os.close(again)


def test_a_journal_in_memory_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    journal = Journal.in_memory()
    journal.append(EVENTS)
    assert journal.load().seats == (1, 2)
    journal.close()
    assert list(folder.iterdir()) == []


def test_a_broken_byte_in_an_old_game_is_a_row_that_is_not_sound(folder: Path) -> None:
    path = written(folder / "journal.db")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE event SET body = CAST(x'ff' AS TEXT) WHERE seq = 2")
    db.close()
    journal = Journal.looking_on(path)
    rows = list(journal.rows())
    journal.close()
    assert [row.seq for row in rows if not row.sound] == [2]
    assert rows[1].body == "�"
