"""What each move is refused with where it has no place: tables show the codes, and scripts live by them."""

from __future__ import annotations

import pytest

from mind_box.game import moves as mv
from mind_box.game.decide import decide
from mind_box.game.moves import Move, Refusal, Refused
from mind_box.game.state import Game
from tests.game.playing import Play


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (mv.Configure("variant", "chess"), "at_limit"),
        (mv.Configure("colour", "red"), "at_limit"),
        (mv.Start((1,)), "too_few_players"),
        (mv.Start((1, 1)), "too_few_players"),
        (mv.Start(tuple(range(1, 10))), "at_limit"),
        (mv.ChooseSeat(1), "paused"),
        (mv.ShowCard(101), "not_in_deck"),
        (mv.ShowCard(100), "no_game"),
        (mv.Concentrate(), "paused"),
        (mv.Stop(by_press=True), "paused"),
        (mv.Resume(), "paused"),
        (mv.UseStar(), "no_game"),
        (mv.CheckNext(), "paused"),
        (mv.DeclareDone(), "paused"),
        (mv.CountFromHere(), "at_limit"),
        (mv.TakeBack(), "at_limit"),
        (mv.Undo(), "at_limit"),
        (mv.Challenge(), "no_game"),
        (mv.Leave(), "no_game"),
    ],
)
def test_in_the_lobby(move: Move, code: Refused) -> None:
    assert decide(Game(), move) == Refusal(code)


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (mv.Configure("variant", "reverse"), "paused"),
        (mv.Start((1, 2)), "paused"),
        (mv.ChooseSeat(1), "paused"),
        (mv.Concentrate(), "paused"),
        (mv.CheckNext(), "paused"),
        (mv.DeclareDone(), "paused"),
        (mv.CountFromHere(), "at_limit"),
        (mv.TakeBack(), "at_limit"),
        (mv.Challenge(), "no_game"),
        (mv.ShowCard(50), "already_on_pile"),
        (mv.ShowCard(20), "already_aside"),
    ],
)
def test_while_a_level_is_played(move: Move, code: str) -> None:
    play = Play().to_level(2).lay(50, 20)
    play.do(mv.Concentrate())
    assert play.game.phase == "play"
    assert play.refused(move) == code


def test_each_error_is_counted_and_costs_one_life() -> None:
    play = Play().to_level(2)
    lives = play.game.lives
    play.lay(50)
    assert (play.game.errors, play.game.lives) == (0, lives)
    play.lay(20)
    assert (play.game.errors, play.game.lives) == (1, lives - 1)
    play.lay(60, 55)
    assert (play.game.errors, play.game.lives) == (2, lives - 2)
