"""Virtual partners are ghosts with hands: what they feel of time, whom they learn from, and their old names."""

from __future__ import annotations

import argparse
from dataclasses import replace
from random import Random

import pytest

from mind_box.commands.try_box import try_
from mind_box.game.cards import Card
from mind_box.game.state import Reason
from mind_box.ghost import Estimate, Kind
from mind_box.table.view import View
from mind_box.virtual.tryout.partners import Feeling, Partner, kind_of

FOCUS = View(phase="focus", reason="level", seats=(1, 2), hands="known", level=3, remaining=6, counts={1: 3, 2: 3})
PLAY = replace(FOCUS, phase="play", reason=None)
MINE: dict[Card, int] = {10: 1, 40: 1, 70: 1}
"""A person's cards."""


def feeling(estimate: Estimate | None = None) -> Feeling:
    return Feeling(1, estimate or Estimate.beginning(0.7, learns=False))


def after(view: View, *laid: Card) -> View:
    return replace(view, piles=((*view.piles[0], *laid),), remaining=view.remaining - len(laid))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("steady", Kind.STEADY), ("human", Kind.HUMAN), ("dreamy", Kind.DREAMY), ("perfect", Kind.STEADY),
     ("hasty", Kind.DREAMY)],
)  # fmt: skip
def test_the_old_names_of_partners_are_still_taken(name: str, kind: Kind) -> None:
    parser = argparse.ArgumentParser()
    try_(parser)
    assert kind_of(parser.parse_args(["--partners", name]).partners) is kind


def test_another_name_is_refused_with_the_names_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    try_(parser)
    with pytest.raises(SystemExit) as e:
        parser.parse_args(["--partners", "ghostly"])
    assert e.value.code == 2
    assert "'steady', 'human', 'dreamy', 'perfect', 'hasty'" in capsys.readouterr().err


def test_a_partner_waits_as_a_ghost_does_from_the_lift_and_from_each_card() -> None:
    feels = feeling()
    feels.passes(FOCUS, 100.0, 1.0, MINE)
    feels.passes(PLAY, 110.0, 1.0, MINE)
    assert feels.next_card(PLAY, [20], 2, Kind.STEADY) == (pytest.approx(14.5), 20)
    feels.passes(PLAY, 113.0, 1.0, MINE)
    assert feels.next_card(PLAY, [20], 2, Kind.STEADY) == (pytest.approx(11.5), 20)
    laid = after(PLAY, 10)
    feels.passes(laid, 114.0, 1.0, MINE)
    assert feels.next_card(laid, [20], 2, Kind.STEADY) == (pytest.approx(7.5), 20)


def test_a_vote_only_stands_the_wait_still() -> None:
    """R43: a vote that falls back to play does not begin it anew, nor with other noise."""
    feels = feeling()
    feels.passes(FOCUS, 0.0, 1.0, MINE)
    feels.passes(PLAY, 10.0, 1.0, MINE)
    planned = feels.next_card(PLAY, [20], 2, Kind.DREAMY)
    assert planned is not None
    feels.passes(replace(PLAY, phase="vote"), 12.0, 1.0, MINE)
    feels.passes(PLAY, 40.0, 1.0, MINE)
    assert feels.next_card(PLAY, [20], 2, Kind.DREAMY) == (pytest.approx(planned[0] - 2.0), 20)


def test_after_a_stop_everybody_waits_anew_with_other_noise() -> None:
    feels = feeling()
    feels.passes(FOCUS, 0.0, 1.0, MINE)
    feels.passes(PLAY, 10.0, 1.0, MINE)
    first = feels.next_card(PLAY, [20], 2, Kind.DREAMY)
    feels.passes(replace(FOCUS, reason="stop"), 15.0, 1.0, MINE)
    feels.passes(PLAY, 25.0, 1.0, MINE)
    second = feels.next_card(PLAY, [20], 2, Kind.DREAMY)
    assert first is not None and second is not None
    assert second[0] > 5.0
    assert second[0] != first[0]


def test_time_runs_faster_with_the_speed() -> None:
    feels = feeling()
    feels.passes(FOCUS, 0.0, 4.0, MINE)
    feels.passes(PLAY, 10.0, 4.0, MINE)
    feels.passes(PLAY, 11.0, 4.0, MINE)
    assert feels.next_card(PLAY, [20], 2, Kind.STEADY) == (pytest.approx(10.5), 20)


@pytest.mark.parametrize(("card", "reason", "learns"), [(40, "level", True), (41, "level", False), (40, "stop", False)])
def test_it_learns_from_a_person_who_was_not_disturbed(card: Card, reason: Reason, learns: bool) -> None:
    feels = feeling(Estimate.beginning(0.7))
    feels.passes(replace(FOCUS, reason=reason), 0.0, 1.0, MINE)
    feels.passes(PLAY, 10.0, 1.0, MINE)
    feels.passes(after(PLAY, card), 14.5, 1.0, MINE)
    assert (feels.estimate.pace < 0.45) == learns
    assert (feels.estimate == Estimate.beginning(0.7)) == (not learns)


def test_blind_it_counts_the_whole_level_and_does_not_hear_others() -> None:
    view = replace(PLAY, blind=True, check="at_end", piles=((),), counts=None)
    feels = feeling()
    feels.passes(replace(view, phase="focus", reason="level"), 0.0, 1.0, MINE)
    feels.passes(view, 10.0, 1.0, MINE)
    feels.passes(replace(view, remaining=5), 18.0, 1.0, MINE)
    assert feels.next_card(view, [20, 30], 2, Kind.STEADY) == (pytest.approx(6.5), 20)


def test_for_a_star_the_card_further_from_its_pile_goes_and_only_a_steady_one_never_asks() -> None:
    rng = Random(1)
    assert Partner(Kind.HUMAN, rng).star_card({12: 12, 95: 6}) == 12
    assert Partner(Kind.HUMAN, rng).star_card({6: 6, 95: 6}) == 6
    assert Partner(Kind.HUMAN, rng).star_card({}) is None
    asked = {kind: any(Partner(kind, rng).wants_star(1, 1, 3) for _ in range(50)) for kind in Kind}
    assert asked == {Kind.STEADY: False, Kind.HUMAN: True, Kind.DREAMY: True}
