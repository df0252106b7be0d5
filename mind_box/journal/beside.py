"""A journal changed beside the box that writes it: one short transaction, which the box's own next one waits for."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from mind_box.journal.file import Damaged, JournalError, begin_list, connect, transaction
from mind_box.journal.past import Past


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Past]:
    """All that is done in the block is on disk at its end, or nothing of it. Games of the past alone may be touched.

    Raises ``JournalError``.
    """
    if not path.exists():
        raise JournalError(f"{path}: there is no journal.")
    try:
        with contextlib.closing(connect(path, fresh=False)) as db, transaction(db):
            begin_list(db)
            yield Past(db)
    except (Damaged, sqlite3.Error) as e:
        raise JournalError(f"{path}: cannot be changed: {e}. It is the service's: try again with sudo.") from e
