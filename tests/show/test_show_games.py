"""Whole games: nothing moves while play goes on (R18), and nothing shows a card that is still hidden (R33)."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from typing import Any

import pytest

from mind_box.game.cards import order_of
from mind_box.show.canvas import Canvas
from mind_box.show.fonts import WORD8
from mind_box.show.lamps import LampPattern
from mind_box.show.seat_screen import draw_seat
from mind_box.show.table_screen import draw_table
from mind_box.show.words import LANGUAGES, Words, words_for
from mind_box.table.view import View
from mind_box.virtual.scripts.clock import run_virtual
from tests.show.evening import Evening, evening

pytestmark = pytest.mark.slow

GAMES: list[dict[str, Any]] = [
    {"variant": "classic"},
    {"variant": "classic", "hands": "known"},
    {"variant": "reverse", "seats": 4},
    {"variant": "fifty", "hands": "known"},
    {"variant": "tens"},
    {"variant": "tens", "hands": "known"},
    {"variant": "extreme", "seats": 2},
    {"variant": "extreme", "hands": "known", "deck": "extreme"},
    {"variant": "classic", "blind": "as_played"},
    {"variant": "reverse", "blind": "as_played", "hands": "known"},
    {"variant": "classic", "blind": "at_end", "no_stars": True},
]


def name(game: dict[str, Any]) -> str:
    return "-".join(str(value) for value in game.values())


DEBOUNCE = 0.025


@pytest.mark.parametrize("game", GAMES, ids=name)
def test_no_lamp_screen_or_page_changes_between_inputs_while_play_goes_on(game: dict[str, Any]) -> None:
    one = evening(5, **game)
    inputs = {round(t + wait, 6) for t in one.box.inputs for wait in (0, DEBOUNCE)}
    changes = 0
    view: View | None = None
    for at, on, what in one.box.shown:
        if on != "page":
            continue
        before, view = view, what
        if before is None or before.phase not in ("play", "vote"):
            continue
        if before.phase == "vote" and view.notices == ("star_off",):
            continue  # 30 s without a decision: called off, told once
        assert round(at, 6) in inputs, f"{at}: {before} became {view} without an input"
        changes += 1
    assert one.view.phase in ("won", "lost") and changes > 3
    # lamps and screens are shown when the page is, and at no other time
    moments = {at for at, on, _ in one.box.shown if on == "page"}
    assert {at for at, on, _ in one.box.shown if on != "page"} <= moments | {0.0}


def numbers(text: str) -> set[str]:
    return set(re.findall(r"[WR]?\d+", text))


class Onlooker:
    """Sees every screen in every language, the lamps and the page, and looks for cards that are still hidden."""

    def __init__(self) -> None:
        self.looked = 0

    def __call__(self, one: Evening) -> None:
        view = one.referee.view
        if view.phase not in ("play", "vote", "focus", "reveal"):
            return
        public = {str(n) for n in (view.level, view.last_level, view.lives, view.stars, view.remaining, view.best)}
        public |= {str(n) for n in (*view.seats, view.star_left, view.errors, *(view.counts or {}).values())}
        public |= {str(card) for pile in view.piles for card in pile} | {str(card) for card in view.aside}
        public |= {str(sum(map(len, view.piles)))} | {str(len(pile)) for pile in view.piles} | {str(len(view.aside))}
        public |= {"1", "2", "50", "30", "0"}  # in words: "2 s", "nearer to 50"
        hidden = {str(card) for card in one.held} - public
        if view.ten is not None:  # R21: the help that makes the game fit for children
            hidden -= {str(view.ten or 1), str(view.ten + 9)}
        if view.variant == "fifty" and view.pile:
            hidden -= {str(abs(int(view.pile[-1]) - 50))}
        if view.variant == "extreme":
            hidden -= {card.lstrip("WR") for card in public} | {f"{c}{n}" for c in "WR" for n in public}
        told = numbers(repr(view.to_json()))
        assert not hidden & told, f"the View tells {hidden & told}"
        for language in LANGUAGES:
            words = words_for(language)
            canvases = [draw_table(view, words, (128, 64))]
            for seat in view.seats:
                canvases += [draw_seat(view, seat, words, (128, height)) for height in (64, 32)]
            for canvas in canvases:
                told = numbers(" ".join(mark.what for mark in canvas.marks))
                assert not hidden & told, f"{language}: {hidden & told} in {canvas.marks}"
        self.looked += 1


@pytest.mark.parametrize("game", GAMES, ids=name)
def test_no_screen_page_or_log_line_shows_a_hidden_card(game: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    onlooker = Onlooker()
    with caplog.at_level(logging.DEBUG):
        evening(11, watch=onlooker, **game)
    assert onlooker.looked > 10
    for record in caplog.records:
        if record.name.startswith("mind_box"):
            assert not numbers(record.getMessage()), record.getMessage()


def test_the_onlooker_notices_a_card_that_is_shown_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets: list[str] = []

    def careless(_view: View, _words: Words, size: tuple[int, int]) -> Canvas:
        canvas = Canvas(size)
        canvas.text(0, 0, secrets[-1], WORD8)
        return canvas

    class Spied(Onlooker):
        def __call__(self, one: Evening) -> None:
            big = [str(card) for card in one.held if int(card) > 60]
            if one.referee.view.phase == "play" and big:
                secrets.append(big[0])
                monkeypatch.setitem(globals(), "draw_table", careless)
                with pytest.raises(AssertionError, match=big[0]):
                    super().__call__(one)
                monkeypatch.undo()

    evening(3, watch=Spied(), variant="classic")
    assert secrets


@pytest.mark.parametrize("variant", ["classic", "reverse", "fifty", "extreme"])
def test_what_is_hidden_changes_nothing_that_is_shown(variant: str) -> None:
    """Known hands: the same cards laid, other cards held back: every lamp and every picture is the same."""
    order = order_of(variant)
    rows = order.sorted(order.key)
    first = [card for card in rows if order.pile_of[card] == 0][:3]
    rest = [card for card in rows if order.key[card] > order.key[first[-1]] or order.pile_of[card] == 1]

    def shown(held: list[Any]) -> list[tuple[str, Any]]:
        async def main() -> list[tuple[str, Any]]:
            one = Evening(random.Random(0), 2, variant=variant, hands="known")
            one.referee.start(one.box.open)
            await one.press(1, 2, seconds=2.5)
            while one.view.level < 3:  # two levels of no interest
                level = one.view.level
                cards = list(order.sorted(rows[: 2 * level]))
                for card in cards:
                    await one.scan(card)
                await one.press(1, 2, seconds=0.5)
                for card in cards:
                    await one.scan(card)
            begin = len(one.box.shown)
            for mine, theirs in zip(first, held, strict=True):
                await one.scan(mine)
                await one.scan(theirs)
            await one.press(1, 2, seconds=0.5)
            for card in first[:2]:
                await one.scan(card)
                await one.pause(100)
            await one.press(1)
            await one.press(0)
            await asyncio.sleep(1)
            shown = [(on, what) for _, on, what in one.box.shown[begin:] if on != "page"]
            return [(on, what if on == "lamps" else what().tobytes()) for on, what in shown]

        return run_virtual(main())

    some = shown(list(order.sorted(rest[:3])))
    others = shown(list(order.sorted(rest[-3:])))
    assert len(some) > 20 and any(isinstance(what, LampPattern) for _, what in some)
    assert some == others
