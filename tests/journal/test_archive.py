"""The `mind-box journal` commands: games out and in again, the whole file looked at, the oldest dropped."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from pathlib import Path

import pytest

from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.journal import archive
from mind_box.journal.archive import summary
from mind_box.journal.file import claim
from mind_box.journal.journal import Journal
from tests.journal.workload import EVENTS, ROWS


class Place:
    """A box's directory, and the commands on it."""

    def __init__(self, directory: Path) -> None:
        self.state = directory / "state"
        self.path = self.state / "journal.db"
        self.settings = directory / "box.toml"
        directory.mkdir(parents=True, exist_ok=True)
        self.settings.write_text(f'[box]\nstate_dir = "{self.state}"\nrun_dir = "{directory}"\n')

    def write(self, events: list[ev.Event]) -> Place:
        journal = Journal.open(self.path)
        journal.append(events)
        journal.close()
        return self

    def run(self, *words: str) -> int:
        return main(["journal", *words, "--config", str(self.settings)])

    def bodies(self) -> list[str]:
        journal = Journal.looking_on(self.path)
        bodies = [row.body for row in journal.rows()]
        assert [row.seq for row in journal.rows()] == list(range(1, len(bodies) + 1))
        journal.close()
        return bodies


@pytest.fixture
def place(folder: Path) -> Place:
    return Place(folder / "one").write(EVENTS)


def test_export_and_import_give_the_same_games(place: Place, folder: Path) -> None:
    games = folder / "games.jsonl"
    assert place.run("export", str(games)) == 0
    other = Place(folder / "two")
    assert other.run("import", str(games)) == 0
    assert other.bodies() == [row.body for row in ROWS]
    again = folder / "again.jsonl"
    assert other.run("export", str(again)) == 0
    assert again.read_bytes() == games.read_bytes()
    first = json.loads(games.read_text().splitlines()[0])
    assert first["summary"] == {
        "seats": [1, 2], "variant": "classic", "result": "open", "level_completed": 0, "events": 14,
    }  # fmt: skip


def test_a_summary_counts_what_was_not_undone_and_names_the_variant_that_was_played() -> None:
    game: list[ev.Event] = [
        ev.Started((1, 2), {"variant": "fifty"}, ((2, "fifty", False, 5),)),
        ev.Declared(), ev.LevelCompleted(1, None), ev.Declared(), ev.LevelCompleted(2, "star"), ev.Undone(), ev.Lost(),
    ]  # fmt: skip
    after: list[ev.Event] = [ev.Left(), ev.Configured("variant", "reverse")]
    told = {"seats": [1, 2], "variant": "fifty", "result": "lost", "level_completed": 1}
    for events in (game, game + after):
        assert summary(events) == told | {"events": len(events)}
    assert summary(after)["variant"] == "reverse", "choices in a lobby before any game"


def test_import_keeps_the_game_at_the_table_and_takes_nothing_twice(place: Place, folder: Path) -> None:
    games = folder / "games.jsonl"
    place.run("export", str(games))
    other = Place(folder / "two").write([ev.Configured("variant", "tens"), ev.Started((2, 3), {}, ()), ev.Laid(7)])
    before = other.bodies()
    journal = Journal.looking_on(other.path)
    game = journal.load()
    journal.close()
    for _ in range(2):
        assert other.run("import", str(games)) == 0
    left = '{"type":"Left"}'  # between the imported game, which is open, and the choice in the lobby
    assert other.bodies() == [row.body for row in ROWS] + [left, *before]
    journal = Journal.open(other.path)
    assert journal.load() == game
    journal.append([ev.Laid(8)])
    journal.close()
    assert other.run("verify") == 0


def test_import_keeps_the_lobby_at_the_table_and_its_choices(place: Place, folder: Path) -> None:
    """Choices in the lobby are no game: not counted, not exported, and not made in the middle of an imported one."""
    games, again = folder / "games.jsonl", folder / "again.jsonl"
    place.run("export", str(games))
    lobby: list[ev.Event] = [ev.Configured("variant", "reverse"), ev.Configured("variant", "extreme")]
    other = Place(folder / "two").write(lobby)
    before = other.bodies()
    for _ in range(2):
        assert other.run("import", str(games)) == 0
        assert other.bodies() == [row.body for row in ROWS] + ['{"type":"Left"}', *before]
    journal = Journal.looking_on(other.path)
    game = journal.load()
    journal.close()
    assert (game.phase, game.setup.variant, game.piles) == ("lobby", "extreme", ((), ()))
    assert other.run("export", str(again)) == 0
    assert len(again.read_text().splitlines()) == 4
    assert place.run("import", str(again)) == 0
    assert len(place.bodies()) == len(ROWS), "they were there already"


def test_a_lobby_alone_is_not_exported_and_an_older_export_of_one_is_passed_over(
    place: Place, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lobby = Place(folder / "two").write([ev.Configured("variant", "tens")])
    assert lobby.run("export") == 0
    assert capsys.readouterr().out == ""
    (folder / "old.jsonl").write_text(
        '{"format": 1, "events": [{"type": "Configured", "name": "variant", "value": "tens"}]}\n'
    )
    before = place.bodies()
    assert place.run("import", str(folder / "old.jsonl")) == 0
    assert "0 games taken in, 0 were there already" in capsys.readouterr().out
    assert place.bodies() == before


def test_a_game_whose_start_is_damaged_is_left_out(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    db = sqlite3.connect(place.path)
    db.execute("UPDATE event SET crc = crc + 1 WHERE seq = 1")
    db.commit()
    db.close()
    assert place.run("export") == 1
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_an_export_is_readable_by_its_owner_only(place: Place, folder: Path) -> None:
    """The hands of a level under way are in it (R33)."""
    games = folder / "games.jsonl"
    for old in (games, folder / "games.jsonl.new"):
        old.touch()
        old.chmod(0o644)
    before = os.umask(0o022)
    try:
        assert place.run("export", str(games)) == 0
    finally:
        os.umask(before)
    assert games.stat().st_mode & 0o777 == 0o600
    assert not (folder / "games.jsonl.new").exists()


def test_an_export_is_on_disk_before_it_takes_the_old_ones_place(
    place: Place, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = folder / "games.jsonl"
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(fd: int) -> None:
        path = os.readlink(f"/proc/self/fd/{fd}")
        done.append(f"sync {Path(path).name}, {os.fstat(fd).st_size > 1000 or Path(path).is_dir()}")
        sync(fd)

    def replaced(old: Path, new: Path) -> None:
        done.append("replace")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    assert place.run("export", str(games)) == 0
    assert done == ["sync games.jsonl.new, True", "replace", f"sync {folder.name}, True"]


def test_an_export_into_a_pipe_or_through_a_link_leaves_them_what_they_are(place: Place, folder: Path) -> None:
    pipe, link = folder / "pipe", folder / "link"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert place.run("export", str(pipe)) == 0
    assert pipe.is_fifo() and len(os.read(reading, 65536).splitlines()) == 4
    os.close(reading)
    (folder / "far").mkdir()
    link.symlink_to(folder / "far" / "games.jsonl")
    assert place.run("export", str(link)) == 0
    assert link.is_symlink() and len(link.read_text().splitlines()) == 4


def test_an_export_without_a_place_to_write_is_said(
    place: Place, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [place.run("export", name) for name in ("", str(folder))] == [1, 1]
    assert capsys.readouterr().err.count("cannot be written: Is a directory") == 2


def test_the_last_games_alone(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert place.run("export", "--last", "2") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert place.run("export", "--last", "0") == 2
    capsys.readouterr()
    assert place.run("export", "--last", "9" * 30) == 0
    everything = capsys.readouterr().out
    assert place.run("export") == 0
    assert everything == capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is nothing in the file"),
        (" \n\n", "there is nothing in the file"),
        ("{", "line 1"),
        ("[" + " " * 16_000_000 + "]", "line 1: longer than any game"),
        ('{"format": 1, "events": []}\nnull', "line 2: is no game"),
        ('{"format": 1, "events": [{"type": "Danced"}]}', "event 1: no event type 'Danced'"),
        ('{"format": 1, "events": [{"type": "Laid", "card": null}]}', "Laid.card: None is not Card"),
        ('{"format": 99, "events": [{"type": "Left"}]}', "update mind-box"),
        ('{"format": "1", "events": []}', "is not a number"),
        ('{"events": [5], "format": 1}', "event 1 is not an object"),
        ('{"format": 1, "events": [{"type": "Laid", "card": 5}]}', "line 1: does not begin with the start of a game"),
        *(
            (f'{{"format":1,"events":[{{"type":"Started","seats":[1,2],"setup":{setup},"bests":[]}},{event}]}}', reason)
            for setup, event, reason in (
                ("{}", '{"type":"Laid","card":"X9"}', "line 1: event 2: 'X9' is no card of the game's deck"),
                ("{}", '{"type":"Laid","card":0}', "0 is no card"),
                ("{}", '{"type":"Dealt","card":101,"seat":1}', "101 is no card"),
                ("{}", '{"type":"TurnedUp","card":"W1","star":false}', "'W1' is no card"),
                ("{}", '{"type":"Erred","early":5,"aside":[-1],"paid":true}', "-1 is no card"),
                ("{}", '{"type":"StarUsed","aside":[3,"R1"]}', "'R1' is no card"),
                ('{"variant":"extreme","deck":"extreme"}', '{"type":"Revealed","card":5,"kept":true}', "5 is no card"),
            )
        ),
        *(
            (
                f'{{"format":1,"events":[{{"type":"Started","seats":{seats},"setup":{{}},"bests":[]}}]}}',
                "event 1: no box",
            )
            for seats in ([], [1], [1, 1], [2, 1], [0, 1], [1, 9], list(range(1, 10)), list(range(1, 1000)))
        ),
        ("[" * 100_000, "line 1"),
        (
            '{"format": 1, "events": [{"type":"Left"},{"type":"Started","seats":[1],"setup":{},"bests":[]}]}',
            "second game",
        ),
    ],
)
def test_a_file_that_is_not_one_of_games(
    place: Place, folder: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = folder / "wrong.jsonl"
    wrong.write_text(text)
    before = place.bodies()
    assert place.run("import", str(wrong)) == 2
    assert reason in capsys.readouterr().err
    assert place.bodies() == before


def test_a_line_may_be_as_long_as_the_limit_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps({"format": 1, "events": [ev.to_stored(EVENTS[0])]}) + "\n"
    monkeypatch.setattr(archive, "MAX_LINE", len(line))
    games = archive.read_games(io.StringIO("\n" + line * 2))
    assert [[timed.event for timed in game.kept] for game in games] == [EVENTS[:1]] * 2
    with pytest.raises(archive.ArchiveError, match="line 2: longer than any game"):
        list(archive.read_games(io.StringIO("\n " + line)))


def test_import_of_a_file_that_an_editor_has_put_a_mark_before(place: Place, folder: Path) -> None:
    """Windows' editors begin a UTF-8 file with a byte order mark."""
    assert place.run("export", str(folder / "games")) == 0
    (folder / "games").write_bytes(b"\xef\xbb\xbf" + (folder / "games").read_bytes())
    assert place.run("import", str(folder / "games")) == 0


def test_import_of_what_is_no_text(place: Place, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert place.run("import", str(folder / "nothing")) == 2
    (folder / "bytes").write_bytes(b"\xff\xfe\x00")
    assert place.run("import", str(folder / "bytes")) == 2
    assert "Nothing was taken in" in capsys.readouterr().err


def test_nothing_is_written_while_a_box_runs(place: Place, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = folder / "games.jsonl"
    place.run("export", str(games))
    box = claim(place.path)
    assert box is not None
    assert place.run("import", str(games)) == 1
    assert place.run("prune", "--keep", "1") == 1
    assert "systemctl stop mind-box" in capsys.readouterr().err
    assert place.run("verify") == 0, "looking on is allowed"
    os.close(box)
    assert place.run("prune", "--keep", "1") == 0


def test_verify_finds_what_a_start_does_not_look_at(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert place.run("verify") == 0
    assert "4 games" in capsys.readouterr().out
    db = sqlite3.connect(place.path)
    db.execute("UPDATE event SET body = replace(body, '2', '3') WHERE seq = 3")
    db.execute("DELETE FROM event WHERE seq = 5")
    db.commit()
    db.close()
    assert Journal.open(place.path).damaged is None
    assert place.run("verify", "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == [
        "row 3 cannot be understood: it is not what was written", "rows 5 to 5 are missing",
    ]  # fmt: skip
    assert place.run("export") == 1, "a row had to be left out"
    db = sqlite3.connect(place.path)
    db.execute("UPDATE event SET format = format - 1 WHERE seq = 7")
    db.commit()
    db.close()
    assert place.run("verify") == 1
    assert "row 7 cannot be understood: it is not what was written" in capsys.readouterr().out, "the format counts too"
    page = bytearray(place.path.read_bytes())
    page[2 * 1024 :] = b"\x55" * (len(page) - 2 * 1024)
    place.path.write_bytes(page)
    assert place.run("verify") == 1
    assert place.run("export") == 1
    capsys.readouterr()


def test_prune_keeps_the_newest(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    size = place.path.stat().st_size
    assert place.run("prune", "--keep", "1") == 0
    assert "3 games dropped" in capsys.readouterr().out
    assert place.path.stat().st_size < size
    journal = Journal.open(place.path)
    assert [row.body for row in journal.rows()] == [row.body for row in ROWS[-14:]]
    journal.close()
    assert place.run("prune", "--keep", "0") == 2


def test_no_journal_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = Place(folder / "empty")
    assert [empty.run("verify"), empty.run("export"), empty.run("prune")] == [1, 1, 1]
    assert capsys.readouterr().err.count("journal.db") == 3
