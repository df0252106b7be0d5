"""The hub on the broker: takes the results into the database, confirms them, and knows how all tables stand."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from mind_box.broker.in_thread import in_thread
from mind_box.broker.link import Line, Link, User, Will
from mind_box.broker.topics import BadPayload, LaterVersion, Result, Topics, read_result, text_of_had, text_of_hub
from mind_box.club.live import Tables
from mind_box.club.store import Store, StoreError, Taken
from mind_box.settings.schema import BrokerSettings

log = logging.getLogger(__name__)

MANY = 5000
"""Results that may wait for the database: those beyond come again."""

OpenLine = Callable[[BrokerSettings, str, Will, User, asyncio.AbstractEventLoop], Line]
Beside = Callable[[asyncio.AbstractEventLoop, Callable[[], Any], Callable[[Any], None]], None]
Queued = tuple[str, Result]


class Hub:
    """Use it in the loop's thread; ``store`` is used in one other. ``changed`` hears of news for the board, and
    whether a result is among them."""

    def __init__(
        self,
        settings: BrokerSettings,
        store: Store,
        changed: Callable[[bool], None] = lambda _: None,
        open_line: OpenLine = Link,
        beside: Beside = in_thread,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.tables = Tables()
        self.trouble = ""
        """Why results cannot be kept now; empty: they can."""
        self._settings = settings
        self._store = store
        self.changed = changed
        self._beside = beside
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._topics = Topics(settings.prefix, "+")
        self._run = os.urandom(4).hex()
        self._queue: deque[Queued] = deque(maxlen=MANY)
        self._busy = False
        self._told: set[str] = set()
        will = Will(self._topics.hub, text_of_hub(self._run, False))
        # One hub at a time: a second one takes the first one's place at the broker, and says so there.
        self.line = open_line(settings, f"{settings.prefix}-club", will, self, self._loop)

    def start(self) -> None:
        """Connects."""
        self.line.start()

    def stop(self) -> None:
        """Says that it is off, and ends; what waits for the database comes again."""
        self._queue.clear()
        if self.line.up:
            self.line.publish(self._topics.hub, text_of_hub(self._run, False), 1, True)
        self.line.stop()

    # -- what the link tells

    def came(self) -> None:
        """Hears of all tables, and says that results may come."""
        self.line.subscribe(*(self._topics.of(what) for what in ("state", "availability", "event", "result")))
        self.line.publish(self._topics.hub, text_of_hub(self._run, True), 1, True)
        self.changed(False)

    def went(self) -> None:
        """The board says so."""
        self.changed(False)

    def taken(self, number: int) -> None:
        """Nobody waits for it."""

    def heard(self, topic: str, payload: bytes, retained: bool) -> None:
        """Never raises: anything may stand there."""
        place = self._topics.split(topic)
        try:
            if place is None:
                return
            name, what = place
            if what != "result":
                if self.tables.heard(name, what, payload):
                    self.changed(False)
            elif not retained:
                result = read_result(payload)
                if not any(name == other and result == queued for other, queued in self._queue):  # sent again: busy
                    self._queue.append((name, result))
                self._take()
        except LaterVersion as e:
            self._tell(f"{topic} {e}. Its results stay at the box until then.")
        except BadPayload as e:
            self._tell(f"{topic} {e}: it is passed over. Clear it: mosquitto_pub -r -n -t '{topic}'")
        except Exception:
            log.exception("%s cannot be understood", topic)

    def _tell(self, what: str) -> None:
        if what not in self._told and len(self._told) < MANY:
            self._told.add(what)
            log.warning("%s", what)

    # -- the results

    def _take(self) -> None:
        """One after the other; a database that takes its time holds up nobody."""
        if self._busy or not self._queue:
            return
        self._busy = True
        name, result = self._queue.popleft()
        now = self._now()

        def take() -> Taken:
            return self._store.take(name, result, now)

        self._beside(self._loop, take, lambda came: self._took(name, result, came))

    def _took(self, name: str, result: Result, came: Taken | Exception) -> None:
        self._busy = False
        if isinstance(came, Exception):
            if not isinstance(came, StoreError):
                log.error("a result of %s could not be kept", name, exc_info=came)
            elif not self.trouble:
                log.error("%s The results stay at the boxes, and come again.", came)
            self._queue.clear()  # the boxes have them
            self._troubled(str(came))
            return
        self._troubled("")
        if came.lost:
            log.error(
                "%s: %d results are not here, though a hub said that it had them. Was an older database put back? "
                " The box's own journal has the games: mind-box history", name, came.lost)  # fmt: skip
        if came.copied:
            log.warning("%s has the number of another box: it is told to take a new one", name)
        if self.line.up:
            topic = Topics(self._settings.prefix, name).of("had")
            self.line.publish(topic, text_of_had(result.box, came.had, came.copied), 1, True)
        if came.new:
            self.changed(True)
        self._take()

    def _troubled(self, why: str) -> None:
        before, self.trouble = self.trouble, why
        if bool(before) != bool(why):
            if not why:
                log.info("results are kept again")
            self.changed(False)
