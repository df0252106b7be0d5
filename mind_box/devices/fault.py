"""The two edges of a device's fault: told and logged once when it begins, once when it ends."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from mind_box.table.inputs import DeviceBack, DeviceLost, Post

FIRST_RETRY = 0.1
LAST_RETRY = 2.0
"""Seconds between tries: doubled from the first to the last, so what is back is found within 2 s."""


class Backoff:
    """When to try again. ``clock`` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.retry_at = 0.0
        self._clock = clock
        self._delay = 0.0

    def failed(self) -> None:
        """A try failed: the next one is due a little later than last time."""
        self._delay = min(2 * self._delay, LAST_RETRY) if self._delay else FIRST_RETRY
        self.retry_at = self._clock() + self._delay

    def worked(self) -> None:
        """A try succeeded: the next failure is a first one."""
        self._delay = 0.0


class Fault:
    """Whether one device is lost, and when it is worth trying again.

    Not thread-safe: who works the device owns it. ``clock`` gives ``time.monotonic()`` seconds.
    """

    def __init__(
        self, device: str, post: Post, log: logging.Logger, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.device = device
        self.lost = False
        self.why = ""
        self._post = post
        self._log = log
        self._clock = clock
        self._backoff = Backoff(clock)

    @property
    def retry_at(self) -> float:
        """When the next try is due, while lost."""
        return self._backoff.retry_at

    def begin(self, why: str) -> None:
        """A try failed. The first failure is told; each sets the time of the next try."""
        first, self.lost, self.why = not self.lost, True, why
        self._backoff.failed()
        if first:
            self._log.error("%s: lost: %s", self.device, why)
            self._post(DeviceLost(self.device, why, self._clock()))

    def end(self) -> None:
        """A try succeeded."""
        self._backoff.worked()
        if self.lost:
            self.lost = False
            self.why = ""
            self._log.warning("%s: back", self.device)
            self._post(DeviceBack(self.device, self._clock()))
