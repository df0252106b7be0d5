"""What every reader's driver is: bytes and time in, actions out. No driver does I/O or reads a clock.

The ``Port`` owns the device and the timer and carries the actions out, so each driver can be tested byte by
byte in virtual time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from mind_box.game.values import dataclass


@dataclass(frozen=True, slots=True)
class Send:
    """Write these bytes to the device."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Seen:
    """A card was shown: post it. ``at`` is in seconds of the clock the driver is given."""

    payload: str
    at: float


@dataclass(frozen=True, slots=True)
class Emptied:
    """Nothing lies on the tray: its floor's label is read (``seen``), or for so long nothing. ``at`` as of ``Seen``."""

    at: float
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Working:
    """The device answers. A driver of a device that cannot answer says this at once in ``opened``."""


@dataclass(frozen=True, slots=True)
class Silent:
    """The device is open but does not do its work: what is wrong, and what to do."""

    why: str


@dataclass(frozen=True, slots=True)
class Say:
    """Something a person should find in the log: once, at the edge."""

    text: str


@dataclass(frozen=True, slots=True)
class Misset:
    """Every code is dropped because of how the scanner is set (``why``, which was said), or no longer (empty)."""

    why: str


Action = Send | Seen | Emptied | Working | Silent | Say | Misset


class Driver(Protocol):
    """One kind of reader. All times are seconds of one monotonic clock."""

    @property
    def deadline(self) -> float | None:
        """When ``wake`` wants to be called; None while only bytes matter, so that an idle reader costs nothing."""
        ...

    def opened(self, now: float) -> Sequence[Action]:
        """The device has just been opened: whatever was known of its state is void."""
        ...

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        """Bytes came in: any number of them, cut anywhere."""
        ...

    def wake(self, now: float) -> Sequence[Action]:
        """The deadline has come. May be called early: a driver then does nothing."""
        ...


_MOST: Final = 16
"""Cards remembered at once; in view there are one or two."""


class Resting:
    """Tells a card newly shown from one that rests on the reader, which must go away before it counts again.

    Scanners repeat a code for as long as it is in view (GM805), some every 0.1 s, some every second. Each card has its
    own rest: two codes in view that are read in turn are two scans, not an endless row.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last: dict[str, float] = {}

    def is_new(self, payload: str, at: float) -> bool:
        """True when this card was not seen during the last ``seconds``. ``at`` in seconds, never decreasing."""
        last = self._last.pop(payload, None)
        if last is None and len(self._last) >= _MOST:
            del self._last[next(iter(self._last))]
        self._last[payload] = at
        return last is None or at - last >= self._seconds
