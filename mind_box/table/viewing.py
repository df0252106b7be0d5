"""From the game and the hands on the table to the View. Hands and face-down cards end here (R33)."""

from __future__ import annotations

from collections.abc import Collection

from mind_box.game.figures import MIN_SEATS
from mind_box.game.state import Game, best_key
from mind_box.game.values import dataclass
from mind_box.table.facts import Fact
from mind_box.table.menu import Item, Question
from mind_box.table.notices import Notice
from mind_box.table.view import GhostLaid, LastError, View


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the table knows beside the game."""

    down: Collection[int] = ()
    """Seats with a hand on the table."""
    armed: bool = False
    """All hands were down; now they are to be lifted."""
    agreed: Collection[int] | None = None
    """In a vote: who agrees; else None."""
    begun: bool = False
    """A hand went down since the level began."""
    told: tuple[Fact, ...] = ()
    story: int | None = None
    menu: Item | None = None
    asking: Question | None = None
    faults: Collection[str] = ()
    notices: tuple[Notice, ...] = ()


def view_of(game: Game, table: Surroundings) -> View:
    """Everything that may be seen by everyone."""
    setup = game.setup
    lobby = game.phase == "lobby"
    voting = table.agreed is not None
    check, known = (setup.check, setup.known) if lobby else (game.check, game.known)
    error = game.last_error
    down = tuple(sorted(table.down if lobby else set(table.down).intersection(game.persons)))
    open_hands = game.seats if known else game.ghosts
    laid = game.ghost
    return View(
        phase="vote" if voting else game.phase,
        reason=None if voting else game.reason,
        variant=setup.variant,
        no_stars=setup.no_stars,
        blind=check is not None,
        check=check,
        hands="known" if known else "unknown",
        seats=game.seats,
        level=game.level,
        last_level=game.last_level,
        lives=game.lives,
        stars=game.stars,
        piles=game.piles,
        aside=game.order.sorted(game.aside),
        aside_by={s: game.aside_by[s] for s in sorted(game.aside_by)} if known or open_hands else None,
        last_error=LastError(error.early, error.aside, error.paid) if error else None,
        remaining=game.remaining,
        counts={s: len(game.hands.get(s, ())) for s in open_hands} if known or open_hands else None,
        errors=game.errors,
        hands_down=down,
        agreed=tuple(sorted(table.agreed or ())),
        waiting=_waiting(game, table, down),
        star_left=_star_left(game) if game.phase == "focus" and game.reason == "star" and not voting else None,
        next_seat=game.next_seat if game.phase == "deal" else None,
        ten=game.ten if setup.variant == "tens" and check is None else None,
        best=_best(game, down, check is not None),
        ended=None if table.begun else game.ended,
        ghosts=game.ghosts,
        ghost=GhostLaid(laid.seat, None if game.check else laid.card, laid.place) if laid else None,
        ghosts_to_come=setup.ghosts if lobby else None,
        told=table.told,
        story=table.story,
        menu=table.menu,
        asking=table.asking,
        faults=tuple(sorted(table.faults, key=_device_order)),
        notices=table.notices,
    )


def _device_order(device: str) -> tuple[int, str]:
    """The reader, the table screen, the seat screens, then the rest."""
    names = ("reader", "table-screen", "seat-screen")
    kind = device.partition(" ")[0]
    return names.index(kind) if kind in names else len(names), device


def _best(game: Game, down: tuple[int, ...], blind: bool) -> int:
    """Of so many players; of any number of them in the lobby, while fewer have a hand down than a game needs."""
    variant = game.setup.variant
    ghosts = game.setup.ghosts if game.phase == "lobby" else len(game.ghosts)
    players = len(game.seats) or len(down) + ghosts
    if (down or game.seats) and players >= MIN_SEATS:
        return game.bests.get(best_key(players, variant, blind, ghosts), 0)
    return max((n for key, n in game.bests.items() if key == best_key(key[0], variant, blind, ghosts)), default=0)


def _star_left(game: Game) -> int:
    return len(game.choosing) if game.known else min(game.star_left, game.persons_hold)


def _waiting(game: Game, table: Surroundings, down: tuple[int, ...]) -> tuple[int, ...]:
    if table.agreed is not None:
        return tuple(s for s in game.persons if s not in table.agreed)
    if game.phase == "deal":
        return (game.next_seat,) if game.next_seat in game.persons else ()  # R42
    if table.asking != "level-done":
        if game.phase != "focus":
            return ()
        if game.choosing:
            return tuple(sorted(game.choosing))
    return down if table.armed else tuple(s for s in game.persons if s not in down)
