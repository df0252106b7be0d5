"""What every page of the box is served with: files of the package, strict headers, and only its own visitors.

A page on another site must not be able to talk to the box through its visitor's browser. So each request has to
name this machine (else a foreign name may have been pointed at it), and a WebSocket has to come from this server.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import logging
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from importlib.resources import files
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Server": "mind-box",  # aiohttp would tell its own version and Python's
}
"""Of every answer, whatever it is."""

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

HANG_UP = 0.5
"""Seconds that open connections get to end when the server stops."""
MOST = 100
"""Connections at a time: visitors and what their browsers fetch. A process may have 1024 files open."""
SHARE = 4
"""No address holds more than this part of the places, so that one device cannot lock out a family."""
FULL = 1013
"""The code that a socket is closed with when there is no place for it (RFC 6455: try again later)."""
BACKLOG = 16
"""Connections that are accepted in one go, before those beyond MOST are cut off."""
PATIENCE = 10
"""Seconds within which a connection has to send a whole request."""

ALIVE = '{"type":"alive"}'
"""What an open page is told when there is nothing to tell: it draws nothing (R18), and knows silence from stillness."""
BEAT = 10.0
"""Seconds between two looks for pages that were told nothing for half as long."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _of_ours(record: logging.LogRecord) -> bool:
    """Whether what the server logs is about us: a visitor's request that is not even HTTP is answered, not told."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


logging.getLogger("aiohttp.server").addFilter(_of_ours)


def own_name(host: str, bound: str) -> bool:
    """Whether a Host header names this machine: an address, localhost, its own name, or the address it listens on."""
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    name = name.strip("[]").lower()
    here = socket.gethostname().lower().split(".")[0]
    if name in ("localhost", bound.lower(), here, f"{here}.local"):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def own_origin(request: web.Request) -> bool:
    """Whether a WebSocket comes from a page of this very server. Browsers always say; what does not is no page.

    Host and port decide: before a proxy the page is https, and what comes here is not.
    """
    try:
        origin = urlsplit(request.headers.get("Origin", ""))
        port = {"http": 80, "https": 443}[origin.scheme]
    except (KeyError, ValueError):
        return False
    return request.host.lower() in (origin.netloc, f"{origin.netloc}:{port}")


async def accept(request: web.Request, heartbeat: float, longest: int) -> web.WebSocketResponse:
    """A page's WebSocket: asked every ``heartbeat`` seconds whether it is there, messages of ``longest`` bytes at most.

    Raises ``HTTPForbidden`` for whatever is not a page of this very server.
    """
    if not own_origin(request):
        raise web.HTTPForbidden(text="This socket is for the page of this very server.")
    accepted = web.WebSocketResponse(heartbeat=heartbeat, max_msg_size=longest)
    await accepted.prepare(request)
    return accepted


def address_of(transport: asyncio.BaseTransport | None) -> str:
    """Who is at the other end; of IPv6 the network, as a device has as many addresses in its own as it likes."""
    peer: Any = transport.get_extra_info("peername") if transport is not None else None
    try:
        address = ipaddress.ip_address(peer[0].partition("%")[0])
    except (TypeError, ValueError, IndexError):
        return ""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.IPv6Network((address, 64), strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)


def share_of(most: int) -> int:
    """How many of so many places one address may hold."""
    return max(most // SHARE, 1)


class Visitor:
    """One open page. Of what waits for it only the ``most`` newest messages are kept; None: all."""

    def __init__(self, socket: web.WebSocketResponse, most: int | None = None, address: str = "") -> None:
        self.address = address
        self.told = 0.0
        """When it was sent something, in seconds of the loop's clock."""
        self._socket = socket
        self._waiting: deque[bytes | str] = deque(maxlen=most)
        self._news = asyncio.Event()

    def put(self, message: bytes | str) -> None:
        """Sends this after what still waits."""
        self._waiting.append(message)
        self._news.set()

    def alive(self) -> None:
        """Sends ``ALIVE`` when nothing else waits to be sent."""
        if not self._waiting:
            self.put(ALIVE)

    async def write(self) -> None:
        """Sends until the connection ends."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ConnectionError):
            while True:
                await self._news.wait()
                self._news.clear()
                while self._waiting:
                    message = self._waiting.popleft()
                    self.told = loop.time()
                    send = self._socket.send_bytes if isinstance(message, bytes) else self._socket.send_str
                    await send(message)  # type: ignore[arg-type]


V = TypeVar("V", bound=Visitor)


class Visitors(set[V]):
    """All open pages, and one timer for their signs of life; none while there are no pages."""

    _timer: asyncio.TimerHandle | None = None

    def room_for(self, address: str, most: int) -> Literal["yes", "all taken", "your share is taken"]:
        """Whether there is a place for one more from this address, of ``most`` in all."""
        if len(self) >= most:
            return "all taken"
        here = sum(visitor.address == address for visitor in self)
        return "yes" if here < share_of(most) else "your share is taken"

    @contextlib.contextmanager
    def with_one_more(self, visitor: V) -> Iterator[None]:
        """Writes to this one too, for so long."""
        writing = asyncio.create_task(visitor.write())
        self.add(visitor)
        self.begin()
        try:
            yield
        finally:
            self.discard(visitor)
            writing.cancel()

    def begin(self) -> None:
        """There is a page now."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BEAT, self._beat)

    def _beat(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for visitor in self:
            if now - visitor.told >= BEAT / 2:
                visitor.alive()
        if self:
            self.begin()

    def stop(self) -> None:
        """No more signs of life."""
        if self._timer is not None:
            self._timer.cancel()


def make_app(bound: str) -> web.Application:
    """An application that listens on the address ``bound``, answers only to its own names and sets the headers."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not own_name(request.host, bound):
            raise web.HTTPForbidden(text=f"{request.host!a} is not a name of this machine.")
        return await handler(request)

    async def dress(_: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(HEADERS)

    app = web.Application(middlewares=[guard])
    app.on_response_prepare.append(dress)
    return app


class _Handler(web.RequestHandler):
    """Answers what is no request at all, which no application gets to see, with the same headers."""

    __slots__ = ()

    def handle_error(self, *args: Any, **values: Any) -> web.StreamResponse:
        response = super().handle_error(*args, **values)
        response.headers.update(HEADERS)
        return response


def serve_files(app: web.Application, package: str, folder: str, shared: bool = True) -> None:
    """The files of this folder of the package, and those that all pages share, read now; ``index.html`` is at ``/``."""
    common = files("mind_box.page").joinpath("shared").iterdir() if shared else ()
    for file in (*common, *files(package).joinpath(folder).iterdir()):
        kind = KINDS.get("." + file.name.rpartition(".")[2])
        if kind is not None:
            answer = _answer(file.read_bytes(), kind)
            app.router.add_get(f"/{file.name}", answer)
            if file.name == "index.html":
                app.router.add_get("/", answer)


def _answer(body: bytes, kind: str) -> Handler:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type=kind, charset="utf-8")

    return answer


def _limit(server: web.Server) -> None:
    """Whoever opens connections and says nothing must not use up the files that the box needs for its journal, nor
    the places of the others.

    aiohttp has no limit of its own, and most of its versions no timeout for the first request.
    """
    loop = asyncio.get_running_loop()
    silent: set[asyncio.BaseTransport | None] = set()
    opened, answer = server.connection_made, server.request_handler

    def connection_made(handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        opened(handler, transport)
        handler.__class__ = _Handler
        address = address_of(transport)
        here = sum(address_of(other.transport) == address for other in server.connections)
        if len(server.connections) > MOST or here > share_of(MOST):
            loop.call_soon(transport.abort)  # aiohttp wants to have begun with it
        else:
            silent.add(transport)
            loop.call_later(PATIENCE, hang_up, transport)

    def hang_up(transport: asyncio.Transport) -> None:
        if transport in silent:
            silent.remove(transport)
            transport.abort()

    async def request_handler(request: web.BaseRequest) -> web.StreamResponse:
        silent.discard(request.transport)
        return await answer(request)

    server.connection_made = connection_made  # type: ignore[method-assign]
    server.request_handler = request_handler


async def listen(app: web.Application, host: str, port: int) -> web.AppRunner:
    """Serves the application. Raises ``OSError`` when the address cannot be used."""
    runner = web.AppRunner(
        app, access_log=None, handle_signals=False, shutdown_timeout=HANG_UP, keepalive_timeout=PATIENCE
    )
    await runner.setup()
    assert runner.server is not None
    _limit(runner.server)
    try:
        await web.TCPSite(runner, host, port, backlog=BACKLOG).start()
    except UnicodeError as e:  # "a..b", or a part of a name that is too long: no name can be looked up that way
        await runner.cleanup()
        raise OSError(errno.EINVAL, "not the name of a machine") from e
    except OSError:
        await runner.cleanup()
        raise
    return runner
