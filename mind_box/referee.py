"""The one straight way: input -> table -> journal -> View -> lamps, screens, listeners.

A ``Referee`` lives in one asyncio loop and owns everything between the ports. Drivers hand inputs to ``post`` from
any thread; ``turn`` takes them one by one and hands what came of each to whoever writes the journal. The table goes on
at once; what waits for the disk is showing, and what the menu asks of the machine. Real box, virtual box and table
scripts run this same code; they differ in the ports, in the loop's clock and in the writer.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from mind_box.devices.ports import Devices
from mind_box.game.cards import Card
from mind_box.game.state import lobby_of
from mind_box.game.values import dataclass
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal, Preference
from mind_box.journal.stamps import Stamps, played
from mind_box.journal.writer import AtOnce, Keeper, Writer
from mind_box.settings.schema import LANGUAGES, Config
from mind_box.show.lamps import lamps
from mind_box.show.screens import draw, language_of, tables_missing
from mind_box.table.debounce import SLACK
from mind_box.table.facts import Fact
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Edge, Input, Scan
from mind_box.table.over_tray import OverTray
from mind_box.table.play_clock import remembered
from mind_box.table.timing import Outcome
from mind_box.table.view import View

log = logging.getLogger(__name__)

OpenDevices = Callable[[Callable[[Input], None]], Devices]
"""Makes the ports; gets the function that they post their inputs to."""

Listener = Callable[[View], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is shown at one moment."""

    view: View
    language: str
    sound: bool


class Referee:
    """The running box. Make, start and close it in the loop's thread.

    ``saved`` false: nothing could be written at the start, or the game that was written cannot be read; the players
    are told, until something is saved; ``lasts`` false: for ever, as what is written is gone with the power.
    ``writer`` writes the journal; without one it is written at once.
    ``stamps`` times what is written; without them nothing of time is kept.
    ``on_effect`` is told what the menu asks of the machine (``self-test``, ``shut-down``); ``on_failure`` of an
    error in this program itself, after which nothing more is done.
    """

    def __init__(
        self,
        config: Config,
        journal: Journal,
        *,
        saved: bool = True,
        lasts: bool = True,
        writer: Writer | None = None,
        stamps: Stamps | None = None,
        enrolled: Mapping[str, Card] | None = None,
        on_effect: Callable[[str], None] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
    ) -> None:
        self.config = config
        self.journal = journal
        self.view = View()
        """The View that was shown last."""
        self.devices: Devices | None = None
        self.listeners: list[Listener] = []
        """Told of each new View, after it is on disk."""
        self.touched: Callable[[View], None] | None = None
        """Told of each input, whether it changed the View or not, and of each new View."""
        language = journal.preference("language")
        self.language = language if language in LANGUAGES else config.box.language
        self.sound = (journal.preference("sound") or ("on" if config.box.sound else "off")) == "on"
        self._stamps = stamps
        self.enrolled = enrolled
        """Tag identities and their cards."""
        self._on_effect = on_effect
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        at_once = AtOnce(journal)
        self.writer = writer or at_once
        """Whose jobs are the journal's only owner's."""
        self._lasts = lasts
        self._keeper = Keeper(at_once, self._loop, self, saved and lasts, lasts)
        self._thread = threading.get_ident()
        self._inbox: deque[Input] = deque()
        self._table: OverTray | None = None
        self._effects: deque[tuple[int, str]] = deque()
        """What the menu asked for, with what has to be on disk before."""
        self._coming: list[tuple[int, Shown]] = []
        """What is to be shown, with what has to be on disk before."""
        self.shown = Shown(self.view, self.language, self.sound)
        """The newest of it that is on disk."""
        self.begun = False
        """Whether anything of the game may be shown yet."""
        self._on_glass: tuple[Shown, bool] | None = None
        """What is shown, and whether ``saving`` with it; None: something else is."""
        self._timer: asyncio.TimerHandle | None = None
        self._woken = False
        self._closed = False
        self._borrower: Callable[[Input], None] | None = None

    # -- from any thread

    def post(self, event: Input) -> None:
        """Takes an input: from any thread, without waiting, without raising."""
        if self._closed:
            return
        self._inbox.append(event)
        if threading.get_ident() == self._thread:
            self._wake()
            return
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:  # the loop has just been closed
            log.debug("%s came too late", type(event).__name__)

    # -- in the loop

    def start(self, open_devices: OpenDevices) -> None:
        """Opens the ports and goes on where the journal ends; what comes of that is shown when it is on disk."""
        self._thread = threading.get_ident()
        game, clock = remembered(played(self.journal.table()), lobby_of(self.config.game))  # or as it is set
        self.devices = open_devices(self.post)
        buttons = self.devices.buttons
        held = [b for b in range(STAR, self.config.box.seats + 1) if buttons.level(b)]
        faults = set()
        for event in [e for e in self._inbox if isinstance(e, DeviceLost)]:
            self._inbox.remove(event)
            faults.add(event.device)
        if not self.saved:
            faults.add("journal")
        self._table = OverTray.of(
            self.config,
            game,
            now=self._loop.time(),
            held=held,
            faults=faults,
            enrolled=self.enrolled,
            clock=clock,
        )
        keeper, told = self._keeper, self.saved
        if told:
            keeper.writer = self.writer
        self._take(self._table.begin())
        if not told:  # the first save of all must not hide it: nobody was there to read it
            keeper.saved = False
            self._take(self._table.handle(DeviceLost("journal", "at the start", self._loop.time())))
            if self._lasts and self.journal.damaged is None:  # of a damaged one it is said until a game is saved
                keeper.try_again()
        keeper.writer = self.writer
        self._show()
        self._sleep()

    def turn(self) -> None:
        """Deals with everything that is due now: inputs in the order they came, and timers."""
        self._woken = False
        table = self._table
        if table is None or self._closed:
            return
        self._read_again(table)
        touched = bool(self._inbox)
        while self._inbox:
            event = self._inbox.popleft()
            if self._borrower is not None:
                self._borrower(event)
                if isinstance(event, Edge | Scan):
                    continue
            self._take(table.handle(event))
            if isinstance(event, Edge) and not self._inbox:
                self._read_again(table)
        now = self._loop.time()
        if table.deadline is not None and table.deadline <= now + SLACK:
            self._take(table.tick(now))
        self._show()
        self._sleep()
        if self.touched is not None and touched:
            self.touched(self.view)

    def _by_itself(self, act: Callable[[], None]) -> None:
        """Something that the loop called: nobody else hears of an error in it."""
        try:
            act()
        except Exception as e:
            self.failed(e)

    def borrow(self, taker: Callable[[Input], None]) -> None:
        """Lends the ports to a self-test: ``taker`` gets the inputs, and the View is not shown meanwhile."""
        self._borrower = taker

    def give_back(self) -> None:
        """The table has its ports again. A button that is down now counts from now."""
        assert self.devices is not None
        self._borrower = None
        for button in range(STAR, self.config.box.seats + 1):
            self.post(Edge(button, self.devices.buttons.level(button), self._loop.time()))
        self._on_glass = None
        self._show()

    @property
    def table(self) -> OverTray | None:
        """What the fingers make of the game, on disk or not; None before ``start``."""
        return self._table

    @property
    def waiting(self) -> int:
        """How many pictures of the game wait for the disk."""
        return len(self._coming)

    @property
    def borrowed(self) -> bool:
        """Whether a self-test has the ports."""
        return self._borrower is not None

    @property
    def playing(self) -> bool:
        """Whether a level is played now; from any thread."""
        return self._table is not None and self._table.game.phase == "play"

    def tell(self, ended: int, facts: tuple[Fact, ...]) -> None:
        """What there is to tell of this level, if it ended and no other is played since."""
        if self._table is not None and not self._closed:
            self._table.told(facts, ended)
            self._wake()

    @property
    def saved(self) -> bool:
        """Whether all that is shown is on disk."""
        return self._keeper.saved

    async def settled(self, seconds: float) -> int:
        """Waits at most so long for the disk; how much of what happened is not on it even then."""
        return await self._keeper.settled(seconds)

    def close(self) -> None:
        """Lets go of the ports. The journal stays open; it is whoever's that opened it."""
        self._closed = True
        self._keeper.close()
        if self._timer is not None:
            self._timer.cancel()
        if self.devices is not None:
            self.devices.close()

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self._loop.call_soon(self._by_itself, self.turn)

    def _sleep(self) -> None:
        """Wakes up again at the table's next deadline, and never without one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._table.deadline if self._table else None
        if deadline is not None:
            self._timer = self._loop.call_at(deadline, self._by_itself, self.turn)

    def _read_again(self, table: OverTray) -> None:
        """An edge may have been lost, so levels are read again; one that is only late is fetched first, and comes in
        its place: a short press is over by the time that its window is looked at.
        """
        assert self.devices is not None
        if self._borrower is not None:
            return
        now = self._loop.time()
        levels = self.devices.buttons.look()
        inputs = [self._inbox.popleft() for _ in range(len(self._inbox))]
        self._inbox.extendleft(sorted(inputs, key=lambda event: event.at)[::-1])
        waiting = {event.button for event in inputs if isinstance(event, Edge)}
        for button in range(STAR, self.config.box.seats + 1):
            if button not in waiting:
                table.reread(button, levels.get(button), now)

    def _take(self, outcome: Outcome) -> None:
        """First to disk, then to the machine; showing comes after."""
        stamps, events = self._stamps, outcome.events
        self._keeper.keep(stamps.timed(events, outcome.times, self._loop.time()) if stamps and events else events)
        self._effects += [(self._keeper.asked, effect) for effect in outcome.effects]
        self._carry_out()

    # -- what the keeper tells

    def not_saved(self, why: JournalError) -> None:
        """The players are told."""
        assert self._table is not None
        log.error("the game cannot be saved (%s): it goes on, but a power cut would lose it", why)
        self._take(self._table.handle(DeviceLost("journal", str(why), self._loop.time())))
        self._wake()

    def saved_again(self) -> None:
        """The players are told."""
        assert self._table is not None
        log.warning("the game is saved again")
        self._take(self._table.handle(DeviceBack("journal", self._loop.time())))
        self._wake()

    def wrote(self) -> None:
        """What may be shown now is shown: nothing has happened at the table, so nobody waits for its View again."""
        self._by_itself(self._bring_out)

    def failed(self, error: Exception) -> None:
        """An error of this program, here or in the writer. Whoever runs it has to know."""
        if self._on_failure is None:
            raise error
        self._closed = True
        self._on_failure(error)

    # -- what the menu asks of the machine

    def _carry_out(self) -> bool:
        """What rests only on what is on disk; False: nothing did."""
        due = bool(self._effects) and self._keeper.on_disk(self._effects[0][0])
        while self._effects and self._keeper.on_disk(self._effects[0][0]):
            self._effect(self._effects.popleft()[1])
        return due

    def _effect(self, effect: str) -> None:
        log.info("menu: %s", effect)
        if effect == "language":
            self.language = LANGUAGES[(LANGUAGES.index(self.language) + 1) % len(LANGUAGES)]
            self._keeper.keep([Preference("language", self.language)])
        elif effect == "sound":
            self.sound = not self.sound
            assert self._table is not None
            self._table.tell("sound_on" if self.sound else "sound_off")
            self._keeper.keep([Preference("sound", "on" if self.sound else "off")])
        elif self._on_effect is not None:
            self._on_effect(effect)

    # -- showing

    def _show(self) -> None:
        """Shows the newest of what rests only on what is on disk."""
        assert self._table is not None
        keeper = self._keeper
        shown = Shown(self._table.view(), self.language, self.sound)
        if not (self.begun or self._coming) or shown != (self._coming[-1][1] if self._coming else self.shown):
            if self._coming and (self._coming[-1][0] > keeper.writing or self._coming[-1][0] == keeper.asked):
                self._coming.pop()  # both may be shown at the same time
            self._coming.append((keeper.asked, shown))
        self._bring_out()

    def _bring_out(self) -> None:
        keeper = self._keeper
        while self._coming and keeper.on_disk(self._coming[0][0]):
            self.shown = self._coming.pop(0)[1]
            self.begun = True
        if not (self.begun or keeper.saving):
            return
        if self._borrower is None and self._on_glass != (self.shown, keeper.saving):
            self._put_on_glass()
        if self._carry_out():
            self._show()

    def _put_on_glass(self) -> None:
        assert self.devices is not None
        shown, view = self.shown, self.shown.view
        if self._keeper.saving:
            view = replace(view, faults=(*view.faults, "saving"))
        before, self.view = self.view, view
        last, self._on_glass = self._on_glass, (shown, self._keeper.saving)
        self.devices.lamps.show(lamps(view))
        self._show_screens(view, shown.language)
        if self.devices.sound is not None and shown.sound and last is not None and shown.language == last[0].language:
            from mind_box.show.sounds import tune_for

            tune = tune_for(before, view)
            if tune is not None:
                self.devices.sound.play(tune)
        for listener in self.listeners:
            listener(view)
        if self.touched is not None:
            self.touched(view)

    def _show_screens(self, view: View, language: str) -> None:
        assert self.devices is not None
        screens, own = self.devices.screens, self.config.box.seat_languages
        stands_in = tables_missing(screens, view.faults)
        for name, screen in screens.items():
            screen.resting(view.phase not in ("play", "vote"))
            screen.show(partial(draw, view, name, screen.size, language_of(name, language, own), stands_in))
