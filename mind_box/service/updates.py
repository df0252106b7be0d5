"""A new version, told in the lobby's menu and asked for there; root's service brings it (``mind_box.updating``)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mind_box.referee import Referee
from mind_box.service import UPDATES
from mind_box.show.menu_words import NO_UPDATE, UPDATE_COMES
from mind_box.show.pictures import name_picture
from mind_box.show.words import words_for
from mind_box.table.inputs import Input

log = logging.getLogger(__name__)

SAID = UPDATES / "said"
"""What the update said; its last line tells why there was none."""
COMMAND = ("systemctl", "start", "mind-box-update-now.service")
"""Ends when the update has; polkit lets the box's user start this one. A new version ends the box before that."""
READING = 10.0
"""Seconds that the reason stays on the screens."""


class BoxUpdate:
    """One update, from the menu's choice to the new version, or to the lobby again with the reason on the screens."""

    def __init__(
        self,
        referee: Referee,
        loop: asyncio.AbstractEventLoop,
        command: Sequence[str] = COMMAND,
        said: Path = SAID,
    ) -> None:
        self._referee = referee
        self._loop = loop
        self._command = command
        self._said = said
        self._say = words_for(referee.language).say
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins; buttons mean nothing meanwhile."""
        self._referee.borrow(self._nothing)
        self._show(self._say(UPDATE_COMES))
        self._task = self._loop.create_task(self._carry_out())

    @staticmethod
    def _nothing(_: Input) -> None:
        """What is pressed or shown meanwhile."""

    async def _carry_out(self) -> None:
        try:
            process = await asyncio.create_subprocess_exec(*self._command)
            status = await process.wait()
            why = _last_line(self._said) or f"{' '.join(self._command)}: {status}"
        except OSError as e:
            why = f"{self._command[0]}: {e.strerror}"
        log.warning("no update: %s", why)
        self._show(self._say(NO_UPDATE, why=why))
        self._loop.call_later(READING, self._referee.give_back)

    def _show(self, text: str) -> None:
        assert self._referee.devices is not None
        for screen in self._referee.devices.screens.values():
            screen.show(partial(name_picture, text, screen.size))


def _last_line(path: Path) -> str:
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
