"""The menu: its items, which of them are on offer where, and what it shows and asks (docs/table.md)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, assert_never, get_args

from mind_box.game import moves as mv
from mind_box.game.figures import CORRECTIONS, MAX_SEATS, Correction
from mind_box.game.moves import Move
from mind_box.game.state import CHOICES, Game, Setup
from mind_box.game.values import dataclass

Effect = Literal["language", "sound", "self-test", "update", "shut-down"]
"""An item that is the machine's business; none of them touches the game."""
SecondHold = Literal["end-game", "shut-down"]
"""An item that asks for a second hold."""
Question = Literal["level-done", SecondHold]
_Choice = Literal["variant", "deck", "hands", "stars", "blind", "ghosts"]
_MoveItem = Literal["start", "undo", "count", _Choice, Correction]
Item = Literal[_MoveItem, "all-hands", "story", Question, Effect]

LOBBY_ITEMS: tuple[Item, ...] = (
    "start", "variant", "deck", "hands", "stars", "blind", "ghosts", "language", "sound", "self-test", "undo", "story",
    "shut-down",
)  # fmt: skip
SECOND_HOLD: tuple[SecondHold, ...] = get_args(SecondHold)


def items(game: Game) -> tuple[Item, ...]:
    """The items on offer, first to last. In play the menu is a stop first, so there is none for play."""
    if game.phase == "lobby":
        without = "ghosts" if game.setup.blind == "at_end" else None  # R43a
        return tuple(item for item in LOBBY_ITEMS if item != without)
    offered: list[Item] = ["undo"]
    if game.phase in ("focus", "reveal"):
        offered.append("level-done")
    if game.phase in ("focus", "reveal", "won", "lost"):
        offered.append("all-hands")
    if game.known and game.phase in ("deal", "focus", "reveal"):
        offered.append("count")
    if game.phase not in ("won", "lost"):
        offered += CORRECTIONS
    if tells(game):
        offered.append("story")
    return (*offered, *SECOND_HOLD)


def tells(game: Game) -> bool:
    """Whether this is where the table tells of the level just ended, if it has anything to tell."""
    return game.phase in ("lobby", "won", "lost") or (game.phase == "focus" and game.reason == "level")


def move_of(item: _MoveItem, setup: Setup, held: Collection[int]) -> Move:
    """The move behind an item that is one; ``held`` are the seats whose hands are down."""
    match item:
        case "start":
            return mv.Start(tuple(sorted(held)))
        case "undo":
            return mv.Undo()
        case "count":
            return mv.CountFromHere()
        case "life-up" | "life-down" | "star-up" | "star-down":
            return mv.Correct(item)
        case "variant" | "deck" | "hands" | "blind":
            return next_choice(item, setup)
        case "stars":
            return next_choice("no_stars", setup)
        case "ghosts":
            return mv.Configure("ghosts", (setup.ghosts + 1) % MAX_SEATS)  # one seat is a person's
    assert_never(item)


def next_choice(name: str, setup: Setup) -> mv.Configure:
    """The choice of this name goes on to its next value, round and round."""
    values = CHOICES[name]
    return mv.Configure(name, values[(values.index(getattr(setup, name)) + 1) % len(values)])


@dataclass(slots=True)
class Menu:
    """What is open: an item lit, or something asked, or nothing."""

    item: Item | None = None
    """The item lit while the menu is open."""
    asking: Question | None = None
    """What waits for all hands (level-done) or for a second hold."""
    out_of_vote: bool = False
    """It was opened in a vote, which that called off."""
    story: int | None = None
    """Which fact of the story is open; None: it is not."""
    update: bool = False
    """There is a new version of the program: the lobby offers it."""
    touched: float = 0.0
    """When it was last opened, stepped or asked (seconds)."""

    def open(self, game: Game, now: float, out_of_vote: bool) -> None:
        """The first item is lit. What was asked before stays asked: ``all-hands`` may answer it."""
        self.item, self.touched, self.out_of_vote = self.offered(game)[0], now, out_of_vote

    def offered(self, game: Game) -> tuple[Item, ...]:
        """``items``, and in the lobby the update that there is: before the last, which stays the last."""
        usual = items(game)
        return (*usual[:-1], "update", usual[-1]) if self.update and game.phase == "lobby" else usual

    def step(self, game: Game, now: float) -> None:
        """The next item is lit."""
        assert self.item is not None
        offered = self.offered(game)
        self.item, self.touched = offered[(offered.index(self.item) + 1) % len(offered)], now

    def tell(self, now: float) -> None:
        """Opens the story."""
        self.story, self.touched = 0, now

    def turn_page(self, facts: int, now: float) -> None:
        """The next fact, round and round."""
        assert self.story is not None
        self.story, self.touched = (self.story + 1) % max(facts, 1), now

    def relight(self, game: Game) -> None:
        """The phase changed beneath an open menu: it stays open, on an item that is on offer."""
        if self.item is not None and self.item not in self.offered(game):
            self.item = self.offered(game)[0]

    def ask(self, item: Question, now: float) -> None:
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
        opened = self.item is not None or self.story is not None or self.asks_second_hold
        return self.touched + patience if opened else None

    def close(self) -> bool:
        """Closes the list or the story; whether one was open."""
        was_open = self.item is not None or self.story is not None
        self.item = self.story = None
        return was_open

    def drop_second_hold(self) -> None:
        """Nobody held a second time."""
        if self.asks_second_hold:
            self.asking = None
