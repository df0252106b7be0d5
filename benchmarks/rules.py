"""Rule moves per second (whole games), beside a fixed loop of plain Python in the same run."""

from __future__ import annotations

import random
import time

from benchmarks.players import Team, noisy
from mind_box.game.decide import decide
from mind_box.game.moves import Move
from mind_box.game.state import Game


def _loop() -> float:
    """Seconds that a fixed million additions take here: the baseline that makes machines comparable."""
    begin = time.perf_counter()
    total = 0
    for i in range(1_000_000):
        total += i & 7
    assert total
    return time.perf_counter() - begin


def _games(games: int) -> list[list[Move]]:
    """The moves of whole games of four noisy players."""
    rng = random.Random(1)
    teams = [Team(4, noisy(2.0), rng) for _ in range(games)]
    for team in teams:
        team.play()
    return [team.moves for team in teams]


def _replay(games: list[list[Move]]) -> float:
    """Seconds for deciding them all."""
    begin = time.perf_counter()
    for moves in games:
        game = Game()
        for move in moves:
            game = decide(game, move).game  # type: ignore[union-attr]
    return time.perf_counter() - begin


def measure(games: int = 300) -> dict[str, float]:
    """Best of three: moves/s, and moves in the time of the baseline loop."""
    played = _games(games)
    rate = sum(map(len, played)) / min(_replay(played) for _ in range(3))
    loop = min(_loop() for _ in range(3))
    return {"moves_per_second": round(rate), "moves_per_baseline_loop": round(rate * loop, 1), "loop_s": round(loop, 4)}
