"""After any undo the View tells the truth: whatever it says is awaited leads on, and so the game is never stuck."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.game.cards import VARIANTS, Card
from mind_box.game.state import Game
from mind_box.table.inputs import STAR, Edge
from tests.game.playing import check
from tests.table.gestures import Gestures

SETUPS = st.fixed_dictionaries(
    {
        "variant": st.sampled_from(VARIANTS),
        "hands": st.sampled_from(["known", "unknown"]),
        "blind": st.sampled_from(["no", "no", "as_played", "at_end"]),
        "challenge": st.sampled_from(["at_end", "as_played"]),
    }
)


def seen(game: Game) -> set[Card]:
    """The cards that have a place already."""
    cards = {c for pile in game.piles for c in pile} | game.aside | {turn.card for turn in game.face_down}
    return cards | {c for hand in game.hands.values() for c in hand}


def card_for(game: Game, rng: random.Random) -> Card:
    """A card that somebody may hold; of known hands one that is held."""
    if game.choosing:
        pile_of = game.order.pile_of
        hand = game.hands[rng.choice(sorted(game.choosing))]
        return rng.choice([next(c for c in hand if pile_of[c] == pile) for pile in {pile_of[c] for c in hand}])
    held = [c for hand in game.hands.values() for c in hand] if game.known and game.phase != "deal" else []
    return rng.choice(held or sorted(set(game.order.key) - seen(game), key=str))


def go_on(table: Gestures, rng: random.Random) -> None:
    """Does what the View asks for, without the star button and without the menu; that has to lead on."""
    view, game = table.view, table.table.game
    assert view.menu is None and view.asking is None
    if view.phase == "lobby":
        table.hands(1, 2)
        assert table.view.seats == (1, 2)
    elif view.phase in ("won", "lost"):
        table.hands()
        assert table.view.phase == ("focus" if view.phase == "won" and not view.blind else "lobby") or (
            table.view.phase == "deal" and table.table.game.known
        )
    elif view.phase == "vote":
        table.wait(30.1)
        assert table.view.phase != "vote"
    elif view.phase == "reveal" and view.check == "as_played":
        table.wait(1)
    elif view.phase == "focus" and not (view.star_left and (view.hands == "known" or rng.random() < 0.5)):
        assert set(view.waiting) <= set(view.seats)
        table.hands()
        assert table.view.phase == "play"
    else:  # deal, play, an open star, a check that waits for cards
        card = card_for(game, rng)
        if view.phase == "deal":
            assert view.waiting == (view.next_seat,)
        if game.choosing:
            assert set(view.waiting) == game.choosing and view.star_left == len(game.choosing)
        table.scan(card)
    assert table.table.game != game or view.phase == "vote"
    check(table.table.game)


def any_gesture(table: Gestures, rng: random.Random) -> None:
    match rng.randrange(14):
        case 0:
            table.put(Edge(rng.randint(0, 4), rng.random() < 0.5, table.now))
        case 1:
            table.wait(rng.choice([0.03, 1.6, 2.1, 31]))
        case 2:
            table.tap(rng.randint(1, 4))
        case 3:
            table.tap(STAR)
        case 4:
            table.up(*range(5))
            table.wait(0.1)
            table.tap(STAR)
            table.hands()
        case 5:
            table.scan(rng.randint(0, 101))
        case 6:
            item = rng.choice(["level-done", "all-hands", "count", "life-up", "life-down", "star-up", "end-game"])
            calm(table)
            table.try_menu(item)
            if table.view.asking == "end-game":
                table.hold(2, STAR)
            elif table.view.asking and rng.random() < 0.5:
                table.hands()
        case 7:
            table.cut_power()
        case _:
            calm(table)
            go_on(table, rng)


def calm(table: Gestures) -> None:
    """All fingers up, no menu, nothing asked, no vote."""
    table.up(*range(5))
    table.wait(0.1)
    if table.view.menu or table.view.asking:
        table.wait(31)
    if table.view.asking:
        table.tap(STAR)
    if table.view.phase == "vote":
        table.wait(31)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), SETUPS)
def test_after_any_undo_what_is_awaited_leads_on(seed: int, setup: dict[str, Any]) -> None:
    rng = random.Random(seed)
    table = Gestures(**setup)
    table.hands(*range(1, rng.randint(2, 4) + 1))
    for _ in range(50):
        any_gesture(table, rng)
        check(table.table.game)
        if rng.random() < 0.25:
            calm(table)
            before = table.table.game
            table.try_menu("undo")
            assert (table.view.notices == ("at_limit",)) == (not before.steps)
            look_at(table)
            go_on(table.fork(), rng)


def look_at(table: Gestures) -> None:
    """What TABLE says of the place that an undo leaves the table in."""
    view, game = table.view, table.table.game
    if "undone" not in view.notices:
        return
    assert view.phase in ("focus", "deal", "reveal", "won")
    assert view.hands_down == ()
    if view.phase == "focus":
        open_ = len(game.choosing) or min(game.star_left, game.remaining)
        assert view.reason == ("star" if open_ else "stop")
        assert view.star_left == ((len(game.choosing) or min(game.star_left, game.remaining)) if open_ else None)
        assert view.waiting == (tuple(sorted(game.choosing)) or view.seats)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), SETUPS)
def test_from_anywhere_hands_and_cards_lead_to_the_lobby(seed: int, setup: dict[str, Any]) -> None:
    """Also where the star button is dead."""
    rng = random.Random(seed)
    table = Gestures(**setup)
    table.hands(*range(1, rng.randint(2, 3) + 1))
    for _ in range(rng.randrange(60)):
        any_gesture(table, rng)
    table = table.fork()
    for _ in range(3000):
        if table.view.phase == "lobby":
            break
        go_on(table, rng)
    assert table.view.phase == "lobby"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), SETUPS)
def test_an_open_star_takes_as_many_cards_as_it_says(seed: int, setup: dict[str, Any]) -> None:
    """And no more: after each undo as well."""
    rng = random.Random(seed)
    table = Gestures(**(setup | {"hands": "known" if setup["variant"] == "extreme" else "unknown"}))
    table.hands(1, 2, 3)
    while table.view.level < 2 or table.view.phase in ("deal", "play"):
        go_on(table, rng)
    if table.view.phase != "focus" or table.view.stars == 0:
        return
    table.tap(STAR)
    for seat in (1, 2, 3):
        table.tap(seat)
    start = table.view
    for _ in range(rng.randrange(4)):
        table.scan(card_for(table.table.game, rng))
        if table.view.level != 2 or table.view.phase != "focus":
            return
        if rng.random() < 0.5:
            table.menu("undo")
    while table.view.reason == "star" and table.view.star_left:
        left = table.view.star_left
        table.scan(card_for(table.table.game, rng))
        if table.view.level != 2 or table.view.phase != "focus":
            return
        assert table.view.star_left == left - 1
    assert len(table.view.aside) - len(start.aside) == start.star_left
    table.scan(rng.choice(sorted(set(table.table.game.order.key) - seen(table.table.game), key=str)))
    assert table.view.notices in (("star_full",), ("not_dealt",), ("paused",))
