"""A table script played on a virtual box in front of an audience: real daemon, real time, a little faster than life."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mind_box.settings.schema import Config, ReaderSettings
from mind_box.virtual.reader_line import READER
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.replay import choose
from mind_box.virtual.tryout.machine import Machine

FASTER = 2.5
"""How much shorter the box's waits are here, and the script's gestures with them."""
TAP = 0.08
"""Seconds: never shorter, or the debounce would swallow it."""
HANDS = 2.5 / FASTER
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


class Rerun:
    """One replay. ``told`` is called whenever ``state`` has changed."""

    def __init__(self, script: sc.Script, text: str, machine: Machine, told: Callable[[], None]) -> None:
        lines = text.rstrip("\n").count("\n") + 1
        self.state: dict[str, Any] = {"line": 0, "lines": lines, "said": "", "failures": [], "done": False}
        self._script = script
        self._texts = text.split("\n")
        self._machine = machine
        self._told = told
        self._last_scan = ""

    async def play(self) -> None:
        """Plays all of it."""
        await self._until(lambda: self._machine.view is not None, START)
        for line in self._script.lines:
            self._tell(line=line.number, said=self._texts[line.number - 1].strip())
            await self._act(line)
        self._tell(done=True)

    def _tell(self, **changes: Any) -> None:
        self.state = {**self.state, **changes}
        self._told()

    async def _act(self, line: sc.Line) -> None:
        machine = self._machine
        match line.action:
            case sc.Hands(seats):
                everyone = tuple(self._field("seats") or range(1, machine.config.box.seats + 1))
                await self._hold(seats or everyone, HANDS)
            case sc.Buttons(what, buttons):
                for button in buttons:
                    if what == "tap":
                        await self._hold((button,), TAP)
                    else:
                        (machine.press if what == "down" else machine.lift)(button)
            case sc.Hold(button, seconds):
                await self._hold((button,), seconds / FASTER)
            case sc.ShowPayload(payload):
                if payload == self._last_scan:
                    await asyncio.sleep(REST)
                self._last_scan = payload
                machine.scan(payload)
                await asyncio.sleep(TAP)
            case sc.Wait(seconds):
                await asyncio.sleep(seconds / FASTER)
            case sc.Choose(item):
                await choose(item, self._field, lambda buttons, seconds: self._hold(buttons, seconds / FASTER))
            case sc.Plug(device, plugged):
                machine.plug(device, plugged)
                if device == READER:
                    await self._until(lambda: (READER in self._faults()) != plugged, ANSWER)
            case sc.Restart():
                machine.cut_power()
                machine.power_on()
                await self._until(lambda: machine.view is not None, START)
            case sc.Expect(field, value):
                if not await self._until(lambda: self._field(field) == value, ANSWER):
                    failure = {"line": line.number, "expected": value, "got": self._field(field)}
                    self._tell(failures=[*self.state["failures"], failure])

    def _faults(self) -> list[str]:
        view = self._machine.view
        return list(view.faults) if view else []

    def _field(self, name: str) -> Any:
        view = self._machine.view
        return sc.field_of(view, name) if view else None

    async def _hold(self, buttons: tuple[int, ...], seconds: float) -> None:
        for button in buttons:
            self._machine.press(button)
        await asyncio.sleep(max(seconds, TAP))
        for button in buttons:
            self._machine.lift(button)
        await asyncio.sleep(TAP)

    async def _until(self, true: Callable[[], bool], seconds: float) -> bool:
        """Waits for the box, at most so long; whether it came to that."""
        end = asyncio.get_running_loop().time() + seconds
        while not true():
            if asyncio.get_running_loop().time() > end:
                return False
            await asyncio.sleep(0.02)
        return True
