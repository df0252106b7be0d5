"""The room around a virtual box: the cards on the table, the people at the seats, and the virtual ones among them."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from mind_box.files import replacing
from mind_box.game.cards import Card
from mind_box.page.happened import Entry, LevelStory, view_of_json
from mind_box.settings.schema import Config
from mind_box.table.inputs import STAR
from mind_box.table.payload import encode
from mind_box.virtual.tryout.machine import ON, Hooks
from mind_box.virtual.tryout.partners import TEMPERS
from mind_box.virtual.tryout.players import Players
from mind_box.virtual.tryout.tabletop import UNDER_WAY, Shown, Tabletop, shown_cards

log = logging.getLogger(__name__)

PERSON, EMPTY = "person", "empty"
KINDS = (PERSON, *TEMPERS, EMPTY)
"""Who may sit at a seat."""
SPEEDS = (0.5, 1, 2, 4, 8)

TAP = 0.12
"""Seconds that a tap is down."""
DEALS = 0.3
"""Seconds a card takes to be dealt."""


class Box(Protocol):
    """What a room wants of the box in it; ``mind_box.virtual.tryout.machine.Machine`` is one."""

    hooks: Hooks
    config: Config
    power: str
    view: dict[str, Any] | None
    down: set[int]

    async def start(self) -> None: ...
    async def close(self) -> None: ...
    def press(self, button: int) -> None: ...
    def lift(self, button: int) -> None: ...
    def scan(self, payload: str) -> None: ...


B = TypeVar("B", bound=Box)


class Room(Generic[B]):
    """One box and everything around it. ``told`` is called after any change that can be seen.

    ``cards`` is a file to keep the cards in while nobody is here; ``seed`` shuffles the same way each time.
    """

    def __init__(
        self,
        machine: B,
        players: dict[int, str],
        told: Callable[[], None],
        cards: Path | None = None,
        seed: int | None = None,
    ) -> None:
        self.machine = machine
        machine.hooks.changed = self._changed
        self.seats = machine.config.box.seats
        # Two sources of chance: what partners do must not change what is dealt next.
        self.tabletop = Tabletop(random.Random(seed), machine.config.game.deck)
        self.story = LevelStory()
        self.players = Players(self, players, random.Random(seed))
        self.deals_itself = True
        """Cards are dealt without anybody asking for it."""
        self.view: Shown | None = None
        """The last View that was seen; kept while the power is off, as people remember it."""
        self.news: list[Entry] = []
        """What the last View told that was new."""
        self._cards = cards
        self._told = told
        self._loop = asyncio.get_running_loop()
        self._dealer: asyncio.TimerHandle | None = None
        self._closed = False
        self._paused = False

    # -- life

    async def start(self) -> None:
        """Takes out the cards as they were put away, and plugs the box in."""
        self._remember()
        await self.machine.start()

    async def close(self) -> None:
        """Ends the daemon; the cards stay where they are."""
        self._closed = True
        self.players.close()
        self._undeal()
        await self.machine.close()

    def pause(self, on: bool) -> None:
        """Nobody does anything while the visitor looks at something else."""
        self._paused = on
        if on:
            self.players.close()
            self._undeal()
        self._changed()

    def later(self, seconds: float, act: Callable[[], None]) -> asyncio.TimerHandle:
        """Calls ``act`` after so many real seconds, unless the room is closed by then."""
        return self._loop.call_later(seconds, lambda: None if self._closed else act())

    @property
    def now(self) -> float:
        """Seconds of the loop's clock."""
        return self._loop.time()

    # -- what happens at the box

    def _changed(self) -> None:
        view = self.machine.view
        if view is not None and view != self.view:
            before, self.view = self.view, view
            for code in view["notices"]:
                if code.startswith("deck_"):
                    self.tabletop.deck_kind = code.removeprefix("deck_")
            self.news = self.story.tell(view_of_json(view))
            self.tabletop.follow(before, view)
            self._put_away()
        if not self._paused:
            self._deal_soon()
            self.players.think()
            self._told()

    @property
    def shown(self) -> Shown | None:
        """What the box shows now; None while it is off."""
        return self.machine.view

    # -- what people do

    def tap(self, button: int) -> None:
        """A short press."""
        self.machine.press(button)
        self.later(TAP, lambda: self.machine.lift(button))

    def lay(self, seat: int, card: Card | None = None) -> None:
        """A card of this seat goes to the reader (blind, checked at the end: onto the pile); None: its lowest."""
        view = self.shown or self.view
        hand = self.tabletop.hands.get(seat, [])
        if view is None or not hand:
            return
        if card is None:
            card = self.tabletop.choices(seat, view)[0]
        if card not in hand:
            return
        if view["check"] == "at_end" and view["phase"] == "play":
            self.tabletop.lay_face_down(seat, card)
            self._put_away()
            self._changed()
            return
        if view["blind"] and view["phase"] == "play":
            self.tabletop.laying.append((seat, card))
            self.later(1.0, lambda: self._not_laid(seat, card))
        self.machine.scan(encode(card))

    def _not_laid(self, seat: int, card: Card) -> None:
        """The box took no notice of a card laid face down: it is still in the hand."""
        if (seat, card) in self.tabletop.laying:
            self.tabletop.laying.remove((seat, card))

    def check_next(self) -> None:
        """Blind: the next card of the pile is shown to the reader, in the order laid."""
        if self.tabletop.face_down:
            self.machine.scan(encode(self.tabletop.face_down[0]))

    def show_again(self, card: Card) -> None:
        """A card that lies face up is shown to the reader once more."""
        if self.view is not None and card in shown_cards(self.view):
            self.machine.scan(encode(card))

    # -- dealing

    def deal(self) -> None:
        """Deals what is due now: all hands where the box only counts, one card where it wants to see each."""
        view = self.shown
        if view is None:
            return
        if self.tabletop.needs_deal(view):
            self.tabletop.deal(view)
            self._put_away()
            self._changed()
        elif view["phase"] == "deal" and self.tabletop.deck and view["menu"] is None:
            self.tabletop.showing = self.tabletop.deck[-1]
            self.machine.scan(encode(self.tabletop.showing))

    def _deal_soon(self) -> None:
        view = self.shown
        by_scan = view is not None and view["phase"] == "deal" and view["menu"] is None
        due = by_scan or self.tabletop.needs_deal(view)
        if not (due and self.deals_itself and self.machine.power == ON):
            self._undeal()
        elif self._dealer is None:
            self._dealer = self.later(max(DEALS / self.players.speed, 0.08), self._deal_now)

    def _deal_now(self) -> None:
        self._dealer = None
        self.deal()
        self._deal_soon()

    def _undeal(self) -> None:
        if self._dealer is not None:
            self._dealer.cancel()
            self._dealer = None

    # -- the cards over night

    def _put_away(self) -> None:
        """Keeps the cards on disk, for the owner's eyes only: as the box keeps its game, so does the table."""
        if self._cards is None:
            return
        table = self.tabletop
        plain = {
            "deck_kind": table.deck_kind, "deck": table.deck, "level": table.level, "face_down": table.face_down,
            "turned": table.turned, "hands": list(table.hands.items()), "view": self.view,
            "laid": list(table.laid.items()),
            "deals": [(level, list(owners.items())) for level, owners in table.deals.items()],
        }  # fmt: skip
        with replacing(self._cards, mode=0o600) as f:
            json.dump(plain, f)

    def _remember(self) -> None:
        if self._cards is None:
            return
        table = Tabletop(self.tabletop.rng)
        try:
            plain: dict[str, Any] = json.loads(self._cards.read_text())
            table.deck_kind, table.deck, table.level = plain["deck_kind"], plain["deck"], plain["level"]
            table.face_down, table.turned = plain["face_down"], plain["turned"]
            table.hands = dict(plain["hands"])
            table.deals = {level: dict(owners) for level, owners in plain["deals"]}
            table.laid = dict(plain["laid"])
            view = plain["view"]
            if view is not None:
                self.story.tell(view_of_json(view))
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:  # half written, or of another version
            log.warning("%s cannot be understood (%s): the cards that lay on the table are none", self._cards, e)
            return
        self.tabletop, self.view = table, view

    # -- who sits where

    @property
    def playing(self) -> list[int]:
        """The seats of the game under way; in the lobby those that somebody sits at."""
        if self.view is not None and self.view["phase"] in UNDER_WAY:
            return list(self.view["seats"])
        return [seat for seat, kind in self.players.kinds.items() if kind != EMPTY]

    def changed(self) -> None:
        """Something beside the box changed."""
        self._changed()


__all__ = ["EMPTY", "KINDS", "PERSON", "SPEEDS", "STAR", "Room"]
