"""The table page of a real box, for phones and a television: it shows what everyone may see and takes nothing.

Made from the View alone (R33), and still while the View stands still (R18). Whatever goes wrong with it, the game
goes on.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import Path

from aiohttp import WSMsgType, web

from mind_box.page.address import own_address, qr_picture
from mind_box.page.evenings.serving import Box, EveningPages
from mind_box.page.happened import LevelStory
from mind_box.page.message import table_message
from mind_box.page.spoken import labels
from mind_box.page.web import FULL, Visitor, Visitors, accept, address_of, listen, make_app, serve_files
from mind_box.settings.schema import PageSettings
from mind_box.table.view import View

log = logging.getLogger(__name__)

MOST = 40
"""Visitors at a time: a family, not the world."""
AGAIN = 15.0
"""Seconds until the address is tried again: at start-up the network may not be there yet."""
LONGEST = 1024
"""Bytes of a visitor's message, none of which is listened to."""


class TablePage:
    """The server. Use it in the loop's thread; ``language`` tells the box's language of the moment, ``journal``
    where its journal is."""

    def __init__(
        self, settings: PageSettings, language: Callable[[], str], journal: Callable[[], Path | None] = lambda: None
    ) -> None:
        self._settings = settings
        self._language = language
        self._story = LevelStory()
        self._view: View | None = None
        self._visitors: Visitors[Visitor] = Visitors()
        self._runner: web.AppRunner | None = None
        self._starting: asyncio.Task[None] | None = None
        self.app = make_app(settings.host)
        self._html = files("mind_box.page").joinpath("static", "index.html").read_text("utf-8")
        for place, answer in {"/": self._index, "/index.html": self._index, "/qr.svg": self._qr}.items():
            self.app.router.add_get(place, answer)  # before the files: the first one that fits answers
        serve_files(self.app, "mind_box.page", "static")
        self.app.router.add_get("/ws", self._serve)
        self._evenings = EveningPages(self.app, Box(journal, language, self._playing))

    @property
    def port(self) -> int | None:
        """The port it listens on; None: it does not."""
        return self._runner.addresses[0][1] if self._runner is not None and self._runner.addresses else None

    def _playing(self) -> bool:
        return self._view is None or self._view.phase in ("play", "vote")

    async def start(self) -> None:
        """Listens; where that is not possible now, it is said once and tried again."""
        self._starting = asyncio.create_task(self._listen())
        await asyncio.sleep(0)

    async def _listen(self) -> None:
        host, port = self._settings.host, self._settings.port
        shown = f"[{host}]" if ":" in host else host
        told = False
        while True:
            try:
                self._runner = await listen(self.app, host, port)
                break
            except OSError as e:
                if not told:
                    why = f"{shown}:{port} cannot be used ({e.strerror})"
                    log.error("the table page: %s; set page.host and page.port. It is tried again and again", why)
                told = True
            await asyncio.sleep(AGAIN)
        log.info("the table page is at http://%s:%s/", shown, self.port)

    async def stop(self) -> None:
        """Hangs up on everyone."""
        self._visitors.stop()
        self._evenings.close()
        if self._starting is not None:
            self._starting.cancel()
        if self._runner is not None:
            await self._runner.cleanup()

    def show(self, view: View) -> None:
        """A new View. Never raises: the game does not depend on who looks at it."""
        self._view = view
        try:
            self._story.tell(view)
            if self._visitors:
                text = self._message()
                for visitor in self._visitors:
                    visitor.put(text)
        except Exception:
            log.exception("the table page cannot show %r", view)

    def _message(self) -> str:
        assert self._view is not None
        message = table_message(self._view, self._story.entries, self._language(), self._address())
        return json.dumps(message, separators=(",", ":"), ensure_ascii=False)

    def _address(self) -> str | None:
        return own_address(self._settings.host, self.port or self._settings.port)

    async def _index(self, _: web.Request) -> web.Response:
        """The page, in the box's language before it has been told anything."""
        language = self._language()
        html = self._html.replace('lang="en"', f'lang="{language}"', 1)
        html = html.replace('data-lost=""', f'data-lost="{escape(labels(language)["lost"])}"', 1)
        return web.Response(text=html, content_type="text/html")

    async def _qr(self, _: web.Request) -> web.Response:
        """The code of this page's address, where others can reach it."""
        address = self._address()
        picture = None if address is None else qr_picture(address)
        if picture is None:
            raise web.HTTPNotFound
        return web.Response(body=picture, content_type="image/svg+xml", charset="utf-8")

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        address = address_of(request.transport)
        socket = await accept(request, 30, LONGEST)
        room = self._visitors.room_for(address, MOST)
        if room != "yes":  # a browser tells a page nothing of a refused socket, so this one is told before it ends
            language = self._language()
            why = labels(language)["full" if room == "all taken" else "share"]
            await socket.send_json({"language": language, "full": why})
            await socket.close(code=FULL)
            return socket
        visitor = Visitor(socket, most=1, address=address)  # only the newest picture waits for it, however slow it is
        with self._visitors.with_one_more(visitor):
            if self._view is not None:
                visitor.put(self._message())
            async for message in socket:
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):  # the page never sends: this is not the page
                    await socket.close(code=1008)
        return socket
