"""Hours of play in one process, in virtual time: ``python -m tests.service.soak [HOURS]``.

The daemon itself, with its journal on disk, its status socket and two real screen drivers on chip models; only the
buttons, lamps and the reader are virtual. Somebody plays without a pause, games of seconds up to games of minutes.
Each virtual hour it tells the process's memory, file descriptors and threads.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from mind_box.devices.oled.screens import open_screens
from mind_box.devices.ports import Devices
from mind_box.game.cards import Card
from mind_box.journal.writer import AtOnce
from mind_box.service.daemon import Daemon
from mind_box.settings.schema import Config, JournalSettings, ScreenSettings, TableSettings
from mind_box.table.inputs import STAR, Post
from mind_box.table.view import View
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from tests.box.stalls import open_at_once

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Sample:
    """The process at one moment."""

    hours: float
    games: int
    rss: int
    """Bytes."""
    files: int
    threads: int
    objects: int


def rss() -> int:
    """Bytes that are in memory now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


class Evening:
    """The box, the table around it, and whoever plays."""

    def __init__(self, directory: Path, seed: int = 0) -> None:
        self.config = Config(
            screen=(ScreenSettings(), ScreenSettings(seat=1, address=0x3D)),
            journal=JournalSettings(keep_games=200),
            table=TableSettings(hold=0.5, gather=0.5),
        )
        box = replace(self.config.box, state_dir=str(directory / "state"), run_dir=str(directory / "run"), power_off=())
        self.config = replace(self.config, box=box)
        self.loop = asyncio.get_running_loop()
        self.box = VirtualBox(4, self.loop.time, seat_screens=False)
        self.bus = ModelBus({0x3C: SSD1306Chip(), 0x3D: SSD1306Chip()})
        self.view = View()
        self.games = 0
        self.daemon = Daemon(
            self.config,
            self._ports,
            self._shown,
            open_writer=lambda journal, _: AtOnce(journal),
            open_journal=open_at_once,
        )
        self._rng = random.Random(seed)
        self._dealt: set[int] = set()

    def _ports(self, config: Config, post: Post, _: asyncio.AbstractEventLoop) -> Devices:
        return replace(self.box.open(post), screens=open_screens(config.screen, post, open_bus=lambda _: self.bus))

    def _shown(self, view: View) -> None:
        self.games += view.phase == "lobby" and self.view.phase != "lobby"
        self.view = view

    async def play(self, until: float) -> None:
        """Plays until the loop's clock says so."""
        while self.loop.time() < until:
            chance = self._rng.random()
            if chance < 0.004:
                await self._cable()
            elif chance < 0.02:
                await self._menu()
            else:
                await self._gesture()

    async def _gesture(self) -> None:
        view, rng = self.view, self._rng
        match view.phase:
            case "lobby":
                await self._hold(range(1, rng.randint(2, 4) + 1), 0.6)
            case "deal":
                await self._scan(self._deal(view))
            case "focus" if view.star_left:
                await self._scan(rng.randint(1, 100))
            case "focus":
                await self._hold((STAR,) if view.stars and rng.random() < 0.05 else view.seats, 0.03)
            case "play":
                await self._play(view)
            case "vote":
                await self._hold((rng.choice(view.waiting or view.seats),), 0.1)
            case "reveal":
                await self._scan(rng.randint(1, 100))
            case _:
                await self._hold((STAR,), 0.03)

    def _deal(self, view: View) -> int:
        if not sum((view.counts or {}).values()):
            self._dealt.clear()
        card = self._rng.choice([c for c in range(1, 101) if c not in self._dealt])
        self._dealt.add(card)
        return card

    async def _play(self, view: View) -> None:
        cards: set[Card] = {card for pile in view.piles for card in pile}
        top = max((card for card in cards if isinstance(card, int)), default=0)
        chance = self._rng.random()
        held = sorted(self._dealt.difference(cards, view.aside))
        if chance < 0.03:
            await self._hold((self._rng.choice((STAR, *view.seats)),), 0.1)
        elif view.hands == "known" and held:
            await self._scan(held[0] if chance < 0.8 else self._rng.choice(held))
        elif chance < 0.2 or top > 94:
            await self._scan(self._rng.randint(1, 100))
        else:
            await self._scan(min(top + self._rng.randint(1, 8), 100))

    async def _hold(self, buttons: tuple[int, ...] | range, seconds: float) -> None:
        for button in buttons:
            self.box.press(button)
        await asyncio.sleep(seconds)
        for button in buttons:
            self.box.lift(button)
        await asyncio.sleep(0.03)

    async def _scan(self, card: int) -> None:
        self.box.scan(str(card))
        await asyncio.sleep(0.03)

    async def _cable(self) -> None:
        self.box.unplug("reader")
        await asyncio.sleep(2)
        self.box.plug("reader")

    async def _menu(self) -> None:
        await self._hold((STAR,), 0.6)
        for _ in range(self._rng.randint(0, 8)):
            await self._hold((STAR,), 0.03)
        if self.view.menu != "shut-down":
            await self._hold((STAR,), 0.6)
        await self._hold((1,), 0.1)

    def sample(self) -> Sample:
        gc.collect()
        files = len(os.listdir("/proc/self/fd"))
        now = self.loop.time() / HOUR
        return Sample(now, self.games, rss(), files, threading.active_count(), len(gc.get_objects()))


async def soak(directory: Path, hours: float, steps: int, told: Callable[[Sample], None]) -> list[Sample]:
    """Plays so many virtual hours, with a sample after each of ``steps`` equal parts."""
    evening = Evening(directory)
    serving = asyncio.create_task(evening.daemon.serve())
    while ask_nothing(evening):
        await asyncio.sleep(0.01)
    samples = []
    for step in range(1, steps + 1):
        await evening.play(step * hours * HOUR / steps)
        samples.append(evening.sample())
        told(samples[-1])
    evening.daemon.stop()
    assert await serving == 0
    return samples


def ask_nothing(evening: Evening) -> bool:
    """Whether the box has yet to say that it is ready."""
    return not (Path(evening.config.box.run_dir) / "status.sock").exists()


def main() -> int:
    logging.disable(logging.CRITICAL)
    hours = float(sys.argv[1]) if len(sys.argv) > 1 else 8.0
    began = time.monotonic()

    def told(sample: Sample) -> None:
        print(
            f"{sample.hours:5.2f} h  {sample.games:6} games  {sample.rss / 1e6:6.1f} MB  {sample.files} files  "
            f"{sample.threads} threads  {sample.objects} objects  ({time.monotonic() - began:.0f} s)",
            flush=True,
        )

    with tempfile.TemporaryDirectory(prefix="mind-box-soak-") as directory:
        samples = run_virtual(soak(Path(directory), hours, 8, told))
    first, last = samples[0], samples[-1]
    growth = last.rss / first.rss - 1
    same = (first.files, first.threads) == (last.files, last.threads)
    print(json.dumps({"games": last.games, "growth_percent": round(100 * growth, 2), "files_and_threads_same": same}))
    return 0 if growth <= 0.05 and same else 1


if __name__ == "__main__":
    sys.exit(main())
