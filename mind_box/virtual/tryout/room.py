"""The room around a virtual box: its place, the virtual players among the people there, and who deals by itself."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import Any

from mind_box.files import replacing
from mind_box.page.happened import Entry, LevelStory
from mind_box.show.sentences import choosing
from mind_box.show.words import Words
from mind_box.table.inputs import STAR
from mind_box.table.view import View
from mind_box.virtual.tryout.fingers import TABLE, Fingers
from mind_box.virtual.tryout.lesson import Lesson, seats_for
from mind_box.virtual.tryout.machine import ON
from mind_box.virtual.tryout.place import PERSON, TAP, B, Place
from mind_box.virtual.tryout.players import Players
from mind_box.virtual.tryout.reach import choose
from mind_box.virtual.tryout.tabletop import Tabletop

log = logging.getLogger(__name__)

DEALS = 0.3
"""Seconds a card takes to be dealt."""
REST = 2.0
"""Seconds for which those who only watch see the end of a level, at any speed."""
SEEN = 0.5
"""Seconds within which the box has seen hands that were laid down: a double click lays them once."""
LONGER = 0.25
"""Seconds that hands for a start are held longer than the box wants."""


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
        self.fingers = Fingers(machine)
        machine.hooks.changed = self.changed
        self.story = LevelStory()
        self.taught: Lesson | None = None
        """The first lesson, while somebody takes it."""
        self.deals_itself = True
        """Cards are dealt without anybody asking for it."""
        self.news: list[Entry] = []
        """What the last View told that was new."""
        self.starting = False
        """Hands were laid for a start; they are lifted when the box has seen them for long enough."""
        self._laid = -math.inf
        self.reaching: str | None = None
        """The item of the menu that is being chosen for somebody."""
        self._cards = cards
        self._told = told
        self._dealer: asyncio.TimerHandle | None = None
        self._dealt_on = False
        self._gathered: tuple[int, ...] = ()
        self._lifter: asyncio.TimerHandle | None = None
        self._again = False
        self._aside_before: frozenset[object] = frozenset()
        self._reach: asyncio.Task[None] | None = None
        self._paused = False
        self._alone = False
        self._stopped = False

    # -- life

    async def start(self) -> None:
        """Takes out the cards as they were put away, and plugs the box in."""
        self._remember()
        await self.machine.start()

    async def close(self) -> None:
        """Ends the daemon; the cards stay where they are."""
        self._closed = True
        if self._reach is not None:
            self._reach.cancel()
        self._rest()
        await self.machine.close()

    def pause(self, on: bool) -> None:
        """Nobody does anything while the visitor looks at something else."""
        self._paused = on
        if on:
            self._rest()
        self.changed()

    def leave_alone(self, on: bool) -> None:
        """Nobody is looking any more: partners wait, and a level being played is stopped (R17); or somebody is back."""
        self._alone = on
        if on:
            self._rest()
            self.starting = False
        self.changed()

    def _rest(self) -> None:
        self.players.close()
        self._undeal()
        if self._lifter is not None:
            self._lifter.cancel()
            self._lifter = None
        self._gathered = ()

    def changed(self) -> None:
        """Something that can be seen is not what it was, at the box or beside it."""
        view = self.machine.view
        if view is not None and view != self.view:
            self._follow(self.view, view)
        if self._alone and not self._paused:
            self._stop_play()
        if not self._paused and not self._alone:
            self._deal_soon()
            self._start_soon()
            self.players.think()
        if not self._paused:
            self._told()

    def _follow(self, before: View | None, view: View) -> None:
        self.view = view
        for code in view.notices:
            if code.startswith("deck_"):
                self.tabletop.deck_kind = code.removeprefix("deck_")
        if view.reason == "star" and (before is None or before.reason != "star" or before.stars > view.stars):
            same = before is not None and before.level == view.level
            self._aside_before = frozenset(before.aside if same and before is not None else ())
        self.news = [*self.news, *self.story.tell(view)]
        if self.taught is not None:
            self.taught.sees(view)
        self.tabletop.follow(before, view)
        self._put_away()

    def moved(self) -> None:
        self._put_away()
        self.changed()

    # -- the first lesson

    def lesson(self, act: str) -> None:
        """``begin``: in the lobby, with one person and one ghost; ``skip`` a step; ``end``. Raises ``ValueError``."""
        if act not in ("begin", "skip", "end"):
            raise ValueError(act)
        if act == "begin" and self.taught is None and self.shown is not None and self.shown.phase == "lobby":
            self.taught = Lesson(self.shown)
            self.watch(False)
            self.players.set_speed(1.0)
            for seat, kind in seats_for(self.seats).items():
                self.sit(seat, kind)
        elif act == "skip" and self.taught is not None:
            self.taught.skip()
        elif act == "end":
            self.taught = None
        self.changed()

    def lesson_now(self, words: Words) -> dict[str, Any] | None:
        """What it says now, for the page; None: there is none."""
        return None if self.taught is None else self.taught.to_json(words.say)

    # -- persons

    @property
    def persons(self) -> list[int]:
        """The playing seats at which a person sits."""
        if self.players.watching:
            return []
        return [seat for seat in self.playing if self.kinds.get(seat) == PERSON]

    def sit(self, seat: int, kind: str) -> None:
        """Somebody else takes this seat, and nobody's finger is on its button."""
        self.fingers.clear(seat)
        self.players.sit(seat, kind)

    def watch(self, on: bool) -> None:
        """Everyone plays by itself, or the persons play again."""
        for seat in self.persons:
            self.fingers.clear(seat)
        self.players.watch(on)

    def lay_hands(self, who: Hashable, starting: bool) -> None:
        """All persons' hands come down and stay; ``starting``: until the game has begun.

        One that is down and does not count (a card was refused, or it closed the menu) is lifted and laid anew.
        """
        if self.now - self._laid < SEEN:
            return
        self.starting = starting
        laid = self._laid = self.now
        view = self.shown

        def anew(seat: int) -> None:
            if self._laid == laid:
                self.fingers.lay(seat, who)

        for seat in self.persons:
            if view is not None and seat in self.machine.down and seat not in view.hands_down:
                self.fingers.clear(seat)
                self.later(TAP, partial(anew, seat))
            else:
                self.fingers.lay(seat, who)

    def lift_hands(self) -> None:
        """All persons' hands are lifted together, a finger that is down for it too."""
        self.starting = False
        self._laid = -math.inf
        for seat in self.persons:
            self.fingers.clear(seat)
        self.fingers.lift_laid()

    def new_game(self) -> None:
        """From the end of a game into the next."""
        self._again = True
        self.tap(STAR)

    def choose(self, item: str) -> None:
        """Chooses an item of the menu for somebody; one at a time."""
        if self._reach is None or self._reach.done():
            self._reach = self._loop.create_task(self._choose(item))

    async def _choose(self, item: str) -> None:
        self.reaching = item
        self.changed()
        try:
            await choose(self.machine, item)
        finally:
            self.reaching = None
            self.changed()

    def _start_soon(self) -> None:
        """One short press does it all: the hands are lifted when everyone has held long enough."""
        view = self.shown
        lobby = view is not None and view.phase == "lobby"
        if lobby and self._again:
            self._again = False
            self.lay_hands(TABLE, starting=True)
        elif view is not None and not lobby:
            self.starting = False
        gathered = view.hands_down if view is not None and lobby and self.starting else ()
        if gathered == self._gathered:
            return
        self._gathered = gathered
        if self._lifter is not None:
            self._lifter.cancel()
            self._lifter = None
        if gathered and len(gathered) >= max(len(self.playing), self.least):
            self._lifter = self.later(self.machine.config.table.gather + LONGER, self.lift_hands)

    def _stop_play(self) -> None:
        """Once. Where a stop would move the ten, it stays out: partners merely wait."""
        view = self.shown
        if view is None or view.phase != "play":
            self._stopped = False
        elif not self._stopped and not (view.variant == "tens" and view.hands == "unknown" and not view.blind):
            self._stopped = True
            seats = [seat for seat in (*self.persons, *view.seats) if seat not in self.machine.down]
            self.tap(seats[0] if seats else view.seats[0])

    # -- a star's cards

    @property
    def to_show(self) -> list[int]:
        """The seats that have yet to put a card aside for a star."""
        view = self.shown
        return [] if view is None else [seat for seat in view.seats if self.must_show(seat)]

    def must_show(self, seat: int) -> bool:
        """Whether this seat has yet to put a card aside for a star."""
        view = self.shown
        if view is None or view.phase != "focus" or not view.star_left or not self.tabletop.hands.get(seat):
            return False
        if choosing(view):
            return seat in view.waiting
        owners = self.tabletop.deals.get(view.level, {})
        return not any(owners.get(card) == seat for card in view.aside if card not in self._aside_before)

    # -- dealing

    @property
    def rests(self) -> bool:
        """The level is over and still lies on the table; a person says when the next one is dealt."""
        view = self.shown
        return (
            view is not None
            and view.ended is not None
            and self.to_deal
            and self.deals_itself
            and bool(self.persons)
            and not self._dealt_on
        )

    def deal_on(self) -> None:
        """A person asks for cards: the next card, or all of the next level where they are dealt by themselves."""
        if self.rests:
            self._dealt_on = True
            self.changed()
        else:
            self.deal()

    def _deal_soon(self) -> None:
        if not self.to_deal:
            self._dealt_on = False
        view = self.shown
        in_menu = view is not None and view.phase == "deal" and view.menu is not None
        if not (self.to_deal and not in_menu and self.deals_itself and not self.rests and self.machine.power == ON):
            self._undeal()
        elif self._dealer is None:
            over = view is not None and view.ended is not None and not self._dealt_on
            wait = REST if over else max(DEALS / self.players.speed, 0.08)
            self._dealer = self.later(wait, self._deal_now)

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
