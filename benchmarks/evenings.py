"""How well an evening is told: tempo and synchrony of simulated tables, and chances against plain simulations."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt
from random import Random
from statistics import mean
from time import process_time

from mind_box.evening.chances import Chances
from mind_box.evening.figures import GameFigures
from mind_box.evening.telling import told
from mind_box.evening.told import Moment
from mind_box.game.cards import Card, Order, order_of
from mind_box.game.figures import start_figures
from mind_box.game.state import Setup
from mind_box.virtual.evenings import Players, played

P, R0 = 0.5, 0.5
EVENINGS = 200
LEVELS = 200
SIMULATIONS = 20_000


def tempo_cell(players: int, known: bool, w: float, evenings: int = EVENINGS) -> dict[str, float]:
    """Mean error of ln p, how often the interval held p, mean error of w (relative), and CPU seconds at most."""
    off: list[float] = []
    held: list[bool] = []
    wide: list[float] = []
    slowest = 0.0
    setup = Setup(hands="known" if known else "unknown")
    for seed in range(evenings):
        game = told(played(Players(tuple(range(1, players + 1)), P, w, R0), seed, setup))
        assert game is not None
        before = process_time()
        tempo = GameFigures(game).tempo
        slowest = max(slowest, process_time() - before)
        if tempo is not None:
            off.append(log(tempo.p / P))
            held.append(tempo.p95[0] <= P <= tempo.p95[1])
            wide.append(tempo.w / w - 1)
    return {"ln_p": mean(off), "held": mean(held), "w": mean(wide), "cpu": slowest}


def random_moment(rng: Random) -> tuple[Order, Moment, float]:
    """The start of a level, and a synchrony."""
    order, players = order_of("classic"), rng.choice((2, 3, 4))
    level = rng.randint(2, start_figures(players)[1])
    cards = rng.sample(range(1, 101), players * level)
    hands = tuple(order.sorted(cards[i::players]) for i in range(players))
    lives = rng.randint(1, start_figures(players)[0])
    return order, Moment(hands, (None,), lives, 1, min(cards)), rng.choice((0.08, 0.1, 0.15, 0.2, 0.3))


def simulated_chance(order: Order, moment: Moment, w: float, star: bool, rng: Random, many: int) -> float:
    """The same chance by playing the level many times."""
    dealt = [list(hand[star:]) for hand in moment.hands]
    top = order.starts[0]
    return mean(_survives(order, dealt, top, moment.lives, w, rng) for _ in range(many))


def _survives(order: Order, dealt: Sequence[list[Card]], top: int, lives: int, w: float, rng: Random) -> bool:
    hands = [hand[::-1] for hand in dealt if hand]
    while len(hands) > 1:
        hand = min(hands, key=lambda h: (order.key[h[-1]] - top) * exp(w * rng.gauss(0, 1)))
        top = order.key[hand.pop()]
        late = False
        for other in hands:
            while other and order.key[other[-1]] < top:
                other.pop()
                late = True
        lives -= late
        if not lives:
            return False
        hands = [hand for hand in hands if hand]
    return True


def chances(levels: int = LEVELS, simulations: int = SIMULATIONS) -> dict[str, float]:
    """Root mean square error of the chance with a star, in how many levels it is below .04, and CPU seconds at most."""
    errors: list[float] = []
    slowest = 0.0
    for seed in range(levels):
        rng = Random(seed)
        order, moment, w = random_moment(rng)
        before = process_time()
        chance = Chances(order, w).of_level(moment, star=True)
        slowest = max(slowest, process_time() - before)
        errors.append(chance - simulated_chance(order, moment, w, True, rng, simulations))
    return {
        "rms": sqrt(mean(error**2 for error in errors)),
        "within": mean(abs(error) <= 0.04 for error in errors),
        "cpu": slowest,
    }


def measure() -> dict[str, object]:
    """All of it: minutes."""
    cells = {
        f"{players} players, {'known' if known else 'unknown'}, w {w}": tempo_cell(players, known, w)
        for players in (2, 3, 4)
        for known in (True, False)
        for w in (0.1, 0.2)
    }
    return {"tempo": cells, "star": chances()}
