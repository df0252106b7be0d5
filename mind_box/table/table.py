"""The table: gestures become moves, and what comes of them is told in notices.

Pure: time comes in with the inputs and with ``tick``; nothing here reads a clock, logs or does I/O. The daemon
writes the events of an ``Outcome`` to the journal before it shows ``view()``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from mind_box.game import moves as mv
from mind_box.game.cards import Card
from mind_box.game.decide import can_propose, decide
from mind_box.game.moves import Move, Refusal
from mind_box.game.state import Game
from mind_box.settings.schema import TableSettings
from mind_box.table.debounce import SLACK, Debounce, Stable
from mind_box.table.facts import Fact
from mind_box.table.hands import Hands, restarts_focus
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Edge, Input, Scan, TrayEmpty
from mind_box.table.looks import Looks
from mind_box.table.menu import Item, Menu, move_of, next_choice, tells
from mind_box.table.notices import Notice, device_notice, in_order, notices_of
from mind_box.table.payload import parse
from mind_box.table.play_clock import PlayClock
from mind_box.table.star import Star, Vote, tap_of
from mind_box.table.timing import Outcome, Timer, Timing
from mind_box.table.view import View
from mind_box.table.viewing import Surroundings, view_of


class Table(Timing):
    """One table from power-up to power-down.

    ``game`` comes from the journal; ``held`` are the buttons that are down at the start; ``faults`` the devices
    missing at the start; ``enrolled`` maps tag identities to cards; ``clock`` is the journal's too.
    """

    def __init__(
        self,
        game: Game,
        *,
        now: float,
        times: TableSettings = TableSettings(),  # noqa: B008 -- frozen
        held: Iterable[int] = (),
        faults: Iterable[str] = (),
        enrolled: Mapping[str, Card] | None = None,
        clock: PlayClock | None = None,
    ) -> None:
        super().__init__(game, now, clock)
        self._times = times
        self._enrolled = enrolled or {}
        self._debounce = Debounce(times.debounce, held)
        self._looks = Looks(now)
        self._hands = Hands(now)
        self._star = Star()
        self._vote: Vote | None = None
        self._menu = Menu()
        self._check_at: float | None = None
        self._faults = set(faults)
        self._notices: tuple[Notice, ...] = ()
        self._told: tuple[Fact, ...] = ()

    # -- from outside

    def begin(self) -> Outcome:
        """Once after a start: a game in progress goes on where it was (play: with concentration)."""
        if self.game.phase == "play":
            self._move(mv.Resume())
        if self.game.phase != "lobby":
            self._notices = ("resumed",)
        self._entered(self._now)
        return self._brought_about()

    def handle(self, event: Input) -> Outcome:
        """An input from the world. Timers that ran out before it are dealt with first."""
        if isinstance(event, Edge):
            self._debounce.expect(event.button, event.down, event.at)
        at = max(event.at, self._now)
        self._advance(at)
        match event:
            case Edge(button, down, happened):
                self._debounce.edge(button, down, happened)
            case Scan():
                with self._at(event.at):
                    self._scanned(event)
            case TrayEmpty():
                pass
            case DeviceLost(device) | DeviceBack(device):
                lost = isinstance(event, DeviceLost)
                if lost != (device in self._faults):
                    self._faults ^= {device}
                    self._notices = (device_notice(device, lost),)
            case _:
                assert_never(event)
        return self._brought_about()

    def tick(self, now: float) -> Outcome:
        """Time has come to ``now``."""
        self._advance(max(now, self._now))
        return self._brought_about()

    def tell(self, code: Notice) -> None:
        """A notice from the machine: what one of its own menu items brought about."""
        self._notices = (code,)

    def told(self, facts: tuple[Fact, ...], ended: int) -> None:
        """What there is to tell of the level that ended; nothing, where the game has gone on since."""
        over = self.game.phase in ("won", "lost")
        if ended == (self.game.level if over else self.game.level - 1) and (over or self._between_levels()):
            self._told = facts

    def _between_levels(self) -> bool:
        return self.game.phase == "deal" or tells(self.game)

    def reread(self, button: int, down: bool | None, now: float) -> None:
        """The raw level of a button; to be told before ``handle`` and ``tick``, of each button of which no edge waits.

        None: its chip is gone, so nobody holds it. It is nothing until it has been seen up, as at the start.
        """
        if down is not None:
            self._debounce.reread(button, down, now)
        elif self._debounce.lose(button):
            if button == STAR:
                self._star.spend()
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
                begun=self.game.ended is self._hands.after,
                told=self._told if tells(self.game) else (),
                story=self._menu.story,
                menu=self._menu.item,
                asking=self._menu.asking,
                faults=self._faults,
                notices=(*self._notices, "all_agree") if self._menu.all_agree else self._notices,
            ),
        )

    # -- time

    def _playing(self) -> bool:
        return self.game.phase == "play" and self._vote is None

    def _timers(self) -> list[Timer]:
        timers: list[Timer] = []
        settle = self._debounce.due
        if settle is not None:
            timers.append((settle, self._settle))
        if self._debounce.down:
            held = self._hands.since + self._times.gather if self._hands.down else None
            timers.append((self._looks.due(held), self._looks.looked))
        if self._star.since is not None and not self._debounce.unsure(STAR):
            timers.append((self._star.since + self._times.hold, self._star_held))
        if self._vote is not None:
            timers.append((self._vote.since + self._times.vote, lambda _: self._call_off()))
        menu_closes = self._menu.times_out(self._times.menu)
        if menu_closes is not None:
            timers.append((menu_closes, self._menu_timed_out))
        if self._check_at is not None:
            timers.append((self._check_at, self._check_next))
        return timers

    def _settle(self, now: float) -> None:
        for change in self._debounce.settle(now):
            self._looks.changed(now)
            with self._at(change.at):
                if change.button == STAR:
                    self._star_changed(change)
                elif change.down:
                    self._pressed(change.button, change.at)
                else:
                    self._lifted(change)

    def _menu_timed_out(self, _: float) -> None:
        self._menu.close()
        self._menu.drop_second_hold()
        self._hands.changed(self._now)

    def _check_next(self, _: float) -> None:
        self._check_at = self._now + self._times.check
        self._move(mv.CheckNext())

    # -- moves and what they bring about

    def _move(self, move: Move, *more: Notice) -> Refusal | None:
        """Asks the rules; ``more`` are notices that the input brought about besides. Returns what they refused."""
        decision = decide(self.game, move)
        if isinstance(decision, Refusal):
            self._notices = in_order((*more, decision.code))
            return decision
        self._happened(decision.events)
        before, self.game = self.game, decision.game
        entered = (self.game.phase, self.game.level) != (before.phase, before.level)
        if not self._between_levels() or isinstance(move, mv.Undo | mv.Challenge | mv.Start):
            self._told, self._menu.story = (), None  # it is told between levels, and never what was undone
        if entered or restarts_focus(before, self.game) or isinstance(move, mv.Undo):
            self._hands.anew()
        if self._vote is not None and (entered or before.phase == "play"):  # R15; one made in focus stays open
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
        runs_by_itself = self.game.phase == "reveal" and self.game.check == "as_played"
        self._check_at = now + self._times.check if runs_by_itself else None

    # -- cards

    def _scanned(self, event: Scan) -> None:
        card = parse(event.payload, self._enrolled)
        if card is None:
            self._not_taken("unknown_card")
            return
        self._menu.close()
        self._cancel_asking()
        refusal = self._move(mv.ShowCard(card))
        if refusal is not None and not refusal.code.startswith("already_"):  # R32: that lies where it belongs
            self._not_taken(*self._notices)

    def _not_taken(self, *why: Notice) -> None:
        self._menu.close()
        self._cancel_asking()
        self._notices = why
        if self.game.phase == "focus":  # hands that are lifted now must not begin play over a card that was not taken
            self._hands.anew()

    # -- seats

    def _pressed(self, seat: int, at: float) -> None:
        game = self.game
        if self._menu.close():
            self._hands.changed(self._now)
            self._notices = ()
            return
        if game.phase != "lobby" and seat not in (game.hands if game.phase == "deal" else game.persons):
            return
        self._menu.drop_second_hold()
        self._hands.changed(at)
        if self._vote is not None:
            self._vote.agreed ^= {seat}
            self._notices = ()
            if self._vote.agreed.issuperset(game.persons):
                self._vote = None
                self._move(mv.UseStar())
        elif game.phase == "deal":
            self._move(mv.ChooseSeat(seat))
        elif game.phase == "play":
            self._move(mv.Stop(by_press=True))
            self._hands.put(seat, self.game)
        elif game.phase in ("focus", "lobby", "won", "lost") or self._menu.asking == "level-done":
            self._notices = ()
            self._hands.put(seat, self.game)

    def _lifted(self, change: Stable) -> None:
        seat, game = change.button, self.game
        if seat not in self._hands.down:
            return
        gathered = self._menu.item is None and self._hands.unchanged(change.at, self._times.gather - SLACK)
        together = tuple(sorted(self._hands.down))
        all_lifted = self._hands.lift(seat, game.persons)
        self._hands.changed(change.at if change.told else self._now)
        if game.phase == "lobby":
            if gathered:
                self._move(mv.Start(together))
        elif game.phase in ("won", "lost"):
            if gathered and set(together).issuperset(game.persons):
                self._after_the_end()
        elif all_lifted and self._menu.item is None and not self._menu.asks_second_hold and self._vote is None:
            self._all_hands()

    def _all_hands(self) -> None:
        """All hands were down and have been lifted."""
        if self._menu.asking == "level-done":
            self._menu.asking = None
            self._move(mv.DeclareDone())
        elif self.game.phase == "focus":
            if not self.game.choosing:  # the star waits for choices, and says so already
                self._move(mv.Concentrate())
        elif self.game.phase in ("won", "lost"):
            self._after_the_end()
        else:
            self._notices = ("at_limit",)

    def _after_the_end(self) -> None:
        """Hands go on: to the blind challenge where there is one, else to the lobby, as star would."""
        goes_blind = self.game.phase == "won" and self.game.check is None
        self._move(mv.Challenge() if goes_blind else mv.Leave())

    # -- the star button

    def _star_changed(self, change: Stable) -> None:
        means = tap_of(self.game.phase, self._menu, self._vote)
        if change.down:
            self._star.press(change.at, means)
            return
        match self._star.release(means):
            case "next-item":
                self._menu.step(self.game, self._now)
                self._notices = ()
            case "next-page":
                self._menu.turn_page(len(self._told), self._now)
                self._notices = ()
            case "decline":
                self._cancel_asking()
                self._notices = ()
            case "call-off":
                self._call_off()
            case "propose":
                self._propose()
            case "next-variant":
                self._move(next_choice("variant", self.game.setup))
            case "take-back":
                self._move(mv.TakeBack())
            case "leave":
                self._move(mv.Leave())
            case None:
                pass
            case other:
                assert_never(other)

    def _cancel_asking(self) -> None:
        """What was asked is not done; hands that were put down for it are not hands for anything else."""
        if self._menu.asking == "level-done":
            self._hands.anew()
        self._menu.asking = None

    def _propose(self) -> None:
        refusal = can_propose(self.game)
        if refusal is None:
            self._vote = Vote(self._now)
        self._notices = () if refusal is None else (refusal.code,)

    def _call_off(self) -> None:
        self._vote = None
        self._notices = ("star_off",)

    def _star_held(self, _: float) -> None:
        self._star.spend()  # one hold is one gesture
        item, asked = self._menu.item, self._menu.asking
        self._menu.story = None
        if item is not None:
            self._menu.item = None
            self._choose(item)
        elif asked is None or asked == "level-done":
            self._open_menu()
        else:  # the second hold
            self._menu.asking, self._notices = None, ()
            if asked == "end-game":
                self._move(mv.Leave())
            else:
                self._outcome.effects.append(asked)

    # -- the menu

    def _open_menu(self) -> None:
        out_of_vote, self._vote = self._vote is not None, None
        self._notices = ("star_off",) if out_of_vote else ()
        if self.game.phase == "play":
            self._move(mv.Stop(by_press=False), *self._notices)
        self._menu.open(self.game, self._now, out_of_vote)

    def _choose(self, item: Item) -> None:
        self._notices = ()
        self._hands.changed(self._now)
        if item == "all-hands":
            if self._menu.out_of_vote:  # a broken button cannot agree: all agree to the star the menu interrupted
                self._move(mv.UseStar())
            else:
                self._all_hands()
            return
        self._cancel_asking()
        match item:
            case "level-done":
                self._menu.ask(item, self._now)
                self._hands.anew()
            case "end-game" | "shut-down":
                self._menu.ask(item, self._now)
            case "story":
                self._menu.tell(self._now)
            case "language" | "sound" | "self-test" | "update":
                self._outcome.effects.append(item)
            case _:
                self._move(move_of(item, self.game.setup, self._hands.down))
