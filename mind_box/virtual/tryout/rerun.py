"""A table script played on a virtual box in front of an audience: real daemon, real time, a little faster than life."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mind_box.settings.schema import Config, ReaderSettings
from mind_box.table.view import View
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.box import READER
from mind_box.virtual.scripts.replay import Gestures
from mind_box.virtual.tryout.machine import Machine

FASTER = 2.5
"""How much shorter the box's waits are here, and the script's gestures with them."""
ANSWER = 1.5
"""Seconds within which an expected view has to show."""
START = 20.0
"""Seconds that the daemon may take to start."""
REST = 0.25
"""Seconds until the reader takes the same card again."""


def rerun_settings(script: sc.Script, box: Config) -> Config:
    """The script's game on this box's hardware. The script's waits, shortened: its gestures are made for them."""
    t = script.config.table
    waits = {name: getattr(t, name) / FASTER for name in ("hold", "gather", "vote", "menu", "check")}
    table = replace(t, **waits)
    return replace(box, game=script.config.game, table=table, reader=(ReaderSettings(same_card_seconds=0.2),))


class Rerun(Gestures):
    """One replay. ``tell`` is called whenever ``state`` has changed."""

    box: Machine
    SHORTEST: float = 0.08 * FASTER
    """Or the debounce would swallow it."""

    def __init__(self, script: sc.Script, text: str, machine: Machine, tell: Callable[[], None]) -> None:
        self.script = script
        lines = text.rstrip("\n").count("\n") + 1
        self.state: dict[str, Any] = {"line": 0, "lines": lines, "said": "", "failures": [], "done": False}
        self.box = machine
        self._texts = text.split("\n")
        self._changed = tell
        self._last_scan = ""

    async def play(self) -> None:
        """Plays all of it."""
        await self._until(lambda: self.box.view is not None, START)
        for line in self.script.lines:
            self._tell(line=line.number, said=self._texts[line.number - 1].strip())
            await self.act(line.number, line.action)
        self._tell(done=True)

    def _tell(self, **changes: Any) -> None:
        self.state = {**self.state, **changes}
        self._changed()

    def _shown(self) -> View | None:
        return self.box.view

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / FASTER)

    async def _scan(self, payload: str) -> None:
        if payload == self._last_scan:
            await asyncio.sleep(REST)
        self._last_scan = payload
        await super()._scan(payload)
        await self.sleep(self.SHORTEST)

    async def _plug(self, device: str, plugged: bool) -> None:
        self.box.plug(device, plugged)
        if device == READER:
            await self._until(lambda: (READER in (self._field("faults") or ())) != plugged, ANSWER)

    async def _restart(self) -> None:
        self.box.cut_power()
        self.box.power_on()
        await self._until(lambda: self.box.view is not None, START)

    async def _expect(self, number: int, field: str, value: Any) -> None:
        if not await self._until(lambda: self._is(field, value), ANSWER):
            failure = {"line": number, "expected": value, "got": self._field(field)}
            self._tell(failures=[*self.state["failures"], failure])

    async def _until(self, true: Callable[[], bool], seconds: float) -> bool:
        """Waits for the box, at most so long; whether it came to that."""
        end = asyncio.get_running_loop().time() + seconds
        while not true():
            if asyncio.get_running_loop().time() > end:
                return False
            await asyncio.sleep(0.02)
        return True
