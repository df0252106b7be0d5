"""When which result is sent: at most so many at a time, again when the hub is silent, never while it is not there.

No timer runs while nothing waits, or while there is no hub.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from mind_box.broker.outbox import Waiting

log = logging.getLogger(__name__)

AGAIN = (15.0, 600.0)
"""Seconds until what the hub has not confirmed is sent again: the first time, and the longest."""

Answer = Callable[[Waiting | Exception], None]


class Sending:
    """``send`` sends a result (False: not now), ``fetch`` gets what waits, ``confirm`` lets go of what the hub has."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        send: Callable[[str], bool],
        fetch: Callable[[Answer], None],
        confirm: Callable[[int, bool, Answer], None],
    ) -> None:
        self.many: int | None = None
        """How many waited when it was last looked; None: nobody has looked yet."""
        self._loop = loop
        self._send = send
        self._fetch = fetch
        self._confirm = confirm
        self._hub: str | None = None
        """The run of the hub that is there."""
        self._box = ""
        self._sent = 0
        """The newest that was sent to it."""
        self._had = 0
        """The newest that it says it has; 0: nothing new."""
        self._copied = False
        self._busy = False
        self._more = False
        self._pause = AGAIN[0]
        self._timer: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """Nothing more is sent."""
        self._hub = None
        self._rest()

    def hub_is(self, run: str | None) -> None:
        """Which hub is there now; None: none. A new one may not have got what the last one was sent."""
        if run == self._hub and run is not None:
            return
        self._hub, self._sent, self._pause = run, 0, AGAIN[0]
        self._rest()
        if run is not None:
            self.look()

    def had(self, number: int, copied: bool = False) -> None:
        """The hub has all up to this one; ``copied``: and another game under a number of this box."""
        if number > self._had or copied:
            self._had, self._copied, self._pause = max(number, self._had), self._copied or copied, AGAIN[0]
            self.look()

    def look(self) -> None:
        """Something may have changed: sends what may be sent."""
        if self._busy:
            self._more = True
            return
        if self._had or self._copied:
            had, copied, self._had, self._copied = self._had, self._copied, 0, False
            self._busy = True
            self._confirm(had, copied, self._looked)
        elif self._hub is not None:
            self._busy = True
            self._fetch(self._looked)

    def _looked(self, waiting: Waiting | Exception) -> None:
        self._busy = False
        if isinstance(waiting, Exception):
            log.warning("%s They stay there.", waiting)
            self._later()
            return
        self.many = waiting.many
        if waiting.box != self._box:  # it counts anew
            self._box, self._sent = waiting.box, 0
        if self._hub is not None:
            for result in waiting.results:
                if result.seq > self._sent and self._send(result.to_text()):
                    self._sent = result.seq
            if waiting.results:
                self._later()
            else:
                self._rest()
        more, self._more = self._more, False
        if more or self._had or self._copied:
            self.look()

    def _later(self) -> None:
        self._rest()
        if self._hub is not None:
            self._timer = self._loop.call_later(self._pause, self._again)

    def _again(self) -> None:
        self._timer = None
        self._pause = min(2 * self._pause, AGAIN[1])
        self._sent = 0
        self.look()

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
