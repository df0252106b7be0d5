"""The journal's own connection to its file, for what no other connection can do to it."""

from __future__ import annotations

import sqlite3

from mind_box.journal.journal import Journal


def connection(journal: Journal) -> sqlite3.Connection:
    """That of an open journal. It is nobody's else: here it is told to forget its cache, or loses a table."""
    db = journal._db  # noqa: SLF001 - the one place
    assert db is not None
    return db
