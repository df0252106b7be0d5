"""What a ghost learns of a person's tempo (R43): the rule, and how near it comes."""

from dataclasses import replace
from math import exp, log
from random import Random
from statistics import median

import pytest

from mind_box.ghost import LONG, Estimate


def waits(rng: Random, cards: int, pace: float, reaction: float, w: float = 0.12) -> list[tuple[int, float]]:
    """Gaps as they come in a game of two, and how long a person waits for each."""
    gaps = [max(1, min(round(rng.expovariate(1 / 9)), 60)) for _ in range(cards)]
    return [(gap, reaction + pace * gap * exp(rng.gauss(0, w))) for gap in gaps]


def learnt(estimate: Estimate, of: list[tuple[int, float]]) -> Estimate:
    for gap, seconds in of:
        estimate = estimate.learn(gap, seconds)
    return estimate


def test_with_a_known_reaction_it_is_the_rule_of_one_number() -> None:
    """R43: m = ln p, V = .16; V += .04^2; K = V/(V + .15^2); m += K clip(x - m, +-.7); V *= 1 - K."""
    rng = Random(1)
    estimate = replace(Estimate.beginning(0.7, 0.5), v_q=0.0)
    m, v = log(0.7), 0.16
    for gap, seconds in waits(rng, 200, 1.4, 0.5, 0.4):
        estimate = estimate.learn(gap, seconds)
        if gap >= LONG:
            x = log(max(seconds - 0.5, 0.02) / gap)
            v += 0.04**2
            k = v / (v + 0.15**2)
            m += k * max(-0.7, min(0.7, x - m))
            v *= 1 - k
        assert estimate.m == pytest.approx(m, abs=1e-12)
        assert estimate.v_m == pytest.approx(v, rel=1e-9)
        assert estimate.q == log(0.5)


def test_a_long_gap_teaches_the_pace_and_a_short_one_the_reaction() -> None:
    begin = Estimate.beginning(0.7, 0.5)
    long, short = begin.learn(20, 25.0), begin.learn(1, 2.4)
    assert long.m - begin.m > 5 * (long.q - begin.q) > 0
    assert short.q - begin.q > 2 * (short.m - begin.m) > 0


def test_where_the_reaction_is_known_a_gap_of_4_teaches_nothing() -> None:
    known = replace(Estimate.beginning(0.7, 0.5), v_q=0.0)
    assert known.learn(4, 9.9) == known
    assert known.learn(5, 9.9).m > known.m


@pytest.mark.parametrize("gap", [0, -1, -60])
def test_a_card_that_is_not_after_the_pile_teaches_nothing(gap: int) -> None:
    assert Estimate.beginning().learn(gap, 3.0) == Estimate.beginning()


def test_a_fixed_pace_stays_and_has_the_reaction_exactly() -> None:
    """R43: ``steady`` with ``ghost_learns no`` has r0 = .5 exactly."""
    fixed = Estimate.beginning(0.7, learns=False)
    assert learnt(fixed, waits(Random(2), 50, 2.0, 2.0)) == fixed
    assert fixed.wait(0) == pytest.approx(0.5, abs=1e-15)
    assert fixed.wait(10) == pytest.approx(7.5, abs=1e-12)


@pytest.mark.parametrize(("pace", "reaction"), [(0.0, 0.5), (-1.0, 0.5), (0.7, 0.0), (float("nan"), 0.5)])
def test_a_beginning_that_is_no_tempo_is_refused(pace: float, reaction: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Estimate.beginning(pace, reaction)


@pytest.mark.parametrize("reaction", [0.3, 0.5, 1.0, 3.0])
def test_after_twenty_cards_the_pace_is_within_8_percent_in_the_median(reaction: float) -> None:
    """Paces e^N(0, .35) around the ghost's own; 400 persons: the median is known to about half a point."""
    rng = Random(3)
    off = []
    for _ in range(400):
        pace = 0.7 * exp(rng.gauss(0, 0.35))
        estimate = learnt(Estimate.beginning(0.7, 0.5), waits(rng, 20, pace, reaction))
        off.append(abs(estimate.m - log(pace)))
    assert median(off) < 0.08


@pytest.mark.parametrize("reaction", [0.3, 1.0, 3.0])
def test_after_forty_cards_the_reaction_is_found_within_a_quarter(reaction: float) -> None:
    rng = Random(4)
    off = []
    for _ in range(200):
        pace = 0.7 * exp(rng.gauss(0, 0.35))
        estimate = learnt(Estimate.beginning(0.7, 0.5), waits(rng, 40, pace, reaction))
        off.append(abs(estimate.q - log(reaction)))
    assert median(off) < 0.25


def test_it_follows_a_pace_that_changes() -> None:
    rng = Random(5)
    estimate = learnt(Estimate.beginning(), waits(rng, 60, 0.5, 0.5))
    before = estimate.pace
    estimate = learnt(estimate, waits(rng, 40, 1.0, 0.5))
    assert before == pytest.approx(0.5, rel=0.2)
    assert estimate.pace == pytest.approx(1.0, rel=0.2)


def test_somebody_who_laughs_for_a_minute_moves_it_by_little() -> None:
    estimate = learnt(Estimate.beginning(), waits(Random(6), 40, 0.7, 0.5))
    after = estimate.learn(6, 300.0)
    assert abs(after.m - estimate.m) < 0.25


def test_whatever_is_fed_to_it_stays_a_tempo() -> None:
    rng = Random(7)
    estimate = Estimate.beginning()
    for _ in range(5000):
        estimate = estimate.learn(rng.randint(-5, 100), rng.choice([0.0, 0.001, rng.uniform(0, 30), 1e4]))
        assert 0.01 < estimate.pace < 30
        assert 0.05 < estimate.reaction < 7
        assert estimate.v_m > 0
        assert estimate.v_q > 0
        assert estimate.v_mq**2 <= estimate.v_m * estimate.v_q * 1.000001
        assert estimate.wait(100) < 3000
