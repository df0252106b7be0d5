"""When a ghost lays which card (R43, R43a): gaps in every variant, the order of plans, and chance that replays."""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from statistics import fmean, pstdev
from typing import Any

import pytest

from mind_box.game.cards import Card, order_of
from mind_box.ghost import Estimate, Kind, Plan, lesson, plan
from mind_box.table.view import View

FIXED = Estimate.beginning(0.7, learns=False)
PLAYED: dict[str, Any] = {"phase": "play", "seats": (1, 2), "level": 3, "remaining": 6, "counts": {1: 3, 2: 3}}


def next_of(view: View, hand: Sequence[Card], since: int = 0, kind: Kind = Kind.STEADY, count: int = 0) -> Plan:
    found = plan(view, hand, FIXED, kind, since, seed=1, seat=2, count=count)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("variant", "piles", "card", "gap"),
    [
        ("classic", ((),), 17, 17),
        ("classic", ((3, 17),), 42, 25),
        ("tens", ((3, 17),), 42, 25),
        ("reverse", ((),), 98, 3),
        ("reverse", ((98,),), 90, 8),
        ("fifty", ((),), 50, 0),
        ("fifty", ((),), 47, 3),
        ("fifty", ((50, 48),), 61, 9),
        ("fifty", ((49,),), 51, 0),
        ("extreme", ((), ()), 7, 7),
        ("extreme", ((), ()), 95, 6),
        ("extreme", ((7,), (95,)), 12, 5),
        ("extreme", ((7,), (95,)), 60, 35),
        ("extreme", ((), ()), "W7", 7),
        ("extreme", ((), ()), "R45", 6),
        ("extreme", (("W7",), ("R45",)), "R40", 5),
    ],
)
def test_a_gap_is_counted_from_the_card_s_own_pile(variant: Any, piles: Any, card: Card, gap: int) -> None:
    view = View(variant=variant, piles=piles, **PLAYED)
    assert next_of(view, [card]).due == 500 + 700 * gap
    assert lesson(view, card) == (gap or None)


def test_of_its_cards_the_lowest_is_next_and_the_wait_begins_where_it_is_told() -> None:
    assert next_of(View(piles=((10,),), **PLAYED), [93, 21, 56], since=4321) == Plan(4321 + 500 + 7700, 0, 21)


def test_in_extreme_the_earlier_due_of_the_two_piles_first_cards_is_laid() -> None:
    view = View(variant="extreme", piles=((), ()), **PLAYED)
    assert next_of(view, [30, 33, 95, 60]) == Plan(4700, 1, 95)
    assert next_of(view, [5, 33, 90]) == Plan(4000, 0, 5)


def test_of_two_due_at_once_the_up_pile_goes_first_and_then_the_smaller_number() -> None:
    view = View(variant="extreme", piles=((), ()), **PLAYED)
    assert next_of(view, [6, 95]).card == 6
    fifty = View(variant="fifty", **PLAYED)
    plans = [next_of(fifty, [card]) for card in (51, 49)]
    assert min(plans, key=lambda one: one.rank).card == 49
    extreme = [next_of(view, ["R45"]), next_of(view, ["W6"])]
    assert min(extreme, key=lambda one: one.rank).card == "W6"


def test_an_empty_hand_has_no_plan() -> None:
    assert plan(View(**PLAYED), [], FIXED, Kind.HUMAN, 0, seed=1, seat=1, count=1) is None


def test_blind_as_played_it_counts_the_whole_level_and_a_moment_that_has_passed_is_now() -> None:
    """R43a: due when the level's play time reaches r0 + p * gap from an empty pile."""
    view = replace(View(blind=True, check="as_played", **PLAYED), counts={2: 3})
    assert next_of(view, [20, 30], since=5000) == Plan(14500, 0, 20)
    assert next_of(view, [20, 30], since=15000) == Plan(15000, 0, 20)
    assert lesson(view, 20) is None


def test_blind_at_end_there_is_no_ghost() -> None:
    view = View(blind=True, check="at_end", **PLAYED)
    assert plan(view, [20], FIXED, Kind.STEADY, 0, seed=1, seat=1, count=1) is None


def test_a_steady_ghost_is_a_clock_and_the_others_are_as_uneven_as_they_say() -> None:
    """2,000 plans: sigma is known to about 3 %, and the sample's mean to .002."""
    view = View(**PLAYED)
    for kind, w in ((Kind.STEADY, 0.0), (Kind.HUMAN, 0.08), (Kind.DREAMY, 0.15)):
        felt = [log((next_of(view, [40], kind=kind, count=n).due - 500) / 28000) for n in range(2000)]
        assert pstdev(felt) == pytest.approx(w, rel=0.07, abs=1e-4)
        assert fmean(felt) == pytest.approx(0.0, abs=0.012)


def test_the_same_seed_seat_and_count_give_the_same_moment_and_any_other_another() -> None:
    view = View(**PLAYED)
    one = {"seed": 5, "seat": 2, "count": 7}
    moments = set()
    for changed in ({}, {"seed": 6}, {"seat": 3}, {"count": 8}):
        first, again = (plan(view, [60], FIXED, Kind.DREAMY, 0, **(one | changed)) for _ in range(2))
        assert first is not None
        assert first == again
        moments.add(first.due)
    assert len(moments) == 4


def test_a_journal_of_long_ago_replays_to_the_millisecond() -> None:
    """The stream is part of what a journal means: these moments must never change."""
    found = [next_of(View(**PLAYED), [40], kind=Kind.HUMAN, count=n).due for n in range(5)]
    assert found == STREAM


STREAM = [32802, 26775, 30929, 25640, 27303]


@pytest.mark.parametrize(
    ("remaining", "counts", "taught"),
    [
        (6, {1: 3, 2: 3}, True),
        (3, {1: 3, 2: 0}, False),
        (2, {1: 1, 2: 1}, True),
        (4, {2: 3}, True),  # a ghost holds 3, and the person who lays has the other one
        (3, {2: 0}, False),  # one person's hand, for all one knows
        (4, {2: 0}, True),  # more than one was dealt
        (4, None, True),
        (3, None, False),
    ],
)
def test_a_card_teaches_while_two_hands_hold_cards(remaining: int, counts: dict[int, int] | None, taught: bool) -> None:
    view = View(phase="play", seats=(1, 2, 3), level=3, piles=((10,),), remaining=remaining, counts=counts)
    assert lesson(view, 30) == (20 if taught else None)


def test_a_late_card_and_a_foreign_one_teach_nothing() -> None:
    view = View(piles=((30,),), **PLAYED)
    assert lesson(view, 12) is None
    assert lesson(view, 0) is None
    assert lesson(View(variant="extreme", piles=((), ()), **PLAYED), "W77") is None


def test_every_card_of_every_order_has_a_gap_from_its_start() -> None:
    for variant, deck in (("classic", "original"), ("reverse", "original"), ("fifty", "original"),
                          ("tens", "original"), ("extreme", "original"), ("extreme", "extreme")):  # fmt: skip
        order = order_of(variant, deck)
        for pile in range(len(order.directions)):
            gaps = sorted(order.gap(order.empty_piles, card) for card, which in order.pile_of.items() if which == pile)
            assert gaps[0] == (0 if variant == "fifty" else 1)
            assert gaps[-1] == (50 if variant in ("fifty", "extreme") else 100)
