"""Who holds the buttons of a virtual box down: the fingers of each browser, and hands that were laid there and left.

A button is up again when the last who held it lets go.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Protocol

from mind_box.table.inputs import STAR

TABLE = "the table"
"""Holds what nobody holds any more, and what is to stay down all the same."""


class Buttons(Protocol):
    """What has buttons."""

    def press(self, button: int) -> None: ...
    def lift(self, button: int) -> None: ...


class Fingers:
    """All that lies on the buttons of one box. ``who`` is a browser's session, or whatever else has fingers."""

    def __init__(self, buttons: Buttons) -> None:
        self._buttons = buttons
        self._held: dict[int, set[Hashable]] = {}

    def press(self, button: int, who: Hashable) -> None:
        """A finger comes down. On a hand that was left there it takes the hand's place, so that it can lift it."""
        holders = self._held.setdefault(button, set())
        holders.difference_update([holder for holder in holders if _laid(holder)])
        holders.add(who)
        self._buttons.press(button)

    def lay(self, button: int, who: Hashable) -> None:
        """A hand is laid there, to stay until hands are lifted."""
        self._held.setdefault(button, set()).add(("laid", who))
        self._buttons.press(button)

    def lift(self, button: int, who: Hashable) -> None:
        """This one's finger goes."""
        self._drop(button, [who])

    def lift_laid(self) -> None:
        """All hands that were laid there are lifted together."""
        for button, holders in list(self._held.items()):
            self._drop(button, [holder for holder in holders if _laid(holder)])

    def clear(self, button: int) -> None:
        """Nothing lies on this button any more."""
        self._drop(button, list(self._held.get(button, ())))

    def leave(self, who: Hashable) -> None:
        """This one goes: its fingers, and the hands that it laid; what others hold stays down."""
        for button in list(self._held):
            self._drop(button, [who, ("laid", who)])

    def rest(self, who: Hashable) -> None:
        """This one looks away: a seat's button that it holds stays down as a hand that it laid there; a star's does
        not."""
        for button, holders in list(self._held.items()):
            if who in holders and button != STAR:
                holders.add(("laid", who))
            self._drop(button, [who])

    def bequeath(self, who: Hashable) -> None:
        """This one goes, and the hands that it laid stay down."""
        for holders in self._held.values():
            if ("laid", who) in holders:
                holders.add(("laid", TABLE))
        self.leave(who)

    def _drop(self, button: int, going: Iterable[Hashable]) -> None:
        holders = self._held.get(button)
        if holders is None:
            return
        before = len(holders)
        holders.difference_update(going)
        if before and not holders:
            del self._held[button]
            self._buttons.lift(button)


def _laid(holder: Hashable) -> bool:
    return isinstance(holder, tuple)
