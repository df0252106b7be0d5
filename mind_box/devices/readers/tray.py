"""A scanner that looks at the pile itself: what it keeps reading, told as changes of what lies on top, and its silence.

Such a scanner reads continuously. Ten to thirty codes a second of a pile that lies there say nothing new, so only
changes are passed on; and as it can only say codes, "nothing lies there" is silence for many times its own period.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mind_box.devices.readers.driver import Action, Driver, Emptied, Seen
from mind_box.table.payload import label_begins, parse

EMPTY: Final = 3
"""Times ``same_card_seconds`` without a code, after which nothing lies there: a hand that takes the pile is quicker,
and nobody shuffles and deals as fast."""


class TrayDriver:
    """A line driver whose sights are of a tray. ``inner`` must tell every sight."""

    def __init__(self, inner: Driver, same_card_seconds: float) -> None:
        self._inner = inner
        self._away = same_card_seconds
        self._last: tuple[str, float] | None = None
        """What was read last, and when."""
        self._garbled: tuple[str, float] | None = None
        """The same of a label whose check is wrong."""
        self._silent_at: float | None = None
        """When silence will mean that nothing lies there; None: it has been told."""

    @property
    def deadline(self) -> float | None:
        return min((at for at in (self._inner.deadline, self._silent_at) if at is not None), default=None)

    def opened(self, now: float) -> Sequence[Action]:
        self._last = self._garbled = None
        self._silent_at = now + EMPTY * self._away
        return self._reduced(self._inner.opened(now))

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        if self._silent_at is not None:
            self._silent_at = now + EMPTY * self._away  # whatever it is: something is read
        return self._reduced(self._inner.received(data, now))

    def wake(self, now: float) -> Sequence[Action]:
        actions = self._reduced(self._inner.wake(now))
        if self._silent_at is not None and now >= self._silent_at:
            self._silent_at = self._last = None
            actions.append(Emptied(now))
        return actions

    def _reduced(self, actions: Iterable[Action]) -> list[Action]:
        return [a for a in actions if not isinstance(a, Seen) or self._is_news(a.payload, a.at)]

    def _is_news(self, payload: str, at: float) -> bool:
        """Another code than the last one, or the same after it was away; one bad picture of a label is nothing."""
        self._silent_at = at + EMPTY * self._away
        if label_begins(payload) and parse(payload) is None:
            before, self._garbled = self._garbled, (payload, at)
            if before is None or before[0] != payload or at - before[1] >= self._away:
                return False
        else:
            self._garbled = None
        last, self._last = self._last, (payload, at)
        return last is None or last[0] != payload or at - last[1] >= self._away
