"""What the virtual players at a table do, and when: hands on the table, cards, stars; each from its own seat only."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from typing import Any

from mind_box.game.cards import Card
from mind_box.ghost import Estimate, Kind
from mind_box.table.inputs import STAR
from mind_box.table.view import View
from mind_box.virtual.tryout.partners import ALONE, Feeling, Partner
from mind_box.virtual.tryout.place import EMPTY, PERSON, Place
from mind_box.virtual.tryout.tabletop import shown_cards

TOGETHER = 2.3
"""Seconds that hands are held for a start: longer than the table's 2 s, in real time whatever the speed."""
UNCOUNTED = 0.3
"""Seconds after which a hand that the table has not noticed is lifted and put down again."""
ENDED = 5.0
"""Seconds that a finished game is looked at before the next one begins by itself."""
CHECKS = 1.0
"""Seconds between two cards of a pile that is turned over."""
BUSY = 0.4
"""Seconds that a card which the box does not answer to keeps the reader busy for others."""


@dataclass(slots=True)
class Idea:
    """``act`` after ``wait`` seconds at normal speed; ``real``: at any speed."""

    why: Hashable
    wait: float
    act: Callable[[], None]
    real: bool = False


@dataclass(slots=True)
class Plan:
    """What somebody is about to do. An idea with the same ``why`` lets it be, another one replaces it."""

    idea: Idea
    timer: asyncio.TimerHandle


@dataclass(frozen=True, slots=True)
class Situation:
    """What everyone at the table takes in at a glance; when it changes, plans are made anew."""

    phase: str = ""
    reason: str | None = None
    level: int = 0
    errors: int = 0
    stars: int = 0
    asking: str | None = None
    menu: str | None = None


class Players:
    """Those at a place who play by themselves."""

    def __init__(self, place: Place[Any], rng: random.Random) -> None:
        self.speed = 1.0
        self.watching = False
        """Everyone plays by itself, persons' seats too."""
        self._place = place
        self._rng = rng
        self._partners: dict[int, Partner] = {}
        self._plans: dict[int, Plan] = {}
        self._situation = Situation()
        self._turn = 0
        """Counts what happened at the table in play: every new card makes everyone think again."""
        self._counts: tuple[int, ...] = ()
        self._feeling = Feeling(rng.getrandbits(32), Estimate.beginning())
        self._asked: set[int] = set()
        """Seats that have thought of a star in this level."""
        self._starred: set[int] = set()
        """Seats that have put a card aside for the star being used."""
        self._busy_until = 0.0

    def close(self) -> None:
        """Nobody does anything any more."""
        for plan in self._plans.values():
            plan.timer.cancel()
        self._plans.clear()

    # -- who they are

    def sit(self, seat: int, kind: str) -> None:
        """Somebody else takes this seat."""
        self._place.kinds[seat] = kind
        self._forget(seat)
        self.think()

    def watch(self, on: bool) -> None:
        """Everyone plays by itself, or the persons play again."""
        self.watching = on
        for seat, kind in self._place.kinds.items():
            if kind == PERSON:
                self._forget(seat)
        self.think()

    def _forget(self, seat: int) -> None:
        """Whoever sat here takes the finger off the button."""
        self._partners.pop(seat, None)
        self._drop(seat)
        self._place.machine.lift(seat)

    def set_speed(self, speed: float) -> None:
        """How fast the partners think; what they were about to do is thought over."""
        if self._place.shown is not None:
            self._feel(self._place.shown)
        self.speed = speed
        for seat in list(self._plans):
            self._drop(seat)
        self.think()

    def partner(self, seat: int) -> Partner | None:
        """The virtual player at this seat; None: a person, or nobody."""
        kind = self._place.kinds.get(seat, EMPTY)
        if kind == PERSON and self.watching:
            kind = Kind.HUMAN
        if kind in (PERSON, EMPTY):
            return None
        if seat not in self._partners:
            self._partners[seat] = Partner(Kind(kind), self._rng)
        return self._partners[seat]

    def _persons(self) -> list[int]:
        """Seats that wait for somebody's finger."""
        return [s for s in self._place.playing if self._place.kinds.get(s) == PERSON and not self.watching]

    # -- thinking

    def think(self) -> None:
        """Something happened: everyone considers what to do now."""
        view = self._place.shown
        if view is None:
            self.close()
            return
        self._notice(view)
        for seat in range(STAR, self._place.seats + 1):
            idea = self._of_the_table(view) if seat == STAR else self._idea(seat, view)
            self._plan(seat, idea)

    def _notice(self, view: View) -> None:
        self._feel(view)
        before, self._situation = self._situation, Situation(*(getattr(view, f.name) for f in fields(Situation)))
        if self._situation.stars != before.stars and view.phase != "vote":
            self._starred.clear()
        if self._situation.level != before.level or view.phase == "lobby":
            self._asked.clear()
        face_down = len(self._place.tabletop.face_down)
        counts = (view.phase == "play", view.remaining, len(shown_cards(view)), face_down)
        if counts != self._counts:
            self._counts = counts
            self._turn += 1
            self._busy_until = 0.0

    def _feel(self, view: View) -> None:
        place = self._place
        persons = {card: seat for card, seat in place.tabletop.deals.get(view.level, {}).items()
                   if place.kinds.get(seat) == PERSON and not self.watching}  # fmt: skip
        self._feeling.passes(view, place.now, self.speed, persons)

    def _plan(self, seat: int, idea: Idea | None) -> None:
        plan = self._plans.get(seat)
        if plan is not None and idea is not None and plan.idea.why == idea.why:
            return
        self._drop(seat)
        if idea is not None:
            wait = idea.wait if idea.real else idea.wait / self.speed
            self._plans[seat] = Plan(idea, self._place.later(wait, lambda: self._act(seat, idea)))

    def _drop(self, seat: int) -> None:
        plan = self._plans.pop(seat, None)
        if plan is not None:
            plan.timer.cancel()

    def _act(self, seat: int, idea: Idea) -> None:
        self._plans.pop(seat, None)
        idea.act()
        self.think()

    # -- ideas of the table as a whole, when nobody else is there to have them

    def _of_the_table(self, view: View) -> Idea | None:
        place = self._place
        if self._persons() or not any(self.partner(s) for s in place.playing):
            return None
        if view.phase in ("won", "lost"):
            return Idea((view.phase, "leave"), ENDED, lambda: place.tap(STAR))
        at_end = view.check == "at_end" and view.phase in ("play", "reveal")
        if at_end and place.tabletop.face_down and not any(place.tabletop.hands.values()):
            return Idea(("check", place.tabletop.face_down[0]), CHECKS, place.check_next)
        return None

    # -- ideas of one seat

    def _idea(self, seat: int, view: View) -> Idea | None:
        partner = self.partner(seat)
        if partner is None:
            return None
        if view.menu is not None or view.asking in ("end-game", "shut-down"):
            return None
        if view.phase == "lobby":
            return self._start(seat, view, partner)
        if seat not in view.seats:
            return None
        if view.phase == "vote":
            if seat in view.agreed:
                return None
            return Idea(("agree", self._turn), 2 * partner.reaction(), lambda: self._place.tap(seat))
        card = self._card(seat, view, partner)
        if card is not None:
            return card
        return self._hand(seat, view, self._wants_hand(view), partner.reaction())

    def _hand(self, seat: int, view: View, want: bool, wait: float) -> Idea | None:
        """Puts the hand where it should be. One that the table does not count was down too early: down anew."""
        machine = self._place.machine
        down = seat in machine.down
        if want and down and seat not in view.hands_down:
            return Idea(("anew", self._situation), UNCOUNTED, lambda: machine.lift(seat), real=True)
        if want == down:
            return None
        act = machine.press if want else machine.lift
        return Idea(("hand", want, self._situation), wait, lambda: act(seat))

    def _start(self, seat: int, view: View, partner: Partner) -> Idea | None:
        """Hands together in the lobby. Whoever lifts first starts the game: that is for a person, if there is one."""
        machine = self._place.machine
        persons = self._persons()
        if persons:
            want = any(s in view.hands_down for s in persons)
        elif seat in machine.down and set(view.hands_down) >= set(self._place.playing):
            return Idea(("together", "lift"), TOGETHER, lambda: machine.lift(seat), real=True)
        else:
            want = True
        return self._hand(seat, view, want, partner.reaction() / 2)

    def _wants_hand(self, view: View) -> bool:
        """Whether a partner's hand should lie on the table."""
        persons = [s for s in self._persons() if s in view.seats]
        here = view.hands_down
        if view.phase in ("won", "lost"):
            return any(s in here for s in persons)
        if view.phase != "focus" and view.asking != "level-done":
            return False
        lifting = bool(view.waiting) and set(view.waiting) <= set(here)
        if lifting:
            return bool(persons) and all(s in here for s in persons)
        if persons:
            return any(s in here for s in persons)
        return not self._place.tabletop.needs_deal(view) and not self._must_show(view)

    def _must_show(self, view: View) -> bool:
        """After a star somebody still has to put a card aside."""
        backs = self._place.tabletop.backs
        open_seats = [s for s in view.seats if backs.get(s) and s not in self._starred]
        return bool(view.star_left) and bool(open_seats)

    def _card(self, seat: int, view: View, partner: Partner) -> Idea | None:
        """The card that this seat should show or lay, and when."""
        table = self._place.tabletop
        order = table.order(view)
        choices = table.choices(seat, view)
        if not choices:
            return None
        piles = order.empty_piles if view.blind else view.piles
        gaps = {card: order.gap(piles, card) for card in choices}
        if view.phase == "focus" and view.star_left:
            chosen = partner.star_card(gaps)
            must = seat in view.waiting if view.hands == "known" else seat not in self._starred
            if chosen is None or not must:
                return None
            return Idea(("star", chosen, self._situation), partner.reaction(), lambda: self._put_aside(seat, chosen))
        if view.phase == "focus" and view.reason == "error" and view.hands == "unknown" and not view.blind:
            late = [card for card, gap in gaps.items() if gap < 0]
            if late:
                return Idea(("late", late[0]), partner.reaction(), lambda: self._lay(seat, late[0]))
        if view.phase != "play":
            return None
        if seat not in self._asked:
            self._asked.add(seat)
            if partner.wants_star(view.stars, view.lives, len(table.hands[seat])):
                return Idea(("ask", view.level), 2 * partner.reaction(), lambda: self._place.tap(STAR))
        alone = all(s == seat or not n for s, n in table.backs.items())
        plan = self._plans.get(seat)
        why = ("lay", self._turn)
        if plan is not None and plan.idea.why == why:
            return plan.idea
        next_card = self._feeling.next_card(view, choices, seat, partner.kind)
        if next_card is None:
            return None
        wait, card = next_card
        return Idea(why, ALONE if alone else wait, lambda: self._lay(seat, card))

    def _put_aside(self, seat: int, card: Card) -> None:
        self._starred.add(seat)
        self._lay(seat, card)

    def _lay(self, seat: int, card: Card) -> None:
        """Brings a card to the reader; while another one is there, a moment later."""
        place = self._place
        if place.now < self._busy_until:
            place.later(0.1, self.think)
            self._starred.discard(seat)
            return
        self._busy_until = place.now + BUSY
        place.lay(seat, card)
