"""Ghosts in the rules (R38-R43a): hands of which the box knows some, and the same lives for the same cards."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import VARIANTS, Card
from mind_box.game.decide import Decision, decide
from mind_box.game.evolve import evolve
from mind_box.game.moves import Refusal
from mind_box.game.state import Game, GhostCard, Ghosts
from mind_box.table.viewing import Surroundings, view_of
from tests.game.playing import Play, any_move
from tests.game.test_law import deals


def haunted(persons: tuple[int, ...], ghosts: int, dealt: dict[int, list[Card]], **setup: Any) -> Play:
    """A game with these hands of the seats that the box deals to, at as high a level as they need."""
    play = Play(seats=persons, ghosts=ghosts, **setup)
    play.to_level(max(map(len, dealt.values())))
    play.game = play.game.changed(
        lives=5, phase="deal", reason=None, hands=dict.fromkeys(play.game.hands, ()), next_seat=min(dealt)
    )
    return play.deal(dealt)


# -- R38


def test_r38_ghosts_take_the_lowest_free_seats() -> None:
    play = Play(seats=(2, 5), ghosts=3)
    assert (play.game.seats, play.game.ghosts, play.game.persons) == ((1, 2, 3, 4, 5), (1, 3, 4), (2, 5))
    assert (play.game.lives, play.game.last_level) == (5, 8)  # five players (R3)
    alone = Play(seats=(1,), ghosts=1)
    assert (alone.game.seats, alone.game.lives, alone.game.last_level) == ((1, 2), 2, 12)


@pytest.mark.parametrize(
    ("seats", "ghosts", "among", "refused"),
    [
        ((), 2, 4, "too_few_players"),
        ((1,), 0, 4, "too_few_players"),
        ((1, 2), 3, 4, "too_many_players"),
        ((1, 2, 3), 2, 4, "too_many_players"),
        ((1, 2, 3, 4, 5, 6, 7, 8), 1, 8, "too_many_players"),
        ((1,), 7, 8, None),
        ((4,), 3, 4, None),
    ],
)
def test_r38_how_many_may_play(seats: tuple[int, ...], ghosts: int, among: int, refused: str | None) -> None:
    play = Play(2)
    play.do(mv.Leave())
    play.do(mv.Configure("ghosts", ghosts))
    answer = decide(play.game, mv.Start(seats, among))
    assert (answer.code if isinstance(answer, Refusal) else None) == refused


def test_r38_the_best_is_kept_apart_by_the_number_of_ghosts() -> None:
    play = Play(seats=(1,), ghosts=1, hands="known")
    play.deal({1: [10], 2: [20]}).lay(10, 20)
    assert play.game.bests == {(2, "classic", False, 1): 1}
    assert view_of(play.game, Surroundings()).best == 1
    play.do(mv.Leave())
    play.do(mv.Configure("ghosts", 0))
    play.do(mv.Start((1, 2)))
    assert view_of(play.game, Surroundings()).best == 0
    assert play.refolded().bests == {(2, "classic", False, 1): 1}


# -- R39


def test_r39_with_unknown_hands_only_ghosts_are_dealt_to() -> None:
    play = Play(seats=(2,), ghosts=2).to_level(2)
    play.game = play.game.changed(phase="deal", reason=None, next_seat=1, hands={1: (), 3: ()})
    seats = []
    for card in (90, 30, 10, 20):
        seats.append(play.game.next_seat)
        play.do(mv.ShowCard(card))
    assert seats == [1, 3, 1, 3]
    assert (play.game.phase, play.game.reason) == ("focus", "level")
    assert play.game.hands == {1: (10, 90), 3: (20, 30)}
    assert play.game.rows == {1: (90, 10), 3: (30, 20)}
    view = view_of(play.game, Surroundings())
    assert (view.hands, view.counts, view.remaining, view.ghosts) == ("unknown", {1: 2, 3: 2}, 6, (1, 3))


def test_r39_a_person_is_not_chosen_in_a_deal_for_ghosts_and_a_card_is_not_dealt_twice() -> None:
    play = Play(seats=(1, 2), ghosts=2)
    assert play.refused(mv.ChooseSeat(1)) == "paused"
    play.do(mv.ChooseSeat(4))
    play.do(mv.ShowCard(7))
    assert play.game.hands == {3: (), 4: (7,)}
    assert play.refused(mv.ShowCard(7)) == "already_dealt"
    play.do(mv.TakeBack())  # it was seen: another is dealt
    assert play.game.hands == {3: (), 4: ()} and play.game.rows == {3: (), 4: ()} and play.game.next_seat == 4
    play.do(mv.ShowCard(7))
    assert play.game.hands == {3: (), 4: (7,)}


# -- R40


def test_r40_the_card_stands_until_the_next_step() -> None:
    play = haunted((1, 2), 1, {3: [60, 40]})
    play.do(mv.Concentrate())
    play.do(mv.GhostLays(40))
    laid = GhostCard(3, 40, 2)
    assert play.told(ev.Laid) and play.game.ghost == laid and play.pile == (40,)
    assert play.refused(mv.ShowCard(40)) == "already_on_pile" and play.game.lies_of_a_ghost(40)
    play.do(mv.Resume())
    assert (play.game.reason, play.game.ghost) == ("resume", laid)
    play.do(mv.Concentrate())
    assert play.game.ghost == laid
    play.do(mv.ShowCard(50))
    assert play.game.ghost is None
    play.do(mv.GhostLays(60))
    assert play.game.ghost == GhostCard(3, 60, 1)  # nothing moves up
    play.do(mv.Stop(by_press=True))
    assert play.game.ghost is None
    play.do(mv.Undo())
    assert play.game.hands == {3: (60,)} and play.game.ghost is None


@pytest.mark.parametrize("move", [mv.UseStar(), mv.Correct("life-down"), mv.Undo(), mv.ShowCard(70)])
def test_r40_a_step_ends_it(move: mv.Move) -> None:
    play = haunted((1, 2), 1, {3: [60, 40]})
    play.do(mv.Concentrate())
    play.do(mv.GhostLays(40))
    play.game = play.game.changed(phase="focus", reason="resume") if isinstance(move, mv.Correct) else play.game
    assert not isinstance(play.do(move), Refusal)
    assert play.game.ghost is None


def test_r40_it_stands_through_the_end_of_a_level_and_its_card_is_not_dealt_by_mistake() -> None:
    play = Play(seats=(1,), ghosts=1)
    play.do(mv.ShowCard(50))
    play.lay(20)
    play.do(mv.GhostLays(50))
    assert (play.game.level, play.game.phase, play.game.ghost) == (2, "deal", GhostCard(2, 50, 1))
    assert play.refused(mv.ShowCard(50)) == "already_on_pile"
    play.do(mv.ShowCard(51))
    assert play.game.ghost is None
    play.do(mv.ShowCard(50))  # now it is any card of the new deal
    assert play.game.hands == {2: (50, 51)}


def test_r40_a_ghosts_card_shown_in_focus_is_refused() -> None:
    play = haunted((1, 2), 1, {3: [60, 40]})
    assert play.refused(mv.ShowCard(60)) == "paused"
    play.do(mv.UseStar())
    assert play.refused(mv.ShowCard(60)) == "not_your_choice"
    assert play.game.lies_of_a_ghost(40) and not play.game.lies_of_a_ghost(60)


def test_r40_a_person_may_show_it_before_its_time() -> None:
    play = haunted((1, 2), 1, {3: [60, 40]})
    play.lay(60)
    assert play.game.last_error is not None and play.game.last_error.aside == (40,)
    assert play.game.aside_by == {3: (40,)} and play.game.ghost is None and play.lives_lost == 1


# -- R41


def test_r41_an_early_card_of_a_person_is_an_error_at_once() -> None:
    play = haunted((1, 2), 1, {3: [40, 30, 80]})
    play.lay(50)
    assert play.game.last_error is not None and play.game.last_error.aside == (30, 40)
    assert play.lives_lost == 1 and play.game.aside_by == {3: (30, 40)}
    play.lay(20)  # a person's, behind the same card: free
    assert play.lives_lost == 1 and play.game.aside == {20, 30, 40}
    assert not play.game.last_error.paid


def test_r41_a_late_card_of_a_person_is_early_for_nobody() -> None:
    play = haunted((1, 2), 1, {3: [10, 60]})
    play.do(mv.Concentrate())
    play.do(mv.GhostLays(10))
    play.do(mv.GhostLays(60))
    play.lay(45)
    assert play.game.aside == {45} and play.lives_lost == 1 and play.pile == (10, 60)


def test_r41_persons_hold_no_more_than_was_dealt_to_them() -> None:
    play = haunted((1,), 2, {2: [70], 3: [80]})
    assert play.game.persons_hold == 1
    play.lay(20)
    assert play.game.persons_hold == 0 and play.game.remaining == 2
    assert play.refused(mv.ShowCard(30)) == "not_dealt"
    play.do(mv.Stop(by_press=False))
    assert play.refused(mv.ShowCard(30)) == "not_dealt"
    assert play.refused(mv.ShowCard(70)) == "paused"


@settings(max_examples=200, deadline=None)
@given(deals(), st.integers(1, 6), st.booleans(), st.randoms(use_true_random=False))
def test_r41_hands_known_unknown_and_known_in_part_cost_the_same_lives(
    deal: tuple[str, str, dict[int, list[Card]], list[Card]], ghosts: int, known: bool, rng: random.Random
) -> None:
    """R8, R9, R24, R26, R41: for the same cards in the same order, whoever is a ghost and lays by itself."""
    variant, deck, hands, order = deal
    level, players = len(hands[1]), len(hands)
    theirs = rng.sample(range(1, players + 1), min(ghosts, players - 1))
    persons = tuple(seat for seat in hands if seat not in theirs)
    lost = {}
    ways: dict[str, dict[str, Any]] = {
        "all known": {"hands": "known"},
        "none known": {},
        "in part": {"ghosts": len(theirs), "hands": "known" if known else "unknown"},
        "blind, in part": {"ghosts": len(theirs), "hands": "known" if known else "unknown", "blind": "as_played"},
    }
    for how, setup in ways.items():
        some = "ghosts" in setup
        play = Play(seats=persons if some else tuple(hands), variant=variant, deck=deck, **setup)
        assert not some or set(play.game.ghosts).isdisjoint(persons)
        # Ghosts sit on the lowest free seats; whose hand it is is no matter of lives.
        seats = dict(zip([*persons, *sorted(theirs)], [*persons, *play.game.ghosts], strict=True)) if some else {}
        play.to_level(level)
        play.game = play.game.changed(lives=5)
        if play.game.hands:
            play.game = play.game.changed(
                phase="deal", reason=None, hands=dict.fromkeys(play.game.hands, ()), next_seat=min(play.game.hands)
            )
            sit = {seats.get(seat, seat): cards for seat, cards in hands.items()}
            play.deal({seat: sit[seat] for seat in play.game.hands})
        for card in order:
            if play.game.phase in ("lost", "won") or play.game.level != level:
                break
            if card not in play.game.aside:  # with known hands it may have gone aside already
                if play.game.phase == "focus":
                    play.do(mv.Concentrate())
                by_itself = play.game.holder(card) in play.game.ghosts and rng.random() < 0.8
                assert not isinstance(play.do(mv.GhostLays(card) if by_itself else mv.ShowCard(card)), Refusal)
        play.check_all()
        lost[how] = play.lives_lost
        assert play.game.phase in ("lost", "won") or play.game.level == level + 1
    assert len(set(lost.values())) == 1, lost


# -- R42


def test_r42_at_a_star_its_lowest_goes_aside_at_once() -> None:
    play = haunted((1, 2), 2, {3: [60, 40], 4: [70, 90]})
    play.do(mv.UseStar())
    assert play.game.aside == {40, 70} and play.game.aside_by == {3: (40,), 4: (70,)}
    view = view_of(play.game, Surroundings())
    assert (view.star_left, view.waiting, view.remaining) == (2, (1, 2), 6)
    play.do(mv.ShowCard(5))
    play.do(mv.ShowCard(95))
    assert play.refused(mv.ShowCard(96)) == "star_full"
    assert play.game.aside == {5, 40, 70, 95}


@pytest.mark.parametrize(
    ("hand", "pile", "goes"),
    [
        ([30, 90], [], 30),  # 30 from 0, 11 from 101
        ([5, 60], [], 60),  # 5 from 0, 41 from 101
        ([20, 81], [], 20),  # 20 from both: up
        ([20, 81], [15], 81),
        ([40], [], 40),
        ([70], [], 70),
        ([30, 90, 35], [], 30),
    ],
)
def test_r42_in_extreme_it_is_the_one_with_the_larger_gap(hand: list[Card], pile: list[Card], goes: Card) -> None:
    play = haunted((1, 2), 1, {3: hand}, variant="extreme")
    play.game = play.game.changed(piles=(tuple(pile), ()))
    play.do(mv.UseStar())
    assert play.game.aside == {goes}
    assert play.game.star_left == 2


def test_r42_with_known_hands_persons_choose_in_extreme_and_the_ghost_does_not() -> None:
    play = haunted((1, 2), 1, {1: [10, 60], 2: [11, 61], 3: [20, 90]}, variant="extreme", hands="known")
    play.do(mv.UseStar())
    assert play.game.choosing == {1, 2} and play.game.aside_by == {3: (20,)}


def test_r42_a_star_may_end_the_level() -> None:
    play = haunted((1,), 1, {2: [70]})
    play.do(mv.UseStar())
    assert play.game.level == 1
    play.do(mv.ShowCard(20))
    assert play.game.level == 2


# -- tens, count, level-done, undo


def test_r21_the_cards_of_ghosts_move_no_ten_with_unknown_hands() -> None:
    """R33; with known hands they do, as ever."""
    play = haunted((1, 2), 1, {3: [45]}, variant="tens")
    play.do(mv.Concentrate())
    assert play.game.ten == 0
    play.do(mv.GhostLays(45))
    assert play.game.ten == 40
    known = haunted((1, 2), 1, {1: [31], 2: [50], 3: [45]}, variant="tens", hands="known")
    assert known.game.ten == 30


def test_count_leaves_ghosts_known() -> None:
    play = haunted((1, 2), 1, {1: [10, 20], 2: [30, 40], 3: [25, 50]}, hands="known")
    play.lay(10)
    play.do(mv.Stop(by_press=False))
    play.do(mv.CountFromHere())
    assert not play.game.known and play.game.hands == {3: (25, 50)} and play.game.persons_hold == 3
    play.lay(30)
    assert play.game.aside == {25} and play.lives_lost == 1
    play.do(mv.Undo())
    play.do(mv.Undo())
    assert play.game.known and play.game.hands[1] == (20,)


def test_count_in_mid_deal_goes_on_dealing_to_the_ghosts() -> None:
    play = Play(seats=(1, 2), ghosts=1, hands="known")
    play.do(mv.ShowCard(10))
    play.do(mv.CountFromHere())
    assert (play.game.phase, play.game.next_seat, play.game.dealt, play.game.hands) == ("deal", 3, (), {3: ()})
    assert play.refused(mv.TakeBack()) == "at_limit"
    play.do(mv.ShowCard(11))
    assert (play.game.phase, play.game.reason, play.game.hands) == ("focus", "level", {3: (11,)})


def test_level_done_throws_the_ghosts_hands_away() -> None:
    play = haunted((1, 2), 1, {3: [40]}, blind="as_played")
    play.lay(20)
    play.do(mv.Stop(by_press=False))
    play.do(mv.DeclareDone())
    assert play.game.phase == "reveal" and play.game.hands == {3: ()}
    play.check_all()
    assert play.game.level == 2
    play.do(mv.Undo())
    assert play.game.phase == "focus" and play.game.hands == {3: (40,)}


def test_a_ghosts_card_with_all_it_brought_about_is_one_step() -> None:
    play = haunted((1, 2), 2, {1: [10, 80], 2: [20, 90], 3: [30, 70], 4: [15, 60]}, hands="known")
    play.do(mv.Concentrate())
    before = play.game
    play.do(mv.GhostLays(30))
    assert play.game.aside == {10, 15, 20} and play.lives_lost == 1
    play.do(mv.Undo())
    assert play.game.changed(phase="play", reason=None) == before


def test_a_ghost_lays_only_what_it_holds_and_in_play() -> None:
    play = haunted((1, 2), 1, {3: [40]})
    assert play.refused(mv.GhostLays(40)) == "paused"
    play.do(mv.Concentrate())
    assert play.refused(mv.GhostLays(41)) == "paused"


def test_r43_how_often_they_waited_anew_only_grows() -> None:
    """By it they have other chance each time, over an undo and an end that was taken back too."""
    play = haunted((1, 2), 1, {3: [60, 40]})
    turns = [play.game.turns]
    for move in (mv.Concentrate(), mv.GhostLays(40), mv.Undo(), mv.Concentrate(), mv.Stop(False), mv.Leave(), mv.Undo(),
                 mv.Concentrate(), mv.ShowCard(50), mv.Undo(), mv.Concentrate()):  # fmt: skip
        play.do(move)
        turns.append(play.game.turns)
    assert turns == sorted(turns) and len(set(turns)) == 7
    assert play.refolded().turns == play.game.turns


# -- R43a


def test_r43a_not_where_the_pile_is_shown_at_the_end() -> None:
    play = Play(2)
    play.do(mv.Leave())
    play.do(mv.Configure("ghosts", 2))
    assert play.do(mv.Configure("blind", "as_played")) == [ev.Configured("blind", "as_played")]
    play.do(mv.Configure("blind", "at_end"))
    assert play.game.setup.ghosts == 0
    assert play.refused(mv.Configure("ghosts", 1)) == "not_with_ghosts"
    play.do(mv.Configure("ghosts", 0))
    assert play.refolded() == play.game


@pytest.mark.parametrize(("challenge", "goes"), [("at_end", False), ("as_played", True)])
def test_r43a_the_challenge_after_a_win(challenge: str, goes: bool) -> None:
    play = Play(seats=(1, 2), ghosts=2, challenge=challenge).to_level(8)
    play.game = play.game.changed(phase="focus", reason="level")
    play.do(mv.DeclareDone())
    assert play.game.phase == "won"
    if goes:
        play.do(mv.Challenge())
        assert (play.game.phase, play.game.check, play.game.next_seat) == ("deal", "as_played", 3)
    else:
        assert play.refused(mv.Challenge()) == "not_with_ghosts"


def test_r43a_blind_nothing_is_seen_before_the_check() -> None:
    play = haunted((1,), 2, {2: [40], 3: [60]}, blind="as_played")
    play.do(mv.Concentrate())
    play.do(mv.GhostLays(60))
    view = view_of(play.game, Surroundings())
    assert view.ghost is not None and (view.ghost.seat, view.ghost.card, view.ghost.place) == (3, None, 1)
    assert view.counts == {2: 1, 3: 0} and view.lives == 5
    play.do(mv.GhostLays(40))
    play.do(mv.ShowCard(50))
    play.check_all()
    assert play.lives_lost == 1 and play.game.level == 2


# -- what is stored


def test_what_has_no_ghosts_is_stored_as_ever() -> None:
    play = Play(2).lay(10, 20)
    for event in play.events:
        assert ev.format_of(event) == 1
    assert set(ev.to_stored(play.events[0])) == {"type", "seats", "setup", "bests"}
    assert "ghosts" not in ev.to_stored(play.events[0])["setup"]
    assert ev.to_stored(ev.Laid(17)) == {"type": "Laid", "card": 17}


def test_what_has_ghosts_comes_back_as_it_was() -> None:
    play = Play(seats=(1,), ghosts=2)
    minds = Ghosts("dreamy", False, 7, 0.31, 0.9)
    play.do(mv.Leave())
    play.do(mv.Start((1,), 4, minds))
    play.game = evolve(play.game, ev.Learnt((-0.5, -0.25, 0.1, 0.2, -0.01)))
    play.events.append(ev.Learnt((-0.5, -0.25, 0.1, 0.2, -0.01)))
    play.do(mv.ShowCard(40))
    play.do(mv.ShowCard(60))
    play.do(mv.Concentrate())
    play.do(mv.GhostLays(40))
    play.do(mv.Leave())
    play.do(mv.Configure("ghosts", 1))
    play.do(mv.Start((1,), 4, minds))
    for event in play.events:
        assert ev.from_stored(ev.to_stored(event)) == event
    assert {ev.format_of(e) for e in play.events if isinstance(e, ev.Started | ev.Learnt)} == {3}
    assert ev.format_of(ev.Laid(40, by_ghost=True)) == 3 and ev.format_of(ev.Concentrated()) == 1
    assert play.refolded() == play.game
    assert play.game.minds == minds and play.game.learnt == {(1,): (-0.5, -0.25, 0.1, 0.2, -0.01)}


@pytest.mark.parametrize(
    "spoilt",
    [
        {"ghosts": [1, "x"]},
        {"minds": {"kind": "human"}},
        {"minds": {"kind": "human", "learn": True, "seed": 1, "pace": 0, "reaction": 0.5}},
        {"minds": {"kind": "human", "learn": True, "seed": 1.5, "pace": 1, "reaction": 0.5}},
        {"learnt": [[[1], ["a"]]]},
        {"learnt": [[[1]]]},
        {"bests": [[2, "classic", False, 1, "x"]]},
        {"who": 1},
    ],
)
def test_what_is_no_start_with_ghosts_is_told(spoilt: dict[str, Any]) -> None:
    play = Play(seats=(1,), ghosts=2)
    with pytest.raises(ev.BadEvent):
        ev.from_stored(ev.to_stored(play.events[0]) | spoilt)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_any_moves_with_ghosts_keep_the_invariants_and_fold_again(seed: int) -> None:
    """And an undo gives back what was."""
    rng = random.Random(seed)
    persons = tuple(rng.sample(range(1, 9), rng.randint(1, 4)))
    play = Play(seats=persons, ghosts=rng.randint(1, 8 - len(persons)), variant=rng.choice(VARIANTS),
                hands=rng.choice(["known", "unknown"]), blind=rng.choice(["no", "no", "as_played"]),
                challenge="as_played")  # fmt: skip
    for _ in range(80):
        before = play.game
        held = [card for hand in before.of_ghosts(before.hands).values() for card in hand]
        move: mv.Move = mv.GhostLays(rng.choice(held)) if held and rng.random() < 0.2 else any_move(rng, before)
        answer = play.do(move)
        game = play.game
        assert set(game.ghosts) <= set(game.seats) and set(game.rows) == (set(game.ghosts) if game.level else set())
        assert game.persons_hold >= 0
        if isinstance(answer, Refusal) or game.before is not before or isinstance(move, mv.Undo):
            continue
        undone = decide(game, mv.Undo())
        assert isinstance(undone, Decision)
        where = dict.fromkeys(("phase", "reason", "ended", "stopped_by_press", "before", "steps", "begun", "ghost"))
        assert undone.game.changed(**where) == before.changed(**where)
    assert play.refolded() == play.game
    assert isinstance(view_of(play.game, Surroundings()).to_json(), dict)


def test_a_damaged_journal_makes_a_game_all_the_same() -> None:
    game = Game()
    for event in (ev.Started((1, 2), {"ghosts": 99}, ()), ev.Started((1, 2), {"ghosts": 1}, (), (2, 9)),
                  ev.Laid(5, True), ev.Learnt(()), ev.Dealt(7, 1), ev.Counted(), ev.Declared()):  # fmt: skip
        game = evolve(game, event)
        assert isinstance(view_of(game, Surroundings()).to_json(), dict)
