"""Results in the hub's database: each once, in both kinds of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mind_box.broker.topics import Result
from mind_box.club.store import Store, StoreError
from tests.club.databases import Postgres, database

NOW = datetime(2026, 12, 1, 20, 0, tzinfo=UTC)
GAME: dict[str, Any] = {"begun": "2026-12-01T19:00:00Z", "best": 3, "last_level": 12}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database(request.param, tmp_path_factory.mktemp("store")) as place:
        yield place


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    store = Store(place)
    store.open()
    store.open()  # a second start finds it as it was
    yield store
    store.close()


_NUMBERS = count(1)


def fresh() -> str:
    return f"{next(_NUMBERS):016x}"


def result(box: str, seq: int, first: int = 1, **more: Any) -> Result:
    game = more.pop("game", {**GAME, "name": f"{box} {seq}"})
    return Result(box, seq, first, more.pop("replaces", None), game, **more)


def test_a_result_that_comes_twice_is_there_once(store: Store) -> None:
    box, before = fresh(), store.count()
    taken = [store.take("Fuchs", result(box, 1), NOW) for _ in range(3)]
    assert [(t.had, t.new) for t in taken] == [(1, True), (1, False), (1, False)]
    assert store.count() == before + 1
    assert store.had()[box] == 1


def test_what_is_confirmed_is_what_is_there_without_a_gap(store: Store) -> None:
    box = fresh()
    assert [store.take("Fuchs", result(box, seq), NOW).had for seq in (2, 3, 1, 5, 4)] == [0, 0, 3, 3, 5]


def test_a_result_that_was_taken_back_does_not_count_any_more(store: Store) -> None:
    box = fresh()
    store.take("Fuchs", result(box, 1), NOW)
    store.take("Fuchs", result(box, 2, replaces=1), NOW)
    assert [r.game["name"] for r in store.results() if r.game["name"].startswith(box)] == [f"{box} 2"]


def test_a_game_that_people_wanted_forgotten_counts_for_the_numbers_only(store: Store) -> None:
    box, many = fresh(), len(store.results())
    assert store.take("Fuchs", result(box, 1, game=None), NOW).had == 1
    assert len(store.results()) == many


def test_an_older_copy_of_the_database_says_what_it_lacks_and_goes_on(store: Store) -> None:
    """The box has let go of 1 to 4, which a hub confirmed."""
    box = fresh()
    taken = store.take("Fuchs", result(box, 5, first=5), NOW)
    assert (taken.had, taken.lost) == (5, 4)


def test_a_copied_card_is_told_from_a_result_that_comes_twice(store: Store) -> None:
    box = fresh()
    store.take("Fuchs", result(box, 1), NOW)
    other = store.take("Hase", result(box, 1, game={**GAME, "name": "another evening"}), NOW)
    assert other.copied and not other.new
    again = store.take("Hase", result(fresh(), 1, was=(box, 1), game={**GAME, "name": "another evening"}), NOW)
    assert again.new
    assert any(r.game["name"] == "another evening" and r.name == "Hase" for r in store.results())


def test_what_came_under_the_old_number_and_comes_under_the_new_one_counts_once(store: Store) -> None:
    box = fresh()
    store.take("Fuchs", result(box, 1), NOW)
    store.take("Fuchs", replace(result(box, 1), box=fresh(), was=(box, 1)), NOW)
    assert [r.game["name"] for r in store.results()].count(f"{box} 1") == 1


@pytest.mark.parametrize("begun", [None, "1970-01-01T00:00:05Z", "2099-01-01T00:00:00Z", "yesterday", 5, "2026-12-03"])
def test_a_box_whose_clock_is_years_off_plays_now(store: Store, begun: Any) -> None:
    box = fresh()
    store.take("Fuchs", result(box, 1, game={**GAME, "name": box, "begun": begun}), NOW)
    assert [r.at for r in store.results() if r.game["name"] == box] == ["2026-12-01T20:00:00Z"]


def test_lists_are_the_newest_first_and_go_on(store: Store) -> None:
    box = fresh()
    for seq in range(1, 6):
        store.take("Fuchs", result(box, seq), NOW)
    first = store.newest(2)
    then = store.newest(2, first[-1].id)
    assert [r.game["name"] for r in (*first, *then)] == [f"{box} {seq}" for seq in (5, 4, 3, 2)]
    assert store.result(first[0].id) == first[0]
    assert store.result(10**9) is None


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    (tmp_path / "other.db").write_bytes(b"x" * 5000)
    for place in (str(tmp_path / "file" / "club.db"), "nonsense://there", str(tmp_path / "other.db")):
        with pytest.raises(StoreError, match=r"club\.database|cannot be used|neither a file nor"):
            Store(place).open()


def test_a_database_of_a_later_hub_is_left_alone(tmp_path: Path) -> None:
    import sqlite3

    place = tmp_path / "club.db"
    Store(str(place)).open()
    with sqlite3.connect(place) as db:
        db.execute("UPDATE hub SET version = 7")
    db.close()
    with pytest.raises(StoreError, match=r"is of version 7, this hub knows 1: update it"):
        Store(str(place)).open()


def test_a_server_that_is_down_is_told_and_found_again() -> None:
    server = Postgres()
    try:
        store = Store(server.url)
        store.open()
        box = fresh()
        store.take("Fuchs", result(box, 1), NOW)
        server.stop()
        with pytest.raises(StoreError, match="cannot be used"):
            store.take("Fuchs", result(box, 2), NOW)
        server.start()
        assert store.take("Fuchs", result(box, 2), NOW).had == 2
        store.close()
    finally:
        server.close()
