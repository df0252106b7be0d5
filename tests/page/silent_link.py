"""A link between a browser and a page's server that can go silent: nothing is lost, nothing ends, nothing arrives."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any


class SilentLink:
    """Listens on a port of its own; runs in a thread beside the browser's. ``close`` ends it."""

    def __init__(self, serve: Callable[[], Coroutine[Any, Any, int]]) -> None:
        """``serve`` starts the server in the link's loop, or finds one, and gives its port."""
        self.connections = 0
        """How many were ever opened."""
        self._speaks: asyncio.Event  # made in the loop
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.port = self.ask(self._listen(serve))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Runs something in the link's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    def call(self, act: Callable[..., Any], *given: Any) -> None:
        async def work() -> None:
            act(*given)

        self.ask(work())

    def silent(self, yes: bool) -> None:
        self.call(self._speaks.clear if yes else self._speaks.set)

    def cut(self) -> None:
        """The connections that there are never carry anything again, not even their ends; new ones do."""

        def cut() -> None:
            self._speaks.clear()
            self._speaks = asyncio.Event()
            self._speaks.set()

        self.call(cut)

    def close(self) -> None:
        self.ask(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self, serve: Callable[[], Coroutine[Any, Any, int]]) -> int:
        self._speaks = asyncio.Event()
        self._speaks.set()
        self._target = await serve()
        self._server = await asyncio.start_server(self._taken, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _taken(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        speaks = self._speaks
        await speaks.wait()
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        ways = [asyncio.ensure_future(self._carry(speaks, *way)) for way in ((reader, back), (there, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for end in (writer, back):
            end.close()

    async def _carry(self, speaks: asyncio.Event, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                await speaks.wait()
                writer.write(data)
                await writer.drain()
            await speaks.wait()

    async def _end(self) -> None:
        self._server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
