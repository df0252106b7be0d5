"""Whole official games at the real table, in short: ``make ghosts`` is the long form (docs/ghosts.md)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from benchmarks._seated import Person, Seated
from benchmarks.ghosts import (
    CARDS,
    CELLS,
    EQUALS,
    OFF_AT_MOST,
    PERFECT,
    cell,
    equals,
    estimate,
    missed,
    pair,
    share,
    with_ghosts,
)  # fmt: skip
from mind_box.game import events as ev
from mind_box.game.cards import VARIANTS
from mind_box.game.evolve import replay
from mind_box.game.state import Ghosts, Setup, lobby_of
from mind_box.ghost import Kind

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("players", "w"), [(2, 0.10), (3, 0.15), (4, 0.20)])
def test_teams_of_equals_win_as_often_as_the_model_says(players: int, w: float) -> None:
    """150 games: the share is known to about 8 points, so the model's own has to be in the interval, or 3 beside it."""
    found = cell(equals(players, w), 150)
    low, high = found["interval"]
    assert low - 3 <= EQUALS[players, w] <= high + 3, found


def test_a_learning_ghost_wins_what_a_fixed_one_loses() -> None:
    """60 games each: about 34 and 84 of 100; the intervals are about 12 points to each side."""
    fixed, steady = (cell(pair(learn=learn), 60) for learn in (False, True))
    assert fixed["interval"][1] < steady["interval"][0], (fixed, steady)
    assert steady["interval"][1] >= 83
    assert 2 * steady["errors in 100 cards"] < 1.2 * fixed["errors in 100 cards"]


@pytest.mark.parametrize("name", PERFECT)
def test_perfect_persons_with_steady_ghosts_that_know_the_pace_never_err(name: str) -> None:
    found = cell(CELLS[name](), 15)
    assert (found["won"], found["errors in 100 cards"]) == (100.0, 0.0)


@pytest.mark.parametrize("reaction", [0.5, 3.0])
def test_after_twenty_cards_the_pace_is_known(reaction: float) -> None:
    assert estimate(40, reaction)["off"] < OFF_AT_MOST


@pytest.mark.parametrize("hands", ["known", "unknown"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_persons_and_ghosts_are_the_fold_of_their_events(variant: str, hands: str) -> None:
    """Two persons and a ghost; in extreme, where persons choose at a star, without stars."""
    choice = {"variant": variant, "hands": hands, "ghosts": 1, "no_stars": variant == "extreme"}
    lobby = lobby_of(Setup(**choice))  # type: ignore[arg-type]
    persons = {1: Person(0.6), 2: Person(0.7)}
    seated = Seated(persons, Random(f"{variant} {hands}"), lobby, with_ghosts(Ghosts(Kind.DREAMY)))
    events: list[ev.Event] = []
    for _ in range(2):
        events += seated.game().events
    assert replay(events, lobby) == seated.table.game
    assert any(isinstance(event, ev.Laid) and event.by_ghost for event in events)
    assert any(isinstance(event, ev.Learnt) for event in events)


def test_the_same_evening_comes_out_the_same() -> None:
    def played() -> list[ev.Event]:
        lobby = lobby_of(Setup(ghosts=2))
        return Seated({1: Person()}, Random(5), lobby, with_ghosts(Ghosts(Kind.HUMAN))).game().events

    assert played() == played()


def test_a_share_has_its_interval() -> None:
    """Wilson's, from a table of it: 8 of 10, and all of 10."""
    assert share(8, 10) == {"won": 80.0, "interval": [49.0, 94.3]}
    assert share(10, 10) == {"won": 100.0, "interval": [72.2, 100.0]}


def test_a_goal_is_missed_when_a_whole_interval_misses_it() -> None:
    fine: dict[str, Any] = {
        name: {"interval": [0.0, 100.0], "errors in 100 cards": 0.0, "games": 1000} for name in CELLS
    }
    fine[f"after {CARDS} cards"] = {"interval": [3.0, 9.0]}
    assert missed(fine) == []
    fine["steady"] = {"interval": [70.0, 82.9], "errors in 100 cards": 1.0, "games": 1000}
    fine["perfect 1+1"] = {"interval": [90.0, 100.0], "errors in 100 cards": 0.1, "games": 1000}
    fine[f"after {CARDS} cards"] = {"interval": [8.1, 9.0]}
    assert missed(fine) == ["steady", "perfect 1+1", "steady errs more than half as often as a fixed one",
                            "after 20 cards"]  # fmt: skip
