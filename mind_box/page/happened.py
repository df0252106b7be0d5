"""What happened between two Views, for those who read or hear the game instead of watching the screens.

Made from Views alone, so nothing hidden can be told (R33). Entries are plain values, ready for JSON.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mind_box.table.view import LastError, View

Entry = dict[str, Any]
"""``code`` and what belongs to it: ``card``, ``cards``, ``early``, ``level``, ``seat``, ``place``."""

MOST = 200
"""Entries kept for one level."""

_CAUSES = ("star_used", "star_off", "stopped", "undone", "corrected", "resumed")
"""Notices that become entries of their own, told before the cards."""
_RESULTS = ("level_complete", "reward_life", "reward_star", "reward_void", "game_won", "game_lost")
"""The same, told after the cards that brought them about."""


def happened(before: View, after: View) -> list[Entry]:
    """What the later View tells that the earlier one did not, in the order in which it came about."""
    new = after.notices if after.notices != before.notices or _moved(before, after) else ()
    entries: list[Entry] = [{"code": code} for code in new if code in _CAUSES]
    if "undone" not in new:
        entries += [_by_ghost(entry, before, after) for entry in _cards(before, _level_of(before, after))]
    for code in new:
        if code == "level_complete":
            entries.append({"code": code, "level": after.level if after.phase == "won" else after.level - 1})
        elif code in _RESULTS:
            entries.append({"code": code})
    return entries


def _by_ghost(entry: Entry, before: View, after: View) -> Entry:
    """The same; of a card that a ghost laid also where to take it from."""
    ghost = after.ghost
    if ghost is None or ghost == before.ghost:
        return entry
    where = {"seat": ghost.seat, "place": ghost.place}
    if entry["code"] == "laid_blind" and ghost.card is None:
        return {"code": "ghost_laid_blind", **where}
    if entry["code"] == "laid" and entry["card"] == ghost.card:
        return {**entry, "code": "ghost_laid", **where}
    return entry


def _level_of(before: View, after: View) -> View:
    """The later View, as it was when the earlier one's level ended, if that one is over by now."""
    if after.level == before.level:
        return after
    ended = after.ended
    if ended is None or ended.level != before.level:  # it is not told any more
        return before
    error = before.last_error
    if ended.early is not None and ended.late is not None and ended.paid is not None:
        error = LastError(ended.early, ended.late, ended.paid)
    return replace(before, piles=ended.piles, aside=ended.aside, last_error=error)


def _moved(before: View, after: View) -> bool:
    """Whether the game went on (the same notice can come twice in a row)."""
    what = ("phase", "reason", "level", "lives", "stars", "piles", "aside", "remaining", "errors")
    return any(getattr(before, name) != getattr(after, name) for name in what)


def _cards(before: View, after: View) -> list[Entry]:
    entries: list[Entry] = []
    for old, new in zip(before.piles, after.piles, strict=False):
        entries += [{"code": "laid", "card": card} for card in new[len(old) :]]
    error = after.last_error
    if error is not None and error != before.last_error:
        code = "error" if error.paid else "late"
        entries.append({"code": code, "early": error.early, "cards": list(error.aside)})
    told = set(before.aside) | set(error.aside if error is not None else ())
    aside = [card for card in after.aside if card not in told]
    if aside:
        entries.append({"code": "aside", "cards": aside})
    if after.blind and after.phase == before.phase == "play" and after.remaining < before.remaining:
        entries += [{"code": "laid_blind"}] * (before.remaining - after.remaining)
    return entries


class LevelStory:
    """What happened in the level under way; a new level begins a new story, with how the last one ended."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._view: View | None = None

    def tell(self, view: View) -> list[Entry]:
        """The next View. Returns the new entries."""
        before, self._view = self._view, view
        if before is None:
            return []
        new = happened(before, view)
        if view.level != before.level or (view.phase == "lobby") != (before.phase == "lobby"):
            self.entries = []
        self.entries = [*self.entries, *new][-MOST:]
        return new
