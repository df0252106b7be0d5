"""The state of a game: one frozen value, made only by folding events (see ``evolve``)."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Any, Literal, get_args

from mind_box.game.cards import DECKS, VARIANTS, Card, Deck, Order, Variant, order_of
from mind_box.game.figures import MAX_SEATS, Reward
from mind_box.game.values import dataclass

REACH = 5_000
"""So many steps can always be undone, as far as the level goes; twice as many are kept at most."""

Phase = Literal["lobby", "deal", "focus", "play", "reveal", "won", "lost"]
Reason = Literal["level", "stop", "error", "star", "resume"]
"""Why the table is in focus."""
Hands = Literal["unknown", "known"]
Check = Literal["as_played", "at_end"]
"""How blind play is checked."""
Blind = Literal["no", Check]
Choice = str | bool | int
"""What one of the lobby's choices may be."""


def _choice(default: Choice, choices: tuple[Choice, ...], doc: str) -> Any:
    """The menu, the settings and table scripts read here what may be chosen."""
    return field(default=default, metadata={"choices": choices, "doc": doc})


@dataclass(frozen=True, slots=True)
class Setup:
    """``[game]``: what the lobby starts with; the box's menu can change it."""

    variant: Variant = _choice("classic", VARIANTS, "the order of cards")
    deck: Deck = _choice("original", DECKS, "the cards that extreme is played with")
    hands: Hands = _choice("unknown", get_args(Hands), "known: every card is scanned when dealt")
    """Known: with ``at_end`` nothing is dealt through the box all the same (R28)."""
    blind: Blind = _choice("no", get_args(Blind), "blind from the first level, and how it is checked")
    no_stars: bool = _choice(False, (False, True), "play without throwing stars")
    challenge: Check = _choice(
        "at_end",
        get_args(Check),
        "how the blind challenge is checked: as_played needs a reader that reads cards face down (NFC)",
    )
    ghosts: int = _choice(0, tuple(range(MAX_SEATS)), "players without a body; not with blind at_end")
    """R38: the box's seats less one at most."""

    def chosen(self) -> dict[str, Choice]:
        """The choices by their names, as they are stored; without ghosts as they were before there were any."""
        return {name: getattr(self, name) for name in CHOICES if name != "ghosts" or self.ghosts}

    @property
    def check(self) -> Check | None:
        """How the game is checked from its first level on; None: it is not blind."""
        return None if self.blind == "no" else self.blind

    @property
    def known(self) -> bool:
        """Whether cards are dealt through the box."""
        return self.hands == "known" and self.check != "at_end"


CHOICES: Mapping[str, tuple[Choice, ...]] = {f.name: f.metadata["choices"] for f in dataclasses.fields(Setup)}
"""What each of its fields may be."""


@dataclass(frozen=True, slots=True)
class FaceDown:
    """A turn in blind play that waits for the check: a card laid face down, or set aside by a star (R27)."""

    card: Card
    star: bool
    seat: int | None = None
    """A hand that is known: who laid it. A star's cards are in ``aside_by`` already."""


@dataclass(frozen=True, slots=True)
class GhostCard:
    """A card that a ghost laid by itself (R40)."""

    seat: int
    card: Card
    place: int
    """In the row as it was dealt, from 1, the first next to the lamp."""


@dataclass(frozen=True, slots=True)
class Ghosts:
    """What the ghosts of one game are like (R43). The rules do not ask; an evening is replayed with it."""

    kind: str = "human"
    learn: bool = True
    seed: int = 0
    """Of their chance."""
    pace: float = 0.7
    """Seconds a number, where nothing has been learnt of these persons."""
    reaction: float = 0.5
    """Seconds to handle a card at the reader in use, where nothing has been learnt."""


Knowledge = tuple[float, ...]
"""What ghosts have learnt of the persons at some seats. What the figures mean is theirs to know."""


@dataclass(frozen=True, slots=True)
class Error:
    """A card laid too early, and what went aside for it (R8)."""

    early: Card
    aside: tuple[Card, ...]
    paid: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """How a level ended, which all may see: the kept cards, those aside, and what its last card did."""

    level: int
    pile: tuple[Card, ...] | tuple[tuple[Card, ...], ...]
    """In the order laid; in extreme two of them, up and down."""
    aside: tuple[Card, ...]
    early: Card | None = None
    """The card laid too early, if an error ended the level; with it ``late`` and ``paid``."""
    late: tuple[Card, ...] | None = None
    paid: bool | None = None
    """True when it cost a life."""
    reward: Reward | None = None

    @property
    def piles(self) -> tuple[tuple[Card, ...], ...]:
        """One tuple a pile."""
        return self.pile if self.pile and isinstance(self.pile[0], tuple) else (self.pile,)  # type: ignore[return-value]


BestKey = tuple[int, str, bool] | tuple[int, str, bool, int]
"""Number of players, variant, blind; and of the players the ghosts, where there are any (R38)."""


def best_key(players: int, variant: str, blind: bool, ghosts: int) -> BestKey:
    """What the best of such games is kept under."""
    return (players, variant, blind, ghosts) if ghosts else (players, variant, blind)


_new, _set = object.__new__, object.__setattr__


@dataclasses.dataclass(frozen=True)  # the standard one: some fields are not compared
class Game:
    """Everything the rules need to know. Mappings are never changed in place."""

    setup: Setup = Setup()  # noqa: RUF009
    phase: Phase = "lobby"
    """A vote is the table's business."""
    reason: Reason | None = None
    seats: tuple[int, ...] = ()
    check: Check | None = None
    """In blind play."""
    known: bool = False
    level: int = 0
    last_level: int = 0
    lives: int = 0
    stars: int = 0
    hands: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    """The cards in order of each seat whose hand is known: with known hands all, else the ghosts' (R39)."""
    piles: tuple[tuple[Card, ...], ...] = ((),)
    """Kept cards, face up, in the order laid."""
    face_down: tuple[FaceDown, ...] = ()
    """Blind as_played: what the check still has to look at, in the order it happened."""
    paid: frozenset[Card] = frozenset()
    """Cards laid too early that have cost their life."""
    aside: frozenset[Card] = frozenset()
    aside_by: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    last_error: Error | None = None
    erred: bool = False
    """The card turned up last brought ``last_error``."""
    ended: Ended | None = None
    """How the level before this one ended, or in ``won`` and ``lost`` this one; None from the first concentration or
    card dealt on, and after an undo."""
    errors: int = 0
    star_left: int = 0
    """Unknown hands, focus after a star: cards that may still be put aside."""
    choosing: frozenset[int] = frozenset()
    """Known hands in extreme, after a star: seats that have yet to choose (R23)."""
    dealt: tuple[Card, ...] = ()
    """The cards dealt through the box in this level, in order."""
    ghosts: tuple[int, ...] = ()
    """The ghosts' seats, which are among ``seats``."""
    rows: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    """Each ghost's cards of this level as they were dealt; nothing ever moves up."""
    ghost: GhostCard | None = None
    """What a ghost laid, while that is the last step."""
    minds: Ghosts | None = None
    """None: there are no ghosts."""
    learnt: Mapping[tuple[int, ...], Knowledge] = field(default_factory=dict)
    """By the persons' seats; it outlives the game."""
    turns: int = field(default=0, compare=False)
    """How often the ghosts began to wait anew: it only grows, over an undo too."""
    next_seat: int | None = None
    seat_chosen: bool = False
    """The seat being dealt to was chosen by hand, and keeps its lamp until its hand is full."""
    ten: int = 0
    stopped_by_press: bool = False
    bests: Mapping[BestKey, int] = field(default_factory=dict)
    before: Game | None = field(default=None, compare=False, repr=False)
    """The game before the last step, which has one before it in turn: nothing may recurse along this line. It may
    be longer than what ``steps`` says; the rest is out of reach."""
    steps: int = 0
    """How many steps can be undone."""
    begun: int = 0
    """How many of these are of the level before this one."""

    order: Order = field(init=False, compare=False, repr=False)
    """The order of cards in force: that of the setup."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", order_of(self.setup.variant, self.setup.deck))

    @property
    def tens(self) -> bool:
        """Whether a ten is being shown (R21)."""
        return self.setup.variant == "tens" and self.check is None

    @property
    def remaining(self) -> int:
        """Cards still in hands, as far as the box can know (R31); blind at_end, where no card of the pile is known
        before the check: cards that are neither aside nor checked."""
        if self.known:
            return self.held
        left = self.level * len(self.seats) - len(self.aside)
        for pile in self.piles:
            left -= len(pile)
        for turn in self.face_down:
            left -= not turn.star
        return left

    @property
    def held(self) -> int:
        """Cards in the hands that are known."""
        return sum(map(len, self.hands.values()))

    @property
    def persons(self) -> tuple[int, ...]:
        """The seats that are no ghosts'."""
        return tuple(s for s in self.seats if s not in self.ghosts) if self.ghosts else self.seats

    @property
    def persons_hold(self) -> int:
        """Cards in the persons' hands, as far as the box can know (R41)."""
        if self.known:
            return sum(len(hand) for seat, hand in self.hands.items() if seat not in self.ghosts)
        return max(self.remaining - self.held, 0)

    def holder(self, card: Card) -> int | None:
        """The seat that is known to hold the card, if any."""
        for seat, hand in self.hands.items():
            if card in hand:
                return seat
        return None

    def of_ghosts(self, hands: Mapping[int, tuple[Card, ...]]) -> dict[int, tuple[Card, ...]]:
        """What of these belongs to the ghosts."""
        return {seat: cards for seat, cards in hands.items() if seat in self.ghosts}

    def lies_of_a_ghost(self, card: Card) -> bool:
        """Whether a ghost's card lies on the pile, aside or face down: shown to the reader it changes nothing (R40).
        While cards are dealt, the one that a ghost laid last may still be in somebody's hand."""
        if self.phase == "deal":
            return self.ghost is not None and self.ghost.card == card
        return any(card in row and card not in self.hands.get(seat, ()) for seat, row in self.rows.items())

    def hands_without(self, cards: Collection[Card]) -> dict[int, tuple[Card, ...]]:
        """What is left of the known hands without these cards."""
        gone = set(cards)
        return {
            seat: hand if gone.isdisjoint(hand) else tuple(c for c in hand if c not in gone)
            for seat, hand in self.hands.items()
        }

    def past(self) -> list[Game]:
        """The games before each step that can be undone, the last step's first."""
        games: list[Game] = []
        before = self.before
        while before is not None and len(games) < self.steps:
            games.append(before)
            before = before.before
        return games

    def back(self) -> Game:
        """The game before the last step; itself where there is none to take back."""
        if self.before is None or self.steps < 1:
            return self
        steps = self.steps - 1
        # From the level before, undo goes back to that level's start: all that is left is of that level.
        return self.before.changed(steps=steps, begun=self.begun if steps >= self.begun else 0)

    def forgetting(self, keep: int) -> Game:
        """The same with the last ``keep`` steps only: what was before them is let go of."""
        gone = max(self.steps - keep, 0)
        short = self.changed(steps=self.steps - gone, begun=max(self.begun - gone, 0))
        return _linked([vars(game) for game in (short, *short.past())])

    def __reduce__(self) -> tuple[Any, ...]:
        return _linked, ([vars(game) | {"before": None} for game in (self, *self.past())],)

    def changed(self, **changes: Any) -> Game:
        """A copy with some fields changed."""
        return self.replaced(changes)

    def replaced(self, changes: dict[str, Any]) -> Game:
        """The same for a dict (``dataclasses.replace``, but fifteen times as fast)."""
        values = self.__dict__.copy()
        values.update(changes)  # with | it takes twice as long
        new = _new(Game)
        _set(new, "__dict__", values)
        return new


def _linked(games: list[dict[str, Any]]) -> Game:
    """Games by their fields, each with the next one of the list before it; returns the first."""
    before = None
    for fields in reversed(games):
        game = _new(Game)
        _set(game, "__dict__", fields | {"before": before})
        before = game
    assert before is not None
    return before


def lobby_of(setup: Setup) -> Game:
    """Before the first game, with this choice."""
    game = Game(setup=setup)
    return game.changed(piles=game.order.empty_piles)
