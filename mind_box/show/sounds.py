"""Which tune for which event. Off by default; nothing sounds in play without an event (R18)."""

from __future__ import annotations

from mind_box.show.sentences import REFUSED
from mind_box.table.notices import Notice
from mind_box.table.view import View

Note = tuple[str | None, float]
"""A note's name (None is a rest) and its length in seconds."""

TUNES: dict[str, tuple[Note, ...]] = {
    "error": (("E4", 0.15), ("C4", 0.35)),
    "late": (("E4", 0.15),),
    "star_used": (("C4", 0.08), ("E4", 0.08), ("G4", 0.08), ("C5", 0.2)),
    "level_complete": (("C4", 0.12), ("E4", 0.12), ("G4", 0.25)),
    "game_won": (("C4", 0.12), ("E4", 0.12), ("G4", 0.12), ("C5", 0.2), ("G4", 0.12), ("C5", 0.45)),
    "game_lost": (("C5", 0.2), ("A4", 0.2), ("F4", 0.2), ("C4", 0.5)),
    "ghost_laid": (("G4", 0.1), ("C5", 0.2)),
    "refused": (("C4", 0.12), (None, 0.05), ("C4", 0.12)),
    "stopped": (("G4", 0.15),),
}
"""One octave, C4 to C5: three octaves up it is 2.1 to 4.2 kHz, where a piezo of 4 kHz is loud."""

REFUSALS: frozenset[Notice] = frozenset({*REFUSED, "not_with_ghosts", "paused", "no_game", "reader_lost"})
_LOUDEST_FIRST: tuple[Notice, ...] = (
    "game_won", "game_lost", "error", "level_complete", "star_used", "late", "stopped", "ghost_laid",
)  # fmt: skip


def tune_for(before: View, after: View) -> str | None:
    """The one tune for what happened between two Views; None is silence.

    Silent while the phase stays play or vote: a sound there would be a beat that other players hear. A ghost's card is
    heard: nobody has laid it with their hands.
    """
    laid = after.ghost != before.ghost and "ghost_laid" in after.notices
    if before.phase in ("play", "vote") and after.phase in ("play", "vote") and not laid:
        return None
    if (after.notices, after.phase, after.errors) == (before.notices, before.phase, before.errors):
        return None
    for code in _LOUDEST_FIRST:
        if code in after.notices:
            return code
    return "refused" if REFUSALS.intersection(after.notices) else None
