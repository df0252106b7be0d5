"""The room around a virtual box, in virtual time: cards that follow the View, partners that play whole games."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mind_box.cards.store import CardStore
from mind_box.game.cards import Card
from mind_box.settings.schema import Config
from mind_box.table.view import View
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.tryout.main_button import main_of
from mind_box.virtual.tryout.place import EMPTY, PERSON
from mind_box.virtual.tryout.room import Room
from mind_box.virtual.tryout.tabletop import shown_cards
from mind_box.virtual.tryout.try_room import CARDS
from mind_box.virtual.tryout.words import try_words
from tests.page.in_process import InProcess

Play = Callable[[Room[InProcess]], Awaitable[Any]]


def in_a_room(play: Play, players: dict[int, str], cards: Path | None = None, seed: int = 1, **game: Any) -> Any:
    """Plays in a room of its own; what ``play`` returns."""
    config = Config()
    config = replace(config, box=replace(config.box, seats=max(players)), game=replace(config.game, **game))

    async def main() -> Any:
        room = Room(InProcess(config), players, lambda: None, cards, seed)
        await room.start()
        try:
            return await play(room)
        finally:
            await room.close()

    return run_virtual(main())


async def until(room: Room[InProcess], true: Callable[[View], bool], hours: float = 2.0) -> View:
    """Lets time pass until the View is so."""
    end = room.now + hours * 3600
    while room.machine.view is None or not true(room.machine.view):
        assert room.now < end, room.machine.view
        await asyncio.sleep(0.05)
    return room.machine.view


def check(room: Room[InProcess]) -> None:
    """Every card of the level is in one place, and where the View says that it is."""
    view, table = room.view, room.tabletop
    assert view is not None
    if view.phase in ("lobby", "won", "lost", "deal"):
        return
    places = [c for hand in table.hands.values() for c in hand] + table.face_down + shown_cards(view)
    dealt = table.deals[table.level]
    if dealt:
        assert sorted(map(str, places)) == sorted(map(str, dealt)), view
        assert len(dealt) == view.level * len(view.seats)
    for seat, hand in table.hands.items():
        assert all(dealt[card] == seat for card in hand)


@pytest.mark.parametrize(
    "game",
    [
        {}, {"hands": "known"}, {"variant": "reverse"}, {"variant": "fifty"}, {"variant": "tens", "hands": "known"},
        {"variant": "extreme"}, {"variant": "extreme", "deck": "extreme", "hands": "known"}, {"blind": "at_end"},
        {"blind": "as_played"}, {"blind": "as_played", "hands": "known"}, {"no_stars": True},
    ],
    ids=str,
)  # fmt: skip
def test_steady_partners_win_without_losing_a_life(game: dict[str, Any]) -> None:
    async def play(room: Room[InProcess]) -> View:
        room.players.watch(True)
        room.players.set_speed(4)
        told = room.machine.hooks.changed

        def changed() -> None:
            told()
            check(room)

        room.machine.hooks.changed = changed
        lives = []

        def over(view: View) -> bool:
            lives.append(view.lives)
            return view.phase == "won"

        view = await until(room, over)
        playing = [n for n in lives if n]
        assert playing == sorted(playing), "a life was lost"
        return view

    view = in_a_room(play, {1: PERSON, 2: "steady", 3: "steady"} | {1: "steady"}, **game)
    assert view.level == 10


@pytest.mark.parametrize("kind", ["human", "dreamy"])
def test_other_partners_err_and_the_evening_goes_on(kind: str) -> None:
    """Games end, new ones begin by themselves, and errors, stars and lost games are among them."""

    async def play(room: Room[InProcess]) -> set[str]:
        room.players.watch(True)
        room.players.set_speed(8)
        codes: set[str] = set()
        games = 0
        before = "lobby"
        while games < 12:
            view = await until(room, partial(lambda b, v: v.phase != b, before))
            codes.update(view.notices)
            before = view.phase
            games += before in ("won", "lost")
            check(room)
        return codes

    codes = in_a_room(play, {1: kind, 2: kind, 3: kind})
    assert {"error", "level_complete", "game_lost"} <= codes
    assert "star_used" in codes


def test_partners_wait_for_the_person_and_agree_to_a_star() -> None:
    async def play(room: Room[InProcess]) -> None:
        machine = room.machine
        await asyncio.sleep(30)
        assert machine.view is not None and machine.view.phase == "lobby" and not machine.down
        machine.press(1)
        await until(room, lambda v: v.hands_down == (1, 2, 3))
        await asyncio.sleep(2.1)
        machine.lift(1)
        await until(room, lambda v: v.phase == "focus" and not machine.down)
        await asyncio.sleep(30)
        assert not machine.down
        machine.press(1)
        await until(room, lambda v: v.hands_down == (1, 2, 3))
        machine.lift(1)
        await until(room, lambda v: v.phase == "play")
        room.tap(0)
        await until(room, lambda v: v.phase == "vote" and v.agreed == (2, 3))
        room.tap(1)
        await until(room, lambda v: v.phase == "focus" and v.star_left == 1)
        room.lay(1)
        view = await until(room, lambda v: v.level == 2)
        assert view.stars == 0

    in_a_room(play, {1: PERSON, 2: "steady", 3: "dreamy"})


def test_a_seat_where_nobody_sits_does_not_play() -> None:
    async def play(room: Room[InProcess]) -> None:
        room.players.watch(True)
        view = await until(room, lambda v: v.phase == "focus")
        assert view.seats == (1, 3)

    in_a_room(play, {1: "human", 2: EMPTY, 3: "human"})


async def together(room: Room[InProcess], seconds: float = 2.2) -> None:
    for seat in room.playing:
        room.machine.press(seat)
    await asyncio.sleep(seconds)
    for seat in room.playing:
        room.machine.lift(seat)
    await asyncio.sleep(0.1)


def lowest(room: Room[InProcess]) -> tuple[Card, int]:
    return min((hand[0], seat) for seat, hand in room.tabletop.hands.items() if hand)


def test_what_an_undo_takes_back_goes_back_into_the_hand() -> None:
    async def play(room: Room[InProcess]) -> None:
        await together(room)
        await until(room, lambda v: not room.tabletop.needs_deal(v))
        dealt = {seat: list(hand) for seat, hand in room.tabletop.hands.items()}
        await together(room)
        first, seat = lowest(room)
        room.lay(seat)
        await until(room, lambda v: v.piles == ((first,),))
        assert room.tabletop.hands[seat] == []
        room.lay(3 - seat)
        await until(room, lambda v: v.level == 2 and room.rests)
        room.deal_on()
        await until(room, lambda v: v.level == 2 and not room.tabletop.needs_deal(v))
        assert all(len(hand) == 2 for hand in room.tabletop.hands.values())
        await undo(room)
        view = await until(room, lambda v: v.level == 1)
        assert view.piles == ((first,),) and room.tabletop.hands[3 - seat] == dealt[3 - seat]
        await undo(room)
        await until(room, lambda v: v.piles == ((),))
        assert room.tabletop.hands == dealt
        check(room)

    in_a_room(play, {1: PERSON, 2: PERSON})


async def undo(room: Room[InProcess]) -> None:
    for _ in range(2):
        room.machine.press(0)
        await asyncio.sleep(1.7)
        room.machine.lift(0)
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("game", [{}, {"hands": "known"}, {"blind": "as_played"}], ids=str)
def test_after_a_power_cut_everyone_holds_what_they_held(game: dict[str, Any]) -> None:
    async def play(room: Room[InProcess]) -> None:
        await together(room)
        await until(room, lambda v: v.phase == "focus" and not room.tabletop.needs_deal(v))
        await together(room)
        room.lay(lowest(room)[1])
        await asyncio.sleep(0.5)
        before = {seat: list(hand) for seat, hand in room.tabletop.hands.items()}, list(room.tabletop.face_down)
        room.machine.cut_power()
        await asyncio.sleep(1)
        assert (room.tabletop.hands, room.tabletop.face_down) == before
        room.machine.power_on()
        view = await until(room, lambda v: v.reason == "resume")
        assert (room.tabletop.hands, room.tabletop.face_down) == before
        assert view.remaining == sum(map(len, room.tabletop.hands.values()))
        check(room)

    in_a_room(play, {1: PERSON, 2: PERSON}, **game)


def test_a_card_that_the_box_refuses_stays_in_the_hand() -> None:
    async def play(room: Room[InProcess]) -> None:
        await together(room)
        await until(room, lambda v: v.phase == "focus" and not room.tabletop.needs_deal(v))
        room.lay(1)
        view = await until(room, lambda v: bool(v.notices))
        assert view.notices == ("paused",) and len(room.tabletop.hands[1]) == 1

    in_a_room(play, {1: PERSON, 2: PERSON})


def test_at_the_deal_a_card_taken_back_goes_on_the_deck_and_is_dealt_again() -> None:
    async def play(room: Room[InProcess]) -> None:
        room.deals_itself = False
        await together(room)
        await until(room, lambda v: v.phase == "deal")
        room.deal()
        await until(room, lambda v: v.counts == {1: 1, 2: 0})
        card = room.tabletop.hands[1][0]
        room.tap(0)
        await until(room, lambda v: v.counts == {1: 0, 2: 0})
        assert room.tabletop.hands[1] == [] and room.tabletop.deck[-1] == card
        room.deal()
        await until(room, lambda v: v.counts == {1: 1, 2: 0})
        room.deal()
        await until(room, lambda v: v.phase == "focus")
        check(room)

    in_a_room(play, {1: PERSON, 2: PERSON}, hands="known")


def test_a_deal_that_the_box_stops_watching_is_finished() -> None:
    """The menu's ``count`` in the middle of it."""

    async def play(room: Room[InProcess]) -> None:
        room.deals_itself = False
        await together(room)
        await until(room, lambda v: v.phase == "deal")
        room.deal()
        await until(room, lambda v: v.counts == {1: 1, 2: 0, 3: 0})
        await choose(room, "count")
        room.deals_itself = True
        room.changed()
        await until(room, lambda v: v.phase == "focus" and not room.tabletop.needs_deal(v))
        assert room.tabletop.backs == {1: 1, 2: 1, 3: 1}
        check(room)

    in_a_room(play, {1: PERSON, 2: PERSON, 3: PERSON}, hands="known")


async def choose(room: Room[InProcess], item: str) -> None:
    """Opens the menu, taps on to the item and holds."""
    for seconds in (2.0, *[0.1] * 20):
        if room.machine.view is not None and room.machine.view.menu == item:
            break
        room.machine.press(0)
        await asyncio.sleep(seconds)
        room.machine.lift(0)
        await asyncio.sleep(0.1)
    room.machine.press(0)
    await asyncio.sleep(2.0)
    room.machine.lift(0)
    await asyncio.sleep(0.1)


def test_the_cards_are_kept_where_only_their_owner_reads_them(tmp_path: Path) -> None:
    path = tmp_path / CARDS

    async def play(room: Room[InProcess]) -> dict[int, list[Card]]:
        await together(room)
        await until(room, lambda v: v.phase == "focus" and not room.tabletop.needs_deal(v))
        return room.tabletop.hands

    async def look(room: Room[InProcess]) -> dict[int, list[Card]]:
        return room.tabletop.hands

    hands = in_a_room(play, {1: PERSON, 2: PERSON}, path)
    assert path.stat().st_mode & 0o077 == 0
    assert in_a_room(look, {1: PERSON, 2: PERSON}, path, seed=9) != hands  # a box in its lobby: the cards are gathered


@pytest.mark.parametrize("game", [{"blind": "at_end"}, {"blind": "as_played"}], ids=str)
def test_an_undo_into_a_blind_level_that_was_over_finds_its_pile(tmp_path: Path, game: dict[str, Any]) -> None:
    async def play(room: Room[InProcess]) -> dict[int, list[Card]]:
        await together(room)
        await until(room, lambda v: v.phase == "focus" and not room.tabletop.needs_deal(v))
        dealt = {seat: list(hand) for seat, hand in room.tabletop.hands.items()}
        await together(room)
        first, seat = lowest(room)
        for each in (seat, 3 - seat):
            room.lay(each)
            await asyncio.sleep(0.5)
        for _ in range(2):
            room.check_next()
            await asyncio.sleep(0.5)
        await until(room, lambda v: v.level == 2 and room.rests)
        room.deal_on()
        await until(room, lambda v: v.level == 2 and not room.tabletop.needs_deal(v))
        await undo(room)
        view = await until(room, lambda v: v.level == 1)
        table = room.tabletop
        last = dealt[3 - seat][0]
        if game["blind"] == "as_played":
            assert table.face_down == [first] and table.hands == {seat: [], 3 - seat: [last]}
        else:
            assert view.piles == ((first,),) and table.face_down == [last] and table.hands == {1: [], 2: []}
        check(room)
        return table.hands

    path = tmp_path / CARDS
    hands = in_a_room(play, {1: PERSON, 2: PERSON}, path, **game)
    assert dict(json.loads(path.read_text())["hands"]) == hands and json.loads(path.read_text())["laid"]


def test_the_daemon_leaves_the_cards_of_the_room_alone(tmp_path: Path) -> None:
    """It reads the enrolled tags from the same directory, and sets aside what it does not understand there."""

    async def play(room: Room[InProcess]) -> None:
        await together(room)
        await until(room, lambda v: not room.tabletop.needs_deal(v))

    in_a_room(play, {1: PERSON, 2: PERSON}, tmp_path / CARDS)
    assert CardStore(tmp_path).load() == {}
    assert [path.name for path in tmp_path.iterdir()] == [CARDS]


@pytest.mark.parametrize("spoilt", ["view", "hands", "all", "empty"])
def test_cards_kept_by_another_version_count_as_none_and_that_is_said(
    tmp_path: Path, spoilt: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / CARDS

    async def play(room: Room[InProcess]) -> None:
        await together(room)
        await until(room, lambda v: not room.tabletop.needs_deal(v))
        assert len(room.tabletop.deck) == 98

    in_a_room(play, {1: PERSON, 2: PERSON}, path)
    kept = json.loads(path.read_text())
    if spoilt == "view":
        del kept["view"]["ten"]
    path.write_text(json.dumps([] if spoilt == "all" else kept if spoilt == "view" else {**kept, spoilt: None}))
    if spoilt == "empty":
        path.write_bytes(b"")
    assert caplog.text == ""
    in_a_room(play, {1: PERSON, 2: PERSON}, path)
    assert f"{path} cannot be understood" in caplog.text


def test_blind_at_the_end_the_pile_is_shown_in_the_order_laid() -> None:
    async def play(room: Room[InProcess]) -> None:
        await together(room)
        await until(room, lambda v: v.phase == "focus" and not room.tabletop.needs_deal(v))
        await together(room)
        first, seat = lowest(room)
        scans = len(room.machine.scans)
        room.lay(seat)
        room.lay(3 - seat)
        assert len(room.machine.scans) == scans and len(room.tabletop.face_down) == 2
        room.check_next()
        await until(room, lambda v: v.phase == "reveal" and v.piles == ((first,),))
        assert len(room.tabletop.face_down) == 1
        room.check_next()
        await until(room, lambda v: v.level == 2)

    in_a_room(play, {1: PERSON, 2: PERSON}, blind="at_end")


@pytest.mark.parametrize("hands", ["known", "unknown"])
def test_one_person_plays_with_a_ghost_of_the_box_itself(hands: str) -> None:
    """R38, R39: nobody sits at its seat, its cards are dealt through the box, and it lays them by itself."""

    async def play(room: Room[InProcess]) -> None:
        machine = room.machine
        await until(room, lambda v: v.phase == "lobby" and v.ghosts_to_come == 1)
        assert main_of(room, try_words("en")).act == "start"
        room.lay_hands("me", starting=True)
        await until(room, lambda v: v.phase == "focus" and v.ghosts == (2,) and not (machine.down or room.to_deal))
        machine.press(1)
        await until(room, lambda v: v.hands_down == (1,))
        machine.lift(1)
        await until(room, lambda v: v.phase == "play")
        mine, other = room.tabletop.hands[1][0], room.tabletop.hands[2][0]
        if int(mine) > int(other):
            await until(room, lambda v: v.remaining == 1)
        room.lay(1)
        view = await until(room, lambda v: v.level == 2)
        assert view.ended is not None and view.ended.pile == tuple(sorted((int(mine), int(other))))
        check(room)

    in_a_room(play, {1: PERSON, 2: EMPTY, 3: EMPTY}, hands=hands, ghosts=1)
