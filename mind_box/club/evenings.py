"""The evenings of all tables as pages and pictures, by the same hands as a box's own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from aiohttp import web

from mind_box.club.store import Store, StoreError
from mind_box.club.told import SentFigures, entry_of
from mind_box.evening.book import Entry
from mind_box.page.evenings.files import CannotDraw, as_file
from mind_box.page.evenings.html import evening_page, level_page, list_page, notice_page
from mind_box.page.evenings.pictures import evening_picture, level_picture
from mind_box.page.evenings.sentences import title_of
from mind_box.page.spoken import page_words
from mind_box.page.web import serve_files
from mind_box.show.words import Words

log = logging.getLogger(__name__)

AT_ONCE = 20
"""Evenings of one page of the list."""
MIME = {"svg": "image/svg+xml", "pdf": "application/pdf"}

Made = tuple[bytes, str]
"""A body and its content type."""


class NoSuchEvening(Exception):
    """There is none, or it is not understood."""


class Evenings:
    """Adds them to an application; ``language`` tells which one a request wants."""

    def __init__(self, app: web.Application, store: Store, language: Callable[[web.Request], str]) -> None:
        self._store = store
        self._language = language
        serve_files(app, "mind_box.page.evenings", "static", shared=False)
        app.router.add_get("/evenings", self._list)
        for place in (r"/evening/{key:\d+}", r"/evening/{key:\d+}/{level:\d+}"):
            app.router.add_get(place + ".{kind:svg|pdf}", self._evening)
            app.router.add_get(place, self._evening)

    async def _list(self, request: web.Request) -> web.Response:
        before = request.query.get("before", "")
        number = int(before) if before.isascii() and before.isdigit() and len(before) < 16 else None
        return await self._answer(request, lambda words: self._of_list(number, words))

    async def _evening(self, request: web.Request) -> web.Response:
        match = request.match_info
        level = int(match["level"][:6]) if "level" in match else None
        key, kind = int(match["key"][:15]), match.get("kind", "html")
        return await self._answer(request, lambda words: self._of_evening(key, level, kind, words))

    async def _answer(self, request: web.Request, make: Callable[[Words], Made]) -> web.Response:
        words = page_words(self._language(request))
        try:
            body, kind = await asyncio.get_running_loop().run_in_executor(None, make, words)
        except NoSuchEvening:
            text, status = words.say("There is no such evening here, or no longer."), 404
        except (StoreError, CannotDraw) as e:
            log.warning("the evenings: %s", e)
            text, status = words.say("It cannot be read now."), 503
        else:
            return web.Response(body=body, content_type=kind, charset="utf-8" if kind != MIME["pdf"] else None)
        html = notice_page(words.say("Evenings"), text, words)
        return web.Response(text=html, content_type="text/html", status=status)

    # -- in a thread

    def _of_list(self, before: int | None, words: Words) -> Made:
        stored = self._store.newest(AT_ONCE, before)
        entries = [entry for result in stored if (entry := entry_of(result)) is not None]
        older = str(stored[-1].id) if len(stored) == AT_ONCE else None
        return list_page(entries, older, words).encode(), "text/html"

    def _of_evening(self, key: int, level: int | None, kind: str, words: Words) -> Made:
        stored = self._store.result(key)
        entry = None if stored is None else entry_of(stored)
        if stored is None or entry is None or (level is not None and not 1 <= level <= len(entry.game.levels)):
            raise NoSuchEvening
        try:
            return _made(entry, SentFigures(entry.game, stored.game), level, kind, words)
        except (KeyError, IndexError, TypeError, ValueError) as e:  # no box of ours sent that
            log.warning("result %d cannot be drawn: %r", key, e)
            raise NoSuchEvening from e


def _made(entry: Entry, figures: SentFigures, level: int | None, kind: str, words: Words) -> Made:
    if kind == "html" and level is None:
        return evening_page(entry, words, figures=figures).encode(), "text/html"
    if kind == "html" and level is not None:
        return level_page(entry, level, words, figures=figures).encode(), "text/html"
    if level is None:
        drawing = evening_picture(figures, title_of(entry, words), words)
    else:
        drawing = level_picture(figures, entry.game.levels[level - 1], words)
    return as_file(drawing, kind), MIME[kind]
