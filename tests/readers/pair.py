"""A driver and a chip model on one virtual clock, without I/O: hours of traffic in a second."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Protocol

from mind_box.devices.readers.driver import Action, Driver, Say, Seen, Send, Silent, Working


class Chip(Protocol):
    @property
    def due(self) -> float | None: ...
    def feed(self, data: bytes, now: float) -> None: ...
    def take(self, now: float) -> bytes: ...


class Pair:
    """Carries bytes between the two, in pieces if asked, and calls each when its time has come."""

    def __init__(self, driver: Driver, chip: Chip, pieces: Callable[[bytes], list[bytes]] | None = None) -> None:
        self.driver = driver
        self.chip = chip
        self.now = 1000.0
        self.cards: list[tuple[str, float]] = []
        self.said: list[str] = []
        self.working: bool | None = None
        self.changes: list[bool] = []
        self.wakes = 0
        self.sent: list[bytes] = []
        self._pieces = pieces or (lambda data: [data])
        self._plans: list[tuple[float, int, Callable[[], object]]] = []
        self.open()

    def open(self) -> None:
        """The port is opened, for the first time or again."""
        self._do(self.driver.opened(self.now))

    @property
    def payloads(self) -> list[str]:
        return [payload for payload, _ in self.cards]

    def at(self, seconds: float, what: Callable[[], object]) -> None:
        """Does something at this many seconds from now."""
        heapq.heappush(self._plans, (self.now + seconds, len(self._plans), what))

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while True:
            times = [end]
            if self._plans:
                times.append(self._plans[0][0])
            if (due := self.chip.due) is not None:
                times.append(due)
            if (deadline := self.driver.deadline) is not None:
                times.append(deadline)
            self.now = max(self.now, min(times))
            while self._plans and self._plans[0][0] <= self.now:
                heapq.heappop(self._plans)[2]()
            if data := self.chip.take(self.now):
                for piece in self._pieces(data):
                    self.wakes += 1
                    self._do(self.driver.received(piece, self.now))
            if (deadline := self.driver.deadline) is not None and deadline <= self.now:
                self.wakes += 1
                self._do(self.driver.wake(self.now))
            if self.now >= end:
                return

    def _do(self, actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case Send(data):
                    self.sent.append(data)
                    self.chip.feed(data, self.now)
                case Seen(payload, at):
                    self.cards.append((payload, at))
                case Working():
                    self.working = True
                    self.changes.append(True)
                case Silent(why):
                    self.working = False
                    self.changes.append(False)
                    self.said.append(why)
                case Say(text):
                    self.said.append(text)
