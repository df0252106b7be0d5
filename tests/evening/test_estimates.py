"""Tempo and chances against tables and levels whose truth is known; ``make bench`` does the same with 200 evenings."""

from __future__ import annotations

from math import log
from random import Random
from statistics import mean
from time import process_time

import pytest

from benchmarks.evenings import random_moment, simulated_chance, tempo_cell
from mind_box.evening.chances import Chances
from mind_box.evening.tempo import tempo_of
from mind_box.evening.told import Moment, Wait
from mind_box.game.cards import order_of


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("known", [True, False])
def test_the_tempo_of_a_table_comes_back_from_its_evening(players: int, known: bool) -> None:
    cell = tempo_cell(players, known, 0.1, evenings=30)
    assert abs(cell["ln_p"]) < 0.03
    assert abs(cell["w"]) < 0.1
    assert cell["held"] >= 0.8  # of 30; 0.9 to 0.98 of 200 in the benchmark


def test_too_few_cards_tell_nothing() -> None:
    waits = [Wait(10 * i, 10, 5.0 + i / 10, ((20, 1.0),)) for i in range(1, 4)]
    assert tempo_of(waits) is None
    tempo = tempo_of([*waits, Wait(40, 10, 5.2, ((20, 1.0),))])
    assert tempo is not None and tempo.p95[0] < tempo.p < tempo.p95[1] and tempo.n == 4


def test_equal_and_absurd_waits_are_no_trouble() -> None:
    for waits in (
        [Wait(i, 1, 0.001, ()) for i in range(1, 9)],
        [Wait(i, 5, 3.0, ((9, 1.0),)) for i in range(1, 9)],
        [Wait(i, 1 + i % 90, 3600.0 * i, ((90, 0.5),)) for i in range(1, 9)],
    ):
        tempo = tempo_of(waits)
        assert tempo is not None
        assert 0 < tempo.p95[0] <= tempo.p <= tempo.p95[1] and tempo.r0 >= 0


def test_a_short_distraction_does_not_make_a_table_slow() -> None:
    rng = Random(1)
    steady = [Wait(i, gap, 0.5 + 0.5 * gap * rng.lognormvariate(0, 0.1), ()) for i, gap in enumerate(range(5, 35), 1)]
    with_one = [*steady, Wait(99, 5, 60.0, ())]
    one, two = tempo_of(steady), tempo_of(with_one)
    assert one is not None and two is not None
    assert abs(log(one.p / two.p)) < 0.03


@pytest.mark.parametrize("seed", range(12))
def test_the_chance_of_a_level_is_what_simulations_say(seed: int) -> None:
    rng = Random(seed)
    order, moment, w = random_moment(rng)
    star = bool(seed % 2)
    assert Chances(order, w).of_level(moment, star) == pytest.approx(
        simulated_chance(order, moment, w, star, Random(seed), 2000), abs=0.04
    )


def test_certain_levels_are_certain() -> None:
    order = order_of("classic")
    alone = Moment(((3, 50, 99),), (None,), 1, 1, 3)
    assert Chances(order, 0.2).of_level(alone) == 1.0
    apart = Moment(((1,), (100,)), (None,), 1, 1, 1)
    assert Chances(order, 0.1).of_level(apart) == pytest.approx(1.0, abs=1e-3)
    close = Moment(((50,), (51,)), (None,), 1, 1, 50)
    assert Chances(order, 0.2).of_level(close) == pytest.approx(0.53, abs=0.01)
    assert Chances(order, 0.2).of_level(close, star=True) == 1.0
    assert Chances(order, 0.2).risk(close) == pytest.approx(0.47, abs=0.01)


def test_equal_cards_are_no_error_for_each_other() -> None:
    order = order_of("fifty")
    assert Chances(order, 0.5).of_level(Moment(((49,), (51,)), (None,), 1, 1, 49)) == 1.0


def test_riskier_tables_lose_more_often() -> None:
    rng = Random(7)
    order, moment, _ = random_moment(rng)
    chances = [Chances(order, w).of_level(moment) for w in (0.05, 0.1, 0.2, 0.4)]
    assert chances == sorted(chances, reverse=True)
    assert mean(chances) < 1


def plain_work() -> None:
    """What a PC of today does in some 25 ms."""
    x = 0.0
    for _ in range(1_000_000):
        x += 1.5


def test_what_a_star_would_have_saved_is_found_at_once_at_the_largest_table() -> None:
    """Eight players, two piles, the last level and a table that is hardly together: 0.1 s of CPU at most."""
    order = order_of("extreme")
    cards = Random(2).sample(list(order.pile_of), 64)
    hands = tuple(order.sorted(cards[i::8]) for i in range(8))
    moment = Moment(hands, (None, None), 8, 1, cards[0])
    chances, ratios = Chances(order, 0.3), []
    for _ in range(4):
        before = process_time()
        found = chances.of_level(moment), chances.of_level(moment, star=True)
        between = process_time()
        plain_work()
        ratios.append((between - before) / (process_time() - between))
    assert 0 < min(found) <= max(found) < 1
    assert min(ratios) < 3.5
