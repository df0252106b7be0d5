"""The tray of a virtual box: what lies under its scanner, and what that keeps reading.

People do here what they do at a real one: a card that is laid stays, one that the box does not count is lifted (so
is one that was only shown, as in the hood), and at a level's end the pile is taken off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from mind_box.table.payload import TRAY, parse
from mind_box.table.view import View

PERIOD: Final = 0.1
"""Seconds between two pictures of the scanner, as docs/scanners.md has it set."""
LOOKS: Final = 0.6
"""Seconds that a card lies there at least; by then the box has said what it makes of it."""


class UnderScanner:
    """``read`` is what the scanner says, its label on the tray's floor included."""

    def __init__(self, loop: asyncio.AbstractEventLoop, read: Callable[[str], None]) -> None:
        self._loop = loop
        self._read = read
        self.lies: list[str] = []
        """The bottom first."""
        self._laid = 0.0
        self._view: View | None = None
        self._timer = loop.call_later(PERIOD, self._picture)

    def close(self) -> None:
        """Nothing is read any more."""
        self._timer.cancel()

    def lay(self, payload: str) -> None:
        """A card is laid on the pile, or held over it."""
        self.lies.append(payload)
        self._laid = self._loop.time()
        self._read(payload)

    def follow(self, view: View) -> None:
        """The box shows this."""
        before, self._view = self._view, view
        if before is not None and _level(before) != _level(view):
            self.lies.clear()

    def _picture(self) -> None:
        view = self._view
        if view is not None and self._loop.time() - self._laid >= LOOKS:
            counted = {card for pile in view.piles for card in pile} | set(view.aside)
            self.lies = [payload for payload in self.lies if parse(payload) in counted]
        self._read(self.lies[-1] if self.lies else TRAY)
        self._timer = self._loop.call_later(PERIOD, self._picture)


def _level(view: View) -> tuple[object, ...]:
    return () if view.phase in ("lobby", "won", "lost") else (view.level, view.check)
