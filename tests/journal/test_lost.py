"""A box that has kept games and finds none: it says so, and keeps what is there. A new box is a new box."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.journal.file import JournalError, claim
from mind_box.journal.journal import Journal
from mind_box.journal.opening import open_journal
from tests.journal.workload import EVENTS, NAME


def start(folder: Path) -> tuple[Journal, bool]:
    return open_journal(folder)


@pytest.fixture
def path(folder: Path) -> Path:
    """The journal of a box that has had games."""
    journal, saved = start(folder)
    assert saved
    journal.append(EVENTS)
    journal.close()
    return folder / NAME


def blank(path: Path) -> None:
    """A database, and nothing in it."""
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size = 1024")
    db.execute("VACUUM")
    db.close()


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").write_text("of somebody's")


def log_alone(path: Path) -> None:
    path.unlink()
    path.with_name(f"{NAME}-wal").write_bytes(b"\x00" * 4152)


LOST: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "blank": blank,
    "directory": directory,
    "log alone": log_alone,
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    **{f"{size} bytes": partial(os.truncate, length=size) for size in (0, 1, 99, 100, 512, 1023, 1024)},
}  # fmt: skip


@pytest.mark.parametrize("what", LOST)
def test_a_journal_that_is_lost_is_missed_and_what_is_there_is_kept(
    path: Path, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    LOST[what](path)
    there = {p.name: p.read_bytes() for p in path.parent.glob(f"{NAME}*") if p.is_file() and p.suffix != ".lock"}
    journal, saved = start(path.parent)
    assert not saved
    assert [r.levelname for r in caplog.records] == ["ERROR"]
    assert "is damaged" in caplog.text
    for name, content in there.items():
        assert path.with_name(name.replace(NAME, f"{NAME}.damaged-1")).read_bytes() == content
    if what == "gone":
        assert not list(path.parent.glob("*.damaged-*"))
    if what == "directory":
        assert (path.with_name(f"{NAME}.damaged-1") / "something").read_text() == "of somebody's"
    assert journal.load().phase == "lobby"
    journal.append([ev.Started((1, 2), {}, ())])
    journal.close()
    journal, saved = start(path.parent)
    assert saved
    assert journal.load().seats == (1, 2)
    journal.close()


@pytest.mark.parametrize("what", [what for what in LOST if what not in ("gone", "directory")])
def test_whoever_looks_on_is_told(path: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    LOST[what](path)
    settings = path.with_name("box.toml")
    settings.write_text(f'[box]\nstate_dir = "{path.parent}"\n')
    for words in (["journal", "verify"], ["journal", "export"], ["record"]):
        assert main([*words, "--config", str(settings)]) != 0, words
        assert "journal.db" in capsys.readouterr().err
    with pytest.raises(JournalError):
        Journal.looking_on(path)


@pytest.mark.parametrize("begun", [False, True])
def test_a_box_that_was_killed_while_it_began_its_first_journal_is_new(folder: Path, begun: bool) -> None:
    lock = claim(folder / NAME)
    assert lock is not None
    os.close(lock)
    if begun:
        (folder / NAME).touch()
    journal, saved = start(folder)
    assert (saved, journal.damaged) == (True, None)
    journal.close()
    assert sorted(p.name for p in folder.iterdir()) == [NAME, f"{NAME}.lock"]


@pytest.mark.parametrize("some", [True, False])
def test_whoever_looks_on_finds_nothing_in_a_journal_that_was_not_begun(
    folder: Path, capsys: pytest.CaptureFixture[str], some: bool
) -> None:
    """The box was killed right before its tables were there."""
    path = folder / NAME
    lock = claim(path)
    assert lock is not None
    os.close(lock)
    path.touch()
    if some:
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size = 1024")
        db.execute("PRAGMA journal_mode = WAL")
        db.close()
    assert (path.stat().st_size > 0) == some
    journal = Journal.looking_on(path)
    assert (list(journal.rows()), journal.load().phase) == ([], "lobby")
    journal.close()
    settings = path.with_name("box.toml")
    settings.write_text(f'[box]\nstate_dir = "{folder}"\n')
    for words in (["journal", "verify"], ["journal", "export"]):
        assert main([*words, "--config", str(settings)]) == 0, words
    assert capsys.readouterr().err == ""
    journal, saved = start(folder)
    assert saved
    journal.close()


def test_a_journal_without_its_lock_is_a_journal(path: Path) -> None:
    """A backup that was put on a new card."""
    path.with_name(f"{NAME}.lock").unlink()
    journal, saved = start(path.parent)
    assert saved
    assert journal.load().seats == (1, 2)
    journal.close()
    path.unlink()
    assert not start(path.parent)[1]


def test_the_lock_of_an_earlier_version_counts(folder: Path) -> None:
    (folder / f"{NAME}.lock").write_text("4711")
    (folder / NAME).touch()
    journal, saved = start(folder)
    assert not saved
    journal.close()
