"""``mind-box history``, and the book that it reads."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from mind_box.commands.cli import main
from mind_box.evening.book import Book, NoSuchGame
from mind_box.game import events as ev
from mind_box.journal.archive import ArchiveError, export, read_games, take_in, verify
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row
from mind_box.virtual.evenings import demo


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state directory of a family with five evenings."""
    state = tmp_path_factory.mktemp("evenings")
    fill(state)
    return state


def fill(state: Path, many: int = 5) -> None:
    journal = Journal.open(state / "journal.db")
    demo(journal, many)
    journal.close()


def history(state: Path, *words: str) -> int:
    return main(["history", "--state", str(state), *words])


def test_the_list_and_a_game(evenings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert history(evenings) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and lines[0].split()[:3] == ["1", "2026-01-02", "19:20"]
    assert history(evenings, "--last", "2") == 0
    assert "3 older ones" in capsys.readouterr().out
    assert history(evenings, "-1") == history(evenings, "5") == 0
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :] and "s a number" in out


FIELDS = ["game", "name", "begun", "variant", "deck", "hands", "blind", "seats", "ghosts", "result", "best", "levels"]
OF_LEVEL = ["level", "lives", "stars", "errors", "stops", "play_s", "cards", "tempo", "closest"]


def test_the_data_are_as_the_page_has_them(evenings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert history(evenings, "--json") == 0
    games = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [game["game"] for game in games] == [1, 2, 3, 4, 5]
    for game in games:
        assert list(game) == FIELDS
        assert game["begun"].endswith("Z") and game["ghosts"] == [] and game["blind"] is False
        for level in game["levels"]:
            assert list(level) == OF_LEVEL
            assert all(list(card) == ["card", "t", "seat", "how"] for card in level["cards"])
            tempo, closest = level["tempo"], level["closest"]
            assert tempo is None or list(tempo) == ["p", "p95", "r0", "w", "n"]
            assert closest is None or (list(closest) == ["cards", "s"] and len(closest["cards"]) == 2)
    assert all(card["seat"] is None for level in games[1]["levels"] for card in level["cards"])
    assert history(evenings, "3", "--json") == 0
    assert json.loads(capsys.readouterr().out) == games[2]
    assert history(evenings, "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert rows == [row for game in games for row in as_table(game)]
    assert history(evenings, "3", "--csv") == 0
    assert list(csv.DictReader(io.StringIO(capsys.readouterr().out))) == list(as_table(games[2]))


def as_table(game: dict[str, Any]) -> Iterator[dict[str, str]]:
    """What ``--csv`` has of a game that is known as JSON: a line a card, what is not known left empty."""
    for level in game["levels"]:
        for card in level["cards"]:
            of_game = {"game": game["game"], "begun": game["begun"], "name": game["name"]}
            row = {**of_game, "level": level["level"], "blind": int(game["blind"]), **card}
            yield {key: "" if value is None else str(value) for key, value in row.items()}


def test_a_script_s_evening_is_kept_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, state = tmp_path / "sunday.table", tmp_path / "state"
    script.write_text("config hands known\nhands 1 2\nscan 10\nscan 20\nhands\nwait 1.9\nscan 10\nwait 0.5\nscan 20\n")
    assert main(["replay", "--keep", str(state), str(script)]) == 0
    assert history(state, "name", "1", 'Grandma, "the fast"') == 0
    capsys.readouterr()
    assert history(state) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == 1 and listed[0].split()[0] == "1" and 'Grandma, "the fast"' in listed[0]
    assert history(state, "1", "--csv") == 0
    assert capsys.readouterr().out.splitlines() == [
        "game,begun,name,level,blind,card,t,seat,how",
        '1,,"Grandma, ""the fast""",1,0,10,2.0,1,laid',
        '1,,"Grandma, ""the fast""",1,0,20,2.5,2,laid',
    ]
    assert main(["replay", "--keep", str(state), str(script)]) == 2, "nothing is written over"
    assert "is there already" in capsys.readouterr().err
    with Book.at(state / "journal.db") as book:
        assert book.games() == 1


def test_a_game_gets_a_name_and_loses_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, 2)
    box = Journal.open(tmp_path / "journal.db")  # a box that runs
    assert history(tmp_path, "name", "1", "Sunday", "with", "Grandma") == 0
    box.append([ev.Configured("variant", "tens")])
    assert history(tmp_path, "1") == 0
    assert "Sunday with Grandma" in capsys.readouterr().out
    assert history(tmp_path, "name", "1", "") == 0
    with Book.at(tmp_path / "journal.db") as book:
        assert book.game(1).name is None
    box.close()


def test_a_forgotten_game_is_gone_for_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, 3)
    path = tmp_path / "journal.db"
    with Book.at(path) as book:
        keys = [book.game(n).key for n in (1, 2, 3)]
    box = Journal.open(path)
    assert history(tmp_path, "forget", "2") == 0
    box.append([ev.Configured("variant", "tens")])
    assert verify(box).problems == ()
    assert history(tmp_path, "forget", "-1") == 2, "it is at the table"
    with Book.at(path) as book:
        assert [entry.key for entry in book.newest()] == [keys[2], keys[0]]
        with pytest.raises(NoSuchGame):
            book.game(keys[1])
    box.close()
    assert Journal.open(path).load().phase == "lobby"
    assert history(tmp_path, "forget", "9") == 2
    capsys.readouterr()


def test_an_address_stays_the_same_after_export_import_and_pruning(tmp_path: Path) -> None:
    fill(tmp_path, 4)
    source = Journal.open(tmp_path / "journal.db")
    source.append([ev.Started((1, 2), {}, ())])
    with Book.at(tmp_path / "journal.db") as book:
        keys = {entry.key: entry.game for entry in book.newest() if entry.key != "now"}
    out = io.StringIO()
    export(source, out)
    while source.prune(2, 10**9):
        pass
    target = Journal.open(tmp_path / "other.db")
    target.append([ev.Started((1, 2), {}, ())])
    take_in(target, read_games(io.StringIO(out.getvalue())))
    with Book.at(tmp_path / "other.db") as book:
        for key, game in keys.items():
            assert book.game(key).game == game
    with Book.at(tmp_path / "journal.db") as book:
        assert [entry.key for entry in book.newest()] == ["now", next(iter(keys))]
    source.close()
    target.close()


def test_the_name_of_the_game_at_the_table_stays_with_it_when_others_are_taken_in(tmp_path: Path) -> None:
    fill(tmp_path, 2)
    source = Journal.open(tmp_path / "journal.db")
    out = io.StringIO()
    export(source, out)
    source.close()
    other = tmp_path / "other"
    journal = Journal.open(other / "journal.db")
    journal.append([ev.Started((1, 2), {}, ()), ev.Concentrated()])
    assert history(other, "name", "1", "ours") == 0
    take_in(journal, read_games(io.StringIO(out.getvalue())))
    with Book.at(other / "journal.db") as book:
        assert [book.game(n).name for n in (1, 2, 3)] == [None, None, "ours"]
    journal.close()


def test_names_travel_with_their_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, 3)
    assert history(tmp_path, "name", "2", "Sunday ♥") == history(tmp_path, "name", "3", "at the table") == 0
    out, others = tmp_path / "games", tmp_path / "config.toml"
    other = tmp_path / "other"
    for place, file in ((tmp_path, others), (other, tmp_path / "other.toml")):
        file.write_text(f'[box]\nstate_dir = "{place}"\n')
    assert main(["journal", "export", "--config", str(others), str(out)]) == 0
    fill(other, 1)
    journal = ["--config", str(tmp_path / "other.toml"), str(out)]
    assert main(["journal", "import", *journal]) == 0

    def names() -> list[str | None]:
        with Book.at(other / "journal.db") as book:
            return [book.game(n).name for n in range(1, book.games() + 1)]

    assert names() == ["Sunday ♥", "at the table", None]  # the oldest was there already
    # One that is there already gets the file's name where it has none, and keeps its own.
    n = names().index("Sunday ♥") + 1
    assert history(other, "name", str(n), "ours") == history(other, "name", str(n + 1), "") == 0
    assert main(["journal", "import", *journal]) == 0
    assert names()[n - 1 : n + 1] == ["ours", "at the table"]
    capsys.readouterr()


@pytest.mark.parametrize("name", [7, ["x"], "x" * 201, "\x1b[2J", "\ud800", "a\nb"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: object, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, 2)
    journal = Journal.looking_on(tmp_path / "journal.db")
    out = io.StringIO()
    export(journal, out, last=1)
    journal.close()
    line = json.dumps({**json.loads(out.getvalue()), "name": name})
    with pytest.raises(ArchiveError, match='line 1: "name" is not the name of a game'):
        list(read_games(io.StringIO(line)))
    if isinstance(name, str):
        assert history(tmp_path, "name", "1", name) == 2
        assert "no name" in capsys.readouterr().err


def test_a_family_of_joined_pictures_is_a_name(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    assert history(tmp_path, "name", "1", "Grandma's 👩‍👩‍👧 evening") == 0


def test_rows_that_cannot_be_read_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, 2)
    with sqlite3.connect(tmp_path / "journal.db") as db:
        start = db.execute("SELECT seq FROM event WHERE start = 1 ORDER BY seq").fetchone()[0]
        newer = Row.stored(start + 3, 3, '{"type":"Danced"}')
        db.execute("UPDATE event SET format=?, body=?, crc=? WHERE seq=?", (3, newer.body, newer.crc, start + 3))
    assert history(tmp_path, "1", "--json") == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["game"] == 1 and "cannot be read" in told.err


@pytest.mark.parametrize("words", [("0",), ("99",), ("x",), ("plot", "1"), ("1", "2"), ("--last", "0")])
def test_what_is_wrong_is_said(evenings: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert history(evenings, *words) == 2
    assert capsys.readouterr().err


def test_no_journal_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert history(tmp_path / "nowhere") == 1
    assert "journal.db" in capsys.readouterr().err
    assert history(tmp_path / "nowhere", "name", "1", "x") == 1


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_a_picture_to_keep(evenings: Path, tmp_path: Path, kind: str, begins: bytes) -> None:
    file = tmp_path / f"sunday.{kind}"
    assert history(evenings, "plot", "3", str(file)) == 0
    first = file.read_bytes()
    assert first.startswith(begins)
    assert history(evenings, "plot", "3", str(file)) == 0
    assert file.read_bytes() == first
    assert history(evenings, "plot", "3", str(tmp_path / "sunday.gif")) == 2


# -- a long past


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Ten games, and ten thousand; the newest twenty and some old ones are whole, those between are short."""
    paths = []
    for many in (10, 10_000):
        folder = tmp_path_factory.mktemp(f"past{many}")
        journal = Journal.open(folder / "journal.db")
        demo(journal, 5)
        short: list[ev.Event] = [ev.Started((1, 2), {}, ()), ev.Concentrated(), ev.Laid(1), ev.Left()]
        for _ in range(max(many - 30, 0) // 100):
            journal.append(short * 100)
        demo(journal, min(many, 25) - 5, seed=2)
        journal.close()
        paths.append(folder)
    yield paths[0], paths[1]


def least(*acts: Callable[[], object]) -> list[float]:
    """CPU seconds of each, the least of nine times, in turn: what else the machine does falls on all."""
    times = [[_seconds(act) for act in acts] for _ in range(9)]
    return [min(column) for column in zip(*times, strict=True)]


def _seconds(act: Callable[[], object]) -> float:
    before = process_time()
    act()
    return process_time() - before


def test_ten_thousand_games_are_listed_as_fast_as_few(past: tuple[Path, Path]) -> None:
    few, many = least(*(partial(_newest, path / "journal.db") for path in past))
    assert many <= 3 * few


def _newest(path: Path) -> None:
    with Book.at(path) as book:
        assert book.newest(20)


def test_one_evening_among_ten_thousand_is_told_as_fast(past: tuple[Path, Path]) -> None:
    from mind_box.page.evenings.html import evening_page
    from mind_box.page.spoken import page_words

    def told(path: Path, key: str) -> None:
        with Book.at(path / "journal.db") as book:
            evening_page(book.game(key), page_words("en"))

    with Book.at(past[0] / "journal.db") as book:
        key = book.game(4).key
    few, many = least(*(partial(told, path, key) for path in past))
    assert many <= 1.2 * few + 0.001
