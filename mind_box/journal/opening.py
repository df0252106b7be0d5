"""The journal where the settings keep it: written if it can be, else read, else begun in memory."""

from __future__ import annotations

import logging
from pathlib import Path

from mind_box.journal.file import InUse, JournalError, claim
from mind_box.journal.journal import Journal

log = logging.getLogger(__name__)


def journal_path(state_dir: str | Path) -> Path:
    """Where a box keeps its journal."""
    return Path(state_dir) / "journal.db"


def open_journal(state_dir: str | Path) -> tuple[Journal, bool]:
    """The journal of a box; False: nothing can be written there, or what was there cannot be read.

    Raises ``InUse``.
    """
    path = journal_path(state_dir)
    lock, claimed = None, False
    try:
        lock, claimed = claim(path), True
        journal = Journal.open(path)
        saved = journal.damaged is None
    except InUse:
        raise
    except JournalError as e:
        log.error("no journal: %s The game is kept in memory only, and a power cut would lose it.", e)
        journal, saved = Journal.standing_in(path, e, claimed), False
    journal.lock = lock
    return journal, saved
