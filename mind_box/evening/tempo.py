"""Tempo: seconds a number, reaction and synchrony of a table, from the waits before its cards.

A hand waits r0 + p * gap * e^(w N) for its next card. By likelihood: the hand that laid waited just so long, every
other hand that held cards longer. With unknown hands nobody knows whose the cards are that came later, but how likely
each was another hand's next; leaving that out would make every table seem faster than it is, for only the quickest hand
is seen. The reaction r0 is found too, near what people need to lay a card where the waits say little of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erfc, exp, inf, log, pi, sqrt
from statistics import median

from mind_box.evening.told import Wait
from mind_box.game.values import dataclass

LEAST = 4
"""Cards below which nothing is said."""
REACTION = 0.5
"""Seconds to lay a card and show it, before anything is known of a table."""
_SPREAD = 0.35
"""How much reactions differ (seconds): about so far from ``REACTION`` nothing is surprising."""
_LN_W = (log(0.01), log(1.5))
_TINY = 0.03
"""Seconds: no wait is shorter than this beyond the reaction."""
_SIGMAS = 1.96
_ROOT = sqrt(0.5)
_NEVER = 1e-12
_NEAREST = 3
"""Other cards that always count, the next ones in the order."""
_DENSEST = 1 / sqrt(2 * pi)
_ASTRAY = 0.003
"""How likely a wait is nobody's wait for a number: somebody laughed, or reached for a glass."""
_ANYWHERE = 0.2
"""How dense such waits lie, by the logarithm of the wait."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """What a table's waits tell."""

    p: float
    """Seconds a number."""
    p95: tuple[float, float]
    """The interval that holds p in 95 of 100 such evenings."""
    r0: float
    """Seconds to lay a card, however near its number."""
    w: float
    """The spread of waits relative to the wait: of the table, its players' different paces included."""
    n: int
    """Cards that it is made from."""


def tempo_of(waits: Sequence[Wait], r0: float | None = None) -> Tempo | None:
    """The tempo of these waits; None where they are too few. ``r0``: the reaction where it is known better."""
    n = len(waits)
    if n < LEAST:
        return None
    seen = [
        (w.seconds, log(w.gap), min(w.alone + _ASTRAY, 0.5), [(log(gap), chance) for gap, chance in _near(w)])
        for w in waits
    ]
    given = r0

    def cost(at: Sequence[float]) -> float:
        """Minus the logarithm of the likelihood of ln p, ln w and r0, and of how likely such a reaction is."""
        m, ln_w = at[0], at[1]
        reaction = at[2] if given is None else given
        if reaction < 0 or not _LN_W[0] <= ln_w <= _LN_W[1]:
            return inf
        w, total = exp(ln_w), 0.0
        high = _DENSEST / w
        for seconds, ln_gap, astray, others in seen:
            beyond = seconds - reaction
            x = log(beyond if beyond > _TINY else _TINY)
            z = (x - ln_gap - m) / w
            total += x - log((1 - astray) * high * exp(-z * z / 2) + astray * _ANYWHERE)
            for ln_other, chance in others:
                z = (x - ln_other - m) / w
                if z > -4:
                    total -= log(1 - chance + chance * erfc(z * _ROOT) / 2 + _NEVER)
        return total if given is not None else total + ((reaction - REACTION) / _SPREAD) ** 2 / 2

    begin = _line(waits) if given is None else given
    ratios = [log(max(wait.seconds - begin, _TINY) / wait.gap) for wait in waits]
    m = median(ratios)
    w = 1.4826 * median([abs(x - m) for x in ratios])
    start = [m, min(max(log(max(w, 0.01)), _LN_W[0] + 0.3), _LN_W[1] - 0.5)] + ([begin] if given is None else [])
    best = _least(cost, start)
    if given is None and best[2] < 0.03:  # no reaction at all: from there on one can only go one way
        given = 0.0
        best = [best[0], best[1], 0.0]
    error = _error_of_first(cost, best if given is None else best[:2])
    fair = sqrt(n / max(n - 1.5, 1.0))
    half = _SIGMAS * error * fair * _student(n)
    m, w = best[0], exp(best[1]) * fair
    return Tempo(exp(m), (exp(m - half), exp(min(m + half, 50.0))), best[2] if given is None else given, w, n)


def _near(wait: Wait) -> list[tuple[int, float]]:
    """The other cards whose hands may well have been about to lay: those far up in the order say nothing."""
    near = sorted(wait.outwaited)
    return near[:_NEAREST] + [other for other in near[_NEAREST:] if other[0] <= 2 * wait.gap]


def _least(cost: Callable[[Sequence[float]], float], start: list[float]) -> list[float]:
    """Where ``cost`` is least, near ``start``: the simplex of Nelder and Mead."""
    size = len(start)
    steps = (0.15, 0.25, 0.15)
    points = [start] + [[v + (steps[i] if i == k else 0.0) for i, v in enumerate(start)] for k in range(size)]
    ranked = sorted((cost(point), point) for point in points)
    for _ in range(120):
        if ranked[-1][0] - ranked[0][0] < 1e-3:
            break
        worst, (value, point) = ranked[:-1], ranked[-1]
        middle = [sum(p[i] for _, p in worst) / size for i in range(size)]

        def along(by: float, middle: list[float] = middle, point: list[float] = point) -> tuple[float, list[float]]:
            there = [c + by * (c - p) for c, p in zip(middle, point, strict=True)]
            return cost(there), there

        new = along(1.0)
        if new[0] < ranked[0][0]:
            new = min(new, along(2.0))
        elif new[0] >= worst[-1][0]:
            new = along(0.5 if new[0] < value else -0.5)
        if new[0] < value:
            ranked = sorted([*worst, new])
        else:
            keep = ranked[0][1]
            shrunk = [[(a + b) / 2 for a, b in zip(p, keep, strict=True)] for _, p in ranked[1:]]
            ranked = sorted([ranked[0], *((cost(p), p) for p in shrunk)])
    return ranked[0][1]


def _error_of_first(cost: Callable[[Sequence[float]], float], at: list[float]) -> float:
    """The standard error of the first value, from how ``cost`` curves in all of them."""
    size, steps = len(at), (0.02, 0.04, 0.02)[: len(at)]
    here = cost(at)

    def moved(**by: float) -> float:
        return cost([v + by.get(f"v{i}", 0.0) for i, v in enumerate(at)])

    curve = [[0.0] * size for _ in range(size)]
    for i in range(size):
        up, down = moved(**{f"v{i}": steps[i]}), moved(**{f"v{i}": -steps[i]})
        curve[i][i] = (up - 2 * here + down) / steps[i] ** 2
        for j in range(i):
            a, b = steps[i], steps[j]
            both = moved(**{f"v{i}": a, f"v{j}": b}) - moved(**{f"v{i}": a, f"v{j}": -b})
            both += moved(**{f"v{i}": -a, f"v{j}": -b}) - moved(**{f"v{i}": -a, f"v{j}": b})
            curve[i][j] = curve[j][i] = both / (4 * a * b)
    # What is left of the first one's curvature when the others follow it: Schur's complement, one by one.
    for k in range(size - 1, 0, -1):
        pivot = curve[k][k]
        if pivot <= 0:
            continue
        for i in range(k):
            for j in range(k):
                curve[i][j] -= curve[i][k] * curve[k][j] / pivot
    return 1 / sqrt(curve[0][0]) if curve[0][0] > 0 else 1.0


def _student(n: int) -> float:
    """How much wider an interval from so few is than one from many (Student's t, 95 %)."""
    free = max(n - 2, 1)
    return 1 + 1.2 / free + 1.7 / free**2


def _line(waits: Sequence[Wait]) -> float:
    """The reaction by a line through waits and gaps, weighted by how sure a wait of its length is; rare ones count less
    (Huber), and what is known of reactions counts like a few more waits."""
    p, r0 = median([wait.seconds / wait.gap for wait in waits]), 0.0
    for _ in range(6):
        fits = [max(r0 + p * wait.gap, 0.1) for wait in waits]
        errors = [(wait.seconds - fit) / fit for wait, fit in zip(waits, fits, strict=True)]
        spread = max(1.4826 * median([abs(error) for error in errors]), 0.03)
        weights = [
            min(1.0, 1.5 * spread / abs(error) if error else 1.0) / (fit * spread) ** 2
            for error, fit in zip(errors, fits, strict=True)
        ]
        prior = 1 / _SPREAD**2
        # Normal equations of (r0, p), with the reaction's prior.
        s0 = sum(weights) + prior
        s1 = sum(v * wait.gap for v, wait in zip(weights, waits, strict=True))
        s2 = sum(v * wait.gap**2 for v, wait in zip(weights, waits, strict=True))
        t0 = sum(v * wait.seconds for v, wait in zip(weights, waits, strict=True)) + prior * REACTION
        t1 = sum(v * wait.seconds * wait.gap for v, wait in zip(weights, waits, strict=True))
        whole = s0 * s2 - s1 * s1
        if whole <= 0:
            break
        r0, p = (t0 * s2 - t1 * s1) / whole, (s0 * t1 - s1 * t0) / whole
        if r0 < 0 or p <= 0:
            r0, p = max(r0, 0.0), t1 / s2
    return max(r0, 0.0)
