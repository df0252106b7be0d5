"""Disks that stall: the table lives on, nothing is shown before it is on disk, and the games are the same."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from mind_box.game import events as ev
from mind_box.game.state import Game, lobby_of
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.writer import SAVING_TOLD, News, Writer
from mind_box.referee import Referee
from mind_box.service import daemon
from mind_box.service.daemon import CLOSING, SETTLE, Daemon
from mind_box.settings.schema import Config, GpioSettings, JournalSettings
from mind_box.show.sentences import saying
from mind_box.show.words import words_for
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost
from mind_box.table.table import Table
from mind_box.table.view import View
from mind_box.table.viewing import Surroundings, view_of
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import VirtualLoop, run_virtual
from mind_box.virtual.scripts.record import COMPARED
from mind_box.virtual.scripts.replay import Player
from tests.box.stalls import Stalling, WatchedKeeper, open_at_once

SCRIPTS = [path for path in sorted((Path(__file__).parent.parent / "scripts").glob("*.table")) if path.stem != "story"]
"""Not the one about what is told between levels: that comes when the disk has the level, and so later if it stalls."""
SEEDS = int(os.environ.get("MIND_BOX_STALLS", "1"))
"""How often every script is played with other stalls."""
SHORTEST, LONGEST = 0.1, 60.0
WATCHDOG = 20.0
"""Seconds, as in the unit."""


def calm(view: View) -> View:
    return replace(view, faults=tuple(fault for fault in view.faults if fault != "saving"))


class Blindfolded(Player):
    """Plays a script at its own times, whatever is shown: players who know what the box makes of their gestures."""

    def __init__(self, script: sc.Script, stall: Callable[[], float] | None) -> None:
        self._stall = stall
        self.writer: Stalling | None = None
        self.lobby: Game
        self.shown: list[View] = []
        self.told: list[tuple[float, bool]] = []
        """When `saving` came and went."""
        self.waits: list[tuple[float, float]] = []
        """From when to when each item waited for the disk."""
        super().__init__(script, lambda _: None)

    def _begin(self) -> Referee:
        if self.writer is not None:
            self.writer.finish()  # what comes after the power cut is another story
        writer: Writer | None = None
        if self._stall is not None:
            stalls = self.writer.stalls if self.writer else 0
            writer = self.writer = Stalling(self.journal, self._stall)
            self.writer.stalls = stalls
        with patch("mind_box.referee.Keeper", partial(WatchedKeeper, self.waits)):
            referee = Referee(self.script.config, self.journal, writer=writer)
        if self.journal.last == 0:
            self.lobby = lobby_of(self.script.config.game)
        referee.listeners.append(lambda view: self._look(view, referee.begun))
        referee.start(self.box.open)
        return referee

    async def act(self, number: int, action: sc.Action) -> None:
        if isinstance(action, sc.Restart) and self.writer is not None:
            self.writer.finish()
            self.referee.turn()
        await super().act(number, action)

    @property
    def view(self) -> View:
        self.referee.turn()
        assert self.referee.table is not None
        return self.referee.table.view()

    def _look(self, view: View, begun: bool) -> None:
        if ("saving" in view.faults) != (bool(self.told) and self.told[-1][1]):
            self.told.append((self.loop.time(), "saving" in view.faults))
        if not begun:
            assert view == View(faults=("saving",)), "nothing of the game, before what its start wrote is on disk"
            return
        self.shown.append(calm(view))
        rests_on_the_disk(view, self.journal, self.lobby)


def rests_on_the_disk(view: View, journal: Journal, lobby: Game) -> None:
    """All of the View that is journaled is what the journal holds now: nothing of it is ahead of the disk."""
    disk = view_of(journal.load(lobby), Surroundings())
    left_out = {"phase", "reason", "star_left"} if view.phase == "vote" else set()
    for name in COMPARED:
        if name not in left_out:
            assert getattr(view, name) == getattr(disk, name), f"{name} was shown before it was on disk"


def told(waits: list[tuple[float, float]]) -> Iterator[tuple[float, bool]]:
    """When `saving` has to come, and to go: when nothing waits any more."""
    saying = False
    for (came, saved), (next_came, _) in itertools.pairwise([*waits, (float("inf"), 0.0)]):
        if saved - came > SAVING_TOLD and not saying:
            saying = True
            yield came + SAVING_TOLD, True
        if next_came >= saved and saying:
            saying = False
            yield saved, False


class Course:
    """What a game came to, played with or without stalls."""

    def __init__(self, path: Path, stall: Callable[[], float] | None = None) -> None:
        self.script = sc.parse_script(path.read_text("utf-8"))
        self.views: list[View] = []
        run_virtual(self._play(stall))

    async def _play(self, stall: Callable[[], float] | None) -> None:
        player = Blindfolded(self.script, stall)
        watchdog: list[float] = []
        feeding = asyncio.create_task(self._feed(player, watchdog))
        for line in self.script.lines:
            await player.act(line.number, line.action)
            self.views.append(calm(player.view))
            assert player.referee.waiting <= 2, "what waits does not pile up"
        if player.writer is not None:
            await asyncio.sleep(2 * LONGEST + 1)
            assert player.writer.rests
            begin_and_end = [(round(t, 6), on) for t, on in told(player.waits)]
            assert [(round(t, 6), on) for t, on in player.told] == begin_and_end
        feeding.cancel()
        player.referee.turn()
        assert player.referee.view == player.view
        gaps = [after - before for before, after in itertools.pairwise(watchdog)]
        assert max(gaps, default=0) <= WATCHDOG / 2 + 1e-6
        self.stalls = player.writer.stalls if player.writer else 0
        self.told = sum(on for _, on in player.told)
        self.failures = player.failures
        self.shown = player.shown
        self.rows = [row.body for row in player.journal.rows()]
        player.referee.close()

    async def _feed(self, player: Blindfolded, watchdog: list[float]) -> None:
        """What the daemon does."""
        while True:
            player.referee.turn()
            watchdog.append(asyncio.get_running_loop().time())
            await asyncio.sleep(WATCHDOG / 2)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_game_is_the_same_however_the_disk_stalls(path: Path) -> None:
    undisturbed = Course(path)
    assert undisturbed.failures == 0
    stalls = long = 0
    for seed in range(SEEDS):
        rng = random.Random(f"{path.stem} {seed}")
        course = Course(path, lambda rng=rng: SHORTEST * (LONGEST / SHORTEST) ** rng.random())  # type: ignore[misc]
        assert course.rows == undisturbed.rows
        assert course.views == undisturbed.views
        assert course.failures == 0
        assert course.stalls
        rest = iter(undisturbed.shown)
        for view, _ in itertools.groupby(course.shown):
            assert view in rest, "not shown without stalls, or in another order"
        stalls += course.stalls
        long += course.told
    print(f"{path.stem}: {SEEDS} games, {stalls} stalls, {long} longer than {SAVING_TOLD:g} s")


@pytest.mark.parametrize(("stall", "waits_long"), [(0.9, False), (1.5, True)])
def test_a_disk_that_is_never_at_rest_is_told_only_while_something_has_waited(stall: float, waits_long: bool) -> None:
    """Events come steadily; each waits for the batch before its own and for its own."""

    class Listening(News):
        def __init__(self) -> None:
            self.told: list[tuple[float, bool]] = []

        def wrote(self) -> None:
            if keeper.saving != (bool(self.told) and self.told[-1][1]):
                self.told.append((asyncio.get_running_loop().time(), keeper.saving))

        def not_saved(self, why: JournalError) -> None:
            raise why

        def saved_again(self) -> None:
            raise AssertionError("it was never lost")

        def failed(self, error: Exception) -> None:
            raise error

    keeper: WatchedKeeper

    async def main() -> None:
        nonlocal keeper
        writer, news = Stalling(Journal.in_memory(), lambda: stall), Listening()
        waits: list[tuple[float, float]] = []
        keeper = WatchedKeeper(waits, writer, asyncio.get_running_loop(), news, saved=True)
        for _ in range(60):
            keeper.keep([ev.Stopped(by_press=True)])
            await asyncio.sleep(0.5)
        assert writer.stalls == 1
        await asyncio.sleep(10)
        assert news.told == list(told(waits)) and bool(news.told) == waits_long
        assert not keeper.saving and len(waits) == 60

    run_virtual(main())


def test_the_same_disk_in_the_loop_would_starve_the_watchdog(monkeypatch: pytest.MonkeyPatch) -> None:
    append = Journal.append

    def slow(journal: Journal, items: Any) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.jump(26)
        append(journal, items)

    monkeypatch.setattr(Journal, "append", slow)
    with pytest.raises(AssertionError, match="10"):
        Course(SCRIPTS[0])


# -- the daemon


class Box:
    """The daemon on a virtual box, with a disk that stalls for ``seconds``; and what the service manager hears."""

    def __init__(
        self, directory: Path, monkeypatch: pytest.MonkeyPatch, seconds: float = 0.0, keep_games: int = 1000
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.seconds = seconds
        self.heard: list[tuple[float, str]] = []
        self.box = VirtualBox(4, self.loop.time)
        self.shown: list[View] = []
        self.writer: Stalling | None = None
        self.lobby: Game
        monkeypatch.setenv("WATCHDOG_USEC", str(int(WATCHDOG * 1e6)))
        monkeypatch.setattr(daemon, "notify", lambda state: self.heard.append((self.loop.time(), state)))
        settings = replace(Config().box, state_dir=str(directory / "state"), run_dir=str(directory / "run"))
        journal = JournalSettings(keep_games=keep_games)
        config = Config(screen=(), reader=(), gpio=GpioSettings(factory="mock"), journal=journal)
        config = replace(config, box=replace(settings, power_off=("true",)))
        self.daemon = Daemon(
            config,
            lambda _, post, __: self.box.open(post),
            self.shown.append,
            open_writer=self._open,
            open_journal=open_at_once,
        )
        self.path = directory / "state" / "journal.db"

    def _open(self, journal: Journal, _: asyncio.AbstractEventLoop) -> Writer:
        self.writer = Stalling(journal, lambda: self.seconds)
        return self.writer

    async def __aenter__(self) -> Box:
        self.serving = asyncio.create_task(self.daemon.serve())
        while not self.heard:
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.daemon.stop()
        assert await self.serving == 0

    @property
    def view(self) -> View:
        return self.referee.view

    @property
    def referee(self) -> Referee:
        assert self.daemon.referee is not None
        return self.daemon.referee

    @property
    def table(self) -> Table:
        assert self.referee.table is not None
        return self.referee.table

    async def hold(self, *buttons: int, seconds: float = 2.5) -> None:
        for button in buttons:
            self.box.press(button)
        await asyncio.sleep(seconds)
        for button in buttons:
            self.box.lift(button)
        await asyncio.sleep(0.1)

    async def reach(self, item: str) -> None:
        """Taps on through the open menu."""
        for _ in range(20):
            if self.table.view().menu != item:
                await self.hold(STAR, seconds=0.05)
        assert self.table.view().menu == item

    def rows(self) -> list[str]:
        journal = Journal.looking_on(self.path)
        rows = [row.body for row in journal.rows()]
        journal.close()
        return rows


def test_a_sync_that_takes_26_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with Box(tmp_path, monkeypatch) as box:
            await box.hold(1, 2)
            assert box.view.phase == "focus"
            box.seconds = 26.0
            began = box.loop.time()
            await box.hold(1, 2)
            box.box.scan("10")
            box.box.press(1)
            await asyncio.sleep(0.1)
            box.box.lift(1)
            await asyncio.sleep(2)
            assert (box.view.phase, box.view.piles, box.view.faults) == ("focus", ((),), ("saving",))
            standing = replace(box.view, notices=("already_on_pile",), asking="end-game")
            assert saying(standing, words_for("en")).what == "Still saving", "whatever else is to be said"
            await asyncio.sleep(25)
            assert (box.view.phase, box.view.faults) == ("play", ("saving",)), "the first of it is saved"
            box.seconds = 0.0
            await asyncio.sleep(26)
            assert (box.view.phase, box.view.reason, box.view.piles) == ("focus", "stop", ((10,),))
            assert box.view.faults == ()
            fed = [t for t, state in box.heard if state == "WATCHDOG=1" and t >= began - WATCHDOG / 2]
            assert max(after - before for before, after in itertools.pairwise(fed)) <= WATCHDOG / 2
        assert len(box.rows()) == 4

    run_virtual(main())


@pytest.mark.parametrize("seconds", [5.0, 3600.0])
def test_told_to_stop_while_the_disk_stalls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, seconds: float
) -> None:
    """It waits for the disk, but not for ever, and says what it lost: nothing that was shown."""

    async def main() -> None:
        async with Box(tmp_path, monkeypatch) as box:
            await box.hold(1, 2)
            box.seconds = seconds
            await box.hold(1, 2)
            assert box.view.phase == "focus"
            stopped = box.loop.time()
        assert box.loop.time() - stopped <= SETTLE + CLOSING + 0.1
        saved = seconds < SETTLE
        assert box.view.phase == ("play" if saved else "focus")
        assert len(box.rows()) == (2 if saved else 1)
        assert ("1 events could not be saved (the disk did not answer for 8 s)" in caplog.text) == (not saved)
        assert box.heard[-1][1] == "STOPPING=1"

    run_virtual(main())


def test_the_menus_shut_down_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with Box(tmp_path, monkeypatch) as box:
            await box.hold(1, 2)
            await box.hold(1, 2)
            box.seconds = 50.0
            await box.hold(STAR, seconds=1.6)  # a stop, which waits; the menu is open at the table
            await box.reach("shut-down")
            await box.hold(STAR, seconds=1.6)
            assert box.table.view().asking == "shut-down"
            await box.hold(STAR, seconds=1.6)
            assert box.table.view().asking is None
            await asyncio.sleep(30)
            assert not box.daemon.shut_down and not box.serving.done()
            await asyncio.sleep(15)
            assert await box.serving == 0
            assert box.daemon.shut_down

    run_virtual(main())


def test_the_menus_self_test_waits_for_the_disk_and_gives_the_ports_back_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the disk got meanwhile is shown afterwards, also where it looks as before."""

    async def main() -> None:
        async with Box(tmp_path, monkeypatch, seconds=10.0) as box:
            referee = box.referee
            before = len(box.shown)
            await box.hold(STAR, seconds=0.1)  # a preset, which waits
            await box.hold(STAR, seconds=1.6)
            await box.reach("self-test")
            await box.hold(STAR, seconds=1.6)
            assert not referee.borrowed, "the preset is not on disk yet"
            assert {view.variant for view in box.shown[before:]} == {"classic"}
            for _ in range(60):
                await asyncio.sleep(0 if referee.borrowed else 0.5)
            assert referee.borrowed
            assert (box.view.variant, box.view.faults) == ("reverse", ()), "nothing is said to be missing"
            shown = len(box.shown)
            referee.post(DeviceLost("reader", "unplugged", box.loop.time()))
            await asyncio.sleep(0.1)
            referee.post(DeviceBack("reader", box.loop.time()))
            await asyncio.sleep(0.1)
            assert len(box.shown) == shown
            for _ in range(600):
                await box.hold(STAR, seconds=0.1) if referee.borrowed else await asyncio.sleep(0)
            assert not referee.borrowed
            assert len(box.shown) > shown
            assert (box.view.variant, box.view.faults) == ("reverse", ())

    run_virtual(main())


def test_a_choice_of_the_machine_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with Box(tmp_path, monkeypatch) as box:
            await box.hold(STAR, seconds=1.6)
            await box.reach("language")
            box.seconds = 5.0
            await box.hold(STAR, seconds=1.6)
            assert box.referee.shown.language == "en"
            await asyncio.sleep(2.5)
            assert (box.view.faults, box.referee.shown.language) == (("saving",), "en")
            await asyncio.sleep(3)
            assert (box.view.faults, box.referee.shown.language) == ((), "fr")
        journal = Journal.looking_on(box.path)
        assert journal.preference("language") == "fr"
        journal.close()

    run_virtual(main())


def test_pruning_lets_the_game_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old games go in steps, between which the box writes what happens at the table."""
    monkeypatch.setattr("mind_box.journal.past.AT_ONCE", 10)

    async def main() -> None:
        box = Box(tmp_path, monkeypatch, seconds=0.5, keep_games=5)
        journal = Journal.open(box.path)
        for _ in range(60):
            journal.append([ev.Started((1, 2), {}, ()), *map(ev.Laid, range(1, 20)), ev.Left()])
        journal.close()
        async with box:
            await asyncio.sleep(0.1)
            await box.hold(1, 2)
            await asyncio.sleep(1.1)  # the step that was being done, and this
            assert box.view.phase == "focus", "the start of a game came between"
            assert len(box.rows()) > 21 * 30
            await asyncio.sleep(60)
            assert sum('"Started"' in row for row in box.rows()) == 5

    run_virtual(main())
