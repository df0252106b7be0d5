"""Whoever plays a table script at a box whose pile lies under the scanner: what is a scan at a slot is laid there."""

from __future__ import annotations

from typing import Any

from mind_box.game.cards import Card
from mind_box.table.payload import parse
from mind_box.table.view import View
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import Player, Report

AWAY = 1.2
"""Seconds after which a card that was lifted may be laid anew."""


class TrayPlayer(Player):
    """Plays a script for a slot at a tray, as people do there.

    A card that is laid stays. What undo has taken back, or the box has refused, is lifted; at a level's end the pile is
    taken off before anything is shown (``tidy`` false: it is left there). Cards are dealt, and laid blind, through the
    hood: shown, and away. Where a slot says that a card lies there already, a tray says nothing (docs/rulings.md).
    """

    def __init__(self, script: sc.Script, report: Report, tidy: bool = True) -> None:
        super().__init__(script, report)
        self._tidies = tidy
        self._said: tuple[str, ...] = ()
        """What was told before the last card was shown."""
        self._lies: list[str] = []
        self._level: tuple[object, ...] = ()
        self._lifted: dict[str, float] = {}
        self.box.clear()
        self.referee.turn()

    async def act(self, number: int, action: sc.Action) -> None:
        await super().act(number, action)
        if self._tidies and not isinstance(action, sc.Expect):
            self._tidy()

    async def _expect(self, number: int, field: str, value: Any) -> None:
        if field == "notices" and value in (["already_on_pile"], ["already_aside"]):
            value = list(self._said)
        await super()._expect(number, field, value)

    async def _scan(self, payload: str) -> None:
        self._said = self.view.notices
        if self.view.phase == "reveal" or self._begins_check(payload):
            self._lay(payload)  # the pile was turned over, and the card above this one has been taken off
            return
        if self._tidies:
            self._tidy(collect=True)
        again = self._lifted.pop(payload, None)
        if again is not None and self.loop.time() < again + AWAY:
            await self.sleep(again + AWAY - self.loop.time())
        self._lay(payload)
        self.referee.turn()
        if self._through_the_hood:
            self._take()

    @property
    def _through_the_hood(self) -> bool:
        view = self.view
        return view.phase == "deal" or (view.blind and view.check == "as_played")

    def _begins_check(self, payload: str) -> bool:
        view = self.view
        return view.blind and view.check == "at_end" and view.phase in ("play", "focus") and bool(parse(payload))

    def _lay(self, payload: str) -> None:
        self._lies.append(payload)
        self.box.lay(payload)
        self.referee.turn()

    def _take(self) -> None:
        self._lifted[self._lies.pop()] = self.loop.time()
        self.box.take()
        self.referee.turn()

    def _tidy(self, collect: bool = False) -> None:
        """What the box does not count is lifted; ``collect``: the pile of a level that is over is taken off."""
        view = self.view
        if view.phase == "reveal":
            return
        over = _level(view) != self._level
        if over and not collect and self._lies:
            return
        self._level = _level(view)
        if over and self._lies:
            self._lies.clear()
            self._lifted.clear()
            self.box.clear()
            self.referee.turn()
        while self._lies and parse(self._lies[-1]) not in _lying(view):
            self._take()


def _level(view: View) -> tuple[object, ...]:
    return () if view.phase in ("lobby", "won", "lost") else (view.level, view.check)


def _lying(view: View) -> set[Card]:
    return {card for pile in view.piles for card in pile} | set(view.aside)


def play(text: str, tidy: bool = True) -> list[dict[str, Any]]:
    """Plays a script at a tray: what was not as expected."""
    failed: list[dict[str, Any]] = []

    async def main() -> None:
        script = sc.parse_script(text)
        await TrayPlayer(script, lambda entry: failed.append(entry) if "expected" in entry else None, tidy).play()

    run_virtual(main())
    return failed
