"""The menu: which items there are where, in the order of TABLE.md."""

from __future__ import annotations

from mind_box.game.state import DEAL, FOCUS, LOBBY, LOST, REVEAL, WON, Game

CORRECTIONS = ("life-up", "life-down", "star-up", "star-down")
LOBBY_ITEMS = (
    "start", "variant", "deck", "hands", "stars", "blind", "language", "sound", "self-test", "undo", "shut-down",
)  # fmt: skip
SECOND_HOLD = ("end-game", "shut-down")
"""Items that ask for a second hold."""


def items(game: Game) -> tuple[str, ...]:
    """The items on offer, first to last. In play the menu is a stop first, so there is none for play."""
    if game.phase == LOBBY:
        return LOBBY_ITEMS
    offered = ["undo"]
    if game.phase in (FOCUS, REVEAL):
        offered.append("level-done")
    if game.phase in (FOCUS, REVEAL) or (game.phase == WON and game.check is None):
        offered.append("all-hands")
    if game.known and game.phase in (DEAL, FOCUS, REVEAL):
        offered.append("count")
    if game.phase not in (WON, LOST):
        offered += CORRECTIONS
    return (*offered, *SECOND_HOLD)
