"""docs/rules.md, rule by rule; each test cites its rule. Known and unknown hands where both make sense."""

from __future__ import annotations

import copy
import pickle

import pytest

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import order_of
from mind_box.game.evolve import evolve
from mind_box.game.figures import Correction, house_rule
from mind_box.game.moves import Refusal
from mind_box.game.state import REACH, Setup
from tests.game.playing import Play

# -- set-up


def test_r1_a_deck_has_100_cards_each_once() -> None:
    for variant in ("classic", "reverse", "fifty", "tens", "extreme"):
        order = order_of(variant)
        assert sorted(order.key) == list(range(1, 101))
    assert len(order_of("extreme", "extreme").key) == 100


@pytest.mark.parametrize(
    ("players", "lives", "last"),
    [(2, 2, 12), (3, 3, 10), (4, 4, 8), (5, 5, 8), (6, 5, 8), (7, 5, 8), (8, 5, 8)],
)
def test_r2_r3_lives_levels_and_one_star(players: int, lives: int, last: int) -> None:
    game = Play(players).game
    assert (game.level, game.last_level, game.lives, game.stars) == (1, last, lives, 1)
    assert house_rule(players) == (players > 4)


@pytest.mark.parametrize("seats", [(), (3,)])
def test_r3_fewer_than_two_are_refused(seats: tuple[int, ...]) -> None:
    play = Play(2)
    play.do(mv.Leave())
    assert play.refused(mv.Start(seats)) == "too_few_players"


def test_r3_more_than_eight_are_refused() -> None:
    play = Play(2)
    play.do(mv.Leave())
    assert play.refused(mv.Start(tuple(range(1, 10)))) == "at_limit"


def test_r4_each_level_begins_with_a_whole_deck_and_n_cards_each() -> None:
    play = Play(3).lay(17, 28, 55)
    assert play.game.level == 2
    assert play.game.remaining == 6
    assert not play.pile
    play.lay(17)  # the same card again: all 100 were shuffled
    assert play.pile == (17,)


@pytest.mark.parametrize(("level", "lives", "stars"), [(3, 5, 1), (2, 4, 3)])
def test_r5_a_reward_past_the_cap_is_void_and_said_to_be(level: int, lives: int, stars: int) -> None:
    play = Play(4).to_level(level)
    play.game = play.game.changed(lives=lives, stars=stars)
    play.do(mv.DeclareDone())
    assert (play.game.lives, play.game.stars) == (lives, stars)
    assert ev.LevelCompleted(level, "void") in play.last  # type: ignore[operator]


# -- laying cards


def test_r6_r7_anyone_lays_and_in_order_all_the_way_is_done() -> None:
    play = Play(2).lay(10, 90)
    assert play.told(ev.LevelCompleted)
    assert play.game.level == 2


def test_r8_the_first_higher_card_was_early_and_pays_once() -> None:
    play = Play(3).to_level(3).lay(10, 40, 60, 20)
    assert play.game.lives == 2
    assert play.game.last_error is not None
    assert (play.game.last_error.early, play.game.last_error.paid) == (40, True)
    assert play.pile == (10, 40, 60)
    assert play.game.aside == {20}
    play.lay(30)  # behind the same early card: free, but it suspends play (R10)
    assert play.game.lives == 2
    assert play.game.phase == "focus"
    play.lay(50)  # 60 was laid too early as well: another life
    assert play.game.lives == 1


def test_r9_known_hands_show_the_error_at_once_and_all_lower_cards_go_aside() -> None:
    play = Play(3, hands="known").to_level(2)
    play.deal({1: (18, 70), 2: (24, 81), 3: (29, 96)}).lay(29)
    assert play.game.lives == 2
    assert play.game.aside == {18, 24}
    assert play.game.aside_by == {1: (18,), 2: (24,)}
    assert play.game.hands == {1: (70,), 2: (81,), 3: (96,)}


def test_r9_both_ways_cost_the_same_lives() -> None:
    known = Play(3, hands="known").to_level(2).deal({1: (18, 70), 2: (24, 81), 3: (29, 96)}).lay(29, 70, 81, 96)
    unknown = Play(3).to_level(2).lay(29, 18, 24, 70, 81, 96)
    assert known.lives_lost == unknown.lives_lost == 1
    assert known.game.level == unknown.game.level == 3


def test_r10_after_an_error_the_same_level_goes_on_after_concentration() -> None:
    play = Play(2).to_level(2).lay(50, 20)
    assert (play.game.phase, play.game.reason, play.game.level, play.game.remaining) == ("focus", "error", 2, 2)
    assert play.refused(mv.ShowCard(60)) == "paused"
    play.do(mv.Concentrate())
    assert play.game.phase == "play"


def test_r11_the_last_life_is_defeat_even_with_empty_hands() -> None:
    play = Play(2)
    play.game = play.game.changed(lives=1)
    play.lay(50, 20)
    assert play.game.phase == "lost"
    assert play.game.remaining == 0
    assert not play.told(ev.LevelCompleted)


@pytest.mark.parametrize("how", ["error", "star"])
def test_r12_hands_emptied_by_an_error_or_a_star_end_the_level(how: str) -> None:
    play = Play(2)
    if how == "error":
        play.lay(50, 20)
        assert play.game.lives == 1
    else:
        play.star(20, 50)
    assert play.game.level == 2


# -- stars


def test_r13_a_star_needs_a_star_and_a_level_under_way() -> None:
    play = Play(2)
    play.star()
    assert play.refused(mv.UseStar()) == "no_star"
    lobby = Play(2)
    lobby.do(mv.Leave())
    assert lobby.refused(mv.UseStar()) == "no_game"


def test_r14_known_hands_everyones_lowest_goes_aside_for_one_star_and_no_life() -> None:
    play = Play(3, hands="known").to_level(2).deal({1: (42, 88), 2: (44, 75), 3: (46, 91)})
    play.do(mv.Concentrate())
    play.star()
    assert play.game.aside == {42, 44, 46}
    assert (play.game.stars, play.game.lives, play.game.reason) == (0, 3, "star")
    play.lay(75, 88, 91)
    assert play.game.level == 3


def test_r14_who_holds_no_card_puts_none_aside() -> None:
    play = Play(2, hands="known").deal({1: (10,), 2: (20,)}).lay(10)
    play.star()
    assert play.game.level == 2  # 20 went aside, nothing else


def test_r14_a_card_turned_up_by_a_star_shows_an_earlier_error_and_the_star_goes_on() -> None:
    play = Play(3).to_level(2).lay(50).star(40)
    assert (play.game.lives, play.game.reason, play.game.star_left) == (2, "star", 2)
    play.do(mv.ShowCard(45))  # behind the same early card
    assert (play.game.lives, play.game.star_left) == (2, 1)
    play.do(mv.ShowCard(70))
    assert play.refused(mv.ShowCard(80)) == "star_full"


def test_r14_of_two_equal_cards_the_smaller_goes() -> None:
    play = Play(2, hands="known", variant="fifty").to_level(2).deal({1: (51, 49), 2: (10, 20)})
    play.star()
    assert play.game.aside == {49, 20}


# -- concentration


def test_r16_r17_a_stop_is_free_and_suspends_play() -> None:
    play = Play(2)
    for _ in range(5):
        play.do(mv.Concentrate())
        play.do(mv.Stop(by_press=True))
    assert (play.game.lives, play.game.stars, play.game.reason) == (2, 1, "stop")
    assert play.refused(mv.ShowCard(5)) == "paused"


# -- rewards and end


def test_r19_rewards_by_level_and_a_win_after_the_last() -> None:
    play = Play(2)
    rewards = {}
    while play.game.phase != "won":
        level = play.game.level
        play.game = play.game.changed(lives=2, stars=1)
        play.do(mv.DeclareDone())
        rewards[level] = next(e.reward for e in play.last if isinstance(e, ev.LevelCompleted))  # type: ignore[union-attr]
    assert rewards == {
        1: None, 2: "star", 3: "life", 4: None, 5: "star", 6: "life", 7: None, 8: "star", 9: "life", 10: None, 11: None,
        12: None,
    }  # fmt: skip
    assert play.game.level == 12


def test_r19_four_players_get_the_reward_of_their_last_level() -> None:
    play = Play(4).to_level(8)
    play.game = play.game.changed(stars=1)
    play.do(mv.DeclareDone())
    assert (play.game.phase, play.game.stars) == ("won", 2)


def test_r19_the_best_is_kept_per_players_and_variant_blind_apart() -> None:
    play = Play(2).lay(1, 2)
    play.do(mv.Leave())
    play.do(mv.Configure("variant", "reverse"))
    play.do(mv.Start((1, 2, 3)))
    assert play.game.bests == {(2, "classic", False): 1}
    play.to_level(3)
    play.do(mv.Leave())
    play.do(mv.Configure("blind", "at_end"))
    play.do(mv.Start((1, 2, 3)))
    play.do(mv.DeclareDone())
    assert play.game.bests == {(2, "classic", False): 1, (3, "reverse", False): 2, (3, "reverse", True): 1}


# -- variants


def test_r20_orders() -> None:
    assert order_of("classic").sorted((100, 1, 50)) == (1, 50, 100)
    assert order_of("reverse").sorted((1, 100, 50)) == (100, 50, 1)
    assert order_of("fifty").sorted((100, 1, 51, 49, 50)) == (50, 49, 51, 1, 100)
    assert order_of("tens").sorted((30, 9)) == (9, 30)


def test_r20_equal_cards_are_never_an_error_for_each_other() -> None:
    for first, second in ((49, 51), (51, 49)):
        unknown = Play(2, variant="fifty").lay(first, second)
        known = Play(2, variant="fifty", hands="known").deal({1: (first,), 2: (second,)}).lay(first, second)
        assert unknown.lives_lost == known.lives_lost == 0


def test_r8_r20_the_first_higher_card_was_early_not_an_equal_one_before_it() -> None:
    play = Play(3, variant="fifty").lay(49, 60, 51)
    assert ev.Erred(60, (51,), paid=True) in play.events


def test_r20_reverse_an_error_is_the_other_way_round() -> None:
    assert Play(2, variant="reverse").lay(90, 10).lives_lost == 0
    assert Play(2, variant="reverse").lay(10, 90).lives_lost == 1


def test_r21_the_ten_moves_with_a_higher_card_and_with_a_stop() -> None:
    play = Play(2, variant="tens").to_level(3).lay(5)
    assert play.game.ten == 0
    play.lay(34)
    assert play.game.ten == 30
    play.do(mv.Stop(by_press=True))
    play.do(mv.Concentrate())
    assert play.game.ten == 40
    play.do(mv.Stop(by_press=False))  # the menu
    play.do(mv.Concentrate())
    assert play.game.ten == 40
    play.lay(12)  # a late card does not move it, nor does the concentration after the error
    play.do(mv.Concentrate())
    assert play.game.ten == 40
    play.do(mv.Undo())
    play.do(mv.Concentrate())
    assert play.game.ten == 40


def test_r21_known_hands_move_it_to_the_next_ten_that_somebody_holds() -> None:
    play = Play(2, variant="tens", hands="known").deal({1: (34,), 2: (78,)})
    assert play.game.ten == 30
    play.game = play.game.changed(lives=1)
    play.lay(34)
    assert play.game.ten == 70
    assert Play(2, hands="known").deal({1: (34,), 2: (78,)}).lay(34).game.ten == 0  # another variant


def test_r21_the_hundred_and_no_ten_in_blind_play() -> None:
    play = Play(2, variant="tens").lay(100)
    assert play.game.ten == 100
    play.do(mv.Stop(by_press=True))
    play.do(mv.Concentrate())
    assert play.game.ten == 100
    assert not Play(2, variant="tens", blind="at_end").game.tens


def test_r22_no_stars_at_the_start_and_void_as_reward() -> None:
    play = Play(2, no_stars=True)
    assert play.game.stars == 0
    play.to_level(2).do(mv.DeclareDone())
    assert ev.LevelCompleted(2, "void") in play.last  # type: ignore[operator]
    assert play.game.stars == 0


def test_r23_extreme_two_piles_each_with_its_own_errors() -> None:
    play = Play(3, variant="extreme").to_level(3).lay(10, 90, 30, 70)
    assert play.game.piles == ((10, 30), (90, 70))
    play.lay(20)  # behind 30 on the way up
    assert (play.game.lives, play.game.aside) == (2, frozenset({20}))
    play.lay(80)  # behind 70 on the way down
    assert (play.game.lives, play.game.aside) == (1, frozenset({20, 80}))


def test_r23_the_extreme_deck() -> None:
    play = Play(2, variant="extreme", deck="extreme").to_level(2).lay("W3", "R48", "W7")
    assert play.game.piles == (("W3", "W7"), ("R48",))
    assert play.refused(mv.ShowCard(12)) == "not_in_deck"
    play.lay("R50")
    assert play.game.lives == 1


def test_r23_known_hands_only_the_same_pile_suffers() -> None:
    play = Play(2, variant="extreme", hands="known").to_level(2).deal({1: (10, 80), 2: (20, 90)}).lay(80)
    assert play.game.aside == {90}
    assert play.game.lives == 1
    assert play.game.hands == {1: (10,), 2: (20,)}


def test_r23_at_a_star_everyone_chooses_the_first_of_one_pile() -> None:
    play = Play(2, variant="extreme", hands="known").to_level(3)
    play.deal({1: (10, 12, 80), 2: (20, 60, 70)})
    play.do(mv.Concentrate())
    play.do(mv.UseStar())
    assert play.game.choosing == {1, 2}
    assert play.refused(mv.ShowCard(12)) == "not_your_choice"
    assert play.refused(mv.ShowCard(60)) == "not_your_choice"  # 70 comes first on the way down
    assert play.refused(mv.Concentrate()) == "paused"
    play.do(mv.ShowCard(80))
    assert play.refused(mv.ShowCard(10)) == "not_your_choice"  # seat 1 has chosen
    play.game = play.game.changed(stars=2)
    assert play.refused(mv.UseStar()) == "paused"
    play.do(mv.ShowCard(70))
    assert play.game.aside == {80, 70}
    play.do(mv.Concentrate())
    assert play.game.phase == "play"


# -- blind


def test_r25_the_challenge_keeps_lives_stars_and_the_win() -> None:
    play = Play(4).to_level(8)
    play.do(mv.DeclareDone())
    lives, stars = play.game.lives, play.game.stars
    play.do(mv.Challenge())
    assert (play.game.level, play.game.lives, play.game.stars, play.game.check) == (1, lives, stars, "at_end")
    play.game = play.game.changed(lives=1)
    play.lay(50, 20)
    assert play.game.phase == "lost"
    assert play.game.bests[4, "classic", False] == 8
    assert (4, "classic", True) not in play.game.bests


@pytest.mark.parametrize(
    ("hands", "check", "phase"),
    [("known", "as_played", "deal"), ("known", "at_end", "focus"), ("unknown", "as_played", "focus")],
)
def test_r25_r28_the_challenge_is_dealt_through_the_box_where_the_check_goes_as_played(
    hands: str, check: str, phase: str
) -> None:
    play = Play(4, hands=hands, challenge=check).to_level(8)
    play.game = play.game.changed(phase="focus", reason="level")
    play.do(mv.DeclareDone())
    play.do(mv.Challenge())
    assert (play.game.phase, play.game.known, play.game.check) == (phase, phase == "deal", check)


@pytest.mark.parametrize(
    ("laid", "errors"),
    [((40, 35, 30), 1), ((12, 40, 20, 30, 50, 45), 2), ((40, 20, 30, 25), 1)],
)
@pytest.mark.parametrize("check", ["as_played", "at_end"])
def test_r26_the_check_by_its_examples(laid: tuple[int, ...], errors: int, check: str) -> None:
    players = 3 if len(laid) in (3, 6) else 4
    play = Play(players, blind=check).to_level(len(laid) // players)
    play.lay(*laid).check_all()
    assert play.lives_lost == errors
    assert play.game.level == len(laid) // players + 1


def test_r26_nothing_is_said_before_all_are_down() -> None:
    play = Play(3, blind="as_played")
    play.lay(40, 35)
    assert (play.game.lives, play.game.piles, play.game.phase) == (3, ((),), "play")
    play.lay(30)
    assert (play.game.lives, play.game.phase) == (3, "reveal")


def test_r26_with_known_hands_what_the_check_removes_stands_under_who_laid_it() -> None:
    play = Play(2, blind="as_played", hands="known").to_level(2).deal({1: (10, 50), 2: (20, 60)})
    play.lay(50, 10, 20, 60)
    assert play.game.aside_by == {}
    play.do(mv.CheckNext())
    play.do(mv.CheckNext())
    play.do(mv.CheckNext())
    assert (play.pile, play.game.aside_by) == ((50,), {1: (10,), 2: (20,)})


def test_r26_defeat_during_the_check() -> None:
    play = Play(2, blind="as_played").to_level(2)
    play.game = play.game.changed(lives=1)
    play.lay(40, 30, 20, 10).check_all()
    assert play.game.phase == "lost"
    assert len(play.game.face_down) == 2


def test_r26_defeat_ends_the_check_at_once_what_a_star_set_aside_behind_it_stays_down() -> None:
    play = Play(2, blind="as_played").to_level(2).lay(40, 30).star(20, 50)
    play.game = play.game.changed(lives=1)
    play.do(mv.CheckNext())
    play.do(mv.CheckNext())
    assert play.last == [ev.Revealed(30, kept=False), ev.Erred(40, (30,), paid=True), ev.Lost()]
    assert [turn.card for turn in play.game.face_down] == [20, 50]


def test_r27_a_level_that_went_aside_by_a_star_needs_no_check() -> None:
    play = Play(2, blind="as_played").star(20, 50)
    assert play.last[-1] == ev.LevelCompleted(1, None)  # type: ignore[index]
    assert play.game.level == 2


def test_r26_a_level_declared_done_in_its_check_leaves_nothing_face_down() -> None:
    play = Play(2, blind="as_played").lay(20, 50)
    play.do(mv.DeclareDone())
    assert (play.game.level, play.game.phase, play.game.face_down) == (2, "focus", ())


def test_r27_a_star_in_blind_play_shows_at_the_check_what_lay_before_it() -> None:
    shown = Play(3, blind="as_played").to_level(2).lay(50).star(40, 60, 45).lay(70, 80).check_all()
    assert shown.lives_lost == 1
    after = Play(3, blind="as_played").to_level(2).star(40, 60, 45).lay(50, 70, 80).check_all()
    assert after.lives_lost == 0
    at_end = Play(3, blind="at_end").to_level(2)
    at_end.do(mv.Concentrate())
    at_end.star(40, 60, 45).lay(50, 70, 80)
    assert at_end.lives_lost == 0
    assert at_end.game.level == 3


def test_r28_at_the_end_nothing_is_dealt_through_the_box() -> None:
    play = Play(2, blind="at_end", hands="known")
    assert (play.game.phase, play.game.known) == ("focus", False)


# -- what the box knows


def test_r30_a_card_that_was_not_dealt_is_refused() -> None:
    play = Play(2, hands="known").deal({1: (10,), 2: (20,)})
    play.do(mv.Concentrate())
    assert play.refused(mv.ShowCard(30)) == "not_dealt"


def test_r31_the_box_counts() -> None:
    play = Play(3).to_level(4).lay(10, 30, 20)
    assert play.game.remaining == 12 - 2 - 1


@pytest.mark.parametrize("hands", ["known", "unknown"])
def test_r32_a_card_shown_again_changes_nothing(hands: str) -> None:
    play = Play(2, hands=hands).to_level(2)
    if hands == "known":
        play.deal({1: (10, 30), 2: (20, 40)})
    play.lay(30)
    if hands == "unknown":
        play.lay(20)
    for card, code in ((30, "already_on_pile"), (20, "already_aside")):
        assert play.refused(mv.ShowCard(card)) == code


def test_r32_a_face_down_card_shown_again_changes_nothing() -> None:
    play = Play(2, blind="as_played").to_level(2).lay(30)
    assert play.refused(mv.ShowCard(30)) == "already_on_pile"


# -- dealing (docs/table.md)


def test_deal_goes_round_the_table_and_a_chosen_seat_keeps_its_lamp() -> None:
    play = Play(3, hands="known").to_level(2)
    order = []
    for card in (1, 2):
        order.append(play.game.next_seat)
        play.do(mv.ShowCard(card))
    play.do(mv.ChooseSeat(2))
    for card in (3, 4, 5, 6):
        order.append(play.game.next_seat)
        play.do(mv.ShowCard(card))
    assert order == [1, 2, 2, 3, 1, 3]
    assert play.game.phase == "focus"


def test_deal_a_chosen_seat_keeps_its_lamp_until_its_hand_is_full() -> None:
    play = Play(3, hands="known").to_level(3)
    play.do(mv.ShowCard(1))
    play.do(mv.ChooseSeat(3))
    lit = []
    for card in (2, 3, 4, 5, 6, 7, 8, 9):
        lit.append(play.game.next_seat)
        play.do(mv.ShowCard(card))
    assert lit == [3, 3, 3, 2, 1, 2, 1, 2]  # then the next round the table with the fewest cards
    assert play.game.phase == "focus"


def test_known_hands_after_a_star_nothing_is_shown() -> None:
    play = Play(2, hands="known").to_level(2).deal({1: (10, 30), 2: (20, 40)})
    play.star()
    assert play.refused(mv.ShowCard(30)) == "paused"
    assert play.refused(mv.ShowCard(50)) == "not_dealt"


def test_deal_refusals_and_taking_back() -> None:
    play = Play(2, hands="known").to_level(2)
    assert play.refused(mv.TakeBack()) == "at_limit"
    play.do(mv.ShowCard(7))
    assert play.refused(mv.ShowCard(7)) == "already_dealt"
    play.do(mv.ChooseSeat(1))
    play.do(mv.ShowCard(8))
    assert play.refused(mv.ChooseSeat(1)) == "hand_full"
    play.do(mv.Correct("life-up"))
    play.do(mv.TakeBack())
    assert (play.game.hands, play.game.next_seat, play.game.lives) == ({1: (7,), 2: ()}, 1, 3)
    play.do(mv.Undo())  # the correction, which stayed
    assert (play.game.hands, play.game.lives) == ({1: (7,), 2: ()}, 2)
    play.do(mv.Undo())
    assert play.game.hands == {1: (), 2: ()}


@pytest.mark.parametrize(("chosen", "lit"), [(3, [1, 2, 3]), (1, [1, 1, 2])])
def test_deal_a_card_taken_back_lights_its_seat_which_stays_chosen_if_it_was(chosen: int, lit: list[int]) -> None:
    play = Play(3, hands="known").to_level(2)
    if chosen == 1:
        play.do(mv.ChooseSeat(1))
    play.do(mv.ShowCard(7))
    play.do(mv.ChooseSeat(chosen))
    play.do(mv.Correct("life-up"))
    play.do(mv.TakeBack())
    seats = []
    for card in (8, 9, 10):
        seats.append(play.game.next_seat)
        play.do(mv.ShowCard(card))
    assert seats == lit


def test_counting_from_here_ends_the_deal() -> None:
    play = Play(2, hands="known")
    play.do(mv.ShowCard(7))
    play.do(mv.ChooseSeat(1))
    play.do(mv.CountFromHere())
    assert (play.game.phase, play.game.reason, play.game.known, play.game.next_seat) == ("focus", "level", False, None)
    assert not play.game.seat_chosen


def test_counting_from_here_in_an_open_star_leaves_as_many_cards_to_show_as_had_to_choose() -> None:
    play = Play(3, variant="extreme", hands="known").to_level(2)
    play.deal({1: (10, 12), 2: (20, 60), 3: (30, 40)}).star()
    play.do(mv.ShowCard(10))
    play.do(mv.CountFromHere())
    assert (play.game.star_left, play.game.choosing, play.game.hands) == (2, frozenset(), {})
    assert not isinstance(play.do(mv.ShowCard(12)), Refusal)


# -- corrections, undo


@pytest.mark.parametrize(("what", "field", "limit"), [("life-up", "lives", 5), ("star-up", "stars", 3)])
def test_corrections_stop_at_the_limits(what: Correction, field: str, limit: int) -> None:
    play = Play(2)
    while getattr(play.game, field) < limit:
        play.do(mv.Correct(what))
    assert play.refused(mv.Correct(what)) == "at_limit"


def test_the_last_life_taken_is_defeat_and_can_be_undone() -> None:
    play = Play(2)
    play.do(mv.Correct("life-down"))
    play.do(mv.Correct("life-down"))
    assert play.game.phase == "lost"
    play.do(mv.Undo())
    assert (play.game.phase, play.game.reason, play.game.lives) == ("focus", "stop", 1)


def test_undo_goes_back_to_the_start_of_the_level_and_right_after_it_into_the_last() -> None:
    play = Play(2).lay(10, 20)
    assert play.game.level == 2
    play.do(mv.Concentrate())  # no step
    play.do(mv.Undo())
    assert (play.game.level, play.pile) == (1, (10,))
    play.lay(20)
    play.lay(30)
    play.do(mv.Undo())
    assert (play.game.level, play.pile) == (2, ())
    play.do(mv.Undo())  # a first step that was taken back closes nothing
    assert (play.game.level, play.pile) == (1, (10,))
    play.do(mv.Undo())
    assert (play.game.level, play.pile) == (1, ())
    assert play.refused(mv.Undo()) == "at_limit"


@pytest.mark.parametrize("corrections", [992, 2 * REACH + 500])
def test_any_number_of_corrections_in_a_deal_and_then_the_card_is_taken_back(corrections: int) -> None:
    play = Play(2, hands="known")
    play.do(mv.ShowCard(7))
    for n in range(corrections):
        play.do(mv.Correct("life-up" if n % 2 else "life-down"))
    dealt = play.game
    for again in (pickle.loads(pickle.dumps(dealt)), copy.deepcopy(dealt), copy.copy(dealt)):
        assert again == dealt
        assert again.past() == dealt.past()
    assert len(repr(dealt)) < 2000
    play.do(mv.TakeBack())
    assert (play.game.hands, play.game.dealt, play.game.next_seat) == ({1: (), 2: ()}, (), 1)
    play.do(mv.ShowCard(7))
    undone = 0
    while play.game.steps:
        play.do(mv.Undo())
        undone += 1
    assert undone == corrections + 1 if corrections < REACH else undone >= REACH
    assert (play.game.phase, play.game.hands) == ("deal", {1: (), 2: ()})
    assert play.game.lives == 2 or corrections > REACH


def test_what_is_out_of_reach_is_let_go_of() -> None:
    """However long an evening goes on, and whatever it is that is corrected."""
    play = Play(2)
    line: list[int] = []
    for _ in range(6):
        for n in range(3 * REACH // 4):
            play.do(mv.Correct("life-up" if n % 2 else "life-down"))
        play.do(mv.DeclareDone())
        game, kept = play.game, 0
        while game.before is not None:
            game, kept = game.before, kept + 1
        line.append(kept)
    assert play.game.level == 7
    assert max(line) <= 2 * REACH


def test_after_a_level_of_more_steps_than_any_all_of_them_can_be_undone() -> None:
    play = Play(2)
    steps = REACH // 10 + 2
    for n in range(steps - 1):
        play.do(mv.Correct("life-up" if n % 2 else "life-down"))
    play.do(mv.DeclareDone())
    assert play.game.level == 2
    assert play.game.steps == len(play.game.past()) == steps


def test_how_far_undo_reaches() -> None:
    """Back through the level, and once it is all taken back through the level before, but no further, ever."""
    play = Play(2, hands="known")
    for cards in ((1, 2), (1, 2, 3, 4)):
        for card in cards:
            play.do(mv.ShowCard(card))
        play.lay(*cards)
    assert (play.game.phase, play.game.level) == ("deal", 3)
    play.do(mv.ShowCard(50))
    levels = [play.game.level]
    while not isinstance(play.do(mv.Undo()), Refusal):
        levels.append(play.game.level)
    assert levels == [3] * 2 + [2] * 8
    assert (play.game.phase, play.game.dealt) == ("deal", ())
    for card in (1, 2, 3, 4):
        play.do(mv.ShowCard(card))
    play.lay(1, 2, 3, 4)
    assert [g.level for g in play.game.past()] == [2] * 8


def test_what_is_before_the_level_just_ended_is_out_of_reach_for_good() -> None:
    """Also when that level was entered by an undo that had a level before it in reach."""
    play = Play(2).lay(1, 2)
    play.do(mv.Correct("life-down"))
    play.do(mv.Undo())
    play.lay(1, 2, 3, 4)
    assert play.game.level == 3
    while not isinstance(play.do(mv.Undo()), Refusal):
        assert play.game.level == 2
    assert (play.pile, play.game.remaining) == ((), 4)


def test_undo_takes_the_challenge_back_to_the_win_and_the_win_to_its_last_card() -> None:
    play = Play(4).to_level(8)
    play.game = play.game.changed(stars=0)
    play.do(mv.DeclareDone())
    won = play.game
    play.do(mv.Challenge())
    play.lay(50)
    play.do(mv.Undo())
    play.do(mv.Undo())
    assert play.last == [ev.ChallengeUndone()]
    assert play.game == won.changed(
        ended=None, steps=won.steps - won.begun, begun=0
    )  # the level before is over for good
    play.do(mv.Undo())
    assert (play.game.phase, play.game.level, play.game.bests[4, "classic", False]) == ("focus", 8, 7)
    assert play.refused(mv.Undo()) == "at_limit"


def test_a_challenge_undone_in_an_older_journal_went_back_before_the_winning_card() -> None:
    """There the start of the challenge was no step; what followed is the last level, played on."""
    play = Play(4).to_level(8)
    play.do(mv.DeclareDone())
    before = play.game.before
    assert before is not None
    play.do(mv.Challenge())
    older = evolve(play.game, ev.Undone())
    where = dict.fromkeys(("phase", "reason", "ended", "stopped_by_press", "before", "steps", "begun"))
    assert older.changed(**where) == before.changed(**where)
    assert (older.phase, older.reason, older.level) == ("focus", "stop", 8)


def test_undo_in_the_lobby_brings_the_game_back() -> None:
    play = Play(2).to_level(2).lay(10)
    play.do(mv.Leave())
    play.do(mv.Undo())
    assert (play.game.phase, play.game.reason, play.game.level, play.pile) == ("focus", "stop", 2, (10,))


def test_setup_in_the_lobby_only() -> None:
    play = Play(2)
    assert play.refused(mv.Configure("variant", "fifty")) == "paused"
    play.do(mv.Leave())
    play.do(mv.Configure("variant", "fifty"))
    assert play.game.setup == Setup(variant="fifty")
