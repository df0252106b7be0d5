"""Table scripts and whole games on the real drivers over models, with or without faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mind_box.journal import Journal
from mind_box.referee import draw
from mind_box.show.lamps import lamps
from mind_box.table.view import View
from mind_box.virtual import script as sc
from mind_box.virtual.model_box import ModelBox
from mind_box.virtual.replay import Player
from tests.devices.aids import same

MakeBox = Callable[[int], ModelBox]


class DriverPlayer(Player):
    """Plays a script on a box of real drivers."""

    box: ModelBox  # type: ignore[assignment]

    def __init__(
        self, script: sc.Script, report: Callable[[dict[str, Any]], None], make_box: MakeBox = ModelBox
    ) -> None:
        self.failures = 0
        self._script = script
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._journal = Journal.in_memory()
        self.box = make_box(script.config.box.seats)
        self.referee = self._begin()

    @property
    def lines(self) -> tuple[sc.Line, ...]:
        return self._script.lines

    def wrong(self) -> list[str]:
        """What an eye sees that is not of this View."""
        view: View = self.view
        wrong = [] if self.box.lit() == lamps(view) else [f"lamps: {self.box.lit()}, not {lamps(view)}"]
        for name in self.box.panels:
            glass = self.box.glass(name)
            if not same(glass, draw(view, name, glass.size, self.referee.language)):
                wrong.append(name)
        return wrong
