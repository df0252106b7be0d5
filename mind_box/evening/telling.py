"""From the rows of a journal to the game that they tell: a fold, with what was undone left out (R36a)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from mind_box.evening.course import Course, level_key
from mind_box.evening.told import Ending, GameTold, Level, Result
from mind_box.game import events as ev
from mind_box.game.evolve import evolve
from mind_box.game.state import Game
from mind_box.journal.stamps import Stamp, Timed

DATE = "%Y-%m-%dT%H:%M:%SZ"
EARLIEST = "2020"
"""Dates before this are no dates: a clock that was never set shows 1970."""


def told(kept: Iterable[Timed], over: bool = True, doubts: Iterable[str] = ()) -> GameTold | None:
    """The game of these events, from its ``Started`` on; None: there is no start.

    ``over``: another game follows; else it is at the table, and a level under way is not told.
    """
    teller = _Teller(set(doubts))
    for timed in kept:
        teller.take(timed)
    return teller.game(over)


class _Teller:
    def __init__(self, doubts: set[str]) -> None:
        self._doubts = doubts
        self._game = Game()
        self._started: tuple[ev.Started, Stamp | None] | None = None
        self._dates: dict[str, tuple[str, int]] = {}
        self._course: Course | None = None
        self._done: list[tuple[Course, Level, Game]] = []
        """Levels that ended, and the last game of each: an undo may go back into one."""
        self._resolves = 0

    def take(self, timed: Timed) -> None:
        event, stamp = timed.event, timed.stamp
        if self._started is None:
            if not isinstance(event, ev.Started):
                return
            self._started = event, stamp
        if stamp is not None:
            if stamp.date is not None and stamp.date >= EARLIEST:
                self._dates.setdefault(stamp.run, (stamp.date, stamp.ms))
            self._resolves = max(self._resolves, stamp.reader or 0)
        before, after = self._game, evolve(self._game, event)
        self._game = after
        if isinstance(event, ev.Configured) and before.phase == "lobby":
            return
        if isinstance(event, ev.Undone | ev.ChallengeUndone):
            self._go_back(after)
        course = self._course
        if course is None:
            if after.phase not in ("lobby", "won", "lost"):
                self._course = Course(after)
            return
        course.note(event, stamp, before, after)
        match event:
            case ev.LevelCompleted():
                self._close(before, after, "done")
                if level_key(after) != course.key:
                    self._course = Course(after)
            case ev.Lost():
                self._close(before, after, "lost")
            case ev.Left() if before.phase not in ("won", "lost", "lobby"):
                self._close(before, before, "left")
            case ev.ChallengeBegan():
                self._course = Course(after)

    def _close(self, last: Game, after: Game, ending: Ending) -> None:
        assert self._course is not None
        self._done.append((self._course, self._course.told(last, after, ending), last))
        self._course = None

    def _go_back(self, game: Game) -> None:
        """An undo: into the level that was under way, or into the one before it."""
        if game.phase in ("lobby", "won", "lost"):
            self._course = None
            return
        while self._course is None or self._course.key != level_key(game):
            if not self._done:
                self._course = Course(game)
                return
            self._course = self._done.pop()[0]
        while self._done and self._done[-1][0] is self._course:
            self._done.pop()

    def game(self, over: bool) -> GameTold | None:
        if self._started is None:
            return None
        started, stamp = self._started
        first, levels = evolve(Game(), started), [level for _, level, _ in self._done]
        if over and self._course is not None:  # whoever began the next game left this one
            levels.append(self._course.told(self._game, self._game, "left"))
        blind = first.check is not None
        main = [level for level in levels if level.blind == blind]  # without the challenge after a win
        best = max((level.number for level in main if level.ending == "done"), default=0)
        result: Result = "left" if over or self._game.phase == "lobby" else "open"
        if best >= first.last_level:
            result = "won"
        elif main and main[-1].ending == "lost":
            result = "lost"
        courses = [course for course, _, _ in self._done]
        doubts = set(self._doubts)
        doubts |= {"clock"} if any(course.lying for course in courses) else set()
        doubts |= {"times"} if len({course.untimed for course in courses}) > 1 else set()
        return GameTold(
            begun=self._begun(stamp),
            setup=first.setup,
            order=first.order,
            seats=started.seats,
            result=result,
            best=best,
            resolves=self._resolves / 1000,
            levels=tuple(levels),
            doubts=tuple(sorted(doubts)),
            ghosts=started.ghosts,
        )

    def _begun(self, stamp: Stamp | None) -> str | None:
        """The date of the start; from any date of the same run, for the network may have set the clock later."""
        if stamp is None or stamp.run not in self._dates:
            return None
        date, ms = self._dates[stamp.run]
        try:
            return (datetime.strptime(date, DATE) - timedelta(milliseconds=ms - stamp.ms)).strftime(DATE)
        except (ValueError, OverflowError, OSError):
            return None
