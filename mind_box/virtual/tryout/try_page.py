"""The page of ``mind-box try``: one room, and the browsers that look at it and act in it.

Who holds the token that ``mind-box try`` printed sits at the table; nobody else gets anything. A hand is sent only
to a session that is looking at it, and never that of a virtual player.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from mind_box.journal.opening import journal_path
from mind_box.page.evenings.serving import Box, EveningPages
from mind_box.page.spoken import shown_todo, spoken_news, spoken_state, spoken_todo
from mind_box.page.web import Visitor, Visitors, accept, make_app, serve_files
from mind_box.show.sounds import TUNES
from mind_box.table.inputs import STAR
from mind_box.table.view import View
from mind_box.virtual.tryout.machine import Hooks, Machine
from mind_box.virtual.tryout.main_button import do_main, main_of
from mind_box.virtual.tryout.place import KINDS, PERSON
from mind_box.virtual.tryout.room import Room
from mind_box.virtual.tryout.words import in_words, texts, try_words

TriedRoom = Room[Machine]

log = logging.getLogger(__name__)

Message = dict[str, Any]
SPEEDS = (0.5, 1, 2, 4, 8)
WRONG_TOKEN = 4403
LONGEST = 300_000
"""Bytes of the longest message: a table script."""


class Session(Visitor):
    """One browser tab."""

    def __init__(self, socket: web.WebSocketResponse, page: str = "") -> None:
        super().__init__(socket)
        self.page = page
        """What the tab calls itself; it has one session at a time."""
        self.looking: set[int] = set()
        """Seats whose hands this session has uncovered."""
        self.away = False
        """Nobody is looking at it: the page is hidden."""
        self._sent: dict[str, str] = {}

    def send(self, message: Message) -> None:
        """Sends a message; one of a kind that says the same again is left out."""
        text = json.dumps(message, separators=(",", ":"))
        kind = f"{message['type']} {message.get('seat', '')}"
        if message["type"] in ("words", "room", "hand") and self._sent.get(kind) == text:
            return
        self._sent[kind] = text
        self.put(text)

    def forget(self) -> None:
        """What was sent before does not count any more: another room is shown."""
        self._sent.clear()
        self.looking.clear()


class TryPage:
    """The server. ``room`` is what is shown; another one can be put in its place."""

    def __init__(self, token: str, bound: str) -> None:
        self.room: TriedRoom | None = None
        self.on_save: Callable[[Session], None] | None = None
        """A session wants the game as a table script."""
        self.on_replay: Callable[[Session, str | None], None] | None = None
        """A session wants to see a script replayed; None: no longer."""
        self.on_presence: Callable[[bool], None] = lambda _: None
        """Somebody is looking now, or nobody any more."""
        self.replay: Message | None = None
        """How far a replay is, while there is one."""
        self._token = token
        self._sessions: Visitors[Session] = Visitors()
        self._present = False
        self._telling = False
        self.app = make_app(bound)
        self._html = files("mind_box.virtual.tryout").joinpath("page", "index.html").read_text("utf-8")
        for place in ("/", "/index.html"):
            self.app.router.add_get(place, self._index)  # before the files: the first one that fits answers
        serve_files(self.app, "mind_box.virtual.tryout", "page")
        self.app.router.add_get("/ws", self._serve)
        box = Box(self._journal, self._language, self._plays, f"/look/{token}")
        self._evenings = EveningPages(self.app, box)

    def close(self) -> None:
        """No more pages are made."""
        self._evenings.close()

    async def _index(self, _: web.Request) -> web.Response:
        return web.Response(text=in_words(self._html, self._language()), content_type="text/html")

    def _journal(self) -> Path | None:
        return None if self.room is None else journal_path(self.room.machine.directory)

    def _language(self) -> str:
        return "en" if self.room is None else self.room.machine.language

    def _plays(self) -> bool:
        view = None if self.room is None else self.room.machine.view
        return view is not None and view.phase in ("play", "vote")

    # -- telling

    def show(self, room: TriedRoom) -> None:
        """From now on this room is shown."""
        if self.room is not None:
            self.room.machine.hooks.frame = Hooks().frame
            self.room.machine.hooks.tune = Hooks().tune
            for session in self._sessions:
                self.room.fingers.rest(session)
                self.room.fingers.bequeath(session)
        self.room = room
        room.machine.hooks.frame = self._frame
        room.machine.hooks.tune = self._tune
        for session in self._sessions:
            session.forget()
            self._introduce(session)
        self.changed()

    def changed(self) -> None:
        """Something that can be seen changed; sessions are told in the loop's next turn, once for all changes."""
        if not self._telling:
            self._telling = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        self._telling = False
        room = self.room
        if room is None:
            return
        language = room.machine.language
        state = room_state(room)
        state["replay"] = self.replay
        news, room.news = room.news, []
        for session in self._sessions:
            session.send({"type": "words", "language": language, "texts": texts(language)})
            if news:
                session.send({"type": "news", "lines": spoken_news(news, language)})
            session.send(state)
            self._send_hands(session)

    def _send_hands(self, session: Session) -> None:
        assert self.room is not None
        session.looking = {seat for seat in session.looking if may_look(self.room, seat)}
        for seat in session.looking:
            session.send(hand_of(self.room, seat))

    def _frame(self, name: str, frame: bytes) -> None:
        assert self.room is not None
        index = list(self.room.machine.screens).index(name)
        for session in self._sessions:
            session.put(bytes([index]) + frame)

    def _tune(self, name: str) -> None:
        notes = TUNES.get(name)
        if notes is not None:
            for session in self._sessions:
                session.send({"type": "tune", "notes": notes})

    def _introduce(self, session: Session) -> None:
        assert self.room is not None
        machine = self.room.machine
        screens = [{"name": name, "height": glass.chip.height} for name, glass in machine.screens.items()]
        session.send(
            {
                "type": "box", "seats": self.room.seats, "screens": screens, "kinds": KINDS, "speeds": SPEEDS,
                "gather": machine.config.table.gather,
            }
        )  # fmt: skip
        for index, glass in enumerate(machine.screens.values()):
            if glass.frame:
                session.put(bytes([index]) + glass.frame)

    # -- listening

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        socket = await accept(request, 20, LONGEST)
        page = await self._has_token(socket)
        if page is None:
            await socket.close(code=WRONG_TOKEN, message=b"token")
            return socket
        session = Session(socket, page)
        with self._sessions.with_one_more(session):
            for old in [s for s in self._sessions if page and s.page == page and s is not session]:
                self._leave(old, comes_back=True)  # its link died without a word
            try:
                self._look_who_is_here()
                self._introduce(session)
                self.changed()
                async for message in socket:
                    if session not in self._sessions:
                        break
                    if message.type is WSMsgType.TEXT:
                        self._take(session, message.data)
                        session.alive()  # an answer, whatever came of it
            finally:
                self._leave(session)
        return socket

    def _leave(self, session: Session, comes_back: bool = False) -> None:
        """Nothing more is told to it or taken from it, and its fingers are off the buttons; those of the last who
        goes, or of one who comes back, stay there as hands, so that no level begins by it."""
        self._sessions.discard(session)
        if self.room is not None:
            self.room.fingers.rest(session)
            stay = comes_back or not self._sessions
            (self.room.fingers.bequeath if stay else self.room.fingers.leave)(session)
        self._look_who_is_here()

    def _look_who_is_here(self) -> None:
        present = any(not session.away for session in self._sessions)
        if present != self._present:
            self._present = present
            self.on_presence(present)

    async def _has_token(self, socket: web.WebSocketResponse) -> str | None:
        """What the page calls itself, maybe nothing; None: it has not the token."""
        try:
            message = json.loads(await socket.receive_str(timeout=10))
            right = hmac.compare_digest(str(message["token"]).encode(), self._token.encode())
            return str(message.get("page", "")) if right else None
        except (TypeError, ValueError, KeyError, TimeoutError, RecursionError, AttributeError):
            return None

    def _take(self, session: Session, text: str) -> None:
        """One message of a page. One that makes no sense is left alone: the page is ours, so it is a fault of ours."""
        assert self.room is not None
        try:
            message = json.loads(text)
            self._do(session, self.room, message)
        except (ValueError, KeyError, TypeError, RecursionError) as e:
            log.warning("the page sent something without sense (%r): %.200s", e, text)
        self.changed()

    def _do(self, session: Session, room: TriedRoom, m: Message) -> None:
        machine = room.machine
        match m["do"]:
            case "press":
                room.fingers.press(_button(room, m["button"]), session)
            case "lift":
                room.fingers.lift(_button(room, m["button"]), session)
            case "main":
                do_main(room, str(m["act"]), try_words(machine.language), session)
            case "choose" if m["item"] in ("undo", "end-game"):
                room.choose(m["item"])
            case "away":
                session.away = bool(m["on"])
                if session.away:
                    room.fingers.rest(session)
                self._look_who_is_here()
            case "rest":
                room.fingers.rest(session)
            case "lay":
                seat = _seat(room, m["seat"])
                if may_look(room, seat):
                    room.lay(seat, _card(m["card"]))
            case "look":
                seat = _seat(room, m["seat"])
                (session.looking.add if m["on"] else session.looking.discard)(seat)
                session.send({"type": "hand", "seat": seat, "cards": None})
            case "again":
                room.show_again(_card(m["card"]) or 0)
            case "deal":
                room.deal()
            case "check":
                room.check_next()
            case "plug":
                machine.plug(str(m["device"]), bool(m["on"]))
            case "power":
                (machine.power_on if m["on"] else machine.cut_power)()
            case "worn":
                machine.worn = bool(m["on"])
            case "repeats":
                machine.repeats = bool(m["on"])
            case "dealer":
                room.deals_itself = bool(m["on"])
            case "sit":
                if m["kind"] not in KINDS:
                    raise ValueError(m["kind"])
                room.sit(_seat(room, m["seat"]), m["kind"])
            case "watch":
                room.watch(bool(m["on"]))
            case "lesson":
                room.lesson(str(m["act"]))
            case "speed":
                if m["speed"] not in SPEEDS:
                    raise ValueError(m["speed"])
                room.players.set_speed(float(m["speed"]))
            case "save" if self.on_save is not None:
                self.on_save(session)
            case "replay" if self.on_replay is not None:
                self.on_replay(session, m["text"] if m["text"] is None else str(m["text"]))
        room.changed()


def _button(room: TriedRoom, value: Any) -> int:
    return STAR if value == STAR else _seat(room, value)


def _seat(room: TriedRoom, value: Any) -> int:
    if type(value) is not int or not 1 <= value <= room.seats:
        raise ValueError(f"no seat {value!r}")
    return value


def _card(value: Any) -> int | str | None:
    if value is not None and type(value) not in (int, str):
        raise ValueError(f"no card {value!r}")
    return value  # type: ignore[no-any-return]


def may_look(room: TriedRoom, seat: int) -> bool:
    """Whether a hand may be looked at: a person's own."""
    return room.kinds.get(seat) == PERSON and not room.players.watching


def hand_of(room: TriedRoom, seat: int) -> Message:
    """A hand, for somebody who may look at it; ``due`` are the cards of it that come first."""
    view = room.shown
    due = [] if view is None else room.tabletop.choices(seat, view)
    return {"type": "hand", "seat": seat, "cards": room.tabletop.hands.get(seat, []), "due": due}


def _dealt(view: View) -> View:
    """What the box would show if it had seen the deal: nobody is to deal what is dealt by itself."""
    if view.phase != "focus" or view.reason != "level" or view.hands == "known":
        return view
    notices = tuple(code for code in view.notices if code not in ("level_complete", "error", "star_used"))
    return replace(view, hands="known", notices=notices)


def room_state(room: TriedRoom) -> Message:
    """Everything about the room that anyone around the table sees."""
    machine, table, players = room.machine, room.tabletop, room.players
    backs = table.backs
    view = room.shown
    told = None if view is None or room.rests else _dealt(view) if room.deals_itself else view
    main = main_of(room, try_words(machine.language))
    language = machine.language
    return {
        "type": "room",
        "power": machine.power,
        "broken": machine.broken,
        "view": None if view is None else view.to_json(),
        "main": main.to_json(),
        "says": "" if view is None else spoken_state(view, language),
        "todo": "" if told is None else shown_todo(told, language),
        "spoken": main.text if told is None else spoken_todo(told, language),
        "story": spoken_news(room.story.entries, language),
        "lamps": machine.lamps,
        "down": sorted(machine.down),
        "seats": [
            {"seat": seat, "kind": kind, "backs": backs.get(seat, 0)} for seat, kind in sorted(room.kinds.items())
        ],
        "persons": room.persons,
        "owners": {str(card): seat for card, seat in room.owners.items()},
        "putting_aside": [seat for seat in room.persons if room.must_show(seat)],
        "reaching": room.reaching,
        "playing": room.taken if view is None else room.playing,
        "deck": table.left(room.view),
        "face_down": len(table.face_down),
        "unplugged": machine.unplugged,
        "tray": machine.config.reader[0].place == "tray",
        "worn": machine.worn,
        "repeats": machine.repeats,
        "dealer": room.deals_itself,
        "watching": players.watching,
        "lesson": room.lesson_now(try_words(language)),
        "speed": players.speed,
        "to_deal": room.to_deal and not room.rests,
    }
