"""The box shows its name, when somebody far away wants to know which one it is: in the lobby only, until a touch."""

from __future__ import annotations

import asyncio
from functools import partial

from mind_box.referee import Referee
from mind_box.table.inputs import Edge, Input, Scan

SECONDS = 8.0
"""How long the name stays."""


class ShowName:
    """Borrows the ports of a running box while nobody plays, and gives them back at once when somebody wants to."""

    def __init__(self, referee: Referee, name: str) -> None:
        self._referee = referee
        self._name = name
        self._timer: asyncio.TimerHandle | None = None

    def show(self) -> bool:
        """Shows it; False: not now."""
        referee = self._referee
        if referee.borrowed or referee.view.phase != "lobby" or referee.view.hands_down or referee.view.menu:
            return False
        from mind_box.show.pictures import name_picture

        assert referee.devices is not None
        referee.borrow(self._touched)
        for screen in referee.devices.screens.values():
            screen.show(partial(name_picture, self._name, screen.size))
        if referee.touched is not None:  # screens that went dark are lit
            referee.touched(referee.view)
        self._timer = asyncio.get_running_loop().call_later(SECONDS, self.end)
        return True

    def end(self) -> None:
        """The table is on the screens again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._referee.give_back()

    def _touched(self, event: Input) -> None:
        if isinstance(event, Edge | Scan):
            self.end()
        if isinstance(event, Scan):
            self._referee.post(event)
