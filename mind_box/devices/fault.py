"""The two edges of a device fault: posted and logged once when it begins, once when it ends."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from mind_box.table.inputs import DeviceBack, DeviceLost, Post

FIRST_RETRY = 0.1
LAST_RETRY = 2.0
"""Seconds between tries: doubled from the first to the last, so a device that is back is found within 2 s."""


class Fault:
    """Whether one device is lost, and when it is worth trying again.

    Not thread-safe: whoever works the device owns it. ``clock`` gives ``time.monotonic()`` seconds.
    """

    def __init__(
        self, device: str, post: Post, log: logging.Logger, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.device = device
        self.lost = False
        self.why = ""
        self.retry_at = 0.0
        """When the next try is due; meaningful while lost."""
        self._post = post
        self._log = log
        self._clock = clock
        self._delay = FIRST_RETRY

    def begin(self, why: str) -> None:
        """A try failed. The first one is told; each sets the time of the next."""
        now = self._clock()
        if self.lost:
            self._delay = min(2 * self._delay, LAST_RETRY)
        else:
            self.lost = True
            self._delay = FIRST_RETRY
            self._log.error("%s lost: %s", self.device, why)
            self._post(DeviceLost(self.device, why, now))
        if why != self.why and self.why and self._delay == LAST_RETRY:
            self._log.info("%s still lost, now: %s", self.device, why)
        self.why = why
        self.retry_at = now + self._delay

    def end(self) -> None:
        """A try succeeded."""
        if self.lost:
            self.lost = False
            self.why = ""
            self._log.warning("%s is back", self.device)
            self._post(DeviceBack(self.device, self._clock()))
