"""The one straight way: input -> table -> journal -> View -> lamps, screens, listeners.

A ``Referee`` lives in one asyncio loop and owns everything between the ports. Drivers hand inputs to ``post`` from
any thread; ``turn`` takes them one by one, writes what came of each to the journal, and only then shows the View.
Real box, virtual box and table scripts run this same code; they differ in the ports and in the loop's clock.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from mind_box.config import LANGUAGES, Config
from mind_box.devices.ports import Devices
from mind_box.game import events as ev
from mind_box.game.cards import Card
from mind_box.game.state import Game, Setup, empty_piles
from mind_box.journal import Journal, JournalError
from mind_box.show.lamps import lamps
from mind_box.table.debounce import SLACK
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost, Edge, Input, Scan
from mind_box.table.table import Outcome, Table, Times
from mind_box.table.view import View

if TYPE_CHECKING:
    from PIL import Image

log = logging.getLogger(__name__)

MAX_UNSAVED = 100_000
"""Events kept in memory while the journal cannot be written: weeks of play."""

OpenDevices = Callable[[Callable[[Input], None]], Devices]
"""Makes the ports; gets the function that they post their inputs to."""

Listener = Callable[[View], None]


class Referee:
    """The running box. Make, start and close it in the loop's thread.

    ``saved`` false: nothing could be written at the start, or the game that was written cannot be read; the players
    are told, until something is saved.
    ``on_effect`` is told what the menu asks of the machine (``self-test``, ``shut-down``); ``on_failure`` of an
    error in this program itself, after which nothing more is done.
    """

    def __init__(
        self,
        config: Config,
        journal: Journal,
        *,
        saved: bool = True,
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
        """Told of each input, whether it changed the View or not, and of each change that time brought."""
        language = journal.preference("language")
        self.language = language if language in LANGUAGES else config.box.language
        self.sound = (journal.preference("sound") or ("on" if config.box.sound else "off")) == "on"
        self.saved = saved
        """Whether all that is shown is on disk."""
        self.enrolled = enrolled
        """Tag identities and their cards."""
        self._on_effect = on_effect
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._inbox: deque[Input] = deque()
        self._table: Table | None = None
        self._unsaved: list[ev.Event] = []
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
        """Opens the ports and goes on where the journal ends."""
        self._thread = threading.get_ident()
        game = self._game()
        self.devices = open_devices(self.post)
        buttons = self.devices.buttons
        held = [b for b in range(STAR, self.config.box.seats + 1) if buttons.level(b)]
        faults = set()
        for event in [e for e in self._inbox if isinstance(e, DeviceLost)]:
            self._inbox.remove(event)
            faults.add(event.device)
        if not self.saved:
            faults.add("journal")
        self._table = Table(
            game,
            now=self._loop.time(),
            times=Times(**asdict(self.config.table)),
            held=held,
            faults=faults,
            enrolled=self.enrolled,
        )
        told = self.saved
        self._take(self._table.begin())
        if not told:  # the first save of all must not hide it: nobody was there to read it
            self.saved = False
            self._take(self._table.handle(DeviceLost("journal", "at the start", self._loop.time())))
        self._show(first=True)
        self._sleep()

    def _game(self) -> Game:
        """The game where the journal ends; before the first one, the lobby as the settings have it."""
        setup = Setup(**asdict(self.config.game))
        return self.journal.load(Game(setup=setup, piles=empty_piles(setup)))

    def turn(self) -> None:
        """Deals with everything that is due now: inputs in the order they came, and timers."""
        self._woken = False
        table = self._table
        if table is None or self._closed:
            return
        self._read_again(table)
        touched, before = bool(self._inbox), self.view
        while self._inbox:
            event = self._inbox.popleft()
            if self._borrower is not None:
                self._borrower(event)
                if isinstance(event, Edge | Scan):
                    continue
            self._take(table.handle(event))
            if not self._inbox:
                self._read_again(table)
        now = self._loop.time()
        if table.deadline is not None and table.deadline <= now + SLACK:
            self._take(table.tick(now))
        self._show()
        self._sleep()
        if self.touched is not None and (touched or self.view is not before):
            self.touched(self.view)

    def _turn_by_itself(self) -> None:
        """A turn that the loop called. An error in it is one of this program: whoever runs it has to know."""
        try:
            self.turn()
        except Exception as e:
            if self._on_failure is None:
                raise
            self._closed = True
            self._on_failure(e)

    def borrow(self, taker: Callable[[Input], None]) -> None:
        """Lends the ports to a self-test: ``taker`` gets the inputs, and the View is not shown meanwhile."""
        self._borrower = taker

    def give_back(self) -> None:
        """The table has its ports again. A button that is down now counts from now."""
        assert self.devices is not None
        self._borrower = None
        for button in range(STAR, self.config.box.seats + 1):
            self.post(Edge(button, self.devices.buttons.level(button), self._loop.time()))
        self._show(first=True)

    def close(self) -> None:
        """Lets go of the ports. The journal stays open; it is whoever's that opened it."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self.devices is not None:
            self.devices.close()

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self._loop.call_soon(self._turn_by_itself)

    def _sleep(self) -> None:
        """Wakes up again at the table's next deadline, and never without one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._table.deadline if self._table else None
        if deadline is not None:
            self._timer = self._loop.call_at(deadline, self._turn_by_itself)

    def _read_again(self, table: Table) -> None:
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
        if outcome.events:
            self._save(outcome.events)
        for effect in outcome.effects:
            self._effect(effect)

    def _save(self, events: list[ev.Event]) -> None:
        assert self._table is not None
        self._unsaved += events
        try:
            self.journal.append(self._unsaved)
        except JournalError as e:
            del self._unsaved[:-MAX_UNSAVED]
            if self.saved:
                self.saved = False
                log.error("the game cannot be saved (%s): it goes on, but a power cut would lose it", e)
                self._take(self._table.handle(DeviceLost("journal", str(e), self._loop.time())))
            return
        self._unsaved = []
        if not self.saved and self.journal.lasts:
            self.saved = True
            log.warning("the game is saved again")
            self._take(self._table.handle(DeviceBack("journal", self._loop.time())))

    def _effect(self, effect: str) -> None:
        log.info("menu: %s", effect)
        if effect == "language":
            self.language = LANGUAGES[(LANGUAGES.index(self.language) + 1) % len(LANGUAGES)]
            self._prefer("language", self.language)
        elif effect == "sound":
            self.sound = not self.sound
            state = "on" if self.sound else "off"
            assert self._table is not None
            self._table.tell(f"sound_{state}")
            self._prefer("sound", state)
        elif self._on_effect is not None:
            self._on_effect(effect)

    def _prefer(self, name: str, value: str) -> None:
        try:
            self.journal.prefer(name, value)
        except JournalError as e:
            log.error("the choice of %s cannot be kept: %s", name, e)
        self._show(first=True)

    # -- showing

    def _show(self, first: bool = False) -> None:
        assert self._table is not None and self.devices is not None
        view = self._table.view()
        if (view == self.view and not first) or self._borrower is not None:
            return
        before, self.view = self.view, view
        self.devices.lamps.show(lamps(view))
        self._show_screens(view)
        if self.devices.sound is not None and self.sound and not first:
            from mind_box.show.sounds import tune_for

            tune = tune_for(before, view)
            if tune is not None:
                self.devices.sound.play(tune)
        for listener in self.listeners:
            listener(view)

    def _show_screens(self, view: View) -> None:
        assert self.devices is not None
        for name, screen in self.devices.screens.items():
            screen.resting(view.phase not in ("play", "vote"))
            screen.show(partial(draw, view, name, screen.size, self._language_of(name)))

    def _language_of(self, screen: str) -> str:
        seat = seat_of(screen)
        own = self.config.box.seat_languages
        return own[seat - 1] if seat is not None and seat <= len(own) else self.language


def seat_of(screen: str) -> int | None:
    """The seat of ``seat-screen N``; None for the table screen."""
    return int(screen.rpartition(" ")[2]) if screen.startswith("seat-screen ") else None


def draw(view: View, screen: str, size: tuple[int, int], language: str) -> Image.Image:
    """The picture of one screen. May run in a worker thread."""
    from mind_box.show.pictures import seat_picture, table_picture
    from mind_box.show.words import words_for

    seat = seat_of(screen)
    words = words_for(language)
    return table_picture(view, words, size) if seat is None else seat_picture(view, seat, words, size)
