"""``mind-box`` as it is, that also tells a pipe each View it shows: a line with the journal's last row and the View.

``python -m tests.service.watched run --config FILE``; ``MIND_BOX_WATCH`` is the pipe's file descriptor.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from mind_box.commands import cli
from mind_box.journal.journal import Journal
from mind_box.journal.writer import WriterThread
from mind_box.service import daemon
from mind_box.table.view import View

T = TypeVar("T")


class WatchedWriter(WriterThread):
    """Knows the last row that the loop has been told of; the thread may have written more."""

    def __init__(self, journal: Journal, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(journal, loop)
        self._watched = journal
        self._row: int | None = None

    @property
    def row(self) -> int:
        return self._watched.last if self._row is None else self._row

    def do(self, job: Callable[[Journal], T], done: Callable[[T | Exception], None]) -> None:
        if self._row is None:
            self._row = self._watched.last

        def told(result: tuple[T, int] | Exception) -> None:
            if isinstance(result, Exception):
                done(result)
            else:
                answer, self._row = result
                done(answer)

        super().do(lambda journal: (job(journal), journal.last), told)


class WatchedDaemon(daemon.Daemon):
    """Tells after it showed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"watch": self._tell, "open_writer": WatchedWriter})
        self._pipe = int(os.environ["MIND_BOX_WATCH"])

    def _tell(self, view: View) -> None:
        assert isinstance(self._writer, WatchedWriter)
        os.write(self._pipe, json.dumps([self._writer.row, view.to_json()]).encode() + b"\n")


if __name__ == "__main__":
    daemon.Daemon = WatchedDaemon  # type: ignore[misc]
    sys.exit(cli.main())
