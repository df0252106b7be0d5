"""Play time (R35): it runs in play alone, from the lift that begins it; focus, votes and menus stand it still.

Order alone judges: nothing in the rules, and no timer, ever asks it.
"""

from __future__ import annotations

from collections.abc import Iterable

from mind_box.game import events as ev
from mind_box.game.evolve import evolve
from mind_box.game.state import Game

Level = tuple[bool, int]
"""Blind or not, and its number: the challenge after a win counts anew."""


class PlayClock:
    """The play time of each level of one game, in seconds."""

    def __init__(self) -> None:
        self._played: dict[Level, float] = {}
        self._since: float | None = None
        """Since when it runs; None: it stands still."""

    def at(self, game: Game, moment: float) -> float | None:
        """The play time of the level under way; None outside of one, and while it is dealt."""
        if game.phase not in ("focus", "play", "reveal"):
            return None
        running = 0.0 if self._since is None else max(moment - self._since, 0.0)
        return self._played.get(_level(game), 0.0) + running

    def turn(self, before: Game, game: Game, runs: bool, moment: float) -> None:
        """From ``moment`` on the game is another, or the clock ``runs``, or no longer does. Undo takes no time back."""
        played = self.at(before, moment)
        if played is not None:
            self._played[_level(before)] = played
        if before.phase == "lobby" and game.level == 1 and game.steps == 0:
            self._played.clear()
        elif _level(game) > _level(before):
            self._played.pop(_level(game), None)
        self._since = moment if runs else None

    def remember(self, game: Game, played: float | None) -> None:
        """What the journal has of it: it stood at so much when something happened in this game."""
        if played is not None:
            self._played[_level(game)] = played


def _level(game: Game) -> Level:
    return game.check is not None, game.level


def remembered(events: Iterable[tuple[ev.Event, float | None]], lobby: Game) -> tuple[Game, PlayClock]:
    """The game that these events make on ``lobby``, and its play time: it goes on from the last event on disk.

    Beside each event stands the play time (seconds) at which it happened, where that is known.
    """
    game, clock = lobby, PlayClock()
    for event, played in events:
        after = evolve(game, event)
        clock.turn(game, after, False, 0.0)
        clock.remember(game, played)
        game = after
    return game, clock
