"""A card that rests on the reader is one scan: it must go away before it counts again.

Scanners repeat a code for as long as it is in view (GM805), some every 0.1 s, some every second.
"""

from __future__ import annotations

from typing import Final

_MOST: Final = 16
"""Cards remembered at once; in view there are one or two."""


class Resting:
    """Tells a card newly shown from one that is still there.

    Each card has its own rest: two codes in view that are read in turn are two scans, not an endless row.
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
