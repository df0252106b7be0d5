"""The place of a virtual box: the cards on its table, who sits where, and what hands do with the box and the cards."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from mind_box.game.cards import Card
from mind_box.ghost import Kind
from mind_box.settings.schema import Config
from mind_box.table.payload import encode
from mind_box.table.view import View
from mind_box.virtual.tryout.machine import Hooks
from mind_box.virtual.tryout.tabletop import UNDER_WAY, Tabletop, shown_cards

PERSON, EMPTY = "person", "empty"
KINDS = (PERSON, *Kind, EMPTY)
"""Who may sit at a seat."""

TAP = 0.12
"""Seconds that a tap is down."""


class Box(Protocol):
    """What a place wants of the box in it; ``mind_box.virtual.tryout.machine.Machine`` is one."""

    hooks: Hooks
    config: Config
    power: str
    view: View | None
    down: set[int]
    language: str

    async def start(self) -> None: ...
    async def close(self) -> None: ...
    def press(self, button: int) -> None: ...
    def lift(self, button: int) -> None: ...
    def scan(self, payload: str) -> None: ...


B = TypeVar("B", bound=Box)


class Place(Generic[B]):
    """One box and its table. ``kinds``: who sits at which seat, one of ``KINDS``; ``rng`` shuffles the cards."""

    def __init__(self, machine: B, kinds: dict[int, str], rng: random.Random) -> None:
        self.machine = machine
        self.seats = machine.config.box.seats
        self.kinds = dict(kinds)
        self.tabletop = Tabletop(rng, machine.config.game.deck)
        self.view: View | None = None
        """The last View that was seen; kept while the power is off, as people remember it."""
        self._loop = asyncio.get_running_loop()
        self._closed = False

    def later(self, seconds: float, act: Callable[[], None]) -> asyncio.TimerHandle:
        """Calls ``act`` after so many real seconds, unless the place is closed by then."""
        return self._loop.call_later(seconds, lambda: None if self._closed else act())

    @property
    def now(self) -> float:
        """Seconds of the loop's clock."""
        return self._loop.time()

    @property
    def shown(self) -> View | None:
        """What the box shows now; None while it is off."""
        return self.machine.view

    @property
    def taken(self) -> list[int]:
        """The seats that somebody sits at."""
        return [seat for seat, kind in self.kinds.items() if kind != EMPTY]

    @property
    def playing(self) -> list[int]:
        """The seats of the game under way; in the lobby those that somebody sits at."""
        under_way = self.view is not None and self.view.phase in UNDER_WAY
        return list(self.view.seats) if self.view is not None and under_way else self.taken

    @property
    def least(self) -> int:
        """How many have to sit here for a game: one is enough where the box itself has ghosts (R38)."""
        return 1 if self.shown is not None and self.shown.ghosts_to_come else 2

    @property
    def owners(self) -> dict[Card, int]:
        """Whose the cards were that lie face up now; everyone saw who laid them."""
        view = self.shown
        if view is None:
            return {}
        shown = set(shown_cards(view))
        return {card: seat for card, seat in self.tabletop.deals.get(view.level, {}).items() if card in shown}

    def moved(self) -> None:
        """Cards were moved of which the box knows nothing."""
        raise NotImplementedError

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
        if view.check == "at_end" and view.phase == "play":
            self.tabletop.lay_face_down(seat, card)
            self.moved()
            return
        if view.blind and view.phase == "play":
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

    @property
    def to_deal(self) -> bool:
        """Whether a card is to be dealt now."""
        view = self.shown
        return view is not None and (view.phase == "deal" or self.tabletop.needs_deal(view))

    def deal(self) -> None:
        """Deals what is due now: all hands where the box only counts, one card where it wants to see each."""
        view = self.shown
        if view is None:
            return
        if self.tabletop.needs_deal(view):
            self.tabletop.deal(view)
            self.moved()
        elif view.phase == "deal" and self.tabletop.deck and view.menu is None:
            self.tabletop.showing = self.tabletop.deck[-1]
            self.machine.scan(encode(self.tabletop.showing))
