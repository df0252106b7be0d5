"""``decide(game, move) -> Decision or Refusal``: the rules. Every rule is cited by its number in docs/rules.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    return Decision(game).add(ev.Configured(move.name, move.value))


def _start(game: Game, move: mv.Start) -> Answer:
    if game.phase != "lobby":
        return Refusal("paused")
    seats = tuple(sorted(set(move.seats)))
    if len(seats) < MIN_SEATS:
        return Refusal("too_few_players")
    if len(seats) > MAX_SEATS:
        return Refusal("at_limit")
    return Decision(game).add(ev.Started(seats, game.setup.chosen(), ev.bests_to_rows(game.bests)))


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
    held = game.known and game.holder(card) is not None
    if game.phase == "deal":
        if held:
            return Refusal("already_dealt")
        assert game.next_seat is not None
        return Decision(game).add(ev.Dealt(card, game.next_seat))
    if game.known and not held:
        return Refusal("not_dealt")  # R30
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


def _lay(game: Game, card: Card) -> Answer:
    decision = Decision(game)
    if game.check is None and not game.known:
        early = _first_higher(game, card)
        if early is not None:  # the lower card goes aside, the early card stays (R8)
            decision.add(ev.TurnedUp(card, star=False))
            _err(decision, early, (card,))
            return _end(decision)
    decision.add(ev.Laid(card))
    if game.check is None and game.known:
        lower = _held_below(game, card)
        if lower:
            _err(decision, card, lower)  # R9
    return _end(decision)


def _held_below(game: Game, card: Card) -> tuple[Card, ...]:
    """R9: what anyone holds of the card's pile that is lower than it."""
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
    pile_of = game.order.pile_of
    return {
        card
        for seat in game.choosing
        for pile in (0, 1)
        for card in [next((c for c in game.hands.get(seat, ()) if pile_of[c] == pile), None)]
        if card is not None
    }


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
    lowest: tuple[Card, ...] = ()
    if game.known and len(game.piles) == 1:  # R14; a hand is sorted, of equal cards the smaller first
        lowest = tuple(hand[0] for hand in game.hands.values() if hand)
    decision.add(ev.StarUsed(lowest))
    return _end(decision)


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
    return Decision(game).add(ev.ChallengeBegan())


def _leave(game: Game, _: mv.Leave) -> Answer:
    return Decision(game).add(ev.Left()) if game.phase != "lobby" else Refusal("no_game")


_DECIDE: Mapping[type, Callable[[Game, Any], Answer]] = {
    mv.Configure: _configure,
    mv.Start: _start,
    mv.ChooseSeat: _choose_seat,
    mv.ShowCard: _show_card,
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
