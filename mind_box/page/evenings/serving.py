"""The evenings' pages, for whatever server shows them: read-only, and shut while a level is played (R36).

All is made in one worker thread; the game goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aiohttp import web

from mind_box.evening.book import AT_TABLE, Book, Entry, NoSuchGame
from mind_box.evening.figures import GameFigures
from mind_box.journal.file import JournalError
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
KEPT = 200
"""Pages and files that are kept in memory: what is over never changes."""
MIME = {"svg": "image/svg+xml", "pdf": "application/pdf"}

Made = tuple[bytes, str]
"""A body and its content type."""


@dataclass(frozen=True)
class Box:
    """The box whose evenings these are."""

    journal: Callable[[], Path | None]
    """Where its journal is; None: there is none on disk."""
    language: Callable[[], str]
    playing: Callable[[], bool]
    """Whether a level is played now."""
    base: str = ""
    """What the addresses begin with; whoever knows it may look."""


class EveningPages:
    """Adds them to an application."""

    def __init__(self, app: web.Application, box: Box) -> None:
        self._box = box
        self._worker = ThreadPoolExecutor(1, "evenings")
        self._made: OrderedDict[tuple[str, ...], Made] = OrderedDict()
        serve_files(app, "mind_box.page.evenings", "static", shared=False)
        app.router.add_get(box.base + "/evenings", self._list)
        app.router.add_get(box.base + r"/evening/{key:\w+}", self._evening)
        app.router.add_get(box.base + r"/evening/{key:\w+}.{kind:svg|pdf}", self._evening)
        app.router.add_get(box.base + r"/evening/{key:\w+}/{level:\d+}", self._evening)
        app.router.add_get(box.base + r"/evening/{key:\w+}/{level:\d+}.{kind:svg|pdf}", self._evening)

    def close(self) -> None:
        """Ends the worker; what it is at is not waited for."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _list(self, request: web.Request) -> web.StreamResponse:
        before = request.query.get("before")
        return await self._answer(lambda path, words: self._of_list(path, words, before))

    async def _evening(self, request: web.Request) -> web.StreamResponse:
        key, kind = request.match_info["key"], request.match_info.get("kind", "html")
        level = int(request.match_info["level"][:6]) if "level" in request.match_info else None
        return await self._answer(lambda path, words: self._of_evening(path, words, key, level, kind))

    async def _answer(self, make: Callable[[Path, Words], Made]) -> web.Response:
        words = page_words(self._box.language())
        path = self._box.journal()
        if not self._box.playing() and path is not None:
            act = partial(self._between_levels, partial(make, path, words))
            try:
                made = await asyncio.get_running_loop().run_in_executor(self._worker, act)
            except NoSuchGame:
                text = words.say("There is no such evening here, or no longer.")
                return _html(notice_page(words.say("Evenings"), text, words), 404)
            except (JournalError, CannotDraw) as e:
                log.warning("the evenings: %s", e)
                return _html(notice_page(words.say("Evenings"), words.say("It cannot be read now."), words), 503)
            if made is not None and not self._box.playing():
                body, kind = made
                return web.Response(body=body, content_type=kind, charset="utf-8" if kind != MIME["pdf"] else None)
        if path is None:
            text = words.say("It cannot be read now.")
        else:
            text = words.say("A level is being played. The evenings are here again when it is over.")
        return _html(notice_page(words.say("Evenings"), text, words), 503)

    # -- in the worker

    def _between_levels(self, make: Callable[[], Made]) -> Made | None:
        """None: what was made before this took so long that a level is played by now."""
        return None if self._box.playing() else make()

    def _of_list(self, path: Path, words: Words, before: str | None) -> Made:
        with Book.at(path) as book:
            number = None if before is None else book.game(before).number
            entries = book.newest(AT_ONCE, number)
        older = entries[-1].key if entries and entries[-1].number > 1 else None
        return list_page(entries, older, words, self._box.base).encode(), "text/html"

    def _of_evening(self, path: Path, words: Words, key: str, level: int | None, kind: str) -> Made:
        with Book.at(path) as book:
            entry = book.game(key)
        if level is not None and not 1 <= level <= len(entry.game.levels):
            raise NoSuchGame(f"{key} has no level {level}")
        named = (entry.key, entry.name or "", str(level), kind, words.language)
        if entry.key == AT_TABLE:
            return _make(entry, level, kind, words, self._box.base)
        if named not in self._made:
            self._made[named] = _make(entry, level, kind, words, self._box.base)
            if len(self._made) > KEPT:
                self._made.popitem(last=False)
        return self._made[named]


def _make(entry: Entry, level: int | None, kind: str, words: Words, base: str) -> Made:
    if kind == "html":
        page = evening_page(entry, words, base) if level is None else level_page(entry, level, words, base)
        return page.encode(), "text/html"
    if level is None:
        drawing = evening_picture(GameFigures(entry.game), title_of(entry, words), words)
    else:
        drawing = level_picture(GameFigures(entry.game), entry.game.levels[level - 1], words)
    return as_file(drawing, kind), MIME[kind]


def _html(text: str, status: int) -> web.Response:
    return web.Response(text=text, content_type="text/html", status=status)
