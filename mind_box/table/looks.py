"""Looks: when the levels of buttons that stay down are read again, as a release may never be told."""

from __future__ import annotations

LONGEST = 1.25
"""Seconds between two looks; sooner after a change, then rarer and rarer."""


class Looks:
    """The next of them, from ``now`` on (seconds)."""

    def __init__(self, now: float) -> None:
        self._pause = LONGEST
        self._next = self._last = now

    def due(self, held: float | None) -> float:
        """When the next is wanted. At ``held`` hands will count as held, if they are seen at the end of it."""
        return min(self._next, held) if held is not None and held > self._last else self._next

    def looked(self, now: float) -> None:
        """Whoever reads the levels has just done so."""
        self._last = now
        if now >= self._next:
            self._pause = min(2 * self._pause, LONGEST)
            self._next = now + self._pause

    def changed(self, now: float) -> None:
        """A button went down or up."""
        self._pause = LONGEST / 8
        self._next = now + self._pause
