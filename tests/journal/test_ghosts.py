"""Games with ghosts in the journal: their seed and what they have learnt, and formats older and newer side by side."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from mind_box.game import events as ev
from mind_box.game.state import Ghosts, lobby_of
from mind_box.journal.archive import export, read_games, take_in
from mind_box.journal.file import NewerJournal
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row, rows_of
from mind_box.journal.stamps import Stamp, Timed
from tests.journal.workload import NAME

PLAIN: list[ev.Event] = [ev.Started((1, 2), {"variant": "classic"}, ()), ev.Concentrated(), ev.Laid(17), ev.Left()]
HAUNTED: list[ev.Event] = [
    ev.Started(
        (1, 2), {"variant": "classic", "ghosts": 1}, ((2, "classic", False, 3), (2, "classic", False, 4, 1)), (2,),
        Ghosts("dreamy", True, 5_000_123, 0.1 + 0.2, 0.9), (((1,), (-0.35, -0.7, 0.16, 0.64, 1e-17)),),
    ),
    ev.Dealt(60, 2), ev.Concentrated(), ev.Laid(17), ev.Learnt((-1 / 3, -0.7, 0.1, 0.6, 0.0)), ev.Laid(60, True),
]  # fmt: skip


def test_a_game_with_ghosts_comes_back_to_the_last_digit(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    journal.append(PLAIN)
    journal.append([Timed(event, Stamp("a1", 10 * n, n)) for n, event in enumerate(HAUNTED[:3])])
    journal.append(HAUNTED[3:])
    journal.close()
    journal = Journal.open(folder / NAME)
    assert [timed.event for timed in journal.table()] == HAUNTED
    game = journal.load()
    assert game.minds == Ghosts("dreamy", True, 5_000_123, 0.1 + 0.2, 0.9)
    assert game.learnt == {(1,): (-1 / 3, -0.7, 0.1, 0.6, 0.0)}
    assert game.bests[2, "classic", False, 1] == 4 and game.bests[2, "classic", False] == 3
    assert game.ghost is not None and (game.ghost.seat, game.ghost.card, game.ghost.place) == (2, 60, 1)
    journal.close()


def test_every_row_of_such_a_game_is_of_its_format_and_no_other_games_is(folder: Path) -> None:
    """An older program looks at the newest row: it refuses the file by name and does not read half a game."""
    journal = Journal.open(folder / NAME)
    journal.append(PLAIN)
    for event in HAUNTED:
        journal.append([event])
    formats = [row.format for row in journal.rows()]
    assert formats == [1] * 4 + [3] * 6
    journal.append([ev.Left(), ev.Configured("ghosts", 0), *PLAIN])
    assert [row.format for row in journal.rows()][-6:] == [3, 3, 1, 1, 1, 1]
    journal.close()


def test_it_is_exported_and_taken_in_once(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    journal.append([*PLAIN, *HAUNTED, ev.Left(), *PLAIN[:2]])
    out = io.StringIO()
    assert export(journal, out) == (3, 0)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["format"] for line in lines] == [1, 3, 1]
    assert take_in(journal, list(read_games(io.StringIO(out.getvalue())))) == (0, 3)
    other = Journal.open(folder / "other.sqlite")
    assert take_in(other, list(read_games(io.StringIO(out.getvalue())))) == (3, 0)
    again = io.StringIO()
    export(other, again)
    assert again.getvalue() == out.getvalue()
    journal.close()
    other.close()


def test_without_ghosts_rows_are_as_they_were() -> None:
    assert rows_of(PLAIN, 1) == [Row.of(seq, event) for seq, event in enumerate(PLAIN, 1)]
    assert Row.of(3, ev.Laid(17)) == Row.stored(3, 1, '{"type":"Laid","card":17}')


def test_what_comes_after_ghosts_is_refused_by_name(folder: Path) -> None:
    journal = Journal.open(folder / NAME)
    journal.append(HAUNTED)
    with journal.changing() as past:
        past.add([Row.stored(7, ev.FORMAT + 1, '{"type":"Danced"}')])
    journal.close()
    with pytest.raises(NewerJournal, match="update mind-box"):
        Journal.open(folder / NAME)


def test_the_lobby_keeps_the_number_of_ghosts_after_a_game() -> None:
    journal = Journal.in_memory()
    journal.append([*HAUNTED, ev.Left()])
    assert journal.load(lobby_of(journal.load().setup)).setup.ghosts == 1
