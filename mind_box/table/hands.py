"""Hands on the table: who has one down, since when nothing changed, and whether all were down and may be lifted."""

from __future__ import annotations

from collections.abc import Collection

from mind_box.game.state import Ended, Game


class Hands:
    """The hands that count. A button that is down for something else (to agree, say) is not among them."""

    def __init__(self, now: float) -> None:
        self.down: set[int] = set()
        """Seats."""
        self.armed = False
        """All persons had a hand down; when the last is lifted, concentration is done."""
        self.after: Ended | None = None
        """The end of a level, once a hand has gone down for the next one."""
        self.since = now
        """From when on nothing has changed (seconds)."""

    def put(self, seat: int, game: Game) -> None:
        """A hand comes down in this game."""
        self.down.add(seat)
        self.armed = self.armed or self.down.issuperset(game.persons)
        if game.phase == "focus":
            self.after = game.ended

    def lift(self, seat: int, seats: Collection[int]) -> bool:
        """A hand goes up; true when it was the last of all that were down together."""
        self.down.discard(seat)
        done = self.armed and self.down.isdisjoint(seats)
        self.armed = self.armed and not done
        return done

    def lose(self, seat: int) -> None:
        """Nobody knows any more whether a hand is there: it was not lifted, and it is none."""
        if seat in self.down:
            self.down.discard(seat)
            self.armed = False

    def anew(self) -> None:
        """Concentration begins anew: a hand that is down already must be put down again."""
        self.down.clear()
        self.armed = False

    def changed(self, at: float) -> None:
        """From ``at`` (seconds) on nothing has changed."""
        self.since = max(self.since, at)

    def unchanged(self, at: float, seconds: float) -> bool:
        """Whether nothing changed for so many seconds up to ``at``."""
        return at - self.since >= seconds


def restarts_focus(before: Game, after: Game) -> bool:
    """Whether hands have to be put down anew: another error or star came, or the focus has another reason."""
    return after.phase == "focus" and (
        after.reason != before.reason
        or after.last_error not in (None, before.last_error)
        or (after.reason == "star" and after.stars < before.stars)
    )
