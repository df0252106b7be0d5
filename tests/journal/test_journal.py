"""The journal by itself: what it keeps, what it refuses, and what it does with a file that it cannot use."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mind_box.game import events as ev
from mind_box.game.evolve import replay
from mind_box.journal.file import InUse, claim
from mind_box.journal.journal import Journal, JournalError, NewerJournal, Row
from mind_box.service.daemon import open_journal
from mind_box.settings.schema import Config
from tests.journal import workload
from tests.journal.workload import EVENTS, NAME, ROWS

START = ev.Started((1, 2), {"variant": "classic"}, ())


def written(path: Path, events: list[ev.Event] = EVENTS) -> Path:
    journal = Journal.open(path)
    journal.append(events)
    journal.close()
    return path


def bytes_of(directory: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in directory.iterdir() if p.is_file()}


def test_what_is_appended_is_there_after_a_restart(folder: Path) -> None:
    path = written(folder / "deep" / "er" / NAME)
    journal = Journal.open(path)
    assert list(journal.rows()) == ROWS
    assert journal.load() == replay(EVENTS)
    journal.close()


def test_a_choice_of_the_box_is_kept(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    journal.prefer("language", "fr")
    journal.prefer("language", "de")
    journal.close()
    journal = Journal.open(folder / NAME)
    assert (journal.preference("language"), journal.preference("sound")) == ("de", None)
    journal.close()


def test_an_event_costs_one_page_and_a_start_reads_one_game(folder: Path) -> None:
    """A card wears out by what is written to it, and a box starts as fast with a thousand games as with one."""
    path = folder / NAME
    journal = Journal.open(path)
    for _ in range(3000):
        journal.append([START, *(ev.Laid(card) for card in range(1, 30))])
    log = path.with_name(NAME + "-wal")
    assert journal._db is not None
    journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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

    small = written(folder / "small.db", [START, ev.Laid(1)])
    steps = {}
    for file in (path, small):
        journal = Journal(sqlite3.connect(file, isolation_level=None), file)
        assert journal._db is not None
        read = 0
        journal._db.set_progress_handler(opcode, 1)
        journal._read()
        steps[file] = read
        journal.close()
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


# -- damage


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


def test_the_log_may_be_cut_at_any_byte(folder: Path) -> None:
    """After a power cut the write-ahead log may end anywhere: what is whole before that place counts."""
    source = folder / "source"
    journal = Journal.open(source)
    journal.append(EVENTS[:3])
    assert journal._db is not None
    journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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
    assert journal._db is not None
    journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    page = bytearray(path.read_bytes())
    page[1024:] = os.urandom(len(page) - 1024)
    path.write_bytes(page)
    journal._db.execute("PRAGMA cache_size = 0")
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
    journal.prefer("language", "fr")
    assert journal._db is not None
    journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(path.read_bytes()[:1024] + os.urandom(4096))
    journal._db.execute("PRAGMA cache_size = 0")

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
    journal.prefer("language", "fr")
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
    assert journal._db is not None
    journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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
    journal.prefer("language", "es")
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
    box = replace(Config().box, state_dir=str(folder))
    journal, saved = open_journal(replace(Config(), box=box))
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
    lock = claim(folder / NAME)
    journal = Journal.open(folder / NAME)
    journal.append([START])
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
        assert journal._db is not None
        journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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
