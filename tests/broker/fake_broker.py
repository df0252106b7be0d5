"""A broker in virtual time, with the manners of a real one: retained messages, wills, one session a client, losses."""

from __future__ import annotations

import asyncio
import fnmatch
from dataclasses import dataclass, field

from mind_box.broker.link import User, Will
from mind_box.settings.schema import BrokerSettings

PAUSE = 5.0
"""Seconds until a line is tried again."""
SILENCE = 45.0
"""Seconds after which a half-open line is noticed, at both ends."""


@dataclass
class Sent:
    """One message as it left a client."""

    at: float
    client: str
    topic: str
    payload: str
    retain: bool


@dataclass
class FakeBroker:
    loop: asyncio.AbstractEventLoop
    down: bool = False
    sent: list[Sent] = field(default_factory=list)
    retained: dict[str, bytes] = field(default_factory=dict)
    lines: list[FakeLine] = field(default_factory=list)

    def open(
        self, settings: BrokerSettings, client: str, will: Will, user: User, loop: asyncio.AbstractEventLoop
    ) -> FakeLine:
        assert loop is self.loop and settings.host
        return FakeLine(self, client, will, user)

    def pass_on(self, topic: str, payload: bytes, retain: bool = False) -> None:
        """What a client, or somebody with mosquitto_pub, publishes."""
        if retain and payload:
            self.retained[topic] = payload
        elif retain:
            self.retained.pop(topic, None)
        for line in list(self.lines):
            if line.wants(topic) and not line.half_open:
                self.loop.call_soon(line.hear, topic, payload, False)

    def topic(self, topic: str) -> str | None:
        """What stands in a topic."""
        return self.retained[topic].decode() if topic in self.retained else None

    def wanted(self) -> list[str]:
        """What all clients want to hear of."""
        return [wanted for line in self.lines for wanted in line.filters]

    def stop(self) -> None:
        """It dies; what was retained is kept on its disk."""
        self.down = True
        for line in list(self.lines):
            line.break_()

    def begin(self) -> None:
        self.down = False


class FakeLine:
    """A ``Line``."""

    def __init__(self, broker: FakeBroker, client: str, will: Will, user: User) -> None:
        self.up = False
        self.trouble = ""
        self.half_open = False
        """The cable is pulled: nobody is told yet."""
        self.client = client
        self._broker = broker
        self._will = will
        self._user = user
        self.filters: list[str] = []
        self._number = 0
        self._timer: asyncio.TimerHandle | None = None
        self.tries = 0

    def start(self) -> None:
        self.tries += 1
        if self._broker.down or self.half_open:
            self.trouble = "nothing listens there"
            self._timer = self._broker.loop.call_later(PAUSE, self.start)
            return
        for other in [line for line in self._broker.lines if line.client == self.client]:
            other.break_()
        self._broker.lines.append(self)
        self.trouble, self.up, self.filters = "", True, []
        self._user.came()

    def publish(self, topic: str, payload: str, qos: int = 0, retain: bool = False) -> int:
        assert self.up, f"published without a connection: {topic}"
        self._number += 1
        broker = self._broker
        broker.sent.append(Sent(broker.loop.time(), self.client, topic, payload, retain))
        if not self.half_open:
            broker.pass_on(topic, payload.encode(), retain)
            if qos:
                broker.loop.call_soon(self._taken, self._number)
        return self._number

    def _taken(self, number: int) -> None:
        if self.up and not self.half_open:
            self._user.taken(number)

    def subscribe(self, *topics: str) -> None:
        self.filters += topics
        for topic, payload in self._broker.retained.items():
            if self.wants(topic):
                self._broker.loop.call_soon(self.hear, topic, payload, True)

    def wants(self, topic: str) -> bool:
        return any(fnmatch.fnmatchcase(topic, wanted.replace("+", "*")) for wanted in self.filters)

    def hear(self, topic: str, payload: bytes, retained: bool) -> None:
        if self.up and not self.half_open:
            self._user.heard(topic, payload, retained)

    def leave(self, why: str) -> None:
        self._gone(with_will=False)
        self.trouble = why

    def stop(self) -> None:
        if self in self._broker.lines:
            self._broker.lines.remove(self)
        self.up = False
        if self._timer is not None:
            self._timer.cancel()

    def break_(self) -> None:
        """The broker ends the connection, or dies."""
        self._gone(with_will=not self._broker.down)

    def pull(self) -> None:
        """The cable: both ends notice after a while."""
        self.half_open = True
        self._broker.loop.call_later(SILENCE, lambda: self._gone(with_will=True))

    def plug(self) -> None:
        self.half_open = False

    def kill(self) -> None:
        """The program behind it dies: the broker sees the end of the connection, and nobody hears of anything here."""
        self.stop()
        self._broker.pass_on(self._will.topic, self._will.payload.encode(), True)

    def _gone(self, with_will: bool) -> None:
        if self in self._broker.lines:
            self._broker.lines.remove(self)
        if with_will:
            self._broker.pass_on(self._will.topic, self._will.payload.encode(), True)
        self._timer = self._broker.loop.call_later(PAUSE, self.start)
        if self.up:
            self.up = False
            self._user.went()
