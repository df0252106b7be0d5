"""`mind-box backup` and `mind-box restore`: a box in one file, made while it plays, and back with nothing lost."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import random
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mind_box.backup import FORMAT, LIST, PARTS, back_up
from mind_box.cards.store import CardStore
from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.journal.file import SCHEMA, claim
from mind_box.journal.journal import Journal
from mind_box.settings.loading import load
from tests.journal.workload import EVENTS, ROWS

TAGS = {"04A1B2C3": 17, "04A1B2C4": 42}


class Box:
    """A box's settings and state, and the two commands on them."""

    def __init__(self, directory: Path) -> None:
        self.state = directory / "state"
        self.journal = self.state / "journal.db"
        self.settings = directory / "box.toml"
        directory.mkdir(parents=True)
        self.settings.write_text(f'[box]\nstate_dir = "{self.state}"\nlanguage = "de"\n')

    def fill(self) -> Box:
        with contextlib.closing(Journal.open(self.journal)) as journal:
            journal.append(EVENTS)
        CardStore(self.state).save(dict(TAGS))
        return self

    def run(self, word: str, file: Path) -> int:
        return main([word, "--config", str(self.settings), str(file)])

    def bodies(self) -> list[str]:
        with contextlib.closing(Journal.looking_on(self.journal)) as journal:
            return [row.body for row in journal.rows()]

    def everything(self) -> dict[str, bytes]:
        """Each file and its bytes, but for what SQLite and the lock keep for the moment."""
        top = self.settings.parent
        files = [p for p in top.rglob("*") if p.is_file() and not p.name.endswith((".lock", "-shm", "-wal"))]
        return {str(p.relative_to(top)): p.read_bytes() for p in files}


@pytest.fixture
def box(folder: Path) -> Box:
    return Box(folder / "one").fill()


@pytest.fixture
def saved(box: Box, folder: Path) -> Path:
    file = folder / "evening.mindbox"
    assert box.run("backup", file) == 0
    return file


def test_a_new_card_has_all_of_the_old_one(box: Box, saved: Path, folder: Path) -> None:
    """The settings' own words too, comments and all; the games by rows, so that the numbers stay."""
    new = folder / "one"
    before = box.settings.read_bytes()
    os.rename(new, folder / "broken card")
    assert main(["restore", "--config", str(box.settings), str(saved)]) == 0
    assert box.bodies() == [row.body for row in ROWS]
    assert CardStore(box.state).read() == TAGS
    assert box.settings.read_bytes() == before
    assert not list(new.rglob("*before-restore*")) and not list(new.rglob("*.restored"))
    assert saved.stat().st_mode & 0o777 == 0o600, "hands are in it"


def test_the_box_may_be_running_while_it_is_saved(box: Box, folder: Path) -> None:
    """Rows that are in the log alone belong to it; one in the middle of being written does not."""
    journal = Journal.open(box.journal)
    journal.lock = claim(box.journal)
    journal.append([ev.Left()])
    other = sqlite3.connect(box.journal, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO preference VALUES ('half', 'written')")
    file = folder / "evening.mindbox"
    assert box.run("backup", file) == 0
    other.execute("ROLLBACK")
    other.close()
    journal.append([ev.Configured("variant", "reverse")])
    journal.close()
    assert len(box.bodies()) == len(ROWS) + 2
    assert box.run("restore", file) == 0
    assert len(box.bodies()) == len(ROWS) + 1
    with contextlib.closing(sqlite3.connect(box.journal)) as db:
        assert db.execute("SELECT count(*) FROM preference").fetchone() == (0,)


def test_what_stood_there_is_kept_under_another_name(box: Box, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.closing(Journal.open(box.journal)) as journal:
        journal.append([ev.Left()])
    CardStore(box.state).save({"99": 1})
    for time in (1, 2):
        box.settings.write_text(f"{box.settings.read_text()}# {time}\n")
        assert box.run("restore", saved) == 0
        said = capsys.readouterr().out
        for path in (box.journal, box.settings):
            kept = path.with_name(f"{path.name}.before-restore-{time}")
            assert kept.exists() and str(kept) in said
    with contextlib.closing(Journal.looking_on(box.journal.with_name("journal.db.before-restore-1"))) as journal:
        assert len(list(journal.rows())) == len(ROWS) + 1
    assert '"99"' in (box.state / "cards.json.before-restore-1").read_text()
    assert not (box.state / "cards.json.before-restore-2").exists(), "they were the same already"
    assert box.settings.with_name("box.toml.before-restore-1").read_text().endswith("# 1\n")


def test_a_running_box_is_left_alone(box: Box, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = box.everything()
    fd = claim(box.journal)
    assert fd is not None
    assert box.run("restore", saved) == 1
    os.close(fd)
    assert "stop it first (sudo systemctl stop mind-box)" in capsys.readouterr().err
    assert box.everything() == before


def test_settings_that_a_power_cut_left_empty_do_not_stand_in_the_way(box: Box, saved: Path) -> None:
    before = box.settings.read_bytes()
    box.settings.write_bytes(b"\0" * 100)
    assert box.run("restore", saved) == 0
    assert box.settings.read_bytes() == before


def test_a_damaged_journal_is_put_aside_for_the_sound_one(box: Box, saved: Path) -> None:
    damaged = box.journal.read_bytes()[:1500] + b"\xff" * 600
    box.journal.write_bytes(damaged)
    assert box.run("restore", saved) == 0
    assert box.bodies() == [row.body for row in ROWS]
    assert box.journal.with_name("journal.db.before-restore-1").read_bytes() == damaged


def test_nothing_is_overwritten_by_a_backup(box: Box, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = saved.read_bytes()
    assert box.run("backup", saved) == 2
    assert "is not overwritten" in capsys.readouterr().err and saved.read_bytes() == before


def test_a_box_without_games_saves_what_it_has(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = Box(folder / "new")
    file = folder / "new.mindbox"
    assert box.run("backup", file) == 0
    assert f"{file}: the settings (mind-box" in capsys.readouterr().out
    assert names(file) == [LIST, "box.toml"]
    filled = Box(folder / "other").fill()
    before = filled.bodies()
    assert filled.run("restore", file) == 0
    assert filled.bodies() == before, "what the backup does not hold stays"


def test_no_room_for_a_backup_leaves_none(box: Box, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def small(path: object, **words: object) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(path, **words)  # type: ignore[call-overload]
        if isinstance(path, Path) and path.name == "journal.db" and path.parent != box.state:
            db.execute("PRAGMA max_page_count = 2")
        return db

    monkeypatch.setattr(sqlite3, "connect", small)
    (folder / "to").mkdir()
    with pytest.raises(OSError) as told:  # the command line says it of every command: tests/box/test_cli.py
        back_up(load(box.settings), box.settings, folder / "to" / "file")
    assert told.value.errno == errno.ENOSPC and str(folder / "to") in str(told.value)
    assert list((folder / "to").iterdir()) == []


def test_damaged_rows_are_saved_and_said(box: Box, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.closing(sqlite3.connect(box.journal)) as db:
        db.execute("UPDATE event SET crc = crc + 1 WHERE seq = 3")
        db.commit()
    file = folder / "file"
    assert box.run("backup", file) == 1
    assert "row 3 cannot be understood" in capsys.readouterr().err
    assert box.run("restore", file) == 1, "the rest is back"
    with contextlib.closing(Journal.looking_on(box.journal, load=False)) as journal:
        assert len(list(journal.rows())) == len(ROWS)


def names(file: Path) -> list[str]:
    with tarfile.open(file) as tar:
        return tar.getnames()


def members(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        return {m.name: part.read() for m in tar if (part := tar.extractfile(m))}


def packed(file: Path, parts: dict[str, bytes]) -> None:
    with tarfile.open(file, "w:gz") as tar:
        for name, data in parts.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def listed(parts: dict[str, bytes], change: Callable[[dict[str, object]], object]) -> dict[str, bytes]:
    told = json.loads(parts[LIST])
    change(told)
    return {**parts, LIST: json.dumps(told).encode()}


def resealed(parts: dict[str, bytes], name: str, data: bytes) -> dict[str, bytes]:
    """Another part, with a list that says so."""
    told = json.loads(parts[LIST])
    told["parts"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**parts, LIST: json.dumps(told).encode(), name: data}


def newer_journal(data: bytes, folder: Path) -> bytes:
    path = folder / "newer.db"
    path.write_bytes(data)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        db.commit()
    return path.read_bytes()


def test_what_is_no_backup_changes_nothing(
    box: Box, saved: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = members(saved)
    before = box.everything()

    def damaged(name: str) -> dict[str, bytes]:
        data = bytearray(parts[name])
        data[len(data) // 2] ^= 1
        return {**parts, name: bytes(data)}

    later_cards = b'{"version": 2, "cards": {}}'
    wrong: list[tuple[dict[str, bytes], str, int]] = [
        ({"a": b"b"}, "it does not begin with backup.json", 2),
        (listed(parts, lambda t: t.update(mind_box_backup=FORMAT + 1)), "update mind-box first", 2),
        (listed(parts, lambda t: t.pop("parts")), "is no backup", 2),
        (listed(parts, lambda t: t.update(parts={"../../etc/shadow": {}})), "is no backup", 2),
        ({**parts, "../../evil": b"x"}, "does not belong", 2),
        ({LIST: parts[LIST]}, "is missing", 2),
        (damaged("journal.db"), "journal.db is damaged", 2),
        (damaged("box.toml"), "box.toml is damaged", 2),
        (resealed(parts, "journal.db", newer_journal(parts["journal.db"], folder)), "update mind-box", 2),
        (resealed(parts, "journal.db", b"no database" * 200), "cannot be read", 2),
        (resealed(parts, "cards.json", later_cards), "later mind-box", 2),
        (resealed(parts, "box.toml", b"[box]\nseats = 99\n"), "box.toml, line 2", 2),
    ]
    for number, (content, words, status) in enumerate(wrong):
        file = folder / f"wrong-{number}"
        packed(file, content)
        assert box.run("restore", file) == status, words
        said = capsys.readouterr().err
        assert words in said and "Nothing was changed" in said and "Traceback" not in said, said
        assert box.everything() == before, words
    for data, words in ((b"", "is no backup"), (b"PK" * 300, "is no backup"), (saved.read_bytes()[:-300], "cut short")):
        (folder / "bytes").write_bytes(data)
        assert box.run("restore", folder / "bytes") == 2
        assert words in capsys.readouterr().err and box.everything() == before
    assert box.run("restore", folder / "nowhere") == 2
    assert "No such file" in capsys.readouterr().err


def test_any_spoiled_byte_changes_nothing(box: Box, saved: Path, folder: Path) -> None:
    """At random in the packed file: it is refused in words, or it is the same backup all the same."""
    before, data = box.everything(), saved.read_bytes()
    draw = random.Random(20)
    refused = 0
    for _ in range(60):
        spoiled = bytearray(data)
        spoiled[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        (folder / "spoiled").write_bytes(spoiled)
        if box.run("restore", folder / "spoiled") == 0:
            for kept in box.settings.parent.rglob("*before-restore*"):
                kept.unlink()
        else:
            refused += 1
        assert box.everything().keys() == before.keys() and box.bodies() == [row.body for row in ROWS]
    assert refused > 40


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """The power goes at the so-many-th time that a part takes its place."""
    replace = os.replace

    def after(times: int) -> None:
        left = iter(range(times))

        def failing(old: Path, new: Path) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            replace(old, new)

        monkeypatch.setattr(os, "replace", failing)

    yield after


@pytest.mark.parametrize("times", range(len(PARTS)))
def test_a_restore_that_breaks_off_is_done_again(
    box: Box, saved: Path, times: int, cut: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Journal.open(box.journal)) as journal:
        journal.append([ev.Left()])
    CardStore(box.state).save({"99": 1})
    box.settings.write_text(box.settings.read_text() + "# mine\n")
    with monkeypatch.context():
        cut(times)
        assert box.run("restore", saved) == 130
    monkeypatch.undo()
    assert box.run("restore", saved) == 0
    assert box.bodies() == [row.body for row in ROWS] and CardStore(box.state).read() == TAGS
    kept = [p for p in box.state.glob("journal.db.before-restore-*") if not p.name.endswith(("-wal", "-shm"))]
    rows = []
    for path in kept:
        with contextlib.closing(Journal.looking_on(path)) as journal:
            rows.append(len(list(journal.rows())))
    assert len(ROWS) + 1 in rows, "the games of before are kept"
