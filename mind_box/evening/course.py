"""The course of one level while its events are folded: what is noted of each, and the level that comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from mind_box.evening.told import Ending, How, Level, Moment, Slip, TurnedCard, Wait
from mind_box.game import events as ev
from mind_box.game.cards import Card, Order
from mind_box.game.state import Game
from mind_box.journal.stamps import Stamp

BACKWARDS = 1.0
"""Seconds by which a time may lie before the one before it: a late line from a reader. More is a clock that lies."""
ALONE = 0.05
"""With unknown hands a card counts as laid while two hands hold cards where one hand holds all no likelier than so."""


LEAST = 0.02
"""A card less likely to be another hand's next is not asked about."""


class Course:
    """A level from its first event to its last. ``game``: the table as it begins."""

    def __init__(self, game: Game) -> None:
        self.key = level_key(game)
        self.first = game
        self.marked = False
        self.lying = False
        """Its times run backwards, or belong to runs that cannot be put together."""
        self.untimed = False
        self._turned: dict[Card, TurnedCard] = {}
        self._waits: dict[Card, tuple[Wait, tuple[int, ...]]] = {}
        """And the keys that the piles' next cards are counted from."""
        self._steps: dict[Card, Moment] = {}
        self._slips: list[Slip] = []
        self._in_play: set[Card] = set()
        """Late cards that were shown while the level was played: only of these it is known how late they came."""
        self._stops = 0
        self._play: float | None = None
        self._since: float | None = None
        """Since when the table waits for the next card; None: nobody knows, or it says nothing."""
        self._last: Stamp | None = None

    def note(self, event: ev.Event, stamp: Stamp | None, before: Game, after: Game) -> None:
        """One event of the level, and the games before and after it."""
        self._time(stamp, before, event)
        play = stamp.play_seconds if stamp else None
        match event:
            case ev.Concentrated():
                # A wait that a stop or a power cut interrupted is nobody's wait for the next number.
                self._since = play if before.reason in ("level", "error", "star") else None
            case ev.Stopped(by_press):
                self._stops += by_press
                self._since = None
            case ev.Resumed():
                self._since = None
            case ev.Laid(card):
                self._laid(card, play, before)
            case ev.TurnedUp(card, star):
                self._turn(card, play, before.holder(card), "star" if star else "late")
                if before.phase == "play":
                    self._in_play.add(card)
            case ev.StarUsed(aside):
                for card in aside:
                    self._turn(card, play, before.holder(card), "star")
            case ev.Revealed(card, kept):
                self._revealed(card, kept)
            case ev.Erred(early, aside, paid):
                self._erred(early, aside, paid, play, before)
            case ev.Declared() | ev.Counted() | ev.Undone() | ev.ChallengeUndone():
                self.marked = True
                self._since = None
        if after.phase != "play" and not isinstance(event, ev.LevelCompleted | ev.Lost | ev.Won):
            self._since = None

    def _time(self, stamp: Stamp | None, before: Game, event: ev.Event) -> None:
        last, self._last = self._last, stamp
        if stamp is None:
            self.untimed = True
            return
        if stamp.play is not None:
            if self._play is not None and stamp.play / 1000 < self._play - BACKWARDS:
                self.lying = True
            self._play = max(self._play or 0.0, stamp.play / 1000)
        if last is None:
            return
        if last.run != stamp.run:  # the box began anew in mid-play: it says so
            self.lying = self.lying or (before.phase == "play" and not isinstance(event, ev.Resumed))
        elif stamp.ms < last.ms - BACKWARDS * 1000:
            self.lying = True

    def _turn(self, card: Card, t: float | None, seat: int | None, how: How) -> None:
        self._turned.pop(card, None)
        self._turned[card] = TurnedCard(card, t, seat, how)

    def _laid(self, card: Card, play: float | None, before: Game) -> None:
        blind = before.check is not None
        seat = before.holder(card)
        self._turn(card, play, seat, "laid")
        if before.known:
            hands = tuple(hand for hand in before.hands.values() if hand)
            tops = tuple(pile[-1] if pile else None for pile in before.piles)
            self._steps[card] = Moment(hands, tops, before.lives, before.stars, card)
        since = 0.0 if blind and self._since is not None else self._since
        if play is not None and since is not None and play > since and seat not in before.ghosts:
            alone, gap = _alone(before), gap_of(before, card)
            if alone <= ALONE and gap > 0:
                wait = Wait(card, gap, play - since, _outwaited(before, card), alone)
                self._waits[card] = wait, _bases(before)
        self._since = play

    def _revealed(self, card: Card, kept: bool) -> None:
        known = self._turned.get(card)
        if known is not None and known.how == "star":
            return
        how: How = "laid" if kept else "late"
        if known is None:  # the pile was shown at the end: nobody saw when it was laid
            self._turn(card, None, None, how)
        else:
            self._turned[card] = TurnedCard(card, known.t, known.seat, how)

    def _erred(self, early: Card, aside: tuple[Card, ...], paid: bool, play: float | None, before: Game) -> None:
        apart = None
        first = self._turned.get(early)
        for card in aside:
            shown = self._turned.get(card)
            if shown is None:  # known hands: the box knew at once
                self._turn(card, play, before.holder(card), "aside")
            elif first is not None and first.t is not None and shown.t is not None and card in self._in_play:
                apart = abs(shown.t - first.t)
        self._slips.append(Slip(early, aside, paid, apart, self._steps.get(early) if before.known else None))

    def _fair_waits(self, cards: list[TurnedCard]) -> Iterator[Wait]:
        turned = [turned.card for turned in cards]
        for card, (wait, bases) in self._waits.items():
            if self.first.known:
                yield wait
            elif card in turned:
                later = turned[turned.index(card) + 1 :]
                yield _later(self.first.order, wait, bases, later, len(self.first.seats))

    def told(self, last: Game, after: Game, ending: Ending) -> Level:
        """The level. ``last``: its last game; ``after``: the table when it is over."""
        kept = {card for pile in last.piles for card in pile}  # what still lies face down is nobody's to know
        there = kept | last.aside
        timed = not (self.lying or self.untimed)
        cards = [turned for card, turned in self._turned.items() if card in there]
        if not timed:
            cards = [TurnedCard(c.card, None, c.seat, c.how) for c in cards]
        fair = timed and not self.marked
        return Level(
            number=self.key[1],
            blind=self.key[0],
            known=self.first.known,
            ending=ending,
            marked=self.marked,
            lives=(self.first.lives, after.lives),
            stars=(self.first.stars, after.stars),
            errors=last.errors,
            stops=self._stops,
            play=self._play if timed else None,
            cards=tuple(cards),
            waits=tuple(self._fair_waits(cards)) if fair else (),
            slips=tuple(slip for slip in self._slips if slip.early in kept and last.aside.issuperset(slip.late)),
            steps=() if self.marked else tuple(self._steps.values()),
        )


def _later(order: Order, wait: Wait, bases: tuple[int, ...], later: list[Card], players: int) -> Wait:
    """Unknown hands: the cards that turned up later, and how likely each was the next one of another hand: not of
    the hand that laid, nor of any that held a card before it."""
    others = []
    for which, base in enumerate(bases):
        other, laid = 1.0, wait.card
        for card in order.sorted([c for c in [*later, laid] if order.pile_of.get(c) == which]):
            gap = order.key[card] - base
            if card != laid and gap > 0 and other > LEAST:
                others.append((gap, other))
            other *= (players - 1) / players
    return Wait(wait.card, wait.gap, wait.seconds, tuple(others), wait.alone)


def level_key(game: Game) -> tuple[bool, int]:
    """Blind or not, and the level: the challenge after a win counts anew."""
    return game.check is not None, game.level


def gap_of(game: Game, card: Card) -> int:
    """Numbers from the last card of the card's pile."""
    which = game.order.pile_of.get(card)
    return 0 if which is None else game.order.key[card] - _bases(game)[which]  # None: a journal may hold any card


def _bases(game: Game) -> tuple[int, ...]:
    """For each pile the key that the gap to its next card is counted from; blind, where nobody sees it, its start."""
    order = game.order
    piles = order.empty_piles if game.check is not None else game.piles
    return tuple(order.key[pile[-1]] if pile else order.starts[which] for which, pile in enumerate(piles))


def _outwaited(game: Game, card: Card) -> tuple[tuple[int, float], ...]:
    """Known hands: the gap of every other card that might have come next: of each hand the first for each pile."""
    gaps = []
    for hand in game.hands.values():
        firsts: dict[int, Card] = {}
        for held in hand:
            firsts.setdefault(game.order.pile_of[held], held)
        gaps += [(gap, 1.0) for first in firsts.values() if first != card and (gap := gap_of(game, first)) > 0]
    return tuple(gaps)


def _alone(game: Game) -> float:
    """How likely it is that one hand holds all the cards."""
    if game.known:
        return float(sum(map(bool, game.hands.values())) < 2)
    return one_hand(game.remaining, game.level, len(game.seats))


def one_hand(left: int, level: int, players: int) -> float:
    """How likely it is that one of so many players holds all of ``left`` cards, of ``level`` each at first."""
    return players * comb(level, left) / comb(level * players, left) if 1 < left <= level else float(left < 2)
