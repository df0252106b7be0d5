"""The pile under its own reader: which of the cards that come to light there have just been laid.

A reader over the pile tells what lies on top whenever that changes, no more. This remembers the pile from the bottom
up, as far as it was seen, and answers for each sight what it is. Pure, and it knows a reader only by its sights.
"""

from __future__ import annotations

from typing import Literal

from mind_box.game.cards import Card
from mind_box.game.state import Game

Sight = Literal["laid", "nothing", "missed", "clear_tray"]
"""``laid``: shown, as at a slot. ``missed``: it lay unseen under others. ``clear_tray``: an old pile lies there."""

_NEVER = float("-inf")


class Tray:
    """The memory of one tray. What is no card is not its business."""

    def __init__(self, game: Game, away: float) -> None:
        """``game`` is the one at a start; ``away``: seconds out of sight after which a card may have been moved."""
        self._away = away
        self._game = game
        self._pile: list[Card] = [card for pile in game.piles for card in pile] if _level(game) else []
        self._last: Card | None = None
        """What was seen last."""
        self._until: dict[Card, float] = {}
        """Of what was seen before: when it was surely no longer the last."""
        self._lifted: set[Card] = set()
        """Cards that are off the pile, unless they are seen again at once: one that lay below has come to light."""
        self._taken_back: set[Card] = set()
        self.closed = not self._pile
        """An old pile lies there, or may: nothing counts until the tray has been seen empty."""

    def emptied(self) -> None:
        """Nothing lies there."""
        self._forget([])
        self.closed = False

    def follow(self, game: Game) -> None:
        """The game has gone on: a level ended, a card was taken back."""
        before, self._game = self._game, game
        went = {card for card in self._pile if _lies(before, card)}
        self._taken_back = {card for card in self._taken_back | went if not _lies(game, card)}
        if before.phase == "deal" and game.phase != "deal":  # what was dealt is in people's hands
            self._forget([card for card in self._pile if card == self._last])
        if _level(before) != _level(game):  # also by an undo, which goes on with the old pile
            going_on = _level(game) and (any(game.piles) or game.aside or game.face_down)
            self.closed = bool(self._pile) and not going_on

    def sight(self, card: Card, at: float) -> Sight:
        """``card`` lies on top at ``at`` (seconds, never decreasing): another one than last, or it was out of sight."""
        last, self._last = self._last, card
        if last is not None and last != card:
            self._until[last] = at
        if card not in self._pile:
            return self._first_sight(card, last, at)
        above = self._pile[self._pile.index(card) + 1 :]
        self._lifted.update(above)
        lifted = card in self._lifted
        self._lifted.discard(card)
        if self.closed or _lies(self._game, card) or not (card == last or self._gone(card, at)):
            return "nothing"
        anew = lifted or self._turns_over or (card == last and self._game.phase != "focus")
        if not anew:
            return "nothing"
        self._pile.remove(card)
        return self._laid(card)

    @property
    def _turns_over(self) -> bool:
        """No pile grows here: cards are dealt through this place, or a pile is taken off card by card."""
        return self._game.phase in ("deal", "reveal")

    def _gone(self, card: Card, at: float) -> bool:
        return at - self._until.get(card, _NEVER) >= self._away

    def _first_sight(self, card: Card, last: Card | None, at: float) -> Sight:
        if self.closed:
            self._pile.append(card)
            return "clear_tray"
        if _lies(self._game, card):  # the pile was off, or the card came another way
            self._pile.append(card)
            return "nothing"
        place = self._under(last, at)
        if place is None:
            return self._laid(card)
        self._lifted.update(self._pile[place:])
        self._pile.insert(place, card)
        return "missed"

    def _under(self, last: Card | None, at: float) -> int | None:
        """The place in the pile where a card lay that has never been seen; None: it was laid on top."""
        game = self._game
        if last not in self._pile or self._turns_over or game.reason == "star":
            return None
        place = self._pile.index(last) + 1
        if any(card in pile and self._gone(card, at) for card in self._pile[place:] for pile in game.piles):
            return place  # cards of the pile are off, and one that lay among them comes back
        if game.phase == "focus" and last == self._pile[-1] and last in self._taken_back:
            return place - 1  # it was to be lifted, and this came to light
        return None

    def _laid(self, card: Card) -> Sight:
        self._pile.append(card)
        self._taken_back.discard(card)
        return "laid"

    def _forget(self, but: list[Card]) -> None:
        self._pile = but
        self._lifted.clear()
        self._taken_back.clear()
        if not but:
            self._last = None
            self._until.clear()


def _lies(game: Game, card: Card) -> bool:
    """Whether the game has this card on a pile or aside (R32)."""
    return (
        card in game.aside
        or any(card in pile for pile in game.piles)
        or any(turn.card == card for turn in game.face_down)
    )


def _level(game: Game) -> tuple[object, ...]:
    """Which level is played, blind or not; empty where none is."""
    return () if game.phase in ("lobby", "won", "lost") else (game.level, game.check)
