"""A player who does something sensible most of the time, and everything some of the time."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.e2e.machine import Machine

View = dict[str, Any]
STAR = 0


class Monkey:
    """Plays at a machine. ``changed`` waits a moment for the next View and returns the newest."""

    def __init__(self, box: Machine, changed: Callable[[], View], rng: random.Random, seats: int) -> None:
        self._box = box
        self._changed = changed
        self._rng = rng
        self._seats = range(1, seats + 1)
        self._dealt: set[int] = set()

    def act(self, view: View) -> None:
        """One gesture, whatever comes of it."""
        if self._rng.random() < 0.04:
            self._menu()
            return
        getattr(self, f"_{view['phase']}")(view)

    def _lobby(self, _: View) -> None:
        self._dealt.clear()
        self._box.press(*self._seats)
        self._changed()
        self._box.pass_time(0.55)
        self._box.lift(*self._seats)
        self._changed()

    def _deal(self, view: View) -> None:
        if len(self._dealt) >= view["level"] * len(self._seats):
            self._dealt.clear()
        if self._rng.random() < 0.05:
            self._tap(STAR)
        else:
            card = self._rng.randint(1, 100)
            self._dealt.add(card)
            self._scan(card)

    def _focus(self, view: View) -> None:
        if view["star_left"]:
            self._scan(self._rng.choice(sorted(self._dealt) or range(1, 101)))
        elif self._rng.random() < 0.12:
            self._tap(STAR)
        else:
            self._box.press(*self._seats)
            self._changed()
            self._box.lift(*self._seats)
            self._changed()

    def _play(self, view: View) -> None:
        chance = self._rng.random()
        if chance < 0.06:
            self._tap(self._rng.choice(self._seats))
        elif chance < 0.14:
            self._tap(STAR)
        else:
            self._scan(self._card(view))

    def _card(self, view: View) -> int:
        laid = {card for pile in view["piles"] for card in pile} | set(view["aside"])
        held = sorted(self._dealt - laid)
        if view["hands"] == "known" and held:
            return held[0] if self._rng.random() < 0.9 else self._rng.choice(held)
        top = max((card for card in laid), default=0)
        if self._rng.random() < 0.1 or top > 95:
            return self._rng.randint(1, 100)
        return min(top + self._rng.randint(1, 6), 100)

    def _vote(self, view: View) -> None:
        if self._rng.random() < 0.2:
            self._tap(STAR)
        else:
            self._tap(self._rng.choice(view["waiting"] or list(self._seats)))

    def _reveal(self, _: View) -> None:
        if self._rng.random() < 0.7:
            self._scan(self._rng.randint(1, 100))
        self._changed()

    def _won(self, _: View) -> None:
        self._tap(STAR)

    _lost = _won

    def _menu(self) -> None:
        self._box.press(STAR)
        self._box.pass_time(0.55)
        self._box.lift(STAR)
        self._changed()
        for _ in range(self._rng.randint(0, 3)):
            self._tap(STAR)
        if self._changed()["menu"] in (None, "shut-down"):
            self._tap(1)
            return
        self._box.press(STAR)
        self._box.pass_time(0.55)
        self._box.lift(STAR)
        self._changed()

    def _tap(self, button: int) -> None:
        self._box.tap(button)
        self._changed()

    def _scan(self, card: int) -> None:
        self._box.scan(str(card))
        self._changed()
