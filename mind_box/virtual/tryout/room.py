"""The room around a virtual box: its place, the virtual players among the people there, and who deals by itself."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable
from pathlib import Path

from mind_box.files import replacing
from mind_box.page.happened import Entry, LevelStory
from mind_box.table.view import View
from mind_box.virtual.tryout.machine import ON
from mind_box.virtual.tryout.place import B, Place
from mind_box.virtual.tryout.players import Players
from mind_box.virtual.tryout.tabletop import Tabletop

log = logging.getLogger(__name__)

DEALS = 0.3
"""Seconds a card takes to be dealt."""


class Room(Place[B]):
    """A place with life in it. ``told`` is called after any change that can be seen.

    ``cards`` is a file to keep the cards in while nobody is here; ``seed`` shuffles the same way each time.
    """

    def __init__(
        self,
        machine: B,
        kinds: dict[int, str],
        told: Callable[[], None],
        cards: Path | None = None,
        seed: int | None = None,
    ) -> None:
        # Two sources of chance: what partners do must not change what is dealt next.
        super().__init__(machine, kinds, random.Random(seed))
        self.players = Players(self, random.Random(seed))
        machine.hooks.changed = self.changed
        self.story = LevelStory()
        self.deals_itself = True
        """Cards are dealt without anybody asking for it."""
        self.news: list[Entry] = []
        """What the last View told that was new."""
        self._cards = cards
        self._told = told
        self._dealer: asyncio.TimerHandle | None = None
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
        self.changed()

    def changed(self) -> None:
        """Something that can be seen is not what it was, at the box or beside it."""
        view = self.machine.view
        if view is not None and view != self.view:
            before, self.view = self.view, view
            for code in view.notices:
                if code.startswith("deck_"):
                    self.tabletop.deck_kind = code.removeprefix("deck_")
            self.news = self.story.tell(view)
            self.tabletop.follow(before, view)
            self._put_away()
        if not self._paused:
            self._deal_soon()
            self.players.think()
            self._told()

    def moved(self) -> None:
        self._put_away()
        self.changed()

    # -- dealing by itself

    def _deal_soon(self) -> None:
        in_menu = self.shown is not None and self.shown.phase == "deal" and self.shown.menu is not None
        if not (self.to_deal and not in_menu and self.deals_itself and self.machine.power == ON):
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
        plain = {**self.tabletop.to_json(), "view": None if self.view is None else self.view.to_json()}
        with replacing(self._cards, mode=0o600) as f:
            json.dump(plain, f)

    def _remember(self) -> None:
        if self._cards is None:
            return
        try:
            plain = json.loads(self._cards.read_text())
            table = Tabletop.from_json(self.tabletop.rng, plain)
            view = None if plain["view"] is None else View.from_json(plain["view"])
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:  # half written, or of another version
            log.warning("%s cannot be understood (%s): the cards that lay on the table are none", self._cards, e)
            return
        self.tabletop, self.view = table, view
        if view is not None:
            self.story.tell(view)
