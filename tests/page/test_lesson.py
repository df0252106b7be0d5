"""The first lesson: what it says follows what was done, in a room in virtual time."""

from __future__ import annotations

import pytest

from mind_box.show.words import LANGUAGES
from mind_box.virtual.tryout.lesson import STEPS, seats_for
from mind_box.virtual.tryout.place import EMPTY, PERSON
from mind_box.virtual.tryout.room import Room
from mind_box.virtual.tryout.words import try_words
from tests.page.in_process import InProcess
from tests.page.test_room import in_a_room, until

NAMES = [step.name for step in STEPS]


def step_of(room: Room[InProcess]) -> str | None:
    now = room.lesson_now(try_words("en"))
    return None if now is None else str(now["name"])


async def concentrate(room: Room[InProcess]) -> None:
    machine = room.machine
    machine.press(1)
    await until(room, lambda v: v.hands_down == (1, 2))
    machine.lift(1)
    await until(room, lambda v: v.phase == "play")


async def start(room: Room[InProcess]) -> None:
    await until(room, lambda v: v.phase == "lobby")
    room.lesson("begin")
    assert step_of(room) == "start"
    room.lay_hands("me", starting=True)
    await until(room, lambda v: v.phase == "focus" and not room.machine.down)


def test_its_steps_follow_what_is_done_at_the_box() -> None:
    async def play(room: Room[InProcess]) -> None:
        await start(room)
        assert step_of(room) == "hands"
        await concentrate(room)
        assert step_of(room) == "card"
        room.lay(1)
        await until(room, lambda v: v.level == 2)
        assert step_of(room) == "stop"
        room.deal_on()
        await until(room, lambda v: v.phase == "focus")
        await concentrate(room)
        room.tap(1)
        await until(room, lambda v: v.reason == "stop")
        assert step_of(room) == "star"
        room.tap(0)
        await until(room, lambda v: v.phase == "vote" and v.agreed == (2,))
        assert step_of(room) == "star"
        room.tap(1)
        await until(room, lambda v: "star_used" in v.notices)
        assert step_of(room) == "error"
        room.lesson("skip")
        assert step_of(room) == "end"
        room.lesson("end")
        assert step_of(room) is None

    in_a_room(play, {1: PERSON, 2: EMPTY, 3: "dreamy"}, hands="known")


def test_an_early_card_is_the_last_step_but_one() -> None:
    async def play(room: Room[InProcess]) -> None:
        await start(room)
        while step_of(room) != "error":
            room.lesson("skip")
        for _ in range(30):
            view = room.machine.view
            assert view is not None
            if step_of(room) == "end" or view.phase == "lost":
                break
            if view.phase == "deal" or room.to_deal:
                room.deal_on()
                await until(room, lambda v: v.phase == "focus")
            await concentrate(room)
            room.lay(1)
            await until(room, lambda v: v.phase != "play")
        assert step_of(room) == "end"

    in_a_room(play, {1: PERSON, 2: "human"}, hands="known")


def test_it_begins_in_the_lobby_with_one_person_and_one_steady_ghost() -> None:
    async def play(room: Room[InProcess]) -> None:
        await until(room, lambda v: v.phase == "lobby")
        room.lesson("skip")
        assert step_of(room) is None
        room.lesson("begin")
        assert room.kinds == {1: PERSON, 2: "steady", 3: EMPTY, 4: EMPTY} == seats_for(4)
        room.lesson("end")
        room.lay_hands("me", starting=True)
        await until(room, lambda v: v.phase != "lobby")
        room.lesson("begin")
        assert step_of(room) is None
        with pytest.raises(ValueError, match="nonsense"):
            room.lesson("nonsense")

    in_a_room(play, {1: PERSON, 2: "human", 3: "dreamy", 4: EMPTY}, hands="known")


def test_every_step_can_be_skipped_and_then_it_is_over() -> None:
    async def play(room: Room[InProcess]) -> list[str | None]:
        await until(room, lambda v: v.phase == "lobby")
        room.lesson("begin")
        seen = [step_of(room)]
        for _ in STEPS:
            room.lesson("skip")
            seen.append(step_of(room))
        return seen

    assert in_a_room(play, {1: PERSON, 2: "human"}) == [*NAMES, None]


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_it_speaks_the_language_of_the_box(language: str) -> None:
    words = try_words(language)
    assert all(words.say(step.text) != step.text for step in STEPS)
