"""A write-ahead log that is damaged before its end: SQLite stops there in silence, the box does not."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from mind_box.commands.cli import main
from mind_box.game.evolve import replay
from mind_box.journal.file import PAGE
from mind_box.journal.journal import Journal
from mind_box.journal.log import log_of
from mind_box.journal.opening import open_journal
from tests.journal.connections import connection
from tests.journal.workload import EVENTS, NAME, ROWS

STEP = 24 + PAGE
HEADER = 32
GAMES = [replay(EVENTS[:n]) for n in range(len(EVENTS) + 1)]
FIRST = max(i for i, row in enumerate(ROWS) if row.start)


@pytest.fixture
def copy(folder: Path) -> tuple[Path, bytes, bytes]:
    """The file and the log of a box that plays, as a copy of its card has them: where to lay them, and what is in."""
    journal = Journal.open(folder / "live")
    for n, event in enumerate(EVENTS):
        journal.append([event])
        if n == FIRST + 3:
            connection(journal).execute("PRAGMA wal_checkpoint(PASSIVE)")  # so what comes next begins the log anew
    database, log = (folder / "live").read_bytes(), log_of(folder / "live").read_bytes()
    journal.close()
    path = folder / "copy" / NAME
    path.parent.mkdir()
    return path, database, log


def lay(path: Path, database: bytes, log: bytes) -> None:
    for file in path.parent.iterdir():
        file.unlink()
    path.write_bytes(database)
    log_of(path).write_bytes(log)


def frames(log: bytes) -> list[bool]:
    """The frames of the present log; whether they end a commit."""
    mark = log[16:24]
    starts = [at for at in range(HEADER, len(log), STEP) if log[at + 8 : at + 16] == mark]
    return [log[at + 4 : at + 8] != bytes(4) for at in starts]


def flipped(log: bytes, at: int, bit: int) -> bytes:
    spoilt = bytearray(log)
    spoilt[at] ^= 1 << bit
    return bytes(spoilt)


def test_a_sound_log_is_read_to_its_end(copy: tuple[Path, bytes, bytes]) -> None:
    path, database, log = copy
    ends = frames(log)
    assert len(log) > HEADER + len(ends) * STEP, "of the log before this one there is something behind it"
    lay(path, database, log)
    journal = Journal.open(path)
    assert (journal.damaged, journal.load()) == (None, GAMES[-1])
    journal.close()


def test_damage_before_the_last_commits_is_said_and_the_files_are_kept(copy: tuple[Path, bytes, bytes]) -> None:
    """In each frame's header, sums and page, and in the log's header; what can still be read of the game goes on."""
    path, database, log = copy
    rng = random.Random(3)
    ends = frames(log)
    cases = [(0, at) for at in range(HEADER)]
    for n in range(len(ends)):
        start = HEADER + n * STEP
        cases += [(n, start + rng.choice(range(24))), (n, start + 24 + rng.randrange(PAGE))]
    said = 0
    for n, at in cases:
        spoilt = flipped(log, at, rng.randrange(8))
        lay(path, database, spoilt)
        journal, saved = open_journal(path.parent)
        assert journal.load() in [GAMES[0], *GAMES[FIRST:]]
        if sum(ends[n + 1 :]) > 2:  # a spoilt sum costs the frame behind it too
            assert journal.damaged is not None, (n, at)
        assert saved == (journal.damaged is None)
        if journal.damaged is not None:
            said += 1
            assert journal.damaged.read_bytes() == database
            assert log_of(journal.damaged).read_bytes() == spoilt
            if n > 3:
                assert journal.load().piles[0], "the game at the table was begun before the damage"
        game = journal.load()
        journal.close()
        journal = Journal.open(path)
        assert (journal.damaged, journal.load()) == (None, game)
        journal.close()
    assert said > len(cases) / 2


def test_a_torn_last_commit_is_a_power_cut_and_no_damage(copy: tuple[Path, bytes, bytes]) -> None:
    path, database, log = copy
    ends = frames(log)
    last = max(n for n, end in enumerate(ends[:-1]) if end) + 1
    for n in range(last, len(ends)):
        for at in range(HEADER + n * STEP, HEADER + (n + 1) * STEP, 7):
            lay(path, database, flipped(log, at, at % 8))
            journal = Journal.open(path)
            assert (journal.damaged, journal.load()) == (None, GAMES[-2]), (n, at)
            journal.close()


def test_whoever_looks_on_is_told(copy: tuple[Path, bytes, bytes], capsys: pytest.CaptureFixture[str]) -> None:
    path, database, log = copy
    lay(path, database, flipped(log, HEADER + STEP + 100, 1))
    settings = path.with_name("box.toml")
    settings.write_text(f'[box]\nstate_dir = "{path.parent}"\n')
    assert main(["journal", "verify", "--config", str(settings)]) == 1
    assert "log is broken at frame 2" in "".join(capsys.readouterr())
    assert log_of(path).read_bytes() == flipped(log, HEADER + STEP + 100, 1)


def test_a_box_that_plays_is_never_called_damaged(folder: Path) -> None:
    """Its log grows and is begun anew between any two looks at it."""
    path = folder / NAME
    journal = Journal.open(path)
    connection(journal).execute("PRAGMA wal_autocheckpoint = 4")
    with contextlib.closing(journal):
        for event in EVENTS * 3:
            journal.append([event])
            with contextlib.closing(Journal.looking_on(path, load=False)) as looking:
                assert looking.integrity(20) == []
