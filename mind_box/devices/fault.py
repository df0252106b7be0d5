"""The one supervision of every device: its fault is told once at each edge, and in between when to try again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from mind_box.table.inputs import DeviceBack, DeviceLost, Post

FIRST_RETRY = 0.1
LAST_RETRY = 2.0
"""Seconds between tries: doubled from the first to the last, so what is back is found within 2 s."""


class Fault:
    """Whether one device is lost, and when it is worth trying again.

    Not thread-safe: who works the device owns it.
    """

    def __init__(
        self,
        tell: Callable[[str | None], None] = lambda why: None,  # noqa: ARG005
        clock: Callable[[], float] = time.monotonic,
        retry: tuple[float, float] | None = None,
    ) -> None:
        """``tell`` hears what is wrong when the fault begins, and None when it ends.

        ``clock`` gives seconds that never go back; ``retry``: those between the first two tries, and at most.
        """
        self.lost = False
        self.retry_at = 0.0
        """When the next try is due, while lost."""
        self._tell = tell
        self._clock = clock
        self._first, self._last = retry or (FIRST_RETRY, LAST_RETRY)
        self._delay = 0.0
        self._closed = False

    @classmethod
    def posted(
        cls,
        device: str,
        post: Post,
        log: logging.Logger,
        clock: Callable[[], float] = time.monotonic,
        retry: tuple[float, float] | None = None,
    ) -> Fault:
        """A fault whose edges are posted as ``DeviceLost`` and ``DeviceBack``, and logged. ``clock`` stamps them."""

        def tell(why: str | None) -> None:
            if why is None:
                log.warning("%s: back", device)
                post(DeviceBack(device, clock()))
            else:
                log.error("%s: lost: %s", device, why)
                post(DeviceLost(device, why, clock()))

        return cls(tell, clock, retry)

    def begin(self, why: str) -> None:
        """The device does not do its work."""
        if not self.lost and not self._closed:
            self.lost = True
            self._tell(why)

    def failed(self, why: str) -> None:
        """A try failed: the next one is due a little later than last time."""
        self._delay = min(2 * self._delay, self._last) if self._delay else self._first
        self.retry_at = self._clock() + self._delay
        self.begin(why)

    def worked(self) -> None:
        """A try succeeded: the next failure is a first one. Whether the device is back is not decided yet."""
        self._delay = 0.0

    def end(self) -> None:
        """The device does its work."""
        self.worked()
        if self.lost and not self._closed:
            self.lost = False
            self._tell(None)

    def close(self) -> None:
        """Nothing is told any more."""
        self._closed = True
