"""What reaches the table from the world: typed, timestamped where it happened.

Drivers post these and nothing else. ``at`` is always ``time.monotonic()`` seconds (virtual seconds in a
replay); no input carries a wall clock.
"""

from __future__ import annotations

from collections.abc import Callable

from mind_box.game.values import dataclass

STAR = 0
"""The button number of the shared star button; seats are 1 to 8."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A button's raw level changed (not debounced: the table does that)."""

    button: int
    """STAR (0) or a seat, 1 to 8."""
    down: bool
    at: float


@dataclass(frozen=True, slots=True)
class Scan:
    """The reader reported one card shown and taken away: its payload as text, not yet understood."""

    payload: str
    at: float
    tray: bool = False
    """Seen on the pile itself, under whose reader it stays: as often as what lies on top changes."""


@dataclass(frozen=True, slots=True)
class TrayEmpty:
    """The reader over the pile runs, and nothing has lain under it for a while. Posted once, until it sees a card."""

    at: float
    seen: bool = False
    """The label on the tray's floor was read; else it is a silence."""


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """A device stopped answering. Posted once when the fault begins."""

    device: str
    """``reader``, ``reader-setting``, ``table-screen``, ``table-screen 2``, ``seat-screen N``, ``buttons``, ``lamps``
    or ``journal``."""
    why: str
    at: float


@dataclass(frozen=True, slots=True)
class DeviceBack:
    """A lost device answers again. Posted once when the fault ends."""

    device: str
    at: float


Input = Edge | Scan | TrayEmpty | DeviceLost | DeviceBack

Post = Callable[[Input], None]
"""Hands an input to the daemon: callable from any thread, never blocks, never raises."""
