"""``decide(game, move) -> Decision or Refusal``: the rules. Every rule is cited by its number in docs/rules.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import Card
from mind_box.game.evolve import evolve
from mind_box.game.figures import CORRECTIONS, LIMITS, MAX_LIVES, MAX_SEATS, MAX_STARS, MIN_SEATS, REWARDS, Reward
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import CHOICES, Game


class Decision:
    """What a move brings about: the events in order, and the game that they make. ``decide`` alone adds to it."""

    __slots__ = ("events", "game")

    def __init__(self, game: Game) -> None:
        self.events: list[ev.Event] = []
        self.game = game

    def add(self, event: ev.Event) -> Decision:
        """One more event; returns the decision itself."""
        self.events.append(event)
        self.game = evolve(self.game, event)
        return self


Answer = Decision | Refusal


def decide(game: Game, move: Move) -> Answer:
    """What the move brings about; or a refusal, which changes nothing."""
    return _DECIDE[type(move)](game, move)


def can_propose(game: Game) -> Refusal | None:
    """Whether a star may be proposed now (R13); None: it may."""
    if game.phase not in ("play", "focus"):
        return Refusal("no_game")
    if game.stars < 1:
        return Refusal("no_star")
    if game.choosing:
        return Refusal("paused")
    return None


def _err(decision: Decision, early: Card, aside: tuple[Card, ...]) -> None:
    """R8: ``early`` was laid too early; one life, once per early card."""
    decision.add(ev.Erred(early, aside, paid=early not in decision.game.paid))


def _end(decision: Decision) -> Decision:
    """R11 before R12: the last life lost is defeat even if the hands are empty; else they end the level."""
    game = decision.game
    if game.lives < 1:
        decision.add(ev.Lost())
    elif game.phase == "reveal":
        if not game.face_down if game.check == "as_played" else game.remaining < 1:
            _complete(decision)
    elif game.phase in ("focus", "play") and game.remaining < 1:
        if any(not turn.star for turn in game.face_down):
            decision.add(ev.CheckBegan())
        else:
            _complete(decision)
    return decision


def _complete(decision: Decision) -> Decision:
    level = decision.game.level
    decision.add(ev.LevelCompleted(level, _reward(decision.game)))
    if level >= decision.game.last_level:
        decision.add(ev.Won())
    return decision


def _reward(game: Game) -> Reward | None:
    """What the level now ending brings (R19, R5, R22)."""
    reward = REWARDS.get(game.level)
    if reward == "star":
        return "star" if game.stars < MAX_STARS and not game.setup.no_stars else "void"
    if reward == "life":
        return "life" if game.lives < MAX_LIVES else "void"
    return None


def _configure(game: Game, move: mv.Configure) -> Answer:
    if game.phase != "lobby":
        return Refusal("paused")
    if move.value not in CHOICES.get(move.name, ()):
        return Refusal("at_limit")
    at_end = move.value == "at_end" if move.name == "blind" else game.setup.blind == "at_end"
    if move.name == "ghosts" and move.value and at_end:
        return Refusal("not_with_ghosts")  # R43a
    decision = Decision(game).add(ev.Configured(move.name, move.value))
    if move.name == "blind" and at_end and game.setup.ghosts:
        decision.add(ev.Configured("ghosts", 0))
    return decision


def _start(game: Game, move: mv.Start) -> Answer:
    if game.phase != "lobby":
        return Refusal("paused")
    persons = set(move.seats)
    ghosts = ghosts_seats(persons, game.setup.ghosts, move.among)
    seats = tuple(sorted(persons.union(ghosts)))
    if not persons or len(persons) + game.setup.ghosts < MIN_SEATS:
        return Refusal("too_few_players")
    if len(ghosts) < game.setup.ghosts:
        return Refusal("too_many_players")
    if len(seats) > MAX_SEATS:
        return Refusal("at_limit")
    learnt = tuple(sorted(game.learnt.items()))
    started = ev.Started(seats, game.setup.chosen(), ev.bests_to_rows(game.bests), learnt=learnt)
    return Decision(game).add(replace(started, ghosts=ghosts, minds=move.minds) if ghosts else started)


def ghosts_seats(persons: Collection[int], ghosts: int, among: int) -> tuple[int, ...]:
    """R38: the lowest free seats of so many that the box has; fewer, where there are not so many."""
    free = [seat for seat in range(1, among + 1) if seat not in persons]
    return tuple(free[:ghosts])


def _choose_seat(game: Game, move: mv.ChooseSeat) -> Answer:
    if game.phase != "deal" or move.seat not in game.hands:
        return Refusal("paused")
    if len(game.hands[move.seat]) >= game.level:
        return Refusal("hand_full")
    return Decision(game).add(ev.SeatChosen(move.seat))


def _show_card(game: Game, move: mv.ShowCard) -> Answer:
    card = move.card
    if card not in game.order.pile_of:
        return Refusal("not_in_deck")
    for pile in game.piles:
        if card in pile:
            return Refusal("already_on_pile")  # R32
    for turn in game.face_down:
        if turn.card == card and not turn.star:
            return Refusal("already_on_pile")
    if card in game.aside:
        return Refusal("already_aside")
    held = game.holder(card) is not None
    if game.phase == "deal":
        if game.lies_of_a_ghost(card):
            return Refusal("already_on_pile")  # R40: of the level before
        if held:
            return Refusal("already_dealt")
        assert game.next_seat is not None
        return Decision(game).add(ev.Dealt(card, game.next_seat))
    if not held and (game.known or (game.ghosts and game.persons_hold < 1)):
        return Refusal("not_dealt")  # R30, R41
    if game.phase == "play":
        return _reveal(Decision(game), card) if game.check == "at_end" else _lay(game, card)
    if game.phase == "focus":
        return _show_in_focus(game, card)
    if game.phase == "reveal":
        return _reveal(Decision(game), card) if game.check == "at_end" else Refusal("paused")
    return Refusal("no_game")


def _first_higher(game: Game, card: Card) -> Card | None:
    """R8: the first kept card of the card's pile that is higher than it, if any."""
    order = game.order
    key = order.key
    pile = game.piles[order.pile_of[card]]
    if not pile or key[pile[-1]] <= key[card]:  # a pile never falls, so its top is its highest
        return None
    return next(c for c in pile if key[c] > key[card])


def _lay(game: Game, card: Card, by_ghost: bool = False) -> Answer:
    decision = Decision(game)
    if game.check is None:
        early = _first_higher(game, card)
        if early is not None:  # the lower card goes aside, the early card stays (R8)
            decision.add(ev.TurnedUp(card, star=False))
            _err(decision, early, (card,))
            return _end(decision)
    decision.add(ev.Laid(card, by_ghost))
    if game.check is None:
        lower = _held_below(game, card)
        if lower:
            _err(decision, card, lower)  # R9
    return _end(decision)


def _ghost_lays(game: Game, move: mv.GhostLays) -> Answer:
    if game.phase != "play" or game.holder(move.card) not in game.ghosts:
        return Refusal("paused")
    return _lay(game, move.card, by_ghost=True)


def _held_below(game: Game, card: Card) -> tuple[Card, ...]:
    """R9, R41: what is known to be held of the card's pile that is lower than it."""
    order = game.order
    key, pile_of = order.key, order.pile_of
    limit, pile = key[card], pile_of[card]
    lower = []
    for hand in game.hands.values():
        for c in hand:  # in order, so what follows a higher one is no lower
            if pile_of[c] == pile:
                if key[c] >= limit:
                    break
                lower.append(c)
    return order.sorted(lower)


def _show_in_focus(game: Game, card: Card) -> Answer:
    decision = Decision(game)
    if game.holder(card) in game.ghosts:  # R40
        return Refusal("not_your_choice" if game.reason == "star" else "paused")
    if game.reason == "star":
        if game.known:
            if not game.choosing:
                return Refusal("paused")
            if card not in _choices(game):
                return Refusal("not_your_choice")  # R23
        elif game.star_left < 1:
            return Refusal("star_full")
        early = _first_higher(game, card) if game.check is None else None
        decision.add(ev.TurnedUp(card, star=True))
        if early is not None:  # R14: the star shows an earlier error
            _err(decision, early, (card,))
        return _end(decision)
    if game.known or game.check is not None:
        return Refusal("paused")
    early = _first_higher(game, card)
    if early is None:
        return Refusal("paused")
    decision.add(ev.TurnedUp(card, star=False))
    _err(decision, early, (card,))
    return _end(decision)


def _choices(game: Game) -> set[Card]:
    """R23: of each seat that has yet to choose, the first card for each pile."""
    return {card for seat in game.choosing for card in _firsts(game, game.hands.get(seat, ()))}


def _firsts(game: Game, hand: tuple[Card, ...]) -> tuple[Card, ...]:
    """Of a hand the first card for each pile, up before down."""
    first: dict[int, Card] = {}
    for card in hand:
        first.setdefault(game.order.pile_of[card], card)
    return tuple(first.values())


def _reveal(decision: Decision, card: Card) -> Decision:
    """R26: one card of the pile is looked at, in the order laid."""
    early = _first_higher(decision.game, card)
    decision.add(ev.Revealed(card, kept=early is None))
    if early is not None:
        _err(decision, early, (card,))
    return _end(decision)


def _check_next(game: Game, _: mv.CheckNext) -> Answer:
    """One card of the face-down pile; what a star had set aside before it is looked at on the way (R27)."""
    if game.phase != "reveal" or game.check != "as_played" or not game.face_down:
        return Refusal("paused")
    decision = Decision(game)
    looked = False
    while decision.game.face_down and decision.game.lives > 0:
        turn = decision.game.face_down[0]
        if not turn.star and looked:
            break
        looked = looked or not turn.star
        early = _first_higher(decision.game, turn.card)
        decision.add(ev.Revealed(turn.card, kept=early is None and not turn.star))
        if early is not None:
            _err(decision, early, (turn.card,))
    return _end(decision)


def _concentrate(game: Game, _: mv.Concentrate) -> Answer:
    if game.phase != "focus" or game.choosing:
        return Refusal("paused")
    return Decision(game).add(ev.Concentrated())


def _stop(game: Game, move: mv.Stop) -> Answer:
    return Decision(game).add(ev.Stopped(move.by_press)) if game.phase == "play" else Refusal("paused")


def _resume(game: Game, _: mv.Resume) -> Answer:
    return Decision(game).add(ev.Resumed()) if game.phase == "play" else Refusal("paused")


def _use_star(game: Game, _: mv.UseStar) -> Answer:
    refusal = can_propose(game)
    if refusal is not None:
        return refusal
    decision = Decision(game)
    one_pile = len(game.piles) == 1
    lowest = tuple(  # R14; a hand is sorted, of equal cards the smaller first
        hand[0] if one_pile else _of_larger_gap(game, hand)  # R42; persons choose
        for seat, hand in game.hands.items()
        if hand and (one_pile or seat in game.ghosts)
    )
    decision.add(ev.StarUsed(lowest))
    return _end(decision)


def _of_larger_gap(game: Game, hand: tuple[Card, ...]) -> Card:
    """Of the first cards for each pile the one further from its pile; equal: the one that goes up."""
    return max(_firsts(game, hand), key=lambda card: game.order.gap(game.piles, card))


def _declare_done(game: Game, _: mv.DeclareDone) -> Answer:
    if game.phase not in ("focus", "reveal"):
        return Refusal("paused")
    decision = Decision(game)
    decision.add(ev.Declared())
    if game.phase == "focus" and any(not turn.star for turn in game.face_down):
        decision.add(ev.CheckBegan())
    else:
        _complete(decision)
    return decision


def _correct(game: Game, move: mv.Correct) -> Answer:
    if game.phase not in ("deal", "focus", "reveal") or move.what not in CORRECTIONS:
        return Refusal("at_limit")
    name, by = CORRECTIONS[move.what]
    if not 0 <= getattr(game, name) + by <= LIMITS[name]:
        return Refusal("at_limit")
    decision = Decision(game)
    decision.add(ev.Corrected(move.what))
    if decision.game.lives < 1:
        decision.add(ev.Lost())
    return decision


def _count_from_here(game: Game, _: mv.CountFromHere) -> Answer:
    if not game.known or game.phase not in ("deal", "focus", "reveal"):
        return Refusal("at_limit")
    return Decision(game).add(ev.Counted())


def _take_back(game: Game, _: mv.TakeBack) -> Answer:
    if game.phase != "deal" or not game.dealt:
        return Refusal("at_limit")
    return Decision(game).add(ev.TakenBack())


def _undo(game: Game, _: mv.Undo) -> Answer:
    if game.before is None or game.steps < 1:
        return Refusal("at_limit")
    return Decision(game).add(ev.ChallengeUndone() if game.before.phase == "won" else ev.Undone())


def _challenge(game: Game, _: mv.Challenge) -> Answer:
    if game.phase != "won" or game.check is not None:
        return Refusal("no_game")
    if game.ghosts and game.setup.challenge == "at_end":
        return Refusal("not_with_ghosts")  # R43a
    return Decision(game).add(ev.ChallengeBegan())


def _leave(game: Game, _: mv.Leave) -> Answer:
    return Decision(game).add(ev.Left()) if game.phase != "lobby" else Refusal("no_game")


_DECIDE: Mapping[type, Callable[[Game, Any], Answer]] = {
    mv.Configure: _configure,
    mv.Start: _start,
    mv.ChooseSeat: _choose_seat,
    mv.ShowCard: _show_card,
    mv.GhostLays: _ghost_lays,
    mv.Concentrate: _concentrate,
    mv.Stop: _stop,
    mv.Resume: _resume,
    mv.UseStar: _use_star,
    mv.CheckNext: _check_next,
    mv.DeclareDone: _declare_done,
    mv.Correct: _correct,
    mv.CountFromHere: _count_from_here,
    mv.TakeBack: _take_back,
    mv.Undo: _undo,
    mv.Challenge: _challenge,
    mv.Leave: _leave,
}
