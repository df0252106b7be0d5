"""What a session of the virtual box's page may see and do at the table, in a real room in virtual time."""

from __future__ import annotations

import json
from typing import cast

import pytest
from aiohttp import web

from mind_box.table.inputs import STAR
from mind_box.table.payload import encode
from mind_box.virtual.tryout.place import PERSON
from mind_box.virtual.tryout.room import Room
from mind_box.virtual.tryout.try_page import Session, TriedRoom, TryPage
from tests.page.in_process import InProcess
from tests.page.test_room import in_a_room, until


@pytest.mark.parametrize(
    ("kinds", "watching", "may"),
    [
        ({1: "person", 2: "steady", 3: "human"}, False, {1}),
        ({1: "person", 2: "person", 3: "dreamy"}, False, {1, 2}),
        ({1: "empty", 2: "person", 3: "person"}, False, {2, 3}),
        ({1: "person", 2: "person", 3: "person"}, True, set()),
    ],
    ids=str,
)
def test_only_a_persons_hand_is_looked_at_or_played(kinds: dict[int, str], watching: bool, may: set[int]) -> None:
    async def play(room: Room[InProcess]) -> None:
        if watching:
            room.players.watch(True)
        else:
            room.lay_hands("somebody", starting=True)
        await until(room, lambda v: v.phase == "focus" and not room.tabletop.needs_deal(v))
        hands = {seat: list(hand) for seat, hand in room.tabletop.hands.items()}
        tried = cast(TriedRoom, room)
        page = TryPage("token", "127.0.0.1")
        page.room = tried
        session = Session(web.WebSocketResponse())
        assert room.machine.scans == []
        for seat in kinds:
            card = hands[seat][0] if seat in hands else None
            page._do(session, tried, {"do": "look", "seat": seat, "on": True})
            page._do(session, tried, {"do": "lay", "seat": seat, "card": card})
        page._send_hands(session)
        page.close()
        assert room.machine.scans == [encode(hands[seat][0]) for seat in may]
        sent = [json.loads(text) for text in session._waiting]
        assert {m["seat"]: m["cards"] for m in sent if m["cards"] is not None} == {seat: hands[seat] for seat in may}
        assert session.looking == may

    in_a_room(play, kinds)


@pytest.mark.parametrize(
    ("goes", "others", "down"),
    [
        ("comes back", 0, {1, 2}),
        ("comes back", 1, {1, 2}),  # no level begins because a link died, whoever else is looking
        ("for good", 0, {1, 2}),
        ("for good", 1, set()),
    ],
)
def test_hands_of_a_page_that_goes(goes: str, others: int, down: set[int]) -> None:
    """A finger of it on seat 1, a hand that it laid on seat 2, and its finger on the star, which never stays."""

    async def play(room: Room[InProcess]) -> None:
        page = TryPage("token", "127.0.0.1")
        page.room = cast(TriedRoom, room)
        gone, back, other = (Session(web.WebSocketResponse()) for _ in range(3))
        page._sessions.update([gone, *[back] * (goes == "comes back"), *[other] * others])
        room.fingers.press(1, gone)
        room.fingers.lay(2, gone)
        room.fingers.press(STAR, gone)
        page._leave(gone, comes_back=goes == "comes back")
        page.close()
        assert room.machine.down == down

    in_a_room(play, {1: PERSON, 2: PERSON})
