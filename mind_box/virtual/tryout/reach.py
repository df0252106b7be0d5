"""A hand that finds an item of the box's menu and chooses it, by the gestures that everyone uses: hold star, tap on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from mind_box.table.inputs import STAR
from mind_box.table.menu import SECOND_HOLD
from mind_box.table.view import View

TAP = 0.12
"""Seconds that a tap is down."""
REST = 0.1
"""Seconds between two gestures: longer than the debounce."""
TAPS = 3
"""Taps without an answer after which it is given up."""
ANSWER = 2.0
"""Seconds within which the box shows what came of a gesture."""


class Reached(Protocol):
    """The box."""

    view: View | None
    config: Any
    down: set[int]

    def press(self, button: int) -> None: ...
    def lift(self, button: int) -> None: ...


async def choose(box: Reached, item: str) -> bool:
    """Chooses an item, and says yes to a second hold that it asks for. False: it is not on offer here; the menu is
    closed again, as it is when the box answers nothing."""
    if _lit(box) is None and not await _hold_star(box, lambda view: view.menu is not None):
        return False
    seen: set[str | None] = {None}
    while (lit := _lit(box)) != item:
        if lit in seen or not await _next(box, lit):
            await _tap(box, 1)
            return False
        seen.add(lit)
    chosen = await _hold_star(box, lambda view: view.menu is None)
    if chosen and item in SECOND_HOLD:
        return await _hold_star(box, lambda view: view.asking is None)
    return chosen


async def _next(box: Reached, lit: str | None) -> bool:
    """Taps on to the next item; a tap that a busy box has not seen is one more tap."""
    for _ in range(TAPS):
        await _tap(box, STAR)
        if await _until(box, lambda view: view.menu != lit):
            return True
    return False


async def _hold_star(box: Reached, done: Callable[[View], bool]) -> bool:
    """Holds star until the box shows that this came of it; whether it did. Somebody's own finger goes first."""
    if not await _until(box, lambda _: STAR not in box.down):
        return False
    await asyncio.sleep(REST)  # or the debounce would not see that it was up
    box.press(STAR)
    held = await _until(box, done, box.config.table.hold + ANSWER)
    box.lift(STAR)
    await asyncio.sleep(REST)
    return held


async def _tap(box: Reached, button: int) -> None:
    box.press(button)
    await asyncio.sleep(TAP)
    box.lift(button)
    await asyncio.sleep(REST)


def _lit(box: Reached) -> str | None:
    return None if box.view is None else box.view.menu


async def _until(box: Reached, true: Callable[[View], bool], seconds: float = ANSWER) -> bool:
    end = asyncio.get_running_loop().time() + seconds
    while box.view is None or not true(box.view):
        if asyncio.get_running_loop().time() > end:
            return False
        await asyncio.sleep(0.02)
    return True
