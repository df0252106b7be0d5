"""A room whose box runs in the same loop, in virtual time: the referee on a ``VirtualBox`` instead of a process."""

from __future__ import annotations

import asyncio

from mind_box.journal.journal import Journal
from mind_box.referee import Referee
from mind_box.settings.schema import Config
from mind_box.table.view import View
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.tryout.machine import OFF, ON, Hooks


class InProcess:
    """A ``mind_box.virtual.tryout.place.Box``."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.hooks = Hooks()
        self.power = OFF
        self.language = config.box.language
        self.view: View | None = None
        self.down: set[int] = set()
        self.scans: list[str] = []
        self.journal = Journal.in_memory()
        self.box = VirtualBox(config.box.seats, asyncio.get_running_loop().time)
        self.referee: Referee | None = None

    async def start(self) -> None:
        self.power_on()

    async def close(self) -> None:
        self.cut_power()

    def power_on(self) -> None:
        self.referee = Referee(self.config, self.journal)
        self.referee.listeners.append(self._shown)
        self.power = ON
        self.referee.start(self.box.open)

    def cut_power(self) -> None:
        if self.referee is not None:
            self.referee.close()
            self.referee = None
        self.box.cut_power()
        self.view, self.power = None, OFF
        self.hooks.changed()

    def press(self, button: int) -> None:
        self.down.add(button)
        self.box.press(button)
        self.hooks.changed()

    def lift(self, button: int) -> None:
        self.down.discard(button)
        self.box.lift(button)
        self.hooks.changed()

    def scan(self, payload: str) -> None:
        self.scans.append(payload)
        self.box.scan(payload)

    def _shown(self, view: View) -> None:
        self.view = view
        self.hooks.changed()
