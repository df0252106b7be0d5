"""A real box whose disk or clock misbehaves: full, read-only, missing, damaged; a wall clock that jumps."""

from __future__ import annotations

import contextlib
import errno
import select
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.service.status import ask, describe
from mind_box.show.pictures import table_picture
from mind_box.show.words import words_for
from mind_box.table.view import View
from tests.e2e.machine import Machine
from tests.journal import shim

YEAR = 365 * 86400


class Shimmed(Machine):
    """A machine between whose process and files the shim stands."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._flag = directory / "flag"
        self._stall = directory / "stall"
        self._clock = directory / "clock"
        self.environment |= shim.environment(self.state, MB_FLAG=self._flag, MB_STALL=self._stall, MB_CLOCK=self._clock)
        self.path = self.state / "journal.db"

    def disk_fails(self, number: int) -> None:
        self._flag.write_text(str(number))

    def disk_works(self) -> None:
        self._flag.unlink()

    def disk_stalls(self) -> None:
        self._stall.touch()

    def disk_answers(self) -> None:
        self._stall.unlink()

    def clock_is_off_by(self, seconds: int) -> None:
        self._clock.write_text(str(seconds))

    def concentrating(self) -> None:
        self.press(1, 2)
        self.expect(hands_down=[1, 2])
        self.lift(1, 2)

    def concentrate(self) -> None:
        self.concentrating()
        self.expect(phase="play")

    def level(self, *cards: int) -> None:
        level = self.view["level"]
        self.concentrate()
        for card in cards:
            self.scan(str(card))
        self.expect(level=level + 1, phase="focus")

    def comes_back_the_same(self) -> None:
        before = self.view
        self.kill()
        self.start()
        same = ("phase", "level", "lives", "stars", "seats", "piles", "aside", "best")
        assert {k: self.view[k] for k in same} == {k: before[k] for k in same}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Shimmed]:
    machine = Shimmed(tmp_path)
    yield machine
    machine.close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_in_mid_game(box: Shimmed, number: int) -> None:
    box.start()
    box.begin()
    box.disk_fails(number)
    box.level(10, 20)
    assert box.view["faults"] == ["journal"]
    answer = ask(box.run)
    assert answer is not None
    assert answer["journal"] is None
    assert "in memory only" in describe(answer)
    box.disk_works()
    box.level(11, 12, 13, 14)
    box.expect(faults=[])
    assert box.log.count("cannot be saved") == 1
    assert box.log.count("saved again") == 1
    box.comes_back_the_same()


def test_a_disk_that_works_again_when_nobody_plays_any_more(box: Shimmed) -> None:
    """What could not be saved is tried once more before the box ends."""
    box.start()
    box.begin()
    box.disk_fails(errno.ENOSPC)
    box.level(10, 20)
    assert box.view["faults"] == ["journal"]
    box.disk_works()
    assert box.stop() == 0
    box.start()
    assert (box.view["phase"], box.view["level"]) == ("focus", 2)


def test_a_disk_that_stalls_in_mid_game(box: Shimmed, tmp_path: Path) -> None:
    """The box lives on, also for systemd; nothing is shown before it is on disk; all is dealt with in order."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.setblocking(False)
        box.environment |= {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "2000000"}
        box.start()
        box.begin()
        box.disk_stalls()
        box.concentrating()
        box.scan("10")
        box.tap(1)
        box.expect(faults=["saving"])
        assert (box.view["phase"], box.view["piles"]) == ("focus", [[]])
        answer = ask(box.run)
        assert answer is not None
        assert "journal.db (the disk does not answer" in describe(answer)
        assert "Missing: nothing" in describe(answer)
        with contextlib.suppress(BlockingIOError):
            while manager.recv(100):
                continue
        box.until(lambda: select.select([manager], [], [], 0)[0], "a sign of life")
        box.disk_answers()
        box.expect(phase="focus", reason="stop", piles=[[10]], faults=[])
    box.comes_back_the_same()
    assert "Traceback" not in box.log


@pytest.mark.parametrize("there", [False, True])
def test_a_disk_that_stalls_at_the_start(box: Shimmed, tmp_path: Path, there: bool) -> None:
    """Where a journal is begun, and where the first word is written to one that is there: whoever asks is told what
    the box waits for, also by the screen.
    """
    if there:
        journal = Journal.open(box.path)
        journal.append([ev.Started((1, 2), {}, ((2, "classic", False, 4),)), ev.Concentrated(), ev.Laid(3)])
        journal.close()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        box.environment["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        box.disk_stalls()
        box.start()
        answer = ask(box.run)
        assert answer is not None
        assert (answer["view"]["faults"], answer["starting"]) == (["saving"], True)
        assert f"Starting: waits for the disk\nJournal: {box.path}" in describe(answer)
        waiting = table_picture(View(faults=("saving",)), words_for("en"), (128, 64)).tobytes()
        box.until(lambda: box.capture.exists() and box.picture().tobytes() == waiting, "the screen says it")
        if not there:
            assert b"EXTEND_TIMEOUT_USEC=" in manager.recv(1000), "and the service manager lets it live"
            box.scan("50")
            box.tap(0)
        box.disk_answers()
        where = (
            {"phase": "focus", "reason": "resume", "piles": [[3]]} if there else {"variant": "classic", "notices": []}
        )
        box.expect(faults=[], **where)
        assert box.log.count("waiting for") == (not there)
        answer = ask(box.run)
        assert answer is not None and not answer["starting"]
        if there:
            box.level(60)
        else:
            box.begin()
    box.comes_back_the_same()


def test_told_to_stop_while_the_disk_stalls_at_the_start(box: Shimmed) -> None:
    box.disk_stalls()
    box.start()
    assert box.stop() == 0
    assert not (box.run / "status.sock").exists()
    assert "Traceback" not in box.log


def test_told_to_stop_while_the_disk_stalls(box: Shimmed) -> None:
    """It does not wait for ever, and nothing that was shown is lost."""
    box.start()
    box.begin()
    box.disk_stalls()
    box.concentrating()
    assert box.stop() == 0
    assert "1 events could not be saved" in box.log
    box.disk_answers()
    box.start()
    assert box.view["level"] == 1


def test_another_program_holds_the_journal_for_a_while(box: Shimmed) -> None:
    box.start()
    box.begin()
    other = sqlite3.connect(box.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    box.concentrating()
    box.scan("10")
    box.expect(faults=["saving"])
    other.execute("ROLLBACK")
    box.expect(phase="play", piles=[[10]], faults=[])
    other.execute("BEGIN IMMEDIATE")  # and for good
    box.scan("20")
    box.expect(phase="focus", level=2, faults=["journal"])
    other.close()
    box.concentrating()
    box.tap(1)
    box.expect(phase="focus", reason="stop", faults=[])
    box.comes_back_the_same()


def test_a_disk_that_is_read_only_from_the_start(box: Shimmed) -> None:
    """The game goes on from what can still be read, and is saved when the disk works again."""
    journal = Journal.open(box.path)
    journal.append([ev.Started((1, 2), {}, ((2, "classic", False, 4),)), ev.Concentrated(), ev.Laid(3)])
    journal.close()
    box.disk_fails(errno.EROFS)
    box.start()
    view = box.view
    assert (view["phase"], view["reason"], view["piles"], view["best"]) == ("focus", "resume", [[3]], 4)
    assert view["faults"] == ["journal"]
    box.disk_works()
    box.level(60)
    box.expect(faults=[])
    box.comes_back_the_same()


def test_no_directory_can_be_made(box: Shimmed) -> None:
    box.state.write_text("a file stands in the way")
    box.start()
    assert box.view["faults"] == ["journal"]
    box.begin()
    box.level(1, 2)
    assert box.stop() == 0


def test_a_damaged_journal_is_said_and_kept(box: Shimmed) -> None:
    box.state.mkdir()
    box.path.write_bytes(b"\x00\x01rubbish" * 500)
    box.start()
    assert box.view["faults"] == ["journal"]
    assert (box.state / "journal.db.damaged-1").read_bytes() == b"\x00\x01rubbish" * 500
    box.begin()
    box.expect(faults=[])
    box.comes_back_the_same()


def test_a_newer_journal_is_left_alone_and_said(box: Shimmed) -> None:
    Journal.open(box.path).close()
    db = sqlite3.connect(box.path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    before = box.path.read_bytes()
    box.start()
    box.begin()
    box.level(1, 2)
    assert box.view["faults"] == ["journal"]
    assert "update mind-box" in box.log
    assert box.stop() == 0
    assert box.path.read_bytes() == before


def test_a_second_box_does_not_touch_the_game(box: Shimmed, tmp_path: Path) -> None:
    box.start()
    box.begin()
    with Machine(tmp_path / "second") as second:
        second.settings.write_text(second.settings.read_text().replace(str(second.state), str(box.state)))
        second.spawn()
        assert second.ended() == 1
        assert f"(process {box.pid})" in second.log
    box.level(5, 6)
    box.comes_back_the_same()


def test_the_wall_clock_jumps_in_mid_game(box: Shimmed) -> None:
    """A Pi has no clock of its own: the network sets it, by years, whenever it comes up."""
    box.start()
    box.begin()
    box.concentrate()
    box.press(1)  # half a gesture before the jump ...
    box.clock_is_off_by(20 * YEAR)
    box.expect(phase="focus", reason="stop")
    box.lift(1)
    box.expect(hands_down=[])
    box.level(10, 20)
    box.press(0)  # ... and a hold across a jump back
    box.pass_time(0.1)
    box.clock_is_off_by(-20 * YEAR)
    box.until(lambda: box.view["menu"], "the menu opens after its own half second")
    box.lift(0)
    box.comes_back_the_same()
    box.clock_is_off_by(0)
    box.level(30, 40, 50, 60)
    assert "Traceback" not in box.log


def test_nothing_reads_the_wall_clock() -> None:
    """Time is monotonic throughout: the only clocks are the loop's and time.monotonic, but for the dates (R34).

    A club's hub is no box: no game runs there, and its pages are about evenings.
    """
    import ast

    import mind_box

    wall = {"time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.strftime", "datetime.now", "date.today"}
    harmless = ("monotonic", "perf_counter", "timedelta", "datetime", "sleep")
    used = []
    for file in Path(mind_box.__file__).parent.rglob("*.py"):
        exempt = file.name == "wall_clock.py" or file.parent.name == "club"
        for node in ast.walk(ast.parse(file.read_text())) if not exempt else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                if f"{owner}.{node.attr}" in wall:
                    used.append(f"{file.name}:{node.lineno}")
            if isinstance(node, ast.ImportFrom) and node.module in ("time", "datetime"):
                used += [f"{file.name}:{node.lineno}" for a in node.names if a.name not in harmless]
    assert used == []
