"""Virtual time: an asyncio loop whose clock jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Looks at the real files without waiting, and moves the clock by the time it was asked to wait."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:  # nothing is scheduled: only another thread or a real file can go on
            return super().select(None)
        ready = super().select(0)
        if not ready and timeout > 0:
            self.loop.jump(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time stands still while code runs, and jumps when everything waits. Starts at 0 s."""

    def __init__(self) -> None:
        self._virtual_now = 0.0
        self.failures: list[BaseException] = []
        """What callbacks raised that nobody handled."""
        selector = _JumpingSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self._virtual_now

    @property
    def timers(self) -> int:
        """How many are set."""
        return sum(not timer.cancelled() for timer in self._scheduled)  # type: ignore[attr-defined]

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        super().default_exception_handler(context)
        if "exception" in context:
            self.failures.append(context["exception"])

    def jump(self, seconds: float) -> None:
        """Moves the clock on."""
        self._virtual_now += seconds


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` in virtual time. What a callback raised, which asyncio would only log, is raised at the end."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result = runner.run(main)
        loop = runner.get_loop()
    assert isinstance(loop, VirtualLoop)
    if loop.failures:
        raise loop.failures[0]
    return result
