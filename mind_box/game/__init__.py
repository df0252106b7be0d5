"""The game itself: pure rules, no clock, no chance, no text.

``decide(game, move)`` answers a move with a ``Decision``, events and the game after them, or a ``Refusal``;
``evolve(game, event)`` gives the game after an event; a game is the fold of its events (``replay``).
"""

from mind_box.game.cards import Card, order_of
from mind_box.game.decide import Decision, can_propose, decide
from mind_box.game.evolve import evolve, replay
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import Game, Setup

__all__ = [
    "Card",
    "Decision",
    "Game",
    "Move",
    "Refusal",
    "Setup",
    "can_propose",
    "decide",
    "evolve",
    "order_of",
    "replay",
]
