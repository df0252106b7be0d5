"""The menu: its items, which of them are on offer where, and what it shows and asks (docs/table.md)."""

from __future__ import annotations

from collections.abc import Collection

from mind_box.game import moves as mv
from mind_box.game.decide import CHOICES
from mind_box.game.moves import Move
from mind_box.game.state import DEAL, FOCUS, LOBBY, LOST, REVEAL, WON, Game, Setup
from mind_box.game.values import dataclass

CORRECTIONS = ("life-up", "life-down", "star-up", "star-down")
LOBBY_ITEMS = (
    "start", "variant", "deck", "hands", "stars", "blind", "language", "sound", "self-test", "undo", "shut-down",
)  # fmt: skip
SECOND_HOLD = ("end-game", "shut-down")
"""Items that ask for a second hold."""
EFFECTS = ("language", "sound", "self-test", "shut-down")
"""Items that are the machine's business; none of them touches the game."""


def items(game: Game) -> tuple[str, ...]:
    """The items on offer, first to last. In play the menu is a stop first, so there is none for play."""
    if game.phase == LOBBY:
        return LOBBY_ITEMS
    offered = ["undo"]
    if game.phase in (FOCUS, REVEAL):
        offered.append("level-done")
    if game.phase in (FOCUS, REVEAL, WON, LOST):
        offered.append("all-hands")
    if game.known and game.phase in (DEAL, FOCUS, REVEAL):
        offered.append("count")
    if game.phase not in (WON, LOST):
        offered += CORRECTIONS
    return (*offered, *SECOND_HOLD)


def move_of(item: str, setup: Setup, held: Collection[int]) -> Move:
    """The move behind an item that is one; ``held`` are the seats whose hands are down."""
    if item == "start":
        return mv.Start(tuple(sorted(held)))
    if item == "undo":
        return mv.Undo()
    if item == "count":
        return mv.CountFromHere()
    if item in CORRECTIONS:
        return mv.Correct(item)
    name = "no_stars" if item == "stars" else item
    return mv.Configure(name, following(getattr(setup, name), CHOICES[name]))


def following(value: str | bool, choices: tuple[str | bool, ...]) -> str | bool:
    """The next choice, round and round."""
    return choices[(choices.index(value) + 1) % len(choices)]


@dataclass(slots=True)
class Menu:
    """What is open: an item lit, or something asked, or nothing."""

    item: str | None = None
    """The item lit while the menu is open."""
    asking: str | None = None
    """What waits for all hands (level-done) or for a second hold."""
    out_of_vote: bool = False
    """It was opened in a vote, which that called off."""
    touched: float = 0.0
    """When it was last opened, stepped or asked (seconds)."""

    def open(self, game: Game, now: float, out_of_vote: bool) -> None:
        """The first item is lit. What was asked before stays asked: ``all-hands`` may answer it."""
        self.item, self.touched, self.out_of_vote = items(game)[0], now, out_of_vote

    def step(self, game: Game, now: float) -> None:
        """The next item is lit."""
        offered = items(game)
        self.item, self.touched = offered[(offered.index(str(self.item)) + 1) % len(offered)], now

    def relight(self, game: Game) -> None:
        """The phase changed beneath an open menu: it stays open, on an item that is on offer."""
        if self.item is not None and self.item not in items(game):
            self.item = items(game)[0]

    def take(self) -> str:
        """Chooses the item that is lit, which closes the menu."""
        chosen, self.item = str(self.item), None
        return chosen

    def ask(self, item: str, now: float) -> None:
        """Asks for all hands or for a second hold."""
        self.asking, self.touched = item, now

    @property
    def all_agree(self) -> bool:
        """Whether choosing what is lit means that all agree to the star that the menu interrupted."""
        return self.out_of_vote and self.item == "all-hands"

    @property
    def asks_second_hold(self) -> bool:
        """Whether holding star again does what was chosen."""
        return self.asking in SECOND_HOLD

    def times_out(self, patience: float) -> float | None:
        """When it closes by itself; None: nothing is open that does. Asking for hands never ends by itself."""
        return self.touched + patience if self.item is not None or self.asks_second_hold else None

    def drop_second_hold(self) -> None:
        """Nobody held a second time."""
        if self.asks_second_hold:
            self.asking = None
