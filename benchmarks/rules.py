"""The rules' speed in CPU time: whole games of four, and single moves, beside a fixed loop of plain Python."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from benchmarks.players import Team, noisy
from mind_box.game.decide import decide
from mind_box.game.moves import Move
from mind_box.game.state import Hands, Setup, lobby_of


def _seconds(work: Callable[[], None]) -> float:
    """CPU time; the best of five."""

    def once() -> float:
        begin = time.process_time()
        work()
        return time.process_time() - begin

    return min(once() for _ in range(5))


def _loop() -> None:
    """A fixed million additions: the baseline that makes machines comparable."""
    total = 0
    for i in range(1_000_000):
        total += i & 7


def _games(games: int, setup: Setup) -> list[list[Move]]:
    """The moves of noisy players."""
    rng = random.Random(1)
    teams = [Team(4, noisy(2.0), rng, setup) for _ in range(games)]
    for team in teams:
        team.play()
    return [team.moves for team in teams]


def _rates(hands: Hands, games: int, loop: float) -> dict[str, float]:
    setup = Setup(hands=hands)
    played = _games(games, setup)

    def play() -> None:
        for moves in played:
            game = lobby_of(setup)
            for move in moves:
                game = decide(game, move).game  # type: ignore[union-attr]

    seconds = _seconds(play)
    moves = sum(map(len, played))
    return {
        "games_per_second": round(games / seconds),
        "moves_per_second": round(moves / seconds),
        "moves_per_baseline_loop": round(moves / seconds * loop, 1),
    }


def measure(games: int = 150) -> dict[str, object]:
    """Games/s and moves/s with unknown and with known hands, and moves in the time of the baseline loop."""
    loop = _seconds(_loop)
    return {"loop_s": round(loop, 4), **{hands: _rates(hands, games, loop) for hands in ("unknown", "known")}}
