"""How a level ended: told from its events, for as long as nobody has gone on, and never what is hidden."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import VARIANTS
from mind_box.game.decide import Decision, decide
from mind_box.game.evolve import evolve
from mind_box.game.moves import Refusal
from mind_box.game.state import Ended, Game
from mind_box.table.viewing import Surroundings, view_of
from tests.game.playing import Play, any_move

GOES_ON = (
    ev.Started, ev.Concentrated, ev.Dealt, ev.StarUsed, ev.Undone, ev.TakenBack, ev.ChallengeBegan, ev.ChallengeUndone,
    ev.Left,
)  # fmt: skip


def _end_of(game: Game, events: list[ev.Event], end: ev.LevelCompleted | ev.Lost) -> Ended | None:
    """What the end of a level has to tell: the open cards before it, and the error among what one move brought."""
    view = view_of(game, Surroundings())
    if view.blind and view.phase != "reveal" and view.remaining:
        return None
    error = next((e for e in reversed(events) if isinstance(e, ev.Erred)), None)
    pile = view.piles[0] if view.variant != "extreme" else view.piles
    ended = Ended(view.level, pile, view.aside, reward=getattr(end, "reward", None))
    return replace(ended, early=error.early, late=error.aside, paid=error.paid) if error else ended


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_any_moves_tell_the_end_of_a_level_until_the_next_begins(seed: int) -> None:
    rng = random.Random(seed)
    play = Play(rng.randint(2, 4), variant=rng.choice(VARIANTS), hands=rng.choice(["known", "unknown"]),
                blind=rng.choice(["no", "no", "as_played", "at_end"]))  # fmt: skip
    expected: Ended | None = None
    for _ in range(90):
        game, answer = play.game, play.do(any_move(rng, play.game))
        if isinstance(answer, Refusal):
            continue
        for event in answer:
            if isinstance(event, GOES_ON):
                expected = None
            elif isinstance(event, ev.LevelCompleted | ev.Lost):
                expected = _end_of(game, answer, event)
            game = evolve(game, event)
            assert game.ended == expected, event
            assert view_of(game, Surroundings()).ended == expected


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(VARIANTS), st.sampled_from(("no", "as_played", "at_end")))
def test_a_whole_level_is_told_card_by_card(seed: int, variant: str, blind: str) -> None:
    """Pile and aside together are exactly the cards of the level, if its last card was shown and a life is left."""
    rng = random.Random(seed)
    play = Play(2, variant=variant, blind=blind).to_level(rng.randint(1, 3))
    play.game = play.game.changed(lives=5)
    level = play.game.level
    cards = rng.sample(sorted(play.game.order.key, key=str), 2 * level)
    play.lay(*(cards[:-1] if blind == "at_end" else cards))
    if blind == "at_end":
        play.lay(cards[-1])
    play.check_all()
    ended = play.game.ended
    if play.game.phase == "lost":
        return
    assert ended is not None and play.game.level == level + 1
    laid = [card for pile in ended.piles for card in pile]
    assert sorted(laid + list(ended.aside), key=str) == sorted(cards, key=str)
    assert (ended.early is None) == (ended.late is None) == (ended.paid is None)
    if ended.early is not None:
        assert ended.early in laid and ended.late is not None and set(ended.late) <= set(ended.aside)
        assert cards[-1] in ended.late


def test_of_several_errors_the_last_cards_own_is_told() -> None:
    play = Play(2).to_level(2)
    play.lay(50, 20, 70)
    assert play.game.ended is None
    play.lay(60)
    assert play.game.phase == "lost"
    assert play.game.ended == Ended(2, (50, 70), (20, 60), early=70, late=(60,), paid=True)


def test_an_undo_that_goes_back_before_the_end_of_a_level_tells_no_end() -> None:
    play = Play(2).lay(4, 9)
    assert play.game.ended == Ended(1, (4, 9), ())
    answer = decide(play.game, mv.Undo())
    assert isinstance(answer, Decision) and answer.game.ended is None


def test_the_challenge_begins_without_the_end_of_the_game_before() -> None:
    play = Play(2).to_level(12)
    play.lay(*range(1, 25))
    assert (play.game.phase, play.game.ended) == ("won", Ended(12, tuple(range(1, 25)), ()))
    assert evolve(play.game, ev.ChallengeBegan()).ended is None
