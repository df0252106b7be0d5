"""Steps: what undo takes back, and the games before them.

A *step* is the last card laid, dealt or set aside, star used, error or correction with all that it brought about; so
are counting from here, a level declared done, a game ended early, and the start of the challenge. The event that
begins a step remembers the game before it; undo returns to it.
"""

from __future__ import annotations

from typing import Any

from mind_box.game import events as ev
from mind_box.game.cards import Card
from mind_box.game.state import REACH, Game


def step(game: Game) -> dict[str, Any]:
    """What every step changes: the game before it can be reached by undo."""
    if game.steps < 2 * REACH:
        return {"before": game, "steps": game.steps + 1, "erred": False, "ghost": None}
    game = game.forgetting(REACH)
    return {"before": game, "steps": game.steps + 1, "begun": game.begun, "erred": False, "ghost": None}


def undone(game: Game, _: ev.Undone) -> Game:
    """The game before the last step; what was in play has to be resumed."""
    if game.before is not None and game.before.phase == "won":
        game = game.back()  # journaled before the start of the challenge was a step: it went back further
    back = game.back()
    back = back.changed(ended=None, ghost=None, turns=max(game.turns, back.turns))
    if game.steps < 1 or back.phase in ("deal", "reveal"):
        return back
    if min(back.star_left, back.persons_hold) > 0 or back.choosing:  # the star is open again, and says so
        return back.changed(phase="focus", reason="star", stopped_by_press=False)
    return back.changed(phase="focus", reason="stop", star_left=0, stopped_by_press=False)


def taken_back(game: Game, _: ev.TakenBack) -> Game:
    """The game as if the card had never been dealt; what came after that deal, a correction, stays a step."""
    if not game.dealt:
        return game
    card = game.dealt[-1]
    since = [game]  # the games that know the card, the last one first
    while card in (before := since[-1].back()).dealt and before is not since[-1]:
        since.append(before)
    seat = game.holder(card)
    first = since.pop()
    undealt = first.back()
    if undealt is first:  # the deal itself is out of reach
        undealt = _without_deal(first, card, seat)
    for later in reversed(since):
        undealt = _without_deal(later, card, seat).changed(before=undealt, steps=undealt.steps + 1)
    return undealt.changed(ended=None, ghost=None)


def _without_deal(game: Game, card: Card, seat: int | None) -> Game:
    return game.changed(
        hands=game.hands_without((card,)),
        rows={s: tuple(c for c in row if c != card) for s, row in game.rows.items()},
        dealt=tuple(c for c in game.dealt if c != card),
        next_seat=seat,
        seat_chosen=game.seat_chosen and seat == game.next_seat,
    )
