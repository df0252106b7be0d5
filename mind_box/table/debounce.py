"""Debounce: when a button's raw level has become true. Pure; time comes in with the edges.

A level counts once it has been stable for the window, on the press and on the release alike: a 1 ms spike is
nothing. A button that is down at the start is nothing until it has been seen up.
"""

from __future__ import annotations

from collections.abc import Iterable

from mind_box.game.values import dataclass


@dataclass(frozen=True, slots=True)
class Stable:
    """A button's level changed and has been stable since ``at`` (seconds, the time of the raw edge)."""

    button: int
    down: bool
    at: float


class Debounce:
    """All buttons of a box.

    ``window`` is in seconds; ``held`` are the buttons that are down at the start.
    """

    def __init__(self, window: float, held: Iterable[int] = ()) -> None:
        self._window = window
        self._down: set[int] = set(held)
        self._stuck: set[int] = set(held)
        self._pending: dict[int, Stable] = {}

    def edge(self, button: int, down: bool, at: float) -> None:
        """A raw edge. Two edges to the same level in a row mean that one between them was missed."""
        if down == (button in self._down):
            self._pending.pop(button, None)
        else:
            self._pending[button] = Stable(button, down, at)

    @property
    def due(self) -> float | None:
        """When the next pending level will have been stable for the window."""
        return min(p.at for p in self._pending.values()) + self._window if self._pending else None

    def pending(self, button: int) -> bool:
        """Whether the raw level differs from the one that counts."""
        return button in self._pending

    def unsettled(self) -> tuple[int, ...]:
        """The buttons whose level should be read again before ``settle``: an edge may have been lost."""
        return tuple(self._pending)

    def reread(self, button: int, down: bool) -> None:
        """The raw level at the end of the window: where it is the one that counts already, an edge was lost."""
        if down == (button in self._down):
            self._pending.pop(button, None)

    def settle(self, now: float) -> list[Stable]:
        """The changes that have become true by ``now``, oldest first, of equal age the lower button first."""
        ripe = [p for p in self._pending.values() if p.at + self._window <= now]
        changes = []
        for change in sorted(ripe, key=lambda p: (p.at, p.button)):
            del self._pending[change.button]
            if change.down:
                self._down.add(change.button)
            else:
                self._down.discard(change.button)
            if change.button in self._stuck:
                self._stuck.discard(change.button)
            else:
                changes.append(change)
        return changes
