"""Randomised faults of every device at once during scripted games, which must end as they do without them."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from mind_box.game.state import Game
from mind_box.referee import Referee
from mind_box.table.inputs import STAR, DeviceBack, DeviceLost
from mind_box.table.payload import encode, parse
from mind_box.table.view import View
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.clock import VirtualLoop
from mind_box.virtual.scripts.replay import MENU_HOLD, TAP
from tests.box.stalls import Stalling
from tests.devices import sparks
from tests.devices.driven import DriverPlayer
from tests.devices.faulty_box import APART, FaultyBox
from tests.models.gpio_chip import at_once
from tests.readers.faults import Injector
from tests.readers.models import HidModel, LineModel, RdmModel, ReaderModel
from tests.readers.tag_models import BoardModel, Pn532Model

MODELS: tuple[type[ReaderModel], ...] = (LineModel, Pn532Model, BoardModel, HidModel, RdmModel)
"""Every kind of reader: the seed of a game chooses one."""
KINDS = frozenset({
    "cut message", "bus or library error", "power glitch", "chatter", "lost edge", "spike", "screen unplugged",
    "GPIO chip gone", "disk stall", *sparks.SPARKS,
    "release never told", "press never told", "late edges", "GPIO chip gone in mid-hold",
    *(f"{model.kind}: {kind}" for model in MODELS for kind in model.kinds),
})  # fmt: skip
"""Every kind of fault there is."""

AWAY = 2.5
"""Seconds until the same card may be shown again: it must have been away."""
LIES = (0.1, 0.3, 0.55)
"""Seconds that a card lies there after it was read."""
REVEAL = 0.8
"""Seconds from one card of a check to the next."""
LATE = 0.03
"""Seconds that edges take on a busy machine."""
SEEN = 1.6
"""Seconds until the box has looked whether a button is down still, and counts what it saw."""
STALL = (0.1, 60.0)
"""Seconds that the disk takes for a write."""
TRIES = 4
"""How often a card is shown in bad surroundings; then nothing disturbs it."""
DEVICE_NOTICES = {f"{device}_{what}" for device in ("reader", "screen", "device") for what in ("lost", "back")}


class Showing:
    """A card that is shown, and the players who look whether it counts."""

    def __init__(self, known: bool, before: View) -> None:
        self.seen = asyncio.Event()
        self._known = known
        self._before = before

    def look(self, view: View) -> None:
        """A new View: has anything come of it?"""
        news = set(view.notices) - DEVICE_NOTICES
        if self._known and "unknown_card" in news:  # something that was no card was read
            news = set()
        if _played(view) != _played(self._before) or (news and view.notices != self._before.notices):
            self.seen.set()


def _played(view: View) -> View:
    """What comes of playing a card."""
    return replace(view, faults=(), notices=(), menu=None, asking=None)


def _open(view: View) -> bool:
    """Whether something is open that time, or what is no card, closes."""
    return (view.menu, view.asking, view.story) != (None, None, None)


class CampaignPlayer(DriverPlayer):
    """Plays a script with cards that are shown to a reader, again when it has not read them."""

    box: FaultyBox

    def __init__(self, script: sc.Script, make_box: Callable[[int], FaultyBox], seed: int) -> None:
        self.pauses = random.Random(seed)
        """For what is the same with and without faults."""
        self._showing: Showing | None = None
        self._taken: dict[str, float] = {}
        self._broken = 0
        self._labels: dict[str, str] = {}
        self.writer: Stalling | None = None
        super().__init__(script, lambda _: None, make_box)

    def _begin(self) -> Referee:
        payloads = [line.action.payload for line in self.lines if isinstance(line.action, sc.ShowPayload)]
        cards = {card for payload in payloads if (card := parse(payload)) is not None}
        self.writer = writer = Stalling(self.journal, self._stall)
        enrolled = self.box.reader.enrolled(cards)
        referee = Referee(self.script.config, self.journal, enrolled=enrolled, writer=writer)
        referee.touched = lambda _: self._look()
        referee.start(self.box.open)
        return referee

    def _stall(self) -> float:
        faults = self.box.faults
        return faults.rng.uniform(*STALL) if faults.hit("disk stall", 0.2) else 0.0

    @property
    def view(self) -> View:
        """What the box has made of it, shown or waiting for the disk: these players are patient."""
        self.referee.turn()
        assert self.referee.table is not None
        return self.referee.table.view()

    def _look(self) -> None:
        if self._showing is not None and self.referee.table is not None:
            self._showing.look(self.referee.table.view())

    async def act(self, number: int, action: sc.Action) -> None:
        if isinstance(action, sc.Restart) and self.writer is not None:
            self.writer.finish()  # nobody pulls the plug of a box that says that it saves
        if isinstance(action, sc.Buttons) and action.what == "down":
            await self._ready()  # whoever is going to hold a button has no time to look for a cable
        self.box.reader.calm = bool(self.box.down)
        if isinstance(action, sc.ShowPayload):
            await self._show(action.payload)
            self.referee.turn()
        else:
            await super().act(number, action)

    async def _hold(self, buttons: tuple[int, ...], seconds: float) -> None:
        """Presses and lifts, with edges that never come or come late; both games take the same time for it."""
        box, faults = self.box, self.box.faults
        kind = self.pauses.choice(("none", "none", "none", "untold", "late", "chip"))
        if kind == "chip" and buttons == (STAR,) and not box.down:  # hands that are down would be gone
            await self._lost_hold(seconds)
        untold = kind == "untold" and self.pauses.choice(("press", "release"))
        one = self.pauses.choice(buttons)
        if kind == "late" and faults.hit("late edges"):
            box.chip.hand_over = partial(self.loop.call_later, LATE)
        lost = untold == "press" and seconds >= MENU_HOLD and faults.hit("press never told")
        for button in buttons:
            box.press(button, told=not (lost and button == one))
        if lost:  # whatever wakes the box shows it
            self.loop.call_later(APART, box.spike, (one + 1) % (box.seats + 1))
        await self.sleep(seconds)
        for button in buttons:
            box.lift(button, told=not (untold == "release" and button == one and faults.hit("release never told")))
        await self.sleep(TAP)
        if untold == "release" or kind == "late":
            await self.sleep(SEEN)
        box.chip.hand_over = at_once

    async def _lost_hold(self, seconds: float) -> None:
        """A hold of star during which the chip is away for a moment is none."""
        if self.box.faults.hit("GPIO chip gone in mid-hold"):
            self.box.press(STAR)
            self.loop.call_later(TAP, self.box.unplug, "buttons")
            self.loop.call_later(2 * TAP, self.box.plug, "buttons")
        await self.sleep(max(seconds, MENU_HOLD) + SEEN)
        self.box.lift(STAR)
        await self.sleep(TAP)

    async def _show(self, payload: str) -> None:
        """Shows a card until the View tells that it counts, or tells the same as before though nothing disturbs it."""
        box, reader = self.box, self.box.reader
        label = self._label(payload)
        lie = self.pauses.choice(LIES)
        if box.pulled:
            return  # nothing is there that could read it
        await self._ready(label)
        self._showing = showing = Showing(parse(payload) is not None, self.view)
        for attempt in itertools.count(1):
            reader.calm = reader.calm or attempt > TRIES
            sure, before = reader.sure, len(box.scans)
            await reader.show(label, showing.seen, lie)
            self._taken[label] = self.loop.time()
            if not showing.seen.is_set() and not reader.calm:
                await self._ready(label)  # what a board could not get rid of comes now
            self.referee.turn()
            counted = box.scans[before:].count(reader.payload(label))
            sound, self._broken = self._broken == reader.broken, reader.broken
            assert counted <= 1, f"{label} was counted {counted} times"
            assert counted or not (sure and sound), f"{label} was shown and not counted"
            if showing.seen.is_set() or (counted and (reader.calm or not box.faults.on)):
                break
        self._showing = None
        while self.view.phase == "reveal" and self.view.check == "as_played":
            await self.sleep(REVEAL)  # a card may come late, and then the check began when it was shown

    def _label(self, payload: str) -> str:
        """What stands on the card: with a check that can be damaged, or as the script has it."""
        card = parse(payload)
        if card is None:
            return payload
        return self._labels.setdefault(str(card), payload if self.pauses.random() < 0.25 else encode(card))

    async def _ready(self, label: str = "") -> None:
        """The players see that the reader is missing, and put its cable back; the card was away for long enough."""
        reader = self.box.reader
        if not reader.cable.plugged:
            reader.plug()
        await self.sleep(max(0.01, self._taken.get(label, -AWAY) + AWAY - self.loop.time()))
        for _ in range(100):
            if "reader" not in self.view.faults:
                return
            await self.sleep(0.25)
        raise AssertionError("the reader was not found again")


@dataclass
class Course:
    """What a game came to."""

    views: list[View]
    """The View after each action, without what tells of the faults themselves."""
    events: list[str]
    """The journal."""
    game: Game


class Campaign:
    """One script, played twice with the same times: once undisturbed, once with faults. The seed chooses the reader."""

    def __init__(self, script: sc.Script, seed: int) -> None:
        self.script = script
        self._seed = seed
        self._make_reader = MODELS[seed % len(MODELS)]

    async def play(self, disturbed: bool) -> Course:
        """Plays it, and looks what the drivers are like afterwards."""
        failed: list[dict[str, Any]] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: failed.append(context))
        files = len(os.listdir("/proc/self/fd"))
        self.faults = Injector(random.Random(self._seed), disturbed)
        with tempfile.TemporaryDirectory() as folder:
            reader = self._make_reader(Path(folder), self.faults)
            reader.plug()
            with reader.library():
                course = await self._play(reader)
            reader.close()
        assert failed == []
        assert len(os.listdir("/proc/self/fd")) == files
        return course

    async def _play(self, reader: ReaderModel) -> Course:
        disturbed = self.faults.on
        player = CampaignPlayer(self.script, partial(FaultyBox, faults=self.faults, reader=reader), self._seed + 1)
        box = player.box
        views = []
        for line in player.lines:
            if not isinstance(line.action, sc.Expect):
                await self._pause(player, box)
                await player.act(line.number, line.action)
                views.append(replace(player.view, faults=(), notices=()))
        self.faults.on = False
        await self._mend(player, box)
        views.append(replace(player.view, faults=(), notices=()))
        self._check(player, box)
        player.referee.close()
        self.faults.on = disturbed
        events = [row.body for row in player.journal.rows()]
        return Course(views, events, player.journal.load())

    async def _pause(self, player: CampaignPlayer, box: FaultyBox) -> None:
        """Time between two actions, the same in both games; faults come in it."""
        pauses, faults = player.pauses, self.faults
        kind = pauses.choice(("none", "none", "spikes", "glitch", "screen", "chip", "spark", *["reader"] * 4))
        if kind == "spikes":
            for button in pauses.sample(range(box.seats + 1), 2):
                if faults.hit("spike"):
                    box.spike(button)
                await player.sleep(APART)
        elif kind == "glitch" and faults.hit("power glitch"):
            box.glitch()
        elif kind == "spark":
            await self._spark(player, box)
        elif kind == "screen":
            name = pauses.choice(sorted(box.panels))
            if name in box.unplugged:
                box.plug(name)
            elif faults.hit("screen unplugged"):
                box.unplug(name)
        elif kind == "chip" and not box.down and pauses.random() < 0.3:
            if faults.hit("GPIO chip gone"):
                box.unplug("buttons")
            await player.sleep(0.3)
            if faults.on:
                box.plug("buttons")
            await player.sleep(2.2)  # found again within two seconds
        elif kind == "reader" and faults.on and not box.pulled and not box.down:
            self._disturb(player, box.reader)

    async def _spark(self, player: CampaignPlayer, box: FaultyBox) -> None:
        """A spark in the screens' chips. Where no level is played every glass is right in time."""
        kind = player.pauses.choice(sparks.SPARKS)
        if self.faults.hit(kind):
            sparks.strike(box, kind, self.faults.rng)
        if self._rests(player) and not _open(player.view):
            end = player.loop.time() + sparks.BOUND + sparks.MORE
            await sparks.rest(player, lambda: self._rests(player))
            await player.sleep(end - player.loop.time())

    def _rests(self, player: CampaignPlayer) -> bool:
        """Whether no level is played, also on the screens: what the disk keeps back is not shown yet."""
        assert player.writer is not None
        player.writer.finish()
        return player.view.phase not in ("play", "vote")

    def _disturb(self, player: CampaignPlayer, reader: ReaderModel) -> None:
        """Something happens to the reader while no card is there."""
        if not reader.cable.plugged:
            reader.plug()
        elif reader.hit("unplugged", 0.3):
            reader.unplug()
        elif not _open(player.view) and not player.view.hands_down:
            # What is no card closes a menu or a story, and makes hands count anew.
            reader.disturb()

    async def _mend(self, player: CampaignPlayer, box: FaultyBox) -> None:
        """Everything is plugged in again, and the level ends: what nobody has told is found by the clock."""
        for name in sorted(box.unplugged):
            box.plug(name)
        if not box.reader.cable.plugged:
            box.reader.plug()
        assert player.writer is not None
        player.writer.finish()
        devices = player.referee.devices
        assert devices is not None
        for _ in range(round(sparks.BOUND) + 3):  # what was lost is tried again after 2 s
            for screen in devices.screens.values():
                screen.resting(True)  # again: what comes back makes a new View, and the referee says that it is of play
            await player.sleep(1.0)
        for screen in devices.screens.values():
            screen.resting(False)
        await player.sleep(0.1)

    def _check(self, player: CampaignPlayer, box: FaultyBox) -> None:
        """What must be true of the drivers after any faults."""
        assert player.wrong() == []
        assert player.view.faults == ()
        lost: dict[str, bool] = {}
        for message in box.posted:
            if isinstance(message, DeviceLost | DeviceBack):
                assert lost.get(message.device, False) != isinstance(message, DeviceLost), "told twice"
                lost[message.device] = isinstance(message, DeviceLost)
        assert not any(lost.values())
        devices = player.referee.devices
        assert devices is not None
        assert isinstance(player.loop, VirtualLoop)
        assert player.loop.timers <= 3 + 2  # the reader's driver and its chip
