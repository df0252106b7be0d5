"""The journal by itself: what it keeps, what it refuses, and what it does with a file that it cannot use."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mind_box.game import events as ev
from mind_box.game.evolve import replay
from mind_box.journal.file import InUse, JournalError, NewerJournal, claim
from mind_box.journal.journal import Journal, Preference
from mind_box.journal.opening import open_journal
from mind_box.journal.rows import Row
from tests.journal import workload
from tests.journal.connections import connection
from tests.journal.workload import EVENTS, NAME, ROWS, START, bytes_of, written


def test_what_is_appended_is_there_after_a_restart(folder: Path) -> None:
    path = written(folder / "deep" / "er" / NAME)
    journal = Journal.open(path)
    assert list(journal.rows()) == ROWS
    assert journal.load() == replay(EVENTS)
    journal.close()


def test_a_choice_of_the_box_is_kept(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    journal.append([Preference("language", "fr")])
    journal.append([Preference("language", "de")])
    journal.close()
    journal = Journal.open(folder / NAME)
    assert (journal.preference("language"), journal.preference("sound")) == ("de", None)
    journal.close()


def test_an_event_costs_one_page_and_a_start_reads_one_game(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card wears out by what is written to it, and a box starts as fast with a thousand games as with one."""
    path = folder / NAME
    journal = Journal.open(path)
    for _ in range(3000):
        journal.append([START, *(ev.Laid(card) for card in range(1, 30))])
    log = path.with_name(NAME + "-wal")
    connection(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = log.stat().st_size
    journal.append([ev.Laid(99)])
    first = log.stat().st_size
    journal.append([ev.Laid(100)])
    assert log.stat().st_size - first <= 1024 + 24 < first - before <= 2 * (1024 + 24) + 32
    journal.close()

    read = 0

    def opcode() -> int:
        nonlocal read
        read += 1
        return 0

    connect = sqlite3.connect

    def counting(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*args, **kwargs)
        db.set_progress_handler(opcode, 1)
        return db

    small = written(folder / "small.db", [START, ev.Laid(1)])
    monkeypatch.setattr(sqlite3, "connect", counting)
    steps = {}
    for file in (path, small):
        read = 0
        Journal.looking_on(file).close()
        steps[file] = read
    assert steps[path] < steps[small] + 40 * 10  # SQLite's steps for each row of one game


@pytest.mark.parametrize(("where", "value"), [("user_version", 99), ("format", 99)])
def test_a_newer_journal_is_left_untouched(folder: Path, where: str, value: int) -> None:
    path = written(folder / NAME)
    db = sqlite3.connect(path)
    if where == "format":
        db.execute("INSERT INTO event VALUES (1000, 99, 'from the future', 1, 0)")
        db.commit()
    else:
        db.execute(f"PRAGMA user_version = {value}")
    db.close()
    before = bytes_of(folder)
    with pytest.raises(NewerJournal, match="update mind-box") as raised:
        Journal.open(path)
    journal = Journal.standing_in(path, raised.value)
    with pytest.raises(JournalError):
        journal.append([START])
    journal.close()
    assert {name: before[name] for name in before} == {name: bytes_of(folder)[name] for name in before}
    assert not list(folder.glob("*damaged*"))


def test_a_row_that_cannot_be_understood_is_left_out_and_kept(folder: Path) -> None:
    path = folder / NAME
    journal = Journal.open(path)
    journal.append([START, ev.Laid(5)])
    with journal.changing() as past:
        past.add([Row.stored(3, ev.FORMAT, '{"type":"Danced"}')])
    journal.close()
    journal = Journal.open(path)
    journal.append([ev.Laid(6)])
    assert journal.load().piles == ((5, 6),)
    assert [r.body for r in journal.rows()][2] == '{"type":"Danced"}'
    journal.close()


# -- nothing can be written


def as_nobody(act: Callable[[], str]) -> str:
    """What ``act`` says in a process of a user who may not write what root or the tester wrote."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            os.write(writing, act().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as said:
        answer = said.read()
    os.waitpid(child, 0)
    return answer


def test_a_game_goes_on_from_a_journal_that_can_only_be_read(folder: Path) -> None:
    path = folder / "state" / NAME
    journal = Journal.open(path)
    journal.append([START, ev.Laid(3)])
    journal.append([Preference("language", "es")])
    journal.close()
    folder.chmod(0o755)
    path.chmod(0o444)
    path.parent.chmod(0o555)

    def stand_in() -> str:
        try:
            Journal.open(path)
        except JournalError as e:
            journal = Journal.standing_in(path, e)
        game = journal.load()
        with pytest.raises(JournalError):
            journal.append([ev.Laid(4)])
        return f"level {game.level}, pile {game.piles}, {journal.preference('language')}"

    assert as_nobody(stand_in) == "level 1, pile ((3,),), es"


def test_a_directory_that_cannot_be_made(folder: Path) -> None:
    (folder / "file").touch()
    with pytest.raises(JournalError, match=r"box\.state_dir"):
        Journal.open(folder / "file" / "state" / NAME)


def test_a_file_that_can_only_be_read_is_said_at_once_and_used_as_soon_as_it_can_be_written(folder: Path) -> None:
    """SQLite opens it without a word, to read, and what it opened so it never writes."""
    folder.chmod(0o777)

    def play() -> str:
        path = written(folder / NAME, [START, ev.Laid(3)])
        path.chmod(0o444)
        try:
            Journal.open(path)
        except JournalError as e:
            journal = Journal.standing_in(path, e)
        for _ in range(2):
            with pytest.raises(JournalError, match="readonly"):
                journal.append([ev.Laid(4)])
        path.chmod(0o644)
        journal.append([ev.Laid(4)])
        journal.close()
        return str(Journal.looking_on(path).load().piles)

    assert as_nobody(play) == "((3, 4),)"


def test_a_place_that_may_not_be_looked_at(folder: Path) -> None:
    """Python raises the system's own error then; only for what is not there it says so quietly."""
    path = folder / ("x" * 300) / "state" / NAME
    with pytest.raises(JournalError, match="too long"):
        claim(path)
    with pytest.raises(JournalError, match="too long"):
        Journal.looking_on(path)
    with pytest.raises(JournalError, match=r"box\.state_dir") as raised:
        Journal.open(path)
    journal = Journal.standing_in(path, raised.value)
    with pytest.raises(JournalError):
        journal.append([START])
    journal.close()


def test_a_stand_in_saves_when_it_can(folder: Path) -> None:
    """The directory appears in mid-game; what the box had to keep in memory is written then."""
    place = folder / "state"
    place.touch()
    with pytest.raises(JournalError) as raised:
        Journal.open(place / NAME)
    journal = Journal.standing_in(place / NAME, raised.value)
    with pytest.raises(JournalError):
        journal.append([START])
    place.unlink()
    journal.append([START, ev.Laid(9)])
    game = journal.load()
    journal.close()
    journal = Journal.open(place / NAME)
    assert journal.load() == game
    journal.close()


def test_a_game_found_later_is_left_for_the_one_at_the_table(folder: Path) -> None:
    path = written(folder / NAME, [START, ev.Laid(50)])
    journal = Journal.standing_in(folder / "elsewhere" / NAME, JournalError("not there"))
    (folder / "elsewhere").symlink_to(folder)
    journal.append([ev.Configured("variant", "tens")])
    journal.close()
    journal = Journal.open(path)
    assert (journal.load().phase, journal.load().setup.variant) == ("lobby", "tens")
    journal.close()


# -- one writer


def test_only_one_process_keeps_its_game_here(folder: Path) -> None:
    first = claim(folder / NAME)
    assert first is not None
    with pytest.raises(InUse, match=str(os.getpid())):
        claim(folder / NAME)
    os.close(first)
    again = claim(folder / NAME)
    assert again is not None
    os.close(again)


def test_who_cannot_claim_the_journal_does_not_write_it(folder: Path) -> None:
    """What stands in for it is claimed later, with the file, and then nobody else may write it."""
    path = written(folder / NAME, [START])
    lock = folder / f"{NAME}.lock"
    lock.mkdir()
    journal, saved = open_journal(folder)
    assert not saved
    assert journal.load() == replay([START])
    with pytest.raises(JournalError, match="lock: cannot be opened"):
        journal.append([ev.Laid(5)])
    lock.rmdir()
    other = claim(path)
    assert other is not None
    with pytest.raises(InUse):
        journal.append([ev.Laid(5)])
    os.close(other)
    journal.append([ev.Laid(5)])
    with pytest.raises(InUse):
        claim(path)
    journal.close()
    again = claim(path)
    assert again is not None
    os.close(again)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files for somebody else")
def test_what_root_begins_belongs_to_the_directorys_owner(folder: Path) -> None:
    """``sudo mind-box journal import`` must not leave files that the service may not write."""
    os.chown(folder, 65534, 65534)
    before = os.umask(0)
    lock = claim(folder / NAME)
    journal = Journal.open(folder / NAME)
    os.umask(before)
    journal.append([START])
    assert {p.name: p.stat().st_mode & 0o777 for p in folder.iterdir()} == dict.fromkeys(
        (NAME, f"{NAME}-wal", f"{NAME}-shm", f"{NAME}.lock"), 0o644
    )
    assert {p.name: p.stat().st_uid for p in folder.iterdir()} == dict.fromkeys(
        (NAME, f"{NAME}-wal", f"{NAME}-shm", f"{NAME}.lock"), 65534
    )
    journal.close()
    assert lock is not None
    os.close(lock)


# -- retention


def pruned(journal: Journal, keep_games: int, keep_bytes: int) -> int:
    gone = 0
    while dropped := journal.prune(keep_games, keep_bytes):
        gone += dropped
    return gone


def test_the_oldest_games_go_and_the_file_stops_growing(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    sizes = []
    for _ in range(12):
        for _ in range(20):
            journal.append([START, *(ev.Laid(card) for card in range(1, 60))])
        pruned(journal, 30, 10**9)
        connection(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sizes.append((folder / NAME).stat().st_size)
    starts = [row.seq for row in journal.rows() if row.start]
    assert len(starts) == 30
    assert next(journal.rows()).seq == starts[0]
    assert max(sizes[3:]) == sizes[3], "what pruning frees is used again"
    limit = journal.size() // 3
    assert pruned(journal, 30, limit) > 0
    assert journal.size() <= limit
    assert pruned(journal, 1, 0) > 0
    assert len([row for row in journal.rows() if row.start]) == 1
    game = journal.load()
    journal.close()
    journal = Journal.open(folder / NAME)
    assert journal.load() == game
    journal.close()


def test_workload_is_what_it_says(folder: Path) -> None:
    shown: list[int] = []
    workload.play(folder / NAME, shown.append, tidy=False)
    assert shown[-1] == len(EVENTS)
    assert workload.check(folder / NAME, len(EVENTS)) == len(EVENTS)
    formats = [row.format for row in workload.MIXED]
    assert set(formats) == {1, 2} and formats == sorted(formats), "an upgrade in mid-evening"
    assert not workload.MIXED[formats.index(2)].start, "and in mid-game"
