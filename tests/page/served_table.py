"""The table page of a box that is not there: whatever View it is given, behind a link that can go silent."""

from __future__ import annotations

import asyncio

from mind_box.page.server import TablePage
from mind_box.settings.schema import PageSettings
from mind_box.table.view import View
from tests.page.silent_link import SilentLink


class ServedTable:
    """A table page in a thread, which shows ``view``; ``language`` may be changed."""

    def __init__(self, view: View, language: str = "en", host: str = "127.0.0.1") -> None:
        self.language = language
        self._first = view
        self._host = host
        self.link = SilentLink(self._serve)

    async def _serve(self) -> int:
        self.page = TablePage(PageSettings(host=self._host, port=0), lambda: self.language)
        self.page.show(self._first)
        await self.page.start()
        while self.page.port is None:
            await asyncio.sleep(0)
        return self.page.port

    def show(self, view: View) -> None:
        self.link.call(self.page.show, view)

    def close(self) -> None:
        self.link.ask(self.page.stop())
        self.link.close()
