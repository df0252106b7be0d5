"""What the readers' tests share: a pty as a serial device, a loop in virtual time, an inbox."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind_box.table.inputs import Input, Scan
from tests.readers.cables import Plug


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer when no descriptor is ready: no test sleeps."""

    def __init__(self) -> None:
        super().__init__(_JumpingSelector(self))
        self.now = 1000.0
        self.wake_ups = 0

    def time(self) -> float:
        return self.now

    def run(self, seconds: float) -> None:
        """Runs for this long in virtual time."""
        self.run_until_complete(asyncio.sleep(seconds))


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if timeout is None or timeout > 0:
            self._loop.wake_ups += 1
            if not ready and timeout is not None:
                self._loop.now += timeout
        return ready


class Inbox(list[Input]):
    """Everything that was posted."""

    @property
    def payloads(self) -> list[str]:
        return [i.payload for i in self if isinstance(i, Scan)]

    def kinds(self) -> list[str]:
        return [type(i).__name__ for i in self]


@pytest.fixture
def loop() -> Iterator[VirtualLoop]:
    loop = VirtualLoop()
    yield loop
    loop.close()


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    plug = Plug(tmp_path / "scanner")
    yield plug
    plug.unplug()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()
