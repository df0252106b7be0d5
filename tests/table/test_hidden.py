"""R33: nothing hidden reaches a View, by its type and by what it says."""

from __future__ import annotations

import dataclasses
import random
import types
import typing

from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.game.cards import VARIANTS, order_of
from mind_box.game.state import Ended
from mind_box.table.facts import Fact
from mind_box.table.inputs import STAR
from mind_box.table.view import GhostLaid, LastError, View
from tests.table.gestures import Gestures

CARD_FIELDS = {"piles", "aside", "aside_by", "last_error", "ended", "told", "ghost"}


def test_a_view_has_no_field_for_a_hidden_card() -> None:
    """By its type: the only fields that can hold a card are the face-up ones; none is typed loosely."""
    hints = typing.get_type_hints(View)
    plain = {str, bool, int, type(None), tuple[int, ...], tuple[str, ...], dict[int, int]}

    def is_plain(kind: object) -> bool:
        if typing.get_origin(kind) is typing.Literal:  # words that are named one by one
            return all(isinstance(word, str) for word in typing.get_args(kind))
        if typing.get_origin(kind) in (types.UnionType, typing.Union):
            return all(map(is_plain, typing.get_args(kind)))
        words = typing.get_args(kind)[0] if typing.get_origin(kind) is tuple else None
        return kind in plain or (typing.get_origin(words) is typing.Literal and is_plain(words))

    for name, kind in hints.items():
        if name in CARD_FIELDS:
            continue
        assert is_plain(kind), f"{name}: {kind} could hold a card"
    assert {f.name for f in dataclasses.fields(Fact)} == {"kind", "cards", "figures"}
    assert {f.name for f in dataclasses.fields(LastError)} == {"early", "aside", "paid"}
    assert {f.name for f in dataclasses.fields(GhostLaid)} == {"seat", "card", "place"}  # R40: it lies
    assert {f.name for f in dataclasses.fields(Ended)} == {
        "level", "pile", "aside", "early", "late", "paid", "reward",
    }  # fmt: skip
    assert not hasattr(View(), "__dict__")  # slots: nothing can be hung onto it


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(VARIANTS), st.sampled_from(("no", "as_played")))
def test_two_deals_look_the_same(seed: int, variant: str, blind: str) -> None:
    """Non-interference: until a card turns up, no View tells one deal from another."""
    rng = random.Random(seed)
    players, level = rng.randint(2, 4), rng.randint(1, 4)
    cards = sorted(order_of(variant).key, key=str)
    looks = []
    what = rng.randrange(2**32)
    for deal in range(2):
        table = Gestures(variant=variant, blind=blind, hands="known")
        table.hands(*range(1, players + 1))
        while table.view.level < level:
            table.menu("count")
            table.menu("level-done")
            table.hands()
            table.table.game = table.table.game.changed(known=True, phase="deal", reason=None, next_seat=1,
                                                        hands=dict.fromkeys(table.table.game.seats, ()))  # fmt: skip
            table.lobby, table.events = table.table.game, []
        views = [table.view]
        hidden = rng.sample(cards, players * level) if deal else random.Random(seed + 1).sample(cards, players * level)
        for card in hidden:
            table.scan(card)
            views.append(table.view)
        gestures = random.Random(what)
        for _ in range(12):
            match gestures.randrange(6):
                case 0:
                    table.tap(STAR)
                case 1:
                    table.tap(gestures.choice(table.view.seats))
                case 2:
                    table.hands()
                case 3:
                    table.scan("nonsense")
                case 4:
                    table.hold(2, STAR)
                    table.tap(1)
                case 5:
                    table.wait(40)
            if table.view.aside or table.view.ended:  # cards have turned up: from here the deals may differ
                break
            views.append(table.view)
        looks.append([v if variant != "tens" else dataclasses.replace(v, ten=None) for v in views])
    assert looks[0] == looks[1]


def test_a_face_down_pile_shows_nothing() -> None:
    looks = []
    for cards in ((40, 35), (1, 2)):
        table = Gestures(blind="as_played")
        table.hands(1, 2, 3)
        table.hands()
        views = []
        for card in cards:
            table.scan(card)
            views.append(table.view)
        looks.append(views)
    assert looks[0] == looks[1]
