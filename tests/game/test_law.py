"""The law that ties the rules together, and what holds for any sequence of moves (hypothesis)."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import VARIANTS, Card, order_of
from mind_box.game.decide import Decision, decide
from mind_box.game.evolve import evolve
from mind_box.game.moves import Refusal
from mind_box.game.state import Game
from mind_box.table.viewing import Surroundings, view_of
from tests.game.playing import Play, any_move


@st.composite
def deals(draw: st.DrawFn) -> tuple[str, str, dict[int, list[Card]], list[Card]]:
    """A variant, a deck, hands for a level, and an order to lay them in."""
    variant = draw(st.sampled_from(VARIANTS))
    deck = draw(st.sampled_from(("original", "extreme"))) if variant == "extreme" else "original"
    players = draw(st.integers(2, 5))
    level = draw(st.integers(1, 6))
    rng = random.Random(draw(st.integers(0, 2**32)))
    cards = rng.sample(sorted(order_of(variant, deck).key, key=str), players * level)
    hands = {seat: cards[seat - 1 :: players] for seat in range(1, players + 1)}
    order = list(cards)
    for _ in range(draw(st.integers(0, 2 * len(order)))):  # from sorted to shuffled
        i, j = rng.randrange(len(order)), rng.randrange(len(order))
        order[i], order[j] = order[j], order[i]
    if draw(st.booleans()):
        order = list(order_of(variant, deck).sorted(order))
        i = rng.randrange(len(order))
        order.insert(rng.randrange(len(order)), order.pop(i))
    return variant, deck, hands, order


def _at(level: int, players: int, **setup: Any) -> Play:
    play = Play(players, **setup).to_level(level)
    play.game = play.game.changed(lives=5)
    return play


@settings(max_examples=300, deadline=None)
@given(deals())
def test_known_unknown_and_blind_cost_the_same_lives(deal: tuple[str, str, dict[int, list[Card]], list[Card]]) -> None:
    """R8, R9, R24, R26: for the same cards laid in the same order (without stars)."""
    variant, deck, hands, order = deal
    level, players = len(hands[1]), len(hands)
    lost = {}
    for how, setup in {
        "known": {"hands": "known"},
        "unknown": {},
        "as_played": {"blind": "as_played"},
        "as_played, known": {"blind": "as_played", "hands": "known"},
        "at_end": {"blind": "at_end"},
    }.items():
        play = _at(level, players, variant=variant, deck=deck, **setup)
        if play.game.phase == "deal":
            play.deal(hands)
        for card in order:
            if play.game.phase in ("lost", "won") or play.game.level != level:
                break
            if card not in play.game.aside:  # with known hands it may have gone aside already
                if play.game.phase == "focus":
                    play.do(mv.Concentrate())
                assert not isinstance(play.do(mv.ShowCard(card)), Refusal)
        play.check_all()
        lost[how] = play.lives_lost
        assert play.game.phase in ("lost", "won") or play.game.level == level + 1
    assert len(set(lost.values())) == 1, lost


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_any_moves_keep_the_invariants_and_fold_again(seed: int) -> None:
    """0-5 lives, 0-3 stars, no card twice; a refusal changes nothing; ``replay(events) == state``, stored form too."""
    rng = random.Random(seed)
    play = Play(rng.randint(2, 8), variant=rng.choice(VARIANTS), hands=rng.choice(["known", "unknown"]),
                blind=rng.choice(["no", "no", "as_played", "at_end"]))  # fmt: skip
    for _ in range(80):
        play.do(any_move(rng, play.game))
    assert play.refolded() == play.game
    assert play.refolded().past() == play.game.past()


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_undo_restores_exactly_what_was(seed: int) -> None:
    """But for where it leaves the table: in focus, stop, or star where one is open; deal, reveal and won stay."""
    rng = random.Random(seed)
    play = Play(rng.randint(2, 4), variant=rng.choice(VARIANTS), hands=rng.choice(["known", "unknown"]),
                blind=rng.choice(["no", "no", "as_played", "at_end"]))  # fmt: skip
    steps = (mv.ShowCard, mv.UseStar, mv.DeclareDone, mv.Correct, mv.CountFromHere, mv.Challenge)
    for _ in range(60):
        before = play.game
        move = any_move(rng, before)
        if isinstance(play.do(move), Refusal) or not isinstance(move, steps):
            continue
        answer = decide(play.game, mv.Undo())
        assert isinstance(answer, Decision)
        undone = answer.game
        where = dict.fromkeys(("phase", "reason", "ended", "stopped_by_press", "before", "steps", "begun"))
        assert undone.changed(**where) == before.changed(**where)
        assert undone.past() == before.past()[: undone.steps]
        if before.phase in ("deal", "reveal", "won"):
            assert undone.phase == before.phase
        else:
            assert (undone.phase, undone.reason) == ("focus", "star" if before.star_left or before.choosing else "stop")


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_taken_back_and_done_again_comes_out_the_same(seed: int) -> None:
    """From play, a deal, a check or an open star; through the end of a level too."""
    rng = random.Random(seed)
    play = Play(rng.randint(2, 4), variant=rng.choice(VARIANTS), hands=rng.choice(["known", "unknown"]),
                blind=rng.choice(["no", "no", "as_played", "at_end"]))  # fmt: skip
    for _ in range(rng.randrange(40)):
        play.do(any_move(rng, play.game))
    start = play.game
    moves: list[mv.Move] = []
    steps = 0
    for _ in range(rng.randrange(1, 12)):
        before = play.game
        move = any_move(rng, before)
        if isinstance(move, mv.Undo | mv.TakeBack | mv.Leave) or isinstance(play.do(move), Refusal):
            continue
        moves.append(move)
        steps += play.game.before is before  # it began a step
        if not steps:  # a stop, a look at a card: undo does not know of it
            start = play.game
            moves.clear()
        if play.game.level != start.level or play.game.phase in ("won", "lost"):
            break
    there = view_of(play.game, Surroundings())
    open_star = start.phase == "focus" and (start.star_left or start.choosing)
    if not steps or (start.phase not in ("play", "deal", "reveal") and not open_star):
        return
    for _ in range(steps):
        assert not isinstance(play.do(mv.Undo()), Refusal)
    if start.phase == "play":
        play.do(mv.Concentrate())
    where = dict.fromkeys(("steps", "begun", "ended"))
    assert play.game.changed(**where) == start.changed(**where)
    for move in moves:
        assert not isinstance(play.do(move), Refusal)
    assert view_of(play.game, Surroundings()) == there


def test_a_choice_of_the_lobby_changes_no_game_under_way() -> None:
    """A journal may hold one there; with another order the next card would find no pile."""
    play = Play(2)
    play.do(mv.Concentrate())
    game = evolve(play.game, ev.Configured("variant", "extreme"))
    assert game == play.game
    decision = decide(game, mv.ShowCard(90))
    assert isinstance(decision, Decision) and decision.events == [ev.Laid(90)]


def test_the_caps_hold_whatever_a_journal_says() -> None:
    """R5, and nothing below none: an event is never refused, so the fold itself keeps the limits."""
    play = Play(2).to_level(3)
    most, least = play.game.changed(lives=5, stars=3), play.game.changed(lives=0, stars=0)
    event: ev.Event
    for event in (ev.LevelCompleted(3, "life"), ev.Corrected("life-up")):
        assert evolve(most, event).lives == 5
        assert evolve(least, event).lives == 1
    for event in (ev.LevelCompleted(3, "star"), ev.Corrected("star-up")):
        assert evolve(most, event).stars == 3
        assert evolve(least, event).stars == 1
    for event in (ev.Erred(50, (20,), paid=True), ev.Corrected("life-down")):
        assert evolve(least, event).lives == 0
        assert evolve(most, event).lives == 4
    for event in (ev.StarUsed(()), ev.Corrected("star-down")):
        assert evolve(least, event).stars == 0
        assert evolve(most, event).stars == 2


def test_a_card_dealt_to_nobody_at_the_table_goes_on_with_the_first_seat() -> None:
    """In a damaged journal only."""
    assert evolve(Play(3, (2, 5, 7), hands="known").game, ev.Dealt(5, 77)).next_seat == 2


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_evolve_is_total(seed: int) -> None:
    """Any event on any game gives a game, and one that can be shown: a damaged journal never stops the box."""
    rng = random.Random(seed)
    game = Game()
    other = Play(rng.randint(2, 8), hands=rng.choice(["known", "unknown"]), variant=rng.choice(VARIANTS))
    for _ in range(40):
        other.do(any_move(rng, other.game))
    soup = [*other.events, ev.Configured("variant", "nonsense"), ev.Configured("nonsense", "x"), ev.Corrected("x"),
            ev.Dealt(5, 77), ev.Laid(1234), ev.Erred("X", ("Y",), True), ev.Undone()]  # fmt: skip
    for _ in range(120):
        game = evolve(game, rng.choice(soup))
        assert isinstance(view_of(game, Surroundings()).to_json(), dict)
