"""A whole game at a virtual box, played by hands that know their cards: for tests of what is shown meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mind_box.devices.ports import Draw
from mind_box.game.cards import Card, order_of
from mind_box.journal.journal import Journal
from mind_box.referee import Referee
from mind_box.settings.schema import Config
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import STAR, Input, Post
from mind_box.table.view import View
from mind_box.virtual.scripts.box import VirtualBox, VirtualLamps, VirtualScreen
from mind_box.virtual.scripts.clock import run_virtual

Shown = tuple[float, str, Any]
"""When, on what (lamps, a screen's name, page), and what: a pattern, a function that draws, a View."""


class WatchedLamps(VirtualLamps):
    def __init__(self, note: Callable[[str, Any], None]) -> None:
        super().__init__()
        self._note = note

    def show(self, pattern: LampPattern) -> None:
        self._note("lamps", pattern)


class WatchedScreen(VirtualScreen):
    def __init__(self, name: str, note: Callable[[str, Any], None]) -> None:
        super().__init__(name)
        self._note = note

    def show(self, draw: Draw) -> None:
        self._note(self.name, draw)


class WatchedBox(VirtualBox):
    """Writes down every input, and every call that shows something, with its time."""

    def __init__(self, seats: int, clock: Callable[[], float]) -> None:
        super().__init__(seats, clock)
        self.shown: list[Shown] = []
        self.inputs: list[float] = []
        self.lamps = WatchedLamps(self.note)
        self.screens = {name: WatchedScreen(name, self.note) for name in self.screens}

    def open(self, post: Post) -> Any:
        def watched(event: Input) -> None:
            self.inputs.append(event.at)
            post(event)

        return super().open(watched)

    def note(self, what: str, shown: Any) -> None:
        self.shown.append((self._clock(), what, shown))


class Evening:
    """One game with ``seats`` players; ``rng`` decides the cards and what the players do."""

    def __init__(self, rng: random.Random, seats: int = 3, **game: Any) -> None:
        config = Config()
        self.rng = rng
        self.loop = asyncio.get_running_loop()
        self.box = WatchedBox(seats, self.loop.time)
        self.config = replace(
            config, game=replace(config.game, **game), box=replace(config.box, seats=seats, sound=False)
        )
        self.order = order_of(self.config.game.variant, self.config.game.deck)
        self.hands: dict[int, list[Card]] = {}
        self.face_down: list[Card] = []
        self.views: list[View] = []
        self._level = 0
        self.referee = Referee(self.config, Journal.in_memory())
        self.referee.listeners.append(self._page)

    def _page(self, view: View) -> None:
        self.views.append(view)
        self.box.shown.append((self.loop.time(), "page", view))

    @property
    def view(self) -> View:
        self.referee.turn()
        return self.referee.view

    @property
    def held(self) -> set[Card]:
        """Cards that nobody but their holder may know: in hands, or face down."""
        return {card for hand in self.hands.values() for card in hand} | set(self.face_down)

    async def pause(self, seconds: float) -> None:
        self.referee.turn()
        await asyncio.sleep(seconds)
        self.referee.turn()

    async def press(self, *buttons: int, seconds: float = 0.1) -> None:
        for button in buttons:
            self.box.press(button)
        await self.pause(seconds)
        for button in buttons:
            self.box.lift(button)
        await self.pause(0.1)

    async def scan(self, card: Card) -> None:
        self.box.scan(str(card))
        await self.pause(0.1)

    async def play(self, steps: int = 10_000) -> None:
        """From the lobby to the end of the game."""
        self.referee.start(self.box.open)
        seats = tuple(range(1, self.box.seats + 1))
        await self.press(*seats, seconds=2.5)
        for _ in range(steps):
            if self.view.phase in ("won", "lost"):
                break
            await self.step()
        self.referee.close()

    async def step(self) -> None:
        """What the players do next."""
        view = self.view
        if view.level != self._level:
            self._level = view.level
            self._draw_cards(view)
        match view.phase:
            case "deal":
                assert view.next_seat is not None and view.counts is not None
                await self.scan(self.hands[view.next_seat][view.counts[view.next_seat]])
            case "focus":
                await self._focus(view)
            case "play":
                await self._play(view)
            case "vote":
                await self._vote(view)
            case "reveal":
                await self._reveal(view)

    def _draw_cards(self, view: View) -> None:
        cards = self.rng.sample(sorted(self.order.key, key=str), view.level * len(view.seats))
        self.hands = {seat: cards[i :: len(view.seats)] for i, seat in enumerate(view.seats)}
        self.face_down = []

    def _lowest(self, seat: int) -> Card | None:
        """Its lowest card; of the two that extreme allows, either."""
        piles = [[c for c in self.hands[seat] if self.order.pile_of[c] == p] for p in range(len(self.order.directions))]
        lowest = [self.order.sorted(pile)[0] for pile in piles if pile]
        return self.rng.choice(lowest) if lowest else None

    def _take(self, card: Card) -> None:
        for hand in self.hands.values():
            if card in hand:
                hand.remove(card)

    async def _focus(self, view: View) -> None:
        known = view.hands == "known"
        for card in view.aside:
            self._take(card)  # what the box has put aside itself
        late = self._late(view) if view.reason == "error" and not known and not view.blind else None
        if late is not None:
            self._take(late)
            await self.scan(late)
            return
        if view.reason == "star" and view.star_left:
            for seat in view.waiting if known else view.seats:
                lowest = self._lowest(seat)
                if lowest is not None and self.view.star_left:
                    self._take(lowest)
                    await self.scan(lowest)
                    return
        await self.press(*view.seats, seconds=0.5)

    def _late(self, view: View) -> Card | None:
        key, pile_of = self.order.key, self.order.pile_of
        for card in self.order.sorted([c for hand in self.hands.values() for c in hand]):
            pile = view.piles[pile_of[card]]
            if pile and key[card] < key[pile[-1]]:
                return card
        return None

    async def _play(self, view: View) -> None:
        await self.pause(self.rng.choice([0.5, 3, 47, 1000]))
        chance = self.rng.random()
        if chance < 0.05:
            await self.press(self.rng.choice(view.seats))
            return
        if chance < 0.15:
            await self.press(STAR)
            return
        late = self._late(view) if not view.blind and view.hands == "unknown" else None
        cards = [c for seat in view.seats if (c := self._lowest(seat)) is not None]
        if not cards:
            if view.check == "at_end" and self.face_down:
                await self.scan(self.face_down.pop(0))
            return
        first = min(cards, key=lambda c: self.order.key[c])
        card = late or (self.rng.choice(cards) if self.rng.random() < 0.08 else first)
        self._take(card)
        if view.blind:
            self.face_down.append(card)
        if view.check != "at_end":
            await self.scan(card)

    async def _vote(self, view: View) -> None:
        await self.pause(self.rng.choice([1, 20]))
        if self.rng.random() < 0.3:
            await self.pause(40)  # nobody agrees: it is called off
            return
        for seat in view.waiting:
            if self.view.phase == "vote":
                await self.press(seat)

    async def _reveal(self, view: View) -> None:
        if view.check == "as_played":
            self.face_down = []
            await self.pause(1)
        elif self.face_down:
            await self.scan(self.face_down.pop(0))


def evening(seed: int, seats: int = 3, watch: Callable[[Evening], None] | None = None, **game: Any) -> Evening:
    """A whole game in virtual time. ``watch`` is called after each step."""

    async def main() -> Evening:
        one = Evening(random.Random(seed), seats, **game)
        if watch is not None:
            one.referee.listeners.append(lambda _: watch(one))
        await one.play()
        return one

    return run_virtual(main())
