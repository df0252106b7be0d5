"""Teams on the rules: a perfect one always wins, a random one is right as often as chance says."""

from __future__ import annotations

import math
import random

import pytest

from benchmarks.players import Team, clean_first_levels, noisy, perfect, wins
from mind_box.game.cards import Variant
from mind_box.game.state import Setup
from tests.game.playing import check


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", ["classic", "reverse", "fifty", "extreme"])
def test_a_perfect_team_always_wins(players: int, variant: Variant) -> None:
    assert wins(players, 25, perfect, seed=players, variant=variant) == 1.0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_order_is_right_by_chance(players: int) -> None:
    games = 4000
    chance = 1 / math.factorial(players)
    spread = math.sqrt(chance * (1 - chance) / games)
    assert abs(clean_first_levels(players, games, seed=7) - chance) < 4 * spread


@pytest.mark.parametrize("variant", ["classic", "fifty", "tens", "extreme"])
def test_noisy_games_keep_the_invariants(variant: Variant) -> None:
    rng = random.Random(3)
    for players in range(2, 9):
        team = Team(players, noisy(4.0), rng, Setup(variant=variant))
        while team.game.phase not in ("won", "lost"):
            team.level()
            check(team.game)
