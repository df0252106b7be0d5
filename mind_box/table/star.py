"""The star button: what a tap of it means, since when it is down, and the vote that it opens."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from mind_box.game.state import Phase
from mind_box.game.values import dataclass
from mind_box.table.menu import Menu

Tap = Literal["next-item", "next-page", "decline", "call-off", "propose", "next-variant", "take-back", "leave"]


@dataclass(slots=True)
class Vote:
    """Whether a star is used."""

    since: float
    """Seconds."""
    agreed: set[int] = field(default_factory=set)
    """Seats."""


def tap_of(phase: Phase, menu: Menu, vote: Vote | None) -> Tap | None:
    """What a tap does now."""
    if menu.item is not None:
        return "next-item"
    if menu.story is not None:
        return "next-page"
    if menu.asking is not None:
        return "decline"
    if vote is not None:
        return "call-off"
    match phase:
        case "focus" | "play":
            return "propose"
        case "lobby":
            return "next-variant"
        case "deal":
            return "take-back"
        case "won" | "lost":
            return "leave"
        case "reveal":
            return None


class Star:
    """The button itself."""

    def __init__(self) -> None:
        self.since: float | None = None
        """When it went down (seconds); None: it is up, or what it was down for is done."""
        self._meant: Tap | None = None

    def press(self, at: float, means: Tap | None) -> None:
        """It went down; ``means`` is what a tap would do."""
        self.since, self._meant = at, means

    def release(self, means: Tap | None) -> Tap | None:
        """What the tap that ends here does: pressed for one thing, it does no other."""
        tapped = self.since is not None and means == self._meant
        self.since = None
        return means if tapped else None

    def spend(self) -> None:
        """Its release means nothing: it was held, or nobody knows any more whether it is down."""
        self.since = None
