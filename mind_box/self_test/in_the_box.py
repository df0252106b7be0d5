"""The self-test from the box's own menu: borrows the ports of the running box, and gives them back."""

from __future__ import annotations

import asyncio
import logging

from mind_box.referee import Referee
from mind_box.self_test.engine import SelfTest
from mind_box.show.words import words_for
from mind_box.table.inputs import Input

log = logging.getLogger(__name__)

READING = 8.0
"""Seconds that the result stays on the table screen."""


class BoxSelfTest:
    """One run, from the menu's choice to the lobby again."""

    def __init__(self, referee: Referee, loop: asyncio.AbstractEventLoop) -> None:
        assert referee.devices is not None
        self._referee = referee
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        say = words_for(referee.language).say
        self._test = SelfTest(referee.config.box.seats, referee.devices, say, enrolled=referee.enrolled)

    def start(self) -> None:
        """Begins; the rest comes with inputs and time."""
        self._referee.borrow(self._feed)
        faults = self._referee.view.faults
        self._test.start(self._loop.time(), dict.fromkeys(faults, "missing"))
        self._later()

    def _feed(self, event: Input) -> None:
        if self._test.due is not None:  # afterwards nothing may put off the way back
            self._test.feed(event)
            self._later()

    def _wake(self) -> None:
        self._test.wake(self._loop.time())
        self._later()

    def _later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._test.due is not None:
            self._timer = self._loop.call_at(self._test.due, self._wake)
        else:
            for line in self._test.page().splitlines():
                log.info("self-test: %s", line)
            self._timer = self._loop.call_later(READING, self._referee.give_back)
