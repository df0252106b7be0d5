"""The View as a lamp pattern: lives and stars as counts, seat lamps for whose move is awaited."""

from __future__ import annotations

from collections.abc import Container

from mind_box.game.values import dataclass
from mind_box.table.view import View


@dataclass(frozen=True, slots=True)
class LampPattern:
    """Which lamps are lit, steady: the first ``lives`` life lamps, the first ``stars`` star lamps, seats."""

    lives: int = 0
    """0 to 5."""
    stars: int = 0
    """0 to 3."""
    seats: frozenset[int] = frozenset()

    @property
    def lit(self) -> dict[str, Container[int]]:
        """By the kind of lamp: the numbers of those that are lit, counted from 1."""
        return {"life": range(1, self.lives + 1), "star": range(1, self.stars + 1), "seat": self.seats}


def lamps(view: View) -> LampPattern:
    """The pattern for this View; it depends on nothing else, so it stands still while the View does (R18).

    A lit seat lamp always means the same: the table waits for this seat. In ``deal`` that is the seat the
    next card goes to. In play nobody is waited for, so all seat lamps are dark, but that of a ghost that has just
    laid: somebody takes its card from the row there.
    """
    if view.phase == "play":
        seats: tuple[int, ...] = (view.ghost.seat,) if view.ghost is not None else ()
    elif view.phase == "deal" and view.next_seat is not None:
        seats = (view.next_seat,)
    else:
        seats = view.waiting
    return LampPattern(lives=view.lives, stars=view.stars, seats=frozenset(seats))
