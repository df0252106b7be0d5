"""A scanner that looks at the pile itself: what it keeps reading, told as changes of what lies on top, or nothing.

Such a scanner reads continuously. Ten to thirty codes a second of a pile that lies there say nothing new, so only
changes are passed on. "Nothing lies there" is the label on the tray's floor, and nothing else, for as long as a card
must be away; a scanner that has never read one can only be silent for many times its own period.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mind_box.devices.readers.driver import Action, Driver, Emptied, Seen
from mind_box.table.payload import is_tray, label_begins, parse

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
        """When silence will mean that nothing lies there; None: it has been told, or means nothing."""
        self._floor: tuple[float, float] | None = None
        """Since when nothing but the floor's label was read, and when it was last."""
        self._labelled = False
        """The floor has a label: silence may be a hand, a pile face down, a lens that is covered."""
        self._told = False
        """That the floor is seen was told, and nothing else was read since."""

    @property
    def deadline(self) -> float | None:
        return min((at for at in (self._inner.deadline, self._silent_at) if at is not None), default=None)

    def opened(self, now: float) -> Sequence[Action]:
        self._last = self._garbled = self._floor = None
        self._labelled = self._told = False
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
        out: list[Action] = []
        for action in actions:
            if isinstance(action, Seen) and is_tray(action.payload):
                out += self._floor_seen(action.at)
            elif not isinstance(action, Seen) or self._is_news(action.payload, action.at):
                out.append(action)
        return out

    def _floor_seen(self, at: float) -> Sequence[Action]:
        self._labelled, self._silent_at = True, None
        since, last = self._floor or (at, at)
        if at - last >= self._away:
            since = at
        self._floor = since, at
        if at - since < self._away or self._told:
            return ()
        self._told, self._last = True, None
        return (Emptied(at, seen=True),)

    def _is_news(self, payload: str, at: float) -> bool:
        """Another code than the last one, or the same after it was away; one bad picture of a label is nothing."""
        self._silent_at = None if self._labelled else at + EMPTY * self._away
        if label_begins(payload) and parse(payload) is None:
            before, self._garbled = self._garbled, (payload, at)
            if before is None or before[0] != payload or at - before[1] >= self._away:
                return False
        else:
            self._garbled = None
        self._floor, self._told = None, False
        last, self._last = self._last, (payload, at)
        return last is None or last[0] != payload or at - last[1] >= self._away
