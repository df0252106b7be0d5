"""The process behind ``mind-box run``: opens everything, runs the referee, and leaves the table tidy."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind_box import __version__
from mind_box.cards.store import enrolled
from mind_box.devices.build import open_devices
from mind_box.devices.ports import Devices
from mind_box.devices.readers.rivals import RivalWatch
from mind_box.files import in_memory
from mind_box.journal.file import InUse, JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.opening import journal_path
from mind_box.journal.stamps import Stamps
from mind_box.journal.writer import SAVING_TOLD, Writer, WriterThread
from mind_box.pip import pip
from mind_box.referee import Referee
from mind_box.service import AVAILABLE, SHUT_DOWN
from mind_box.service.idle import Idle
from mind_box.service.notify import notify, watchdog_seconds
from mind_box.service.starting import WAITING, EarlyPorts, OpenJournal, answer_of, in_a_thread
from mind_box.service.status import StatusServer
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import Config
from mind_box.show.lamps import LampPattern
from mind_box.storyteller import Storyteller
from mind_box.table.inputs import Post
from mind_box.table.view import View
from mind_box.wall_clock import date

if TYPE_CHECKING:
    from mind_box.broker.on_broker import BoxOnBroker
    from mind_box.page.server import TablePage

log = logging.getLogger(__name__)

SETTLE = 8.0
"""Seconds that a box which is told to stop waits for a disk that does not answer; the unit's TimeoutStopSec is more."""
STARTED = 1.0
"""Seconds after which whatever a start makes has been made."""
CLOSING = 1.0
"""Seconds to tidy up the journal's file when all is in it."""

OpenPorts = Callable[[Config, Post, asyncio.AbstractEventLoop], Devices]
"""Opens the box's ports; the real ones unless something else is asked for."""

OpenWriter = Callable[[Journal, asyncio.AbstractEventLoop], Writer]
"""Makes what writes the journal; a thread unless something else is asked for."""

OUTLIVING = "Mount a partition of a disk there: docs/install.md, 'A read-only root'."


def run(config: Config, page: bool = False) -> int:
    """Runs the box until it is told to stop.

    0: stopped; 1: an error in this program; ``SHUT_DOWN``: by the menu. The unit starts it again but after the last.
    ``page``: with the read-only table page.
    """
    gone = in_memory(Path(config.box.state_dir))
    if gone:
        log.error("%s is %s: with the power the game is gone. %s", config.box.state_dir, gone, OUTLIVING)
    daemon = Daemon(config, page=page, lasts=gone is None)
    status = asyncio.run(_served(daemon))
    return SHUT_DOWN if status == 0 and daemon.shut_down else status


async def _served(daemon: Daemon) -> int:
    asyncio.get_running_loop().call_later(STARTED, _tidy_memory)
    return await daemon.serve()


def _tidy_memory() -> None:
    """The start is over: what it made stays, and garbage is looked for among the rest (again, where that was off)."""
    gc.freeze()
    gc.enable()


class Daemon:
    """One run of the box. ``open_ports`` gives it other ports than the real ones; ``watch`` is told of each View.

    ``lasts`` false: what is written is gone with the power, and the players are told that nothing is saved.
    """

    def __init__(
        self,
        config: Config,
        open_ports: OpenPorts | None = None,
        watch: Callable[[View], None] | None = None,
        page: bool = False,
        lasts: bool = True,
        open_writer: OpenWriter = WriterThread,
        open_journal: OpenJournal = in_a_thread,
    ) -> None:
        self._config = config
        self._lasts = lasts
        self._with_page = page
        self._open_ports = open_ports or open_devices
        self._open_writer = open_writer
        self._open_journal = open_journal
        self._watch = watch
        self._stop = asyncio.Event()
        self._failure: Exception | None = None
        self._power_off = False
        self.shut_down = False
        """The menu's shut-down was carried out."""
        self._watchdog: asyncio.TimerHandle | None = None
        self._writer: Writer | None = None
        self._dropped = 0
        """Games that are being tidied away."""
        self.referee: Referee | None = None
        self._in_lobby = False
        self._broker: BoxOnBroker | None = None

    @property
    def language(self) -> str:
        """What the box speaks now."""
        return self._config.box.language if self.referee is None else self.referee.language

    async def serve(self) -> int:
        """Runs until SIGTERM, SIGINT, SIGHUP, the menu's shut-down or a failure."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as nohup asks
                loop.add_signal_handler(number, self.stop)
        status = StatusServer(Path(self._config.box.run_dir), self._status)
        early: EarlyPorts | None = None

        async def slow() -> None:
            nonlocal early
            log.warning("the disk does not answer: waiting for %s", journal_path(self._config.box.state_dir))
            await status.start()
            early = EarlyPorts(lambda post: self._open_ports(self._config, post, loop), self._config.box.language)

        opened, code = None, 0
        try:
            opened = await answer_of(self._open_journal(self._config.box.state_dir), self._stop, slow)
        except InUse as e:
            log.critical("%s", e)
            code = 1
        if opened is None:
            await status.stop()
            if early is not None:
                early.devices.close()
            return code
        journal, saved = opened
        self._writer = writer = self._open_writer(journal, loop)
        referee = Referee(
            self._config,
            journal,
            saved=saved,
            lasts=self._lasts,
            writer=writer,
            stamps=stamps_of(self._config),
            enrolled=enrolled(self._config.box.state_dir),
            on_effect=partial(self._effect, loop),
            on_failure=self._failed,
        )
        if self._watch is not None:
            referee.listeners.append(self._watch)
        teller = Storyteller(referee)
        referee.start(early.hand_over if early else lambda post: self._open_ports(self._config, post, loop))
        self.referee = referee
        assert referee.devices is not None
        await referee.settled(SAVING_TOLD)
        idle = Idle(referee.devices.screens.values(), self._config.box.dim_after, self._config.box.dark_after, loop)
        referee.touched = idle.touched
        idle.touched(referee.view)
        if early is None:
            await status.start()
        page = await self._open_page(referee) if self._with_page else None
        self._broker = self._open_broker(referee) if self._config.broker.host else None
        rivals = RivalWatch(self._config.reader if self._open_ports is open_devices else (), loop)
        notify("READY=1\nSTATUS=ready")
        log.info("mind-box %s is ready: %s", __version__, referee.view.phase if referee.begun else "waits for the disk")
        beyond = [str(seat) for seat in referee.view.seats if seat > self._config.box.seats]
        if beyond:  # box.seats was lowered in mid-game
            log.error(
                "the game at the table has players at seats that this box has not (%s): end it (hold star, end-game), "
                "or set box.seats as it was",
                ", ".join(beyond),
            )
        self._feed_watchdog(loop, referee)
        referee.listeners.append(self._tidy)
        self._tidy(referee.view)
        await self._stop.wait()
        notify("STOPPING=1")
        if self._watchdog is not None:
            self._watchdog.cancel()
        idle.close()
        rivals.close()
        teller.close()
        await status.stop()
        if page is not None:
            await page.stop()
        if self._broker is not None:
            self._broker.stop()
        unsaved = await referee.settled(SETTLE)
        if unsaved:
            why = f"the disk did not answer for {SETTLE:g} s" if referee.saved else "see above"
            log.error("%d events could not be saved (%s); what the screens showed before is", unsaved, why)
        self._leave(referee, saved=referee.saved and not unsaved and self._failure is None)
        if not await writer.close(CLOSING):
            log.warning("%s: is left open: the disk does not answer", journal.path)
        if self._power_off and self._config.box.power_off:
            self.shut_down = await self._turn_off()
        else:
            self.shut_down = self._power_off
        return 0 if self._failure is None else 1

    def stop(self) -> None:
        """Tells it to stop; ``serve`` then ends by itself."""
        self._stop.set()

    async def _open_page(self, referee: Referee) -> TablePage | None:
        try:
            from mind_box.page.server import TablePage
        except ImportError as e:
            cure = pip("install", "aiohttp")
            log.error("no table page: %s. On the installed box: sudo make install PAGE=1; else: %s", e, cure)
            return None
        page = TablePage(self._config.page, lambda: referee.language, lambda: referee.journal.path)
        referee.listeners.append(page.show)
        page.show(referee.view)
        await page.start()
        return page

    def _open_broker(self, referee: Referee) -> BoxOnBroker | None:
        try:
            from mind_box.broker.lean import paho
            from mind_box.broker.on_broker import BoxOnBroker

            paho()
        except ImportError as e:
            log.error("no broker: %s. On the installed box: sudo make install BROKER=1; else: %s", e,
                      pip("install", "paho-mqtt"))  # fmt: skip
            return None
        broker = BoxOnBroker(self._config, referee)
        referee.listeners.append(broker.show)
        broker.show(referee.view)
        broker.start()
        return broker

    def _tidy(self, view: View) -> None:
        """Drops the oldest games in the lobby, where nobody waits for it: a card never fills up."""
        in_lobby, self._in_lobby = self._in_lobby, view.phase == "lobby"
        if self._in_lobby and not in_lobby and self.referee is not None and self.referee.table is not None:
            self.referee.table.offer_update(AVAILABLE.exists())
        if self._in_lobby and not in_lobby:
            asyncio.get_running_loop().call_soon(self._prune)

    def _prune(self) -> None:
        """One step, after which whatever waits is written before the next."""
        if self._writer is not None and not self._stop.is_set():
            keep = self._config.journal
            self._writer.do(lambda j: j.prune(keep.keep_games, keep.keep_megabytes * 1_000_000), self._pruned)

    def _pruned(self, result: int | Exception) -> None:
        if isinstance(result, JournalError):
            log.error("the journal cannot be pruned: %s", result)
        elif isinstance(result, Exception):
            self._failed(result)
        elif result:
            self._dropped += result
            self._prune()
        elif self._dropped:
            log.info("journal: the %d oldest games are dropped", self._dropped)
            self._dropped = 0

    def _leave(self, referee: Referee, saved: bool) -> None:
        """The last picture, the lamps off, the ports closed."""
        from mind_box.show.pictures import saved_picture, starting_picture, stopped_picture
        from mind_box.show.words import words_for

        last = stopped_picture if self._power_off else saved_picture if saved else starting_picture
        devices = referee.devices
        assert devices is not None
        for screen in devices.screens.values():
            screen.brightness(255)
            screen.show(partial(last, words_for(referee.language), screen.size))
        devices.lamps.show(LampPattern())
        referee.close()

    def _effect(self, loop: asyncio.AbstractEventLoop, effect: str) -> None:
        if effect == "shut-down":
            self._power_off = True
            self._stop.set()
        elif effect == "self-test" and self.referee is not None:
            from mind_box.self_test.in_the_box import BoxSelfTest

            BoxSelfTest(self.referee, loop).start()
        elif effect == "update" and self.referee is not None:
            from mind_box.service.updates import BoxUpdate

            BoxUpdate(self.referee, loop).start()

    def _failed(self, error: Exception) -> None:
        log.critical("the box has failed and starts again", exc_info=error)
        self._failure = error
        self._stop.set()

    async def _turn_off(self) -> bool:
        command = self._config.box.power_off
        try:
            process = await asyncio.create_subprocess_exec(*command)
            code = await process.wait()
        except OSError as e:
            log.error("%s: %s; the machine stays on", command[0], e.strerror)
            return False
        if code:
            log.error("%s ended with %d; the machine stays on. May this user power it off?", " ".join(command), code)
        return code == 0

    def _feed_watchdog(self, loop: asyncio.AbstractEventLoop, referee: Referee) -> None:
        """Tells the service manager of progress that has just been proven: a turn of the referee."""
        seconds = watchdog_seconds()
        if seconds is None or self._failure is not None:
            return
        try:
            referee.turn()
        except Exception as e:
            self._failed(e)
            return
        notify("WATCHDOG=1")
        self._watchdog = loop.call_later(seconds / 2, self._feed_watchdog, loop, referee)

    def _status(self) -> dict[str, Any]:
        referee = self.referee
        path = journal_path(self._config.box.state_dir)
        return {
            "running": True,
            "starting": referee is None or not referee.begun,
            "version": __version__,
            "pid": os.getpid(),
            "journal": str(path) if referee is None or referee.saved else None,
            "pins": _pins(),
            **({"broker": self._broker.status()} if self._broker is not None else {}),
            "tray_label": bool(referee and referee.table and referee.table.floor_label),
            "view": (WAITING if referee is None else referee.view).to_json(),
        }


def stamps_of(config: Config) -> Stamps | None:
    """The times of one run of a box, which makes up its name; None: it is to keep none."""
    if not config.journal.keep_times:
        return None
    resolves = max((READERS[reader.kind].resolves for reader in config.reader), default=0.0)
    return Stamps(os.urandom(4).hex(), date, resolves)


def _pins() -> str:
    from mind_box.devices.gpio.pin_factory import NoFactory
    from mind_box.devices.gpio.pins import header_factory

    try:
        factory = header_factory()
    except NoFactory as e:
        return str(e)
    return str(getattr(factory, "description", type(factory).__name__))
