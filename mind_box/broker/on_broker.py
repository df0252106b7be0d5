"""One box on a broker: its name, what it shows, what happened, and its results for a hub.

Made from the View alone (R33). Whatever goes wrong with it, the game goes on.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mind_box import __version__
from mind_box.broker import discovery, outbox
from mind_box.broker.identify import ShowName
from mind_box.broker.in_thread import in_thread
from mind_box.broker.link import Line, Link, User, Will
from mind_box.broker.outbox import Waiting
from mind_box.broker.sending import Sending
from mind_box.broker.topics import (
    OFFLINE,
    ONLINE,
    BadPayload,
    LaterVersion,
    Topics,
    field,
    read,
    text_of_about,
    text_of_event,
    text_of_owner,
    text_of_state,
)
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.page.happened import happened
from mind_box.referee import Referee
from mind_box.settings.schema import BrokerSettings, Config
from mind_box.table.view import View

log = logging.getLogger(__name__)

CLAIM = 1.0
"""Seconds in which another box of this name is heard of."""
LATELY = 60.0
"""Seconds for which an event that the broker may not have got is news: it is sent again, with its number."""
MANY = 100
"""Events kept for that."""
AGAIN = 60.0
"""Seconds until a journal that could not be asked is asked again."""

OpenLine = Callable[[BrokerSettings, str, Will, User, asyncio.AbstractEventLoop], Line]
InThread = Callable[[asyncio.AbstractEventLoop, Callable[[], Any], Callable[[Any], None]], None]


def name_of(settings: BrokerSettings) -> str:
    """What this box is called."""
    return settings.name or socket.gethostname().partition(".")[0] or "mind-box"


class BoxOnBroker:
    """Use it in the loop's thread. ``open_line`` and ``in_thread`` are others in virtual time."""

    def __init__(
        self,
        config: Config,
        referee: Referee,
        open_line: OpenLine = Link,
        beside: InThread = in_thread,
    ) -> None:
        self.name = name_of(config.broker)
        self.claimed = False
        """The name is this box's, and what it shows stands in its topics."""
        self._config = config
        self._referee = referee
        self._open_line = open_line
        self._beside = beside
        self._loop = asyncio.get_running_loop()
        self._topics = Topics(config.broker.prefix, self.name)
        self._line: Line | None = None
        self._box = ""
        self._run = os.urandom(4).hex()
        self._view: View | None = None
        self._events: deque[tuple[float, str]] = deque(maxlen=MANY)
        """When each came about, and its payload; those that the broker is not known to have."""
        self._under_way: dict[int, str] = {}
        self._numbered = 0
        self._availability = ""
        """What stands there."""
        self._timer: asyncio.TimerHandle | None = None
        self._name = ShowName(referee, self.name)
        self._stopped = False
        self._rubbish = ""
        self._owner = ""
        """Another box whose name it was; it may be here or not."""
        self._sending = Sending(self._loop, self._send_result, self._fetch, self._hub_has)

    # -- the box's side

    def start(self) -> None:
        """Learns its number from the journal, and connects. ``show`` is to be told of each View."""
        path = self._referee.journal.path
        if self._config.broker.club and path is not None:
            self._referee.writer.do(self._note_results, lambda _: None)
        if path is None:  # a game in memory has no results
            self._numbered_as(os.urandom(8).hex())
        else:
            self._beside(self._loop, lambda: outbox.box_of(path), self._numbered_as)

    @staticmethod
    def _note_results(journal: Journal) -> None:
        journal.over = outbox.note

    def _numbered_as(self, box: str | Exception) -> None:
        if self._stopped:
            return
        if isinstance(box, Exception):
            log.warning("the broker waits for the journal: %s", box)
            self._timer = self._loop.call_later(AGAIN, self.start)
            return
        self._box = box
        will = Will(self._topics.of("availability"), OFFLINE)
        self._line = self._open_line(self._config.broker, f"mind-box-{box}", will, self, self._loop)
        self._line.start()

    def stop(self) -> None:
        """Says that the box is off, and ends."""
        self._stopped = True
        self._sending.stop()
        if self._timer is not None:
            self._timer.cancel()
        if self._line is not None:
            if self.claimed and self._line.up:
                self._publish("availability", OFFLINE)
            self._line.stop()

    def status(self) -> dict[str, Any]:
        """For ``mind-box status``."""
        trouble = "" if self._line is None else self._line.trouble
        waiting = self._sending.many if self._config.broker.club else None
        return {"name": self.name, "connected": self.claimed, "trouble": trouble, "results_waiting": waiting}

    def show(self, view: View) -> None:
        """A new View. Never raises: the game does not depend on who hears of it."""
        try:
            before, self._view = self._view, view
            if before is not None:
                for entry in happened(before, view):
                    self._numbered += 1
                    text = text_of_event(entry, f"{self._run}-{self._numbered}")
                    self._events.append((self._loop.time(), text))
                    if self.claimed:
                        self._publish_event(text)
                if view.phase == "lobby" and before.phase != "lobby":
                    self._sending.look()
            if self.claimed:
                self._publish_state()
        except Exception:
            log.exception("the broker cannot be told of %r", view)

    # -- what the link tells

    def came(self) -> None:
        """Asks first whose name it is."""
        assert self._line is not None
        self._availability = ""
        what = ["availability", "owner", "identify", *(["had"] if self._config.broker.club else [])]
        self._line.subscribe(*(self._topics.of(topic) for topic in what), *self._hub)
        self._timer = self._loop.call_later(CLAIM, self._claim)

    @property
    def _hub(self) -> tuple[str, ...]:
        return (self._topics.hub,) if self._config.broker.club else ()

    def went(self) -> None:
        """Everything is said anew when there is a connection again."""
        self.claimed = False
        self._under_way.clear()
        self._sending.hub_is(None)
        if self._timer is not None:
            self._timer.cancel()

    def taken(self, number: int) -> None:
        """The broker has an event."""
        text = self._under_way.pop(number, None)
        if text is not None:
            self._events = deque((event for event in self._events if event[1] != text), MANY)

    def heard(self, topic: str, payload: bytes, retained: bool) -> None:
        """Never raises: anything may stand there."""
        try:
            if topic == self._topics.hub:
                self._hub_says(read(payload))
                return
            what = (self._topics.split(topic) or ("", ""))[1]
            if what == "availability":
                self._availability_is(payload)
            elif what == "owner" and payload:
                self._owner_is(field(read(payload), "box", str))
            elif what == "identify" and not retained:
                shown = self._name.show()
                log.info("identify: %s", "the name is shown" if shown else "not while somebody plays")
            elif what == "had" and payload:
                fields = read(payload)
                if field(fields, "box", str) == self._box:
                    self._sending.had(field(fields, "had", int), fields.get("copied") is True)
        except LaterVersion as e:
            if topic != self._rubbish:
                self._rubbish = topic
                log.warning("%s %s. The results stay here until then.", topic, e)
        except BadPayload as e:
            if topic != self._rubbish:
                self._rubbish = topic
                log.warning("%s %s: it is passed over. Clear it: mosquitto_pub -r -n -t '%s'", topic, e, topic)
        except Exception:
            log.exception("%s cannot be understood", topic)

    # -- the name

    def _owner_is(self, other: str) -> None:
        assert self._line is not None
        if other == self._box:
            return
        if self.claimed and self._box < other:  # both are here: the lower number keeps the name
            self._publish("owner", text_of_owner(self._box))
        elif self.claimed or self._availability == ONLINE:
            self._yield()
        else:
            self._owner = other

    def _availability_is(self, payload: bytes) -> None:
        self._availability = payload.decode("utf-8", "replace")
        if self.claimed and self._availability != ONLINE:  # whoever said so is wrong
            self._publish("availability", ONLINE)
        elif not self.claimed and self._owner and self._availability == ONLINE:
            self._yield()

    def _yield(self) -> None:
        assert self._line is not None
        self._owner, self.claimed = "", False
        self._line.leave(f"knows another box that is called {self.name}: give one of them another broker.name")

    def _claim(self) -> None:
        """Nobody else has it: from now on the topics are this box's."""
        self._owner, self.claimed = "", True
        self._publish("owner", text_of_owner(self._box))
        self._publish("availability", ONLINE)
        self._publish("about", self._about())
        prefix = self._config.broker.home_assistant
        if prefix:
            text = discovery.text_of_device(self._config, self._box, self.name, self._topics)
            assert self._line is not None
            self._line.publish(discovery.topic_of(prefix, self._box), text, 1, True)
        if self._view is not None:
            self._publish_state()
        news = [text for at, text in self._events if at >= self._loop.time() - LATELY]
        self._events = deque([event for event in self._events if event[1] in news], MANY)
        for text in news:
            self._publish_event(text)

    def _about(self) -> str:
        readers = [{"kind": reader.kind, "device": reader.device} for reader in self._config.reader]
        return text_of_about(__version__, self._box, self._config.box.seats, readers)

    def _publish(self, what: str, text: str) -> None:
        assert self._line is not None
        self._line.publish(self._topics.of(what), text, 1, True)

    def _publish_state(self) -> None:
        assert self._line is not None and self._view is not None
        text = text_of_state(self._view, self._referee.language)
        self._line.publish(self._topics.of("state"), text, 0, True)

    def _publish_event(self, text: str) -> None:
        assert self._line is not None
        self._under_way[self._line.publish(self._topics.of("event"), text, 1)] = text

    # -- the results

    def _hub_says(self, fields: dict[str, Any]) -> None:
        there = field(fields, "state", str) == ONLINE
        self._sending.hub_is(field(fields, "run", str) if there else None)

    def _send_result(self, text: str) -> bool:
        if self._line is None or not self._line.up or not self.claimed:
            return False
        self._line.publish(self._topics.of("result"), text, 1)
        return True

    def _fetch(self, done: Callable[[Waiting | Exception], None]) -> None:
        self._ask(lambda path: outbox.waiting(path), done)

    def _hub_has(self, had: int, copied: bool, done: Callable[[Waiting | Exception], None]) -> None:
        def act(path: Path) -> Waiting:
            number = outbox.hub_has(path, self._box, had, copied)
            if number != self._box:
                log.error(
                    "the hub has results of this box that it never sent: its journal is an older one, or a copy of "
                    "another box's. It takes a new number, and sends what waits under that"
                )
            return outbox.waiting(path)

        self._ask(act, done)

    def _ask(self, act: Callable[[Path], Waiting], done: Callable[[Waiting | Exception], None]) -> None:
        path = self._referee.journal.path
        if path is None:
            done(JournalError("the game is in memory only"))
            return

        def answered(result: Waiting | Exception) -> None:
            if isinstance(result, Waiting):
                self._box = result.box
            done(result)

        self._beside(self._loop, lambda: act(path), answered)
