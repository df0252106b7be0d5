"""``evolve(game, event) -> game``: what an event changes. Total: any event on any game, never refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from mind_box.game import events as ev
from mind_box.game.cards import VARIANTS, Card
from mind_box.game.figures import CORRECTIONS, LIMITS, MAX_LIVES, MAX_SEATS, MAX_STARS, start_figures
from mind_box.game.state import (
    CHOICES,
    REACH,
    Ended,
    Error,
    FaceDown,
    Game,
    GhostCard,
    Phase,
    Reason,
    Setup,
    best_key,
    lobby_of,
)
from mind_box.game.steps import step, taken_back, undone


def evolve(game: Game, event: ev.Event) -> Game:
    """The game after the event."""
    return _EVOLVE[type(event)](game, event)


def replay(events: Iterable[ev.Event], game: Game | None = None) -> Game:
    """A game is the fold of its events."""
    return reduce(evolve, events, game if game is not None else Game())


def _configured(game: Game, e: ev.Configured) -> Game:
    if game.phase != "lobby":  # the order of a game under way stays, whatever a journal holds
        return game
    values = game.setup.chosen()
    if e.name in CHOICES:
        values[e.name] = e.value
    lobby = lobby_of(_setup(values))
    return game.changed(setup=lobby.setup, order=lobby.order, piles=lobby.piles)


def _setup(values: Mapping[str, Any]) -> Setup:
    setup = Setup(**{name: values[name] for name in CHOICES if name in values})
    return setup if setup.variant in VARIANTS and setup.ghosts in CHOICES["ghosts"] else Setup()


def _started(_: Game, e: ev.Started) -> Game:
    setup = _setup(e.setup)
    lives, last = start_figures(len(e.seats))
    return _level(
        Game(
            setup=setup,
            seats=e.seats[:MAX_SEATS],
            check=setup.check,
            known=setup.known,
            last_level=last,
            lives=lives,
            stars=0 if setup.no_stars else 1,
            bests=ev.bests_of_rows(e.bests),
            ghosts=tuple(seat for seat in e.ghosts if seat in e.seats[:MAX_SEATS]),
            minds=e.minds,
            learnt=dict(e.learnt),
        ),
        1,
    )


def _level(game: Game, level: int) -> Game:
    """The table at the start of a level. Undo reaches into the level just ended, but no further than its start."""
    steps = game.steps - game.begun
    if steps > REACH // 10:  # a level like no other: what is out of reach need not stay in memory
        game = game.forgetting(steps)
    hands = dict.fromkeys(game.seats if game.known else game.ghosts, ())  # R39
    return game.changed(
        phase="deal" if hands else "focus",
        reason=None if hands else "level",
        level=level,
        hands=hands,
        rows=dict.fromkeys(game.ghosts, ()),
        piles=game.order.empty_piles,
        face_down=(),
        paid=frozenset(),
        aside=frozenset(),
        aside_by={},
        last_error=None,
        erred=False,
        errors=0,
        star_left=0,
        choosing=frozenset(),
        dealt=(),
        next_seat=next(iter(hands), None),
        seat_chosen=False,
        ten=0,
        stopped_by_press=False,
        steps=steps,
        begun=steps,
    )


def _seat_chosen(game: Game, e: ev.SeatChosen) -> Game:
    return game.changed(next_seat=e.seat, seat_chosen=True)


def _dealt(game: Game, e: ev.Dealt) -> Game:
    held = game.hands.get(e.seat, ())
    hand = game.order.sorted((*held, e.card))
    hands = {**game.hands, e.seat: hand}
    changes = step(game)
    changes["hands"] = hands
    changes["dealt"] = (*game.dealt, e.card)
    changes["ended"] = None
    if e.seat in game.rows:
        changes["rows"] = {**game.rows, e.seat: (*game.rows[e.seat], e.card)}
    return _deal_on(game.replaced(changes), e.seat)


def _deal_on(game: Game, last: int | None) -> Game:
    """After a card for ``last``: the next round the table with the fewest cards, or all are dealt."""
    seats = game.seats if game.known else game.ghosts
    fewest = min((len(game.hands.get(seat, ())) for seat in seats), default=game.level)
    if fewest >= game.level:
        dealt = game.changed(phase="focus", reason="level", next_seat=None, seat_chosen=False)
        return _follow_ten(dealt)
    if game.seat_chosen and last is not None and len(game.hands.get(last, ())) < game.level:
        return game
    at = seats.index(last) + 1 if last in seats else 0
    next_seat = next(seat for seat in seats[at:] + seats[:at] if len(game.hands.get(seat, ())) == fewest)
    return game.changed(next_seat=next_seat, seat_chosen=False)


def _concentrated(game: Game, _: ev.Concentrated) -> Game:
    ten = game.ten
    if game.tens and not game.known and game.reason == "stop" and game.stopped_by_press:
        ten = min(ten + 10, 100)  # R21: the help of a stop
    return game.replaced(_enter("play") | {"ten": ten, "ended": None, "turns": game.turns + 1})


def _enter(phase: Phase, reason: Reason | None = None, *, by_press: bool = False) -> dict[str, Any]:
    """What changes whenever a phase is entered: an open star, for one, is over."""
    return {
        "phase": phase, "reason": reason, "star_left": 0, "choosing": frozenset(), "stopped_by_press": by_press,
    }  # fmt: skip


def _stopped(game: Game, e: ev.Stopped) -> Game:
    return game.replaced(_enter("focus", "stop", by_press=e.by_press) | {"ghost": None})


def _resumed(game: Game, _: ev.Resumed) -> Game:
    return game.replaced(_enter("focus", "resume"))


def _laid(game: Game, e: ev.Laid) -> Game:
    changes = step(game)
    seat = game.holder(e.card)
    changes["turns"] = game.turns + 1
    if seat is not None:
        if e.by_ghost and e.card in (row := game.rows.get(seat, ())):
            changes["ghost"] = GhostCard(seat, e.card, row.index(e.card) + 1)
        hand = game.hands[seat]
        at = hand.index(e.card)
        changes["hands"] = {**game.hands, seat: hand[:at] + hand[at + 1 :]}
    if game.check is not None:
        changes["face_down"] = (*game.face_down, FaceDown(e.card, False, seat))
        return game.replaced(changes)
    changes["piles"] = _on_pile(game, e.card)
    if game.setup.variant != "tens":
        return game.replaced(changes)
    changes["ten"] = max(game.ten, _ten(e.card))
    return _follow_ten(game.replaced(changes))


def _on_pile(game: Game, card: Card) -> tuple[tuple[Card, ...], ...]:
    if len(game.piles) == 1:
        return ((*game.piles[0], card),)
    which = game.order.pile_of.get(card, 0)
    return tuple((*pile, card) if i == which else pile for i, pile in enumerate(game.piles))


def _put_aside(game: Game, cards: tuple[Card, ...]) -> dict[str, Any]:
    """The fields that change when these cards go aside, out of the hands that held them."""
    changes: dict[str, Any] = {"aside": game.aside | set(cards)}
    if game.hands:
        aside_by = dict(game.aside_by)
        for seat, hand in game.hands.items():
            gone = set(hand).intersection(cards)
            if gone:
                aside_by[seat] = game.order.sorted((*aside_by.get(seat, ()), *gone))
        changes |= {"hands": game.hands_without(cards), "aside_by": aside_by}
    return changes


def _turned_up(game: Game, e: ev.TurnedUp) -> Game:
    changes = _put_aside(game, (e.card,)) | step(game)
    if e.star:
        if game.known:
            changes["choosing"] = game.choosing.difference(s for s, hand in game.hands.items() if e.card in hand)
        else:
            changes["star_left"] = max(game.star_left - 1, 0)
        if game.check == "as_played":
            changes["face_down"] = (*game.face_down, FaceDown(e.card, True))
    return _follow_ten(game.replaced(changes))


def _erred(game: Game, e: ev.Erred) -> Game:
    changes = _put_aside(game, e.aside)
    changes |= {"last_error": Error(e.early, e.aside, e.paid), "erred": True}
    if e.paid:
        changes |= {"lives": max(game.lives - 1, 0), "errors": game.errors + 1, "paid": game.paid | {e.early}}
    if game.phase in ("play", "focus") and game.reason != "star":  # the star goes on (R14)
        changes |= {"phase": "focus", "reason": "error", "stopped_by_press": False}
    return _follow_ten(game.replaced(changes))


def _star_used(game: Game, e: ev.StarUsed) -> Game:
    changes = step(game) | _enter("focus", "star") | _put_aside(game, e.aside)
    changes |= {"stars": max(game.stars - 1, 0), "ended": None}
    if game.check == "as_played":
        changes["face_down"] = (*game.face_down, *(FaceDown(c, True) for c in e.aside))
    if not game.known:
        changes["star_left"] = game.star_left + len(game.persons)
    elif len(game.piles) > 1:
        changes["choosing"] = frozenset(seat for seat in game.persons if game.hands.get(seat))
    return _follow_ten(game.replaced(changes))


def _check_began(game: Game, _: ev.CheckBegan) -> Game:
    return game.replaced(_enter("reveal"))


def _revealed(game: Game, e: ev.Revealed) -> Game:
    changes = _enter("reveal")
    if game.check == "at_end":
        changes |= step(game)
    elif game.face_down:
        changes["erred"] = game.erred and game.face_down[0].star  # a star's card belongs to the card before it
        changes["face_down"] = game.face_down[1:]
        seat = game.face_down[0].seat
        if seat is not None and not e.kept:
            mine = game.order.sorted((*game.aside_by.get(seat, ()), e.card))
            changes["aside_by"] = {**game.aside_by, seat: mine}
    if e.kept:
        changes["piles"] = _on_pile(game, e.card)
    else:
        changes["aside"] = game.aside | {e.card}
    return game.replaced(changes)


def _declared(game: Game, _: ev.Declared) -> Game:
    thrown_away = dict.fromkeys(game.ghosts, ())
    return game.replaced(step(game) | {"hands": {**game.hands, **thrown_away}})


def _learnt(game: Game, e: ev.Learnt) -> Game:
    return game.changed(learnt={**game.learnt, game.persons: e.knowledge})


def _level_completed(game: Game, e: ev.LevelCompleted) -> Game:
    key = best_key(len(game.seats), game.setup.variant, game.check is not None, len(game.ghosts))
    done = game.changed(
        ended=_ended(game, e.reward),
        bests={**game.bests, key: max(e.level, game.bests.get(key, 0))},
        lives=min(game.lives + (e.reward == "life"), MAX_LIVES),
        stars=min(game.stars + (e.reward == "star"), MAX_STARS),
    )
    if e.level >= game.last_level:
        return done
    return _level(done, e.level + 1)


def _ended(game: Game, reward: Any = None) -> Ended | None:
    """How the level ends now. In blind play nothing can be told before the check, unless there is nothing to check."""
    if game.check is not None and game.phase != "reveal" and game.remaining > 0:
        return None
    error = game.last_error if game.erred else None
    return Ended(
        game.level,
        game.piles[0] if len(game.piles) == 1 else game.piles,
        game.order.sorted(game.aside),
        error.early if error else None,
        error.aside if error else None,
        error.paid if error else None,
        reward,
    )


def _won(game: Game, _: ev.Won) -> Game:
    return game.replaced(_enter("won"))


def _lost(game: Game, _: ev.Lost) -> Game:
    return game.changed(**_enter("lost"), next_seat=None, ended=_ended(game))


def _corrected(game: Game, e: ev.Corrected) -> Game:
    what: Any = e.what  # of a journal: any word
    if what not in CORRECTIONS:
        return game
    name, by = CORRECTIONS[what]
    value = min(max(getattr(game, name) + by, 0), LIMITS[name])
    return game.changed(**{name: value}, **step(game))


def _counted(game: Game, _: ev.Counted) -> Game:
    changes = step(game) | {"known": False, "hands": game.of_ghosts(game.hands), "seat_chosen": False}
    changes |= {"aside_by": game.of_ghosts(game.aside_by), "next_seat": None}
    changes |= {"star_left": len(game.choosing), "choosing": frozenset()}
    if game.phase != "deal":
        return game.replaced(changes)
    dealt = tuple(card for card in game.dealt if any(card in row for row in game.rows.values()))
    return _deal_on(game.replaced(changes | {"dealt": dealt}), None)


def _challenge_began(game: Game, _: ev.ChallengeBegan) -> Game:
    check = game.setup.challenge
    known = game.known and check != "at_end"
    return _level(game.changed(check=check, known=known, ended=None, **step(game)), 1)


def _challenge_undone(game: Game, _: ev.ChallengeUndone) -> Game:
    return game.back().changed(ended=None, turns=game.turns)


def _left(game: Game, _: ev.Left) -> Game:
    early = {} if game.phase in ("won", "lost") else step(game)  # a game ended too early comes back as it was
    kept = {"before": game.before, "steps": game.steps, "begun": game.begun}
    return lobby_of(game.setup).changed(bests=game.bests, learnt=game.learnt, turns=game.turns, **(kept | early))


def _ten(card: Card) -> int:
    return card // 10 * 10 if isinstance(card, int) else 0


def _follow_ten(game: Game) -> Game:
    """R21: with known hands the ten moves on to the next one of which somebody holds a card."""
    if not (game.known and game.tens) or game.lives < 1:
        return game
    held = [_ten(hand[0]) for hand in game.hands.values() if hand]
    return game.changed(ten=max(game.ten, min(held))) if held else game


_EVOLVE: Mapping[type, Callable[[Game, Any], Game]] = {
    ev.Configured: _configured,
    ev.Started: _started,
    ev.SeatChosen: _seat_chosen,
    ev.Dealt: _dealt,
    ev.TakenBack: taken_back,
    ev.Concentrated: _concentrated,
    ev.Stopped: _stopped,
    ev.Resumed: _resumed,
    ev.Laid: _laid,
    ev.Learnt: _learnt,
    ev.TurnedUp: _turned_up,
    ev.Erred: _erred,
    ev.StarUsed: _star_used,
    ev.CheckBegan: _check_began,
    ev.Revealed: _revealed,
    ev.Declared: _declared,
    ev.LevelCompleted: _level_completed,
    ev.Won: _won,
    ev.Lost: _lost,
    ev.Corrected: _corrected,
    ev.Counted: _counted,
    ev.Undone: undone,
    ev.ChallengeBegan: _challenge_began,
    ev.ChallengeUndone: _challenge_undone,
    ev.Left: _left,
}
