"""The table's time: timers that run out in their order, and when what they and the inputs bring about happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from mind_box.game import events as ev
from mind_box.game.state import Game
from mind_box.game.values import dataclass
from mind_box.table.debounce import SLACK
from mind_box.table.menu import Effect
from mind_box.table.play_clock import PlayClock

Timer = tuple[float, Callable[[float], None]]
"""When it runs out (seconds), and what is done then."""


@dataclass(slots=True)
class Outcome:
    """What an input brought about."""

    events: list[ev.Event] = field(default_factory=list)
    times: list[tuple[float, float | None]] = field(default_factory=list)
    """Of each event: when what brought it about happened, and the level's play time then (R35), both in seconds."""
    effects: list[Effect] = field(default_factory=list)
    """What the menu asks of the machine."""


class Timing:
    """What a table is besides its rules. ``game`` is the game now."""

    def __init__(self, game: Game, now: float, clock: PlayClock | None) -> None:
        self.game = game
        self._now = self._moment = now
        self._clock = clock or PlayClock()
        self._outcome = Outcome()

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is wanted next, if nothing else happens; None: never."""
        return min((due for due, _ in self._timers()), default=None)

    def _timers(self) -> Sequence[Timer]:
        raise NotImplementedError

    def _playing(self) -> bool:
        """Whether play time runs."""
        raise NotImplementedError

    def _advance(self, to: float) -> None:
        while True:
            due, act = min(self._timers(), key=lambda timer: timer[0], default=(None, None))
            if due is None or act is None or due > to + SLACK:
                break
            self._now = max(self._now, due)
            with self._at(self._now):
                act(self._now)
        self._now = max(self._now, to)

    @contextmanager
    def _at(self, moment: float) -> Iterator[None]:
        """What is done in the block was brought about by something that happened at ``moment`` (seconds)."""
        outside, self._moment = self._moment, moment
        before, played = self.game, self._playing()
        yield
        if self.game is not before or self._playing() != played:
            self._clock.turn(before, self.game, self._playing(), moment)
        self._moment = outside

    def _happened(self, events: Sequence[ev.Event]) -> None:
        """These came of it; ``game`` is still the one before them."""
        self._outcome.events += events
        self._outcome.times += [(self._moment, self._clock.at(self.game, self._moment))] * len(events)

    def _brought_about(self) -> Outcome:
        outcome, self._outcome = self._outcome, Outcome()
        return outcome
