"""The connection to a broker: paho in the program's own loop, found again whenever it is lost.

Looking up a name, connecting and TLS's greeting may take any time, so they are done in a thread; all else is readers,
writers and one timer of the loop. Each connection is a new client: what was on its way when it broke is its user's
to send again.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from select import select
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from mind_box.broker.in_thread import in_thread
from mind_box.broker.troubles import CUT, TLS, place_of, port_of, refused, told
from mind_box.game.values import dataclass
from mind_box.settings.schema import BrokerSettings

if TYPE_CHECKING:
    from paho.mqtt.client import Client

log = logging.getLogger(__name__)

KEEP_ALIVE = 30
"""Seconds after which a silent link is asked; the broker tells of a box that is gone after one and a half of them."""
LOOK = 15.0
"""Seconds between two looks at that."""
GREETING = 15.0
"""Seconds for the broker's answer to the greeting."""
CONNECT = 10.0
"""Seconds to connect."""
PAUSES = (1.0, 60.0)
"""Seconds until the next try: the first time and the longest."""
FAREWELL = 0.1
"""Seconds that the broker may take to hang up; a busy one tells the last will."""
LASTING = 60.0
"""A connection that lasted so many seconds was a sound one."""
SHORT_PAUSE = 8.0
"""The longest pause where there are connections, but none that lasts."""
SHORT_ONES = 4
"""So many in a row that were not, and there is something to tell."""


class User(Protocol):
    """Whose link it is. All of it is called in the loop."""

    def came(self) -> None:
        """There is a connection now, and nothing is subscribed to yet."""

    def went(self) -> None:
        """There is none any more."""

    def heard(self, topic: str, payload: bytes, retained: bool) -> None:
        """A message came."""

    def taken(self, number: int) -> None:
        """The broker has the message that ``publish`` numbered so."""


class Line(Protocol):
    """What a ``User`` does with its link."""

    up: bool
    trouble: str
    """Why there is no connection; empty: there is one, or nobody knows yet."""

    def start(self) -> None:
        """Connects, and again and again."""

    def publish(self, topic: str, payload: str, qos: int = 0, retain: bool = False) -> int:
        """Sends, while ``up``. Returns the number that ``taken`` will tell, of QoS 1."""

    def subscribe(self, *topics: str) -> None:
        """Wants to hear of these."""

    def leave(self, why: str) -> None:
        """Ends this connection in good order (no will is published) and takes another after the longest pause."""

    def stop(self) -> None:
        """Ends it for good."""


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes (retained, QoS 1) for a client that is gone without a word."""

    topic: str
    payload: str


def _hung_up(line: int) -> None:
    """Waits for ``FAREWELL`` at most."""
    end = monotonic() + FAREWELL
    try:
        while select([line], [], [], max(end - monotonic(), 0))[0] and os.read(line, 4096):
            pass
    except OSError:
        pass  # the line is gone
    finally:
        os.close(line)


class Link:
    """A ``Line`` over TCP. Use it in the loop's thread."""

    def __init__(
        self,
        settings: BrokerSettings,
        client: str,
        will: Will,
        user: User,
        loop: asyncio.AbstractEventLoop,
        find: Callable[[], tuple[str, int]] | None = None,
        keep_alive: int = KEEP_ALIVE,
    ) -> None:
        self.up = False
        self.trouble = ""
        self.place = place_of(settings)
        self._settings = settings
        self._id = client
        self._will = will
        self._user = user
        self._loop = loop
        self._find = find
        self._keep_alive = keep_alive
        self._every = min(LOOK, keep_alive / 2)
        self._client: Client | None = None
        self._socket: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._pause = PAUSES[0]
        self._since = 0.0
        self._short = 0
        """Connections in a row that did not last."""
        self._told = ""
        self._stopped = False

    def start(self) -> None:
        """Connects, and again and again."""
        self._timer = None
        in_thread(self._loop, self._connected, self._opened)

    def publish(self, topic: str, payload: str, qos: int = 0, retain: bool = False) -> int:
        """Sends. Returns the message's number."""
        assert self._client is not None
        return int(self._client.publish(topic, payload, qos, retain).mid)

    def subscribe(self, *topics: str) -> None:
        """Wants to hear of these."""
        assert self._client is not None
        self._client.subscribe([(topic, 1) for topic in topics])

    def leave(self, why: str) -> None:
        """Ends this connection in good order, and takes another after the longest pause."""
        self._end_in_order()
        self._pause = PAUSES[1]
        self._lost(why)

    def stop(self) -> None:
        """Ends it for good, in good order."""
        self._stopped = True
        self._end_in_order()
        if self._timer is not None:
            self._timer.cancel()

    def _end_in_order(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            # paho closes its socket with the farewell; what comes to a closed one resets the line, and the broker
            # never reads it: a second hold on it waits until the broker hangs up.
            line = os.dup(self._socket.fileno()) if self._socket is not None and self._socket.fileno() >= 0 else None
            client.disconnect()
            for _ in range(100):  # what stands before it; a full line is not waited for
                if not client.want_write() or client.loop_write():
                    break
            self._forget()
            if line is not None:
                _hung_up(line)

    # -- in the thread

    def _connected(self) -> tuple[Client, str]:
        """A client that has sent its greeting, and where."""
        from mind_box.broker.lean import paho

        client_of = paho()
        settings = self._settings
        if settings.host == "auto":
            from mind_box.broker.finding import find

            host, port = (self._find or find)()
            settings = replace(settings, host=host, port=port)
        client = client_of(self._id)
        client.connect_timeout = CONNECT
        client.will_set(self._will.topic, self._will.payload, 1, True)
        if settings.user:
            password = None
            if settings.password_file:
                password = Path(settings.password_file).read_text("utf-8").partition("\n")[0]
            client.username_pw_set(settings.user, password)
        if settings.tls:
            _with_tls(client, settings.ca)
        client.on_socket_register_write = self._wants_to_write
        client.on_socket_unregister_write = self._wrote
        client.on_socket_close = self._closes
        client.on_connect = self._greeted
        client.on_disconnect = self._ended
        client.on_message = lambda _, __, message: self._user.heard(
            message.topic, bytes(message.payload), message.retain
        )
        client.on_publish = lambda _, __, number, *___: self._user.taken(number)
        client.connect(settings.host, port_of(settings), self._keep_alive)
        return client, place_of(settings)

    # -- in the loop again

    def _opened(self, result: tuple[Client, str] | Exception) -> None:
        if self._stopped:
            return
        if isinstance(result, Exception):
            self._lost(told(result))
            return
        self._client, self.place = result
        self._socket = self._client.socket()
        if self._socket is None:
            self._lost("hung up at once")
            return
        self._since = self._loop.time()
        self._loop.add_reader(self._socket, self._readable)
        if self._client.want_write():
            self._loop.add_writer(self._socket, self._writable)
        self._timer = self._loop.call_later(GREETING, self._no_greeting)
        self._readable()  # TLS may have read it already

    def _readable(self) -> None:
        client = self._client
        try:
            while client is not None and client is self._client:
                client.loop_read()
                if not (client is self._client and getattr(self._socket, "pending", int)()):
                    return
        except Exception as e:  # it is no broker, or a broken one
            self._ended(client, None, None, e)

    def _writable(self) -> None:
        if self._client is not None:
            self._client.loop_write()

    def _wants_to_write(self, client: Client, _: Any, socket: Any) -> None:
        if client is self._client:
            self._loop.add_writer(socket, self._writable)

    def _wrote(self, client: Client, _: Any, socket: Any) -> None:
        if client is self._client:
            self._loop.remove_writer(socket)

    def _closes(self, _: Client, __: Any, socket: Any) -> None:
        if socket is self._socket:
            self._forget()

    def _forget(self) -> None:
        link, self._socket = self._socket, None
        if link is not None and link.fileno() >= 0:
            self._loop.remove_reader(link)
            self._loop.remove_writer(link)
            link.close()

    def _no_greeting(self) -> None:
        self._end_in_order()
        self._lost("takes the connection and says nothing: is it an MQTT broker?")

    def _greeted(self, client: Client, _: Any, __: Any, code: Any, ___: Any) -> None:
        if client is not self._client:
            return
        if code.is_failure:
            self._pause = PAUSES[1]
            self._lost(refused(code))
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(self._every, self._look)
        self.up = True
        self._pause = PAUSES[0] if self._short < SHORT_ONES else min(self._pause, SHORT_PAUSE)
        if self._short < SHORT_ONES:
            self._tell("")
        self._user.came()

    def _look(self) -> None:
        self._timer = self._loop.call_later(self._every, self._look)
        if self._client is not None:
            self._client.loop_misc()
            if self._loop.time() - self._since > LASTING:
                self._short, self._pause = 0, PAUSES[0]
                self._tell("")

    def _ended(self, client: Client | None, _: Any, __: Any, code: Any, ___: Any = None) -> None:
        if client is self._client and not self._stopped:
            was_up = self.up
            self._short += was_up
            why = f"the connection is lost ({code})" if was_up else f"hung up at once ({code}): {TLS}"
            self._lost(CUT if self._short >= SHORT_ONES else why)

    def _lost(self, why: str) -> None:
        """There is no connection; the next one is tried for after a while, in which others have their turn."""
        self._forget()
        self._client = None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(self._pause * random.uniform(0.8, 1.2), self.start)
        self._pause = min(2 * self._pause, PAUSES[1])
        self._tell(why)
        if self.up:
            self.up = False
            self._user.went()

    def _tell(self, why: str) -> None:
        """Once for each thing that goes wrong, however often."""
        self.trouble = why
        if why and why != self._told:
            log.warning("the broker %s: %s. The game goes on; it is tried again and again.", self.place, why)
        elif not why and self.up and self._told != "up":
            log.info("connected with the broker %s", self.place)
        self._told = why or ("up" if self.up else "")


def _with_tls(client: Client, ca: str) -> None:
    """Raises ``OSError`` or ``ValueError`` where that file is no authority's."""
    import ssl

    if ca:
        Path(ca).read_bytes()  # whose error names the file
    try:
        client.tls_set(ca_certs=ca or None)
    except ssl.SSLError as e:
        raise ValueError(f"{ca} (broker.ca) holds no certificate in PEM: {e}") from e
