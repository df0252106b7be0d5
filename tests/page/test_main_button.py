"""The page's main button says what it does in every phase, and does what it says; whoever leaves ends nothing."""

from __future__ import annotations

import asyncio
import re
from importlib import resources
from typing import Any

import pytest

from mind_box.show.words import LANGUAGES
from mind_box.virtual.tryout.main_button import do_main, main_of
from mind_box.virtual.tryout.place import PERSON
from mind_box.virtual.tryout.room import Room
from mind_box.virtual.tryout.words import TEXTS, texts, try_words
from tests.page.in_process import InProcess
from tests.page.test_room import in_a_room, until

ENGLISH = try_words("en")
TWO = {1: PERSON, 2: PERSON}
WITH_PARTNER = {1: PERSON, 2: "steady"}
Box = Room[InProcess]


def says(room: Box) -> str:
    return main_of(room, ENGLISH).text


async def press(room: Box, text: str, seconds: float = 0.5) -> None:
    """Presses the main button, which has to say this, and waits a moment."""
    for _ in range(400):
        if says(room) == text:
            break
        await asyncio.sleep(0.05)
    assert says(room) == text
    assert do_main(room, main_of(room, ENGLISH).act, ENGLISH, "me")
    await asyncio.sleep(seconds)


async def begin(room: Box) -> None:
    """From the lobby into play."""
    await press(room, "Start a game", 4)
    await press(room, "Hands on the table")
    await press(room, "Lift together")
    await until(room, lambda view: view.phase == "play")


def cards(room: Box) -> list[tuple[Any, int]]:
    return sorted((card, seat) for seat, hand in room.tabletop.hands.items() for card in hand)


@pytest.mark.parametrize("by", ["a refused card", "the menu that it closed"])
def test_hands_that_are_down_and_do_not_count_are_laid_anew(by: str) -> None:
    async def play(room: Box) -> None:
        await begin(room)
        await press(room, "Stop")
        if by == "a refused card":
            await press(room, "Hands on the table")
            room.lay(1)
            await until(room, lambda view: view.notices == ("paused",))
        else:
            room.machine.press(0)
            await until(room, lambda view: view.menu is not None)
            room.machine.lift(0)
            room.fingers.press(1, "me")
            await until(room, lambda view: view.menu is None)
        assert room.view is not None and room.view.hands_down == () and room.machine.down
        for _ in range(2):  # a double click
            assert do_main(room, "hands", ENGLISH, "me")
        room.fingers.lift(1, "me")  # the finger on it takes nothing with it
        await until(room, lambda view: view.hands_down == (1, 2))
        assert room.view.phase == "focus"
        await press(room, "Lift together")
        assert room.view.phase == "play" and not room.machine.down

    in_a_room(play, TWO)


@pytest.mark.parametrize("hands", ["known", "unknown"])
def test_a_game_by_the_main_button_and_cards(hands: str) -> None:
    async def play(room: Box) -> None:
        await begin(room)
        await press(room, "Stop")
        assert room.view is not None and room.view.reason == "stop" and not room.machine.down
        await press(room, "Hands on the table")
        await press(room, "Lift together")
        for card, seat in cards(room):
            room.lay(seat, card)
            await asyncio.sleep(0.5)
        await asyncio.sleep(60)
        assert room.view.ended is not None and room.view.ended.level == 1, "the end stays until somebody goes on"
        assert room.tabletop.hands == {1: [], 2: []}
        await press(room, "Deal level 2", 5)
        assert [len(hand) for hand in room.tabletop.hands.values()] == [2, 2]

        # A star: tapped, never latched, and play can stand still only because somebody wants it to.
        await press(room, "Hands on the table")
        await press(room, "Lift together")
        room.tap(0)
        await press(room, "Agree to the star (0 of 2)")
        assert not room.machine.down
        await press(room, "Agree to the star (1 of 2)")
        assert not room.machine.down
        view = await until(room, lambda view: view.reason == "star")
        if hands == "unknown":
            assert view.star_left == 2
            await press(room, "Lay your lowest aside")
            await press(room, "Lay your lowest aside")
        await press(room, "Hands on the table")
        await press(room, "Lift together")
        assert room.view.phase == "play" and len(room.view.aside) == 2
        for life in (1, 0):  # the higher card first
            card, seat = cards(room)[-1]
            room.lay(seat, card)
            await asyncio.sleep(1)
            for card, seat in cards(room) if hands == "unknown" else []:
                room.lay(seat, card)
                await asyncio.sleep(1)
            assert room.view.lives == life
            if life:
                await press(room, "Deal level 3", 8)
                await press(room, "Hands on the table")
                await press(room, "Lift together")
        assert room.view.phase == "lost" and room.view.ended is not None
        await press(room, "New game", 5)
        assert room.view.phase != "lobby" and room.view.level == 1

    in_a_room(play, TWO, hands=hands)


def test_a_press_that_is_out_of_date_does_nothing() -> None:
    async def play(room: Box) -> None:
        await begin(room)
        assert not do_main(room, "hands", ENGLISH, "me")
        assert not do_main(room, "none", ENGLISH, "me")
        assert not room.machine.down

    in_a_room(play, TWO)


def test_the_menu_its_questions_and_undo_without_seeing_it() -> None:
    async def play(room: Box) -> None:
        await begin(room)
        card, seat = cards(room)[0]
        room.lay(seat, card)
        await asyncio.sleep(0.5)
        room.choose("undo")
        await asyncio.sleep(8)
        assert room.view is not None and "undone" in room.view.notices and room.reaching is None
        assert card in room.tabletop.hands[seat]
        room.machine.press(0)
        await asyncio.sleep(2)
        room.machine.lift(0)
        await press(room, "Close the menu")
        assert room.view.menu is None
        room.choose("end-game")
        await asyncio.sleep(20)
        assert room.view.phase == "lobby"
        assert says(room) == "Start a game"

    in_a_room(play, TWO)


@pytest.mark.parametrize("kinds", [TWO, WITH_PARTNER], ids=["persons", "partner"])
def test_who_leaves_with_hands_down_finds_them_down(kinds: dict[int, str]) -> None:
    async def play(room: Box) -> None:
        await press(room, "Start a game", 4)
        await press(room, "Hands on the table", 3)
        assert room.view is not None and room.view.hands_down == (1, 2)
        room.leave_alone(True)
        await asyncio.sleep(600)
        assert room.view.phase == "focus" and room.view.hands_down == (1, 2)
        room.leave_alone(False)
        await press(room, "Lift together", 3)
        assert room.view.phase == "play"

    in_a_room(play, kinds, hands="known")


@pytest.mark.parametrize("kinds", [TWO, WITH_PARTNER], ids=["persons", "partner"])
def test_leaving_in_play_is_one_stop_and_partners_wait(kinds: dict[int, str]) -> None:
    async def play(room: Box) -> None:
        await begin(room)
        assert room.view is not None
        stops = 0
        before = room.view
        told = room.machine.hooks.changed

        def changed() -> None:
            nonlocal stops, before
            told()
            assert room.view is not None
            stops += room.view.reason == "stop" and before.phase == "play"
            before = room.view

        room.machine.hooks.changed = changed
        room.leave_alone(True)
        await asyncio.sleep(600)
        assert (stops, room.view.reason, room.view.pile) == (1, "stop", ())
        assert not room.machine.down
        room.leave_alone(False)
        await press(room, "Hands on the table")

    in_a_room(play, kinds)


@pytest.mark.parametrize(("hands", "phase"), [("unknown", "play"), ("known", "focus")])
def test_a_ten_is_not_moved_by_leaving(hands: str, phase: str) -> None:
    async def play(room: Box) -> None:
        await begin(room)
        assert room.view is not None
        ten, pile = room.view.ten, room.view.pile
        room.leave_alone(True)
        await asyncio.sleep(600)
        assert (room.view.phase, room.view.ten, room.view.pile) == (phase, ten, pile)
        room.leave_alone(False)
        if phase == "play":
            await asyncio.sleep(120)
            partner = cards(room)
            assert len(partner) < 2 or partner[0][1] == 1, "the partner goes on"

    in_a_room(play, WITH_PARTNER, variant="tens", hands=hands)


def test_who_watches_rests_at_the_end_of_a_level_and_can_take_a_seat() -> None:
    async def play(room: Box) -> None:
        room.players.set_speed(8)
        room.watch(True)
        await until(room, lambda view: view.ended is not None)
        ended = room.now
        assert says(room) == "Take a seat"
        await until(room, lambda view: view.ended is None)
        assert room.now - ended >= 1.999
        await press(room, "Take a seat")
        assert room.persons == [1] and not room.players.watching

    in_a_room(play, {1: PERSON, 2: "steady", 3: "steady"}, hands="known")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there_in_every_language_with_the_same_places(language: str) -> None:
    def places(text: Any) -> set[str]:
        both = text if isinstance(text, (list, tuple)) else [text]
        return {part.partition("}")[0] for one in both for part in one.split("{")[1:]}

    said = texts(language)
    for key, text in TEXTS.items():
        assert said[key] and places(said[key]) == places(text), key
        if language != "en" and isinstance(text, str) and len(text) > 12 and "{" not in text:
            assert said[key] != text, f"{key} is not translated"


def test_the_page_names_every_text_and_no_other() -> None:
    folder = resources.files("mind_box.virtual.tryout").joinpath("page")
    sources = {file.name: file.read_text("utf-8") for file in folder.iterdir()}
    html = sources["index.html"]
    named = set(re.findall(r'data-(?:say|name|hint)="(\w+)"', html))
    code = "\n".join(text for name, text in sources.items() if name.endswith(".js"))
    quoted = set(re.findall(r'["`](\w+)["`]', code)) | {f"{kind}_lit" for kind in ("lives", "stars")}
    quoted |= {f"first_{card}{what}" for card in ("game", "hands", "star") for what in ("", "_text")}
    assert named <= set(TEXTS)
    assert set(TEXTS) <= named | quoted, "a text that nobody reads"
    assert set(re.findall(r'\bt\("(\w+)"', code)) <= set(TEXTS)
