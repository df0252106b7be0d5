"""The hub's page: the board for a projector, the league, the evenings, and all of it as CSV. It takes nothing."""

from __future__ import annotations

import asyncio
import csv
import io
import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any, TypeVar

from aiohttp import WSMsgType, web

from mind_box.club.evenings import Evenings
from mind_box.club.hub import Hub
from mind_box.club.league import CSV_HEAD, RESULTS_HEAD, Standing, as_rows, league, results_as_rows
from mind_box.club.pages import board, league_table, page
from mind_box.club.store import Store, Stored, StoreError
from mind_box.page.spoken import page_words
from mind_box.page.web import FULL, Visitor, Visitors, accept, address_of, listen, make_app, serve_files
from mind_box.settings.schema import ClubSettings
from mind_box.show.words import LANGUAGES

log = logging.getLogger(__name__)

T = TypeVar("T")

MOST = 80
"""Visitors at a time: a club."""
MOMENT = 0.5
"""Seconds for which news are gathered before boards are sent."""
TONIGHT = timedelta(hours=18)
"""The board's league is of the results of so long; the league's own page has all."""
LONGEST = 16
"""Bytes of what a page sends: its language."""


class Follower(Visitor):
    """An open board, in its language."""

    language = "en"


class ClubPage:
    """Use it in the loop's thread."""

    def __init__(self, settings: ClubSettings, language: str, hub: Hub, store: Store) -> None:
        self._settings = settings
        self._language = language
        self._hub = hub
        self._store = store
        self._visitors: Visitors[Follower] = Visitors()
        self._runner: web.AppRunner | None = None
        self._standings: list[Standing] = []
        self._stale = True
        """The league is of before a result that came."""
        self._sending: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.app = make_app(settings.host)
        get = self.app.router.add_get
        get("/", self._index)
        get("/league", self._league)
        get("/league.csv", self._league_csv)
        get("/results.csv", self._results_csv)
        Evenings(self.app, store, self._language_of)
        get("/ws", self._serve)
        serve_files(self.app, "mind_box.club", "static")

    @property
    def port(self) -> int | None:
        """The port it listens on; None: it does not."""
        return self._runner.addresses[0][1] if self._runner is not None and self._runner.addresses else None

    async def start(self) -> None:
        """Listens. Raises ``OSError``."""
        self._runner = await listen(self.app, self._settings.host, self._settings.port)

    async def stop(self) -> None:
        """Hangs up on everyone."""
        if self._timer is not None:
            self._timer.cancel()
        self._visitors.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    def changed(self, results: bool) -> None:
        """Something on the board did, maybe the league: who looks gets it in a moment, with what else comes by then."""
        self._stale = self._stale or results
        if self._timer is None and self._visitors:
            self._timer = asyncio.get_running_loop().call_later(MOMENT, self._send)

    def _send(self) -> None:
        self._timer = None
        self._sending = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        await self._renew_league()
        boards = {language: self._board(language) for language in {visitor.language for visitor in self._visitors}}
        for visitor in self._visitors:
            visitor.put(boards.get(visitor.language) or self._board(visitor.language))

    async def _renew_league(self) -> None:
        """Where a result came since it was made; then all of tonight are read."""
        if not self._stale:
            return
        self._stale = False
        since = (datetime.now(UTC) - TONIGHT).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            self._standings = await self._ask(lambda: league(self._store.results(since)))
        except StoreError as e:
            self._stale = True
            log.warning("%s", e)

    def _board(self, language: str) -> str:
        say = page_words(language).say
        troubles = []
        if not self._hub.line.up:
            troubles.append(say("No connection to the broker: {why}", why=self._hub.line.trouble or "…"))
        if self._hub.trouble:
            troubles.append(say("Results cannot be kept now; they wait at the boxes. {why}", why=self._hub.trouble))
        return board(list(self._hub.tables), self._standings, troubles, language)

    async def _ask(self, what: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, what)

    def _language_of(self, request: web.Request) -> str:
        asked = request.query.get("lang", "")
        return asked if asked in LANGUAGES else self._language

    def _title(self, language: str) -> str:
        return self._settings.title or page_words(language).say("The Mind: all tables")

    # -- pages

    async def _index(self, request: web.Request) -> web.Response:
        language = self._language_of(request)
        await self._renew_league()
        return _html(page(self._title(language), self._board(language), language, live=True))

    async def _league(self, request: web.Request) -> web.Response:
        language = self._language_of(request)
        words = page_words(language)
        try:
            body = league_table(await self._ask(lambda: league(self._store.results())), words)
        except StoreError as e:
            log.warning("%s", e)
            body = f"<p>{escape(words.say('It cannot be read now.'))}</p>"
        return _html(page(words.say("League"), body, language, live=False))

    async def _league_csv(self, _: web.Request) -> web.Response:
        return await self._csv(CSV_HEAD, lambda results: as_rows(league(results)))

    async def _results_csv(self, _: web.Request) -> web.Response:
        return await self._csv(RESULTS_HEAD, results_as_rows)

    async def _csv(
        self, head: Sequence[str], rows_of: Callable[[Sequence[Stored]], Iterable[Sequence[Any]]]
    ) -> web.Response:
        try:
            results = await self._ask(self._store.results)
        except StoreError as e:
            log.warning("%s", e)
            raise web.HTTPServiceUnavailable(text="It cannot be read now.") from e
        return web.Response(text=as_csv(head, rows_of(results)), content_type="text/csv", charset="utf-8")

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        address = address_of(request.transport)
        socket = await accept(request, 30, LONGEST)
        if self._visitors.room_for(address, MOST) != "yes":
            await socket.close(code=FULL)
            return socket
        visitor = Follower(socket, most=1, address=address)  # only the newest board waits for it
        visitor.language = self._language
        with self._visitors.with_one_more(visitor):
            async for message in socket:
                if message.type != WSMsgType.TEXT or message.data not in LANGUAGES:
                    await socket.close(code=1008)
                    break
                visitor.language = message.data
                visitor.put(self._board(visitor.language))
        return socket


def as_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table for spreadsheets: a text that one would take for a formula gets a mark before it."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows([f"'{v}" if isinstance(v, str) and v[:1] in "=+-@\t\r" else v for v in row] for row in rows)
    return out.getvalue()


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html", charset="utf-8")
