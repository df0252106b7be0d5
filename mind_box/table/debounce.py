"""Debounce: when a button's raw level has become true. Pure; time comes in with the edges.

A level counts once it has been stable for the window, on the press and on the release alike: a 1 ms spike is
nothing. A button that is down at the start is nothing until it has been seen up.

An edge is the truth, with its time; but one in a thousand is never told, so levels are read again and again. A level
that no edge has told is in doubt first: on a busy machine the edge is only late, and what it says counts. Nothing that
the button may mean happens meanwhile. Where none comes, an edge was lost, and the level is believed.
"""

from __future__ import annotations

from collections.abc import Iterable

from mind_box.game.values import dataclass

PATIENCE = 0.05
"""Seconds that a level without its edge is in doubt: longer than the kernel or a library's thread need to hand one
over. Where the last edge came later, the next may."""
PUNCTUAL = 0.02
"""Seconds that an edge may take without being late: a driver may look again first whether it lost one."""
LATEST = 1.0
"""Seconds that are waited for an edge that comes late, at most."""
SLACK = 1e-6
"""Seconds: sums of times in floating point may miss by less than this what was meant to be equal."""


@dataclass(frozen=True, slots=True)
class Stable:
    """A button's level changed and has been stable since ``at`` (seconds, the time of the raw edge)."""

    button: int
    down: bool
    at: float
    """Where the edge was lost: a press when it was seen first, a release when the button was seen down last. What was
    not seen is not held."""
    told: bool = True
    """There was an edge."""


class Debounce:
    """All buttons of a box.

    ``window`` is in seconds; ``held`` are the buttons that are down at the start.
    """

    def __init__(self, window: float, held: Iterable[int] = ()) -> None:
        self._window = window
        self._down: set[int] = set(held)
        self._stuck: set[int] = set(held)
        self._pending: dict[int, Stable] = {}
        self._doubts: dict[int, float] = {}
        """Since when the level that is read is not the one that the edges tell."""
        self._glimpsed: dict[int, tuple[float, float]] = {}
        """From when until when it was not, before it was again, and no edge told of either yet."""
        self._seen: dict[int, float] = {}
        """When the level was last what the edges tell."""
        self._proven: set[int] = set()
        """Pending levels whose next edge has come, after the window."""
        self._lag = 0.0
        """Seconds that the last edge took to come."""
        self._came: float | None = None
        """The time of the last edge, until it is known how late it came."""

    def edge(self, button: int, down: bool, at: float) -> None:
        """A raw edge, with the time at which it happened. Two edges to the same level in a row mean that one between
        them was missed."""
        self._forget(button)
        self._proven.discard(button)
        self._seen[button] = self._came = at
        if down == (button in self._down):
            self._pending.pop(button, None)
        else:
            self._pending[button] = Stable(button, down, at)

    def _forget(self, button: int) -> None:
        self._doubts.pop(button, None)
        self._glimpsed.pop(button, None)

    def expect(self, button: int, down: bool, at: float) -> None:
        """An edge is here, to be told after what has become true until then.

        Where one to the same level was the last, an edge between them was lost; but what it began may have been seen.
        """
        since, until = self._glimpsed.get(button, (self._doubts.get(button, at), at))
        self._forget(button)
        twice = button not in self._pending and down == (button in self._down)
        if twice and since + self._window <= at <= until + SLACK:
            self._pending[button] = Stable(button, not down, since, False)
        pending = self._pending.get(button)
        if pending is not None and pending.at + self._window <= at + SLACK:
            self._proven.add(button)

    @property
    def due(self) -> float | None:
        """When ``settle`` is wanted next."""
        ends = [since + PATIENCE + self._lag for since in self._doubts.values()]
        return min([*ends, *(self._ripe_at(p) for p in self._pending.values())], default=None)

    def _ripe_at(self, change: Stable) -> float:
        """When it counts: no edge of the window can be on its way any more, and its level is not in doubt; nor is
        another's that came into doubt before: who was held together with whom?"""
        due = change.at + self._window
        if change.button in self._proven:
            return due
        doubts = [since for b, since in self._doubts.items() if b == change.button or since <= due]
        return max([due + self._lag, *(since + PATIENCE + self._lag for since in doubts)])

    @property
    def down(self) -> bool:
        """Whether any button is down, as far as it counts."""
        return bool(self._down)

    def unsure(self, button: int) -> bool:
        """Whether it may be about to change."""
        return button in self._pending or button in self._doubts

    def reread(self, button: int, down: bool, now: float) -> None:
        """The raw level now, after all edges that have come: where they tell another one, it is in doubt."""
        if self._came is not None:
            late = now - self._came
            self._lag = min(late, LATEST) if late > PUNCTUAL else 0.0
            self._came = None
        pending = self._pending.get(button)
        if down == (pending.down if pending else button in self._down):
            if button in self._doubts:
                self._glimpsed[button] = (self._doubts.pop(button), now)
            self._seen[button] = now
        elif now >= self._doubts.setdefault(button, now) + PATIENCE + self._lag - SLACK:
            since = self._doubts.pop(button)
            if pending is not None:  # a spike whose end was lost; nobody saw it last for the window
                del self._pending[button]
            else:
                self._pending[button] = Stable(button, down, since if down else self._seen.get(button, since), False)

    def lose(self, button: int) -> bool:
        """Its level is not known any more: it is nothing until it has been seen up. True where it was anything else."""
        lost = self._pending.pop(button, None) is not None or button in self._down - self._stuck
        self._forget(button)
        self._stuck |= {button} & self._down
        return lost

    def settle(self, now: float) -> list[Stable]:
        """The changes that have become true by ``now``, oldest first, of equal age the lower button first."""
        ripe = [p for p in self._pending.values() if self._ripe_at(p) <= now]
        for button in [b for b, since in self._doubts.items() if since + PATIENCE + self._lag <= now]:
            del self._doubts[button]  # nobody has looked again
        changes = []
        for change in sorted(ripe, key=lambda p: (p.at, p.button)):
            del self._pending[change.button]
            self._proven.discard(change.button)
            if change.down:
                self._down.add(change.button)
            else:
                self._down.discard(change.button)
            if change.button in self._stuck:
                self._stuck.discard(change.button)
            else:
                changes.append(change)
        return changes
