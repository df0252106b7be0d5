"""Boxes on a broker in virtual time: the real referee on a virtual box, its journal on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from mind_box.broker.in_thread import at_once
from mind_box.broker.on_broker import BoxOnBroker
from mind_box.journal.journal import Journal
from mind_box.referee import Referee
from mind_box.settings.schema import BrokerSettings
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.replay import Player
from tests.broker.fake_broker import FakeBroker, FakeLine

LEVEL = """
hands 1 2
hands
scan 10
scan 20
"""
"""The first level of a game of two, done."""
LEFT = """
menu end-game
hold star 2
"""


def nowhere(_: dict[str, Any]) -> None:
    """What a script reports is not of interest."""


class BoxAtTable(Player):
    """Plays lines of a table script on a box that is on a broker."""

    def __init__(self, broker: FakeBroker, journal: Path | None, text: str = "", **settings: Any) -> None:
        self.broker = broker
        script = sc.parse_script(text)
        chosen = {"host": "broker.test", "name": "Fuchs", "club": True, **settings}
        script = replace(script, config=replace(script.config, broker=BrokerSettings(**chosen)))
        self.on_broker: BoxOnBroker | None = None
        self.line: FakeLine
        super().__init__(script, nowhere, None if journal is None else Journal.open(journal))

    def _begin(self) -> Referee:
        referee = super()._begin()
        self.on_broker = BoxOnBroker(self.script.config, referee, open_line=self._open_line, beside=at_once)
        referee.listeners.append(self.on_broker.show)
        self.on_broker.show(referee.view)
        self.on_broker.start()
        return referee

    async def _restart(self) -> None:
        """The plug is pulled."""
        self.line.kill()
        assert self.on_broker is not None
        self.on_broker.stop()
        await super()._restart()

    def _open_line(self, *values: Any) -> FakeLine:
        self.line = self.broker.open(*values)
        return self.line

    async def do(self, text: str) -> None:
        """More lines."""
        for line in sc.parse_script(text).lines:
            await self.act(line.number, line.action)

    def state(self) -> dict[str, Any]:
        text = self.broker.topic(f"mind-box/{self.script.config.broker.name}/state")
        assert text is not None
        found: dict[str, Any] = json.loads(text)
        return found

    def close(self) -> None:
        assert self.on_broker is not None
        self.on_broker.stop()
        self.referee.close()
        self.journal.close()
