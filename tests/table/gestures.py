"""A table driven by gestures alone: virtual time, no daemon, no ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from mind_box.game import events as ev
from mind_box.game.cards import Card
from mind_box.game.evolve import replay
from mind_box.game.state import Setup, lobby_of
from mind_box.table.inputs import STAR, Edge, Input, Scan
from mind_box.table.notices import Notice
from mind_box.table.over_tray import OverTray
from mind_box.table.timing import Outcome
from mind_box.table.view import View

AWAY = 1.0
"""Seconds: the readers' same_card_seconds."""
NOTICES = {*get_args(Notice)} - {"sound_on", "sound_off"}
"""The codes that a table may tell by itself."""


class Gestures:
    """Keeps what was journaled, and checks after each input that the game is its fold."""

    def __init__(self, held: tuple[int, ...] = (), enrolled: Mapping[str, Card] | None = None, **setup: object) -> None:
        chosen = Setup(**setup)  # type: ignore[arg-type]
        self.lobby = lobby_of(chosen)
        self.now = 0.0
        self.events: list[ev.Event] = []
        self.effects: list[str] = []
        self.table = OverTray(self.lobby, away=AWAY, now=0.0, held=held, enrolled=enrolled)
        self._took(self.table.begin())

    def _took(self, outcome: Outcome) -> None:
        self.events += outcome.events
        self.effects += outcome.effects
        assert replay(self.events, self.lobby) == self.table.game
        assert set(self.view.notices) <= NOTICES

    def put(self, event: Input) -> None:
        self._took(self.table.handle(event))

    def wait(self, seconds: float) -> None:
        """Time passes as in the daemon: the table wakes at its deadlines only."""
        end = self.now + seconds
        while (due := self.table.deadline) is not None and due <= end:
            self._took(self.table.tick(due))
        self.now = end
        self._took(self.table.tick(end))

    def down(self, *buttons: int) -> None:
        for button in buttons:
            self.put(Edge(button, True, self.now))

    def up(self, *buttons: int) -> None:
        for button in buttons:
            self.put(Edge(button, False, self.now))

    def hold(self, seconds: float, *buttons: int) -> None:
        self.down(*buttons)
        self.wait(seconds)
        self.up(*buttons)
        self.wait(0.1)

    def tap(self, button: int) -> None:
        self.hold(0.1, button)

    def hands(self, *seats: int) -> None:
        self.hold(2.5, *(seats or self.table.game.persons))

    def scan(self, payload: object) -> None:
        self.put(Scan(str(payload), self.now))

    def menu(self, item: str) -> None:
        self.hold(2.0, STAR)
        for _ in range(20):
            if self.view.menu == item:
                break
            self.tap(STAR)
        assert self.view.menu == item
        self.hold(2.0, STAR)

    def try_menu(self, item: str) -> None:
        """As ``menu``; where the item is not on offer, a seat closes the menu again."""
        self.hold(2.0, STAR)
        for _ in range(20):
            if self.view.menu == item:
                self.hold(2.0, STAR)
                return
            self.tap(STAR)
        self.tap(1)

    def fork(self) -> Gestures:
        """Another table in the same game, after a power cut: what is done there, is not done here."""
        other = Gestures()
        other.lobby, other.events, other.now = self.table.game, [], self.now
        other.cut_power()
        return other

    def cut_power(self) -> None:
        """The table begins again from its journal."""
        game = replay(self.events, self.lobby)
        self.table = OverTray(game, away=AWAY, now=self.now)
        self._took(self.table.begin())

    @property
    def view(self) -> View:
        return self.table.view()
