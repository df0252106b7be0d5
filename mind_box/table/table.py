"""The table: gestures become moves, and what comes of them is told in notices.

Pure: time comes in with the inputs and with ``tick``; nothing here reads a clock, logs or does I/O. The daemon
writes the events of an ``Outcome`` to the journal before it shows ``view()``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from mind_box.game import events as ev
from mind_box.game import moves as mv
from mind_box.game.cards import VARIANTS, Card
from mind_box.game.decide import can_propose, decide
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import DEAL, FOCUS, LOBBY, LOST, PLAY, REVEAL, WON, Game
from mind_box.game.values import dataclass
from mind_box.table.debounce import SLACK, Debounce, Stable
from mind_box.table.hands import Hands
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Edge, Input, Scan
from mind_box.table.menu import EFFECTS, SECOND_HOLD, Menu, following, move_of
from mind_box.table.notices import device_notice, in_order, notices_of
from mind_box.table.payload import parse
from mind_box.table.view import View
from mind_box.table.viewing import Surroundings, view_of

LOOKS = 1.25
"""Seconds between two looks at buttons that stay down; sooner after a change."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds; what they are for stands in docs/table.md."""

    debounce: float = 0.025
    hold: float = 1.5
    gather: float = 2.0
    vote: float = 30.0
    menu: float = 30.0
    check: float = 0.8


@dataclass(slots=True)
class Outcome:
    """What an input brought about."""

    events: list[ev.Event] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    """What the menu asks of the machine (``menu.EFFECTS``)."""


@dataclass(slots=True)
class _Vote:
    since: float
    agreed: set[int] = field(default_factory=set)


class Table:
    """One table from power-up to power-down.

    ``game`` comes from the journal; ``held`` are the buttons that are down at the start; ``faults`` the devices
    missing at the start; ``enrolled`` maps tag identities to cards.
    """

    def __init__(
        self,
        game: Game,
        *,
        now: float,
        times: Times = Times(),  # noqa: B008 -- frozen
        held: Iterable[int] = (),
        faults: Iterable[str] = (),
        enrolled: Mapping[str, Card] | None = None,
    ) -> None:
        self.game = game
        self.unknown_cards = 0
        """Scans that were no card, since the start."""
        self._times = times
        self._enrolled = enrolled or {}
        self._now = now
        self._debounce = Debounce(times.debounce, held)
        self._pause = LOOKS
        self._look_at = self._looked = now
        self._hands = Hands(now)
        self._vote: _Vote | None = None
        self._menu = Menu()
        self._star_since: float | None = None
        self._star_meant: Callable[[], None] | None = None
        self._check_at: float | None = None
        self._faults = set(faults)
        self._notices: tuple[str, ...] = ()
        self._outcome = Outcome()

    # -- from outside

    def begin(self) -> Outcome:
        """Once after a start: a game in progress goes on where it was (play: with concentration)."""
        if self.game.phase == PLAY:
            self._move(mv.Resume())
        if self.game.phase != LOBBY:
            self._notices = ("resumed",)
        self._entered(self._now)
        return self._told()

    def handle(self, event: Input) -> Outcome:
        """An input from the world. Timers that ran out before it are dealt with first."""
        if isinstance(event, Edge):
            self._debounce.expect(event.button, event.down, event.at)
        at = max(event.at, self._now)
        self._advance(at)
        match event:
            case Edge(button, down, happened):
                self._debounce.edge(button, down, happened)
            case Scan(payload, _):
                self._scanned(payload)
            case DeviceLost(device):
                if device not in self._faults:
                    self._faults.add(device)
                    self._notices = (device_notice(device) + "_lost",)
            case DeviceBack(device):
                if device in self._faults:
                    self._faults.discard(device)
                    self._notices = (device_notice(device) + "_back",)
        return self._told()

    def tick(self, now: float) -> Outcome:
        """Time has come to ``now``."""
        self._advance(max(now, self._now))
        return self._told()

    def tell(self, code: str) -> None:
        """A notice from the machine: what one of its own menu items brought about."""
        self._notices = (code,)

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is wanted next, if nothing else happens; None: never."""
        return min((due for due, _ in self._timers()), default=None)

    def reread(self, button: int, down: bool | None, now: float) -> None:
        """The raw level of a button; to be told before ``handle`` and ``tick``, of each button of which no edge waits.

        None: its chip is gone, so nobody holds it. It is nothing until it has been seen up, as at the start.
        """
        if down is not None:
            self._debounce.reread(button, down, now)
        elif self._debounce.lose(button):
            if button == STAR:
                self._star_since = None
            else:
                self._hands.lose(button)
                self._hands.changed(now)

    def view(self) -> View:
        """What everyone may see now."""
        return view_of(
            self.game,
            Surroundings(
                down=self._hands.down,
                armed=self._hands.armed,
                agreed=self._vote.agreed if self._vote else None,
                menu=self._menu.item,
                asking=self._menu.asking,
                faults=self._faults,
                notices=(*self._notices, "all_agree") if self._menu.all_agree else self._notices,
            ),
        )

    # -- time

    def _timers(self) -> list[tuple[float, Callable[[float], None]]]:
        timers: list[tuple[float, Callable[[float], None]]] = []
        settle = self._debounce.due
        if settle is not None:
            timers.append((settle, self._settle))
        if self._debounce.down:
            timers.append((self._next_look, self._look))
        if self._star_since is not None and not self._debounce.unsure(STAR):
            timers.append((self._star_since + self._times.hold, self._star_held))
        if self._vote is not None:
            timers.append((self._vote.since + self._times.vote, lambda _: self._call_off()))
        menu_closes = self._menu.times_out(self._times.menu)
        if menu_closes is not None:
            timers.append((menu_closes, self._menu_timed_out))
        if self._check_at is not None:
            timers.append((self._check_at, self._check_next))
        return timers

    def _advance(self, to: float) -> None:
        while True:
            due, act = min(self._timers(), key=lambda timer: timer[0], default=(None, None))
            if due is None or act is None or due > to + SLACK:
                break
            self._now = max(self._now, due)
            act(self._now)
        self._now = max(self._now, to)

    def _settle(self, now: float) -> None:
        for change in self._debounce.settle(now):
            self._pause = LOOKS / 8
            self._look_at = now + self._pause
            if change.button == STAR:
                self._star(change)
            elif change.down:
                self._pressed(change.button, change.at)
            else:
                self._lifted(change)

    @property
    def _next_look(self) -> float:
        """When a button that is down wants to be read again: its release may never be told. Hands count as held when
        they were seen at the end of it."""
        held = self._hands.since + self._times.gather
        return min(self._look_at, held) if self._hands.down and held > self._looked else self._look_at

    def _look(self, now: float) -> None:
        """Whoever reads the levels has just done so: rarer and rarer."""
        self._looked = now
        if now >= self._look_at:
            self._pause = min(2 * self._pause, LOOKS)
            self._look_at = now + self._pause

    def _menu_timed_out(self, _: float) -> None:
        self._menu.item = None
        self._menu.drop_second_hold()
        self._hands.changed(self._now)

    def _check_next(self, _: float) -> None:
        self._check_at = self._now + self._times.check
        self._move(mv.CheckNext())

    # -- moves and what they bring about

    def _told(self) -> Outcome:
        outcome, self._outcome = self._outcome, Outcome()
        return outcome

    def _move(self, move: Move, *more: str) -> Refusal | None:
        """Asks the rules; ``more`` are notices that the input brought about besides. Returns what they refused."""
        decision = decide(self.game, move)
        if isinstance(decision, Refusal):
            self._notices = in_order((*more, decision.code))
            return decision
        before = self.game
        self.game = decision.game
        self._outcome.events += decision.events
        entered = (self.game.phase, self.game.level) != (before.phase, before.level)
        if entered or _restarts_focus(before, self.game) or isinstance(move, mv.Undo):
            self._hands.anew()
        if self._vote is not None and (entered or before.phase == PLAY):  # R15; one made in focus stays open
            self._vote = None
            more = (*more, "star_off")
        self._notices = in_order((*more, *notices_of(decision.events)))
        if entered:
            self._entered(self._now)
        return None

    def _entered(self, now: float) -> None:
        """A phase or a level has just begun."""
        self._menu.relight(self.game)
        if self._menu.asking == "level-done":
            self._menu.asking = None
        runs_by_itself = self.game.phase == REVEAL and self.game.check == "as_played"
        self._check_at = now + self._times.check if runs_by_itself else None

    # -- cards

    def _scanned(self, payload: str) -> None:
        self._menu.item = None
        self._cancel_asking()
        card = parse(payload, self._enrolled)
        if card is None:
            self.unknown_cards += 1
            self._notices = ("unknown_card",)
        else:
            refusal = self._move(mv.ShowCard(card))
            if refusal is None or refusal.code.startswith("already_"):  # R32: it lies where it belongs
                return
        if self.game.phase == FOCUS:  # hands that are lifted now must not begin play over a card that was not taken
            self._hands.anew()

    # -- seats

    def _pressed(self, seat: int, at: float) -> None:
        game = self.game
        if self._menu.item is not None:
            self._menu.item = None
            self._hands.changed(self._now)
            self._notices = ()
            return
        if game.phase != LOBBY and seat not in game.seats:
            return
        self._menu.drop_second_hold()
        self._hands.changed(at)
        if self._vote is not None:
            self._vote.agreed ^= {seat}
            self._notices = ()
            if self._vote.agreed.issuperset(game.seats):
                self._vote = None
                self._move(mv.UseStar())
        elif game.phase == DEAL:
            self._move(mv.ChooseSeat(seat))
        elif game.phase == PLAY:
            self._move(mv.Stop(by_press=True))
            self._hands.put(seat, game.seats)
        elif game.phase in (FOCUS, LOBBY, WON, LOST) or self._menu.asking == "level-done":
            self._notices = ()
            self._hands.put(seat, game.seats)

    def _lifted(self, change: Stable) -> None:
        seat, game = change.button, self.game
        if seat not in self._hands.down:
            return
        gathered = self._menu.item is None and self._hands.unchanged(change.at, self._times.gather - SLACK)
        together = tuple(sorted(self._hands.down))
        all_lifted = self._hands.lift(seat, game.seats)
        self._hands.changed(change.at if change.told else self._now)
        if game.phase == LOBBY:
            if gathered:
                self._move(mv.Start(together))
        elif game.phase in (WON, LOST):
            if gathered and set(together).issuperset(game.seats):
                self._after_the_end()
        elif all_lifted and self._menu.item is None and not self._menu.asks_second_hold and self._vote is None:
            self._all_hands()

    def _all_hands(self) -> None:
        """All hands were down and have been lifted."""
        if self._menu.asking == "level-done":
            self._menu.asking = None
            self._move(mv.DeclareDone())
        elif self.game.phase == FOCUS:
            if not self.game.choosing:  # the star waits for choices, and says so already
                self._move(mv.Concentrate())
        elif self.game.phase in (WON, LOST):
            self._after_the_end()
        else:
            self._notices = ("at_limit",)

    def _after_the_end(self) -> None:
        """Hands go on: to the blind challenge where there is one, else to the lobby, as star would."""
        goes_blind = self.game.phase == WON and self.game.check is None
        self._move(mv.Challenge() if goes_blind else mv.Leave())

    # -- the star button

    def _star(self, change: Stable) -> None:
        if change.down:
            self._star_since, self._star_meant = change.at, self._star_means()
        elif self._star_since is not None:
            self._star_since = None
            tap = self._star_means()
            if tap is not None and tap == self._star_meant:  # pressed for one thing, it does no other on release
                tap()

    def _star_means(self) -> Callable[[], None] | None:
        """What a tap of star does now."""
        phase = self.game.phase
        if self._menu.item is not None:
            return self._next_item
        if self._menu.asking is not None:
            return self._decline
        if self._vote is not None:
            return self._call_off
        if phase in (FOCUS, PLAY):
            return self._propose
        return {LOBBY: self._next_preset, DEAL: self._take_back, WON: self._leave, LOST: self._leave}.get(phase)

    def _next_item(self) -> None:
        self._menu.step(self.game, self._now)
        self._notices = ()

    def _decline(self) -> None:
        self._cancel_asking()
        self._notices = ()

    def _cancel_asking(self) -> None:
        """What was asked is not done; hands that were put down for it are not hands for anything else."""
        if self._menu.asking == "level-done":
            self._hands.anew()
        self._menu.asking = None

    def _propose(self) -> None:
        refusal = can_propose(self.game)
        if refusal is not None:
            self._notices = (refusal.code,)
            return
        self._vote = _Vote(self._now)
        self._notices = ()

    def _next_preset(self) -> None:
        self._move(mv.Configure("variant", following(self.game.setup.variant, VARIANTS)))

    def _take_back(self) -> None:
        self._move(mv.TakeBack())

    def _leave(self) -> None:
        self._move(mv.Leave())

    def _call_off(self) -> None:
        self._vote = None
        self._notices = ("star_off",)

    def _star_held(self, _: float) -> None:
        self._star_since = None  # one hold is one gesture
        if self._menu.item is not None:
            self._choose(self._menu.take())
        elif self._menu.asks_second_hold:
            confirmed, self._menu.asking = self._menu.asking, None
            self._confirm(str(confirmed))
        else:
            self._open_menu()

    # -- the menu

    def _open_menu(self) -> None:
        out_of_vote, self._vote = self._vote is not None, None
        off = ("star_off",) if out_of_vote else ()
        self._notices = off
        if self.game.phase == PLAY:
            self._move(mv.Stop(by_press=False), *off)
        self._menu.open(self.game, self._now, out_of_vote)

    def _choose(self, item: str) -> None:
        self._notices = ()
        self._hands.changed(self._now)
        if item == "all-hands":
            if self._menu.out_of_vote:  # a broken button cannot agree: all agree to the star the menu interrupted
                self._move(mv.UseStar())
            else:
                self._all_hands()
            return
        self._cancel_asking()
        if item == "level-done":
            self._menu.ask(item, self._now)
            self._hands.anew()
        elif item in SECOND_HOLD:
            self._menu.ask(item, self._now)
        elif item in EFFECTS:
            self._outcome.effects.append(item)
        else:
            self._move(move_of(item, self.game.setup, self._hands.down))

    def _confirm(self, item: str) -> None:
        self._notices = ()
        if item == "end-game":
            self._move(mv.Leave())
        else:
            self._outcome.effects.append(item)


def _restarts_focus(before: Game, after: Game) -> bool:
    """Whether hands have to be put down anew: another error or star came, or the focus has another reason."""
    return after.phase == FOCUS and (
        after.reason != before.reason
        or after.last_error not in (None, before.last_error)
        or (after.reason == "star" and after.stars < before.stars)
    )
