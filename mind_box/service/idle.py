"""Screens that nobody looks at grow dim and go dark, so that they do not burn in. Never while a level is played."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from mind_box.devices.ports import Screen
from mind_box.table.view import View

FULL, DIM, OFF = 255, 24, 0


class Idle:
    """``dim`` and ``dark`` are seconds without any input; 0 means never."""

    def __init__(self, screens: Iterable[Screen], dim: float, dark: float, loop: asyncio.AbstractEventLoop) -> None:
        self._screens = tuple(screens)
        self._steps = [(after, level) for after, level in ((dim, DIM), (dark, OFF)) if after > 0]
        self._loop = loop
        self._level = FULL
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def touched(self, view: View) -> None:
        """Something happened at the table: full light, and the wait begins anew (R18: in play there is none)."""
        self._since = self._loop.time()
        playing = view.phase in ("play", "vote")
        if playing or self._level != FULL:
            self.close()  # a timer that comes too early is only set again; this one would come in play, or too late
        self._set(FULL)
        if self._timer is None and not playing:
            self._later(self._since)

    def close(self) -> None:
        """No more changes until something happens."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _later(self, now: float) -> None:
        waits = [self._since + after for after, level in self._steps if level < self._level]
        if waits:
            self._timer = self._loop.call_at(max(min(waits), now), self._due)

    def _due(self) -> None:
        """One timer serves all inputs: when it comes too early it is set again."""
        self._timer = None
        now = self._loop.time()
        levels = [level for after, level in self._steps if self._since + after <= now]
        if levels:
            self._set(min(levels))
        self._later(now)

    def _set(self, level: int) -> None:
        if level != self._level:
            self._level = level
            for screen in self._screens:
                screen.brightness(level)
