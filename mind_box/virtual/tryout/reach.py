"""A hand that finds an item of the box's menu and chooses it, by the gestures that everyone uses: hold star, tap on."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from mind_box.table.inputs import STAR
from mind_box.table.menu import SECOND_HOLD
from mind_box.table.view import View

TAP = 0.12
"""Seconds that a tap is down."""
REST = 0.1
"""Seconds between two gestures: longer than the debounce."""
LONGER = 0.15
"""Seconds that a hold is longer than the box's own, so that it counts."""
ANSWER = 2.0
"""Seconds within which the box shows what came of a gesture."""


class Reached(Protocol):
    """The box."""

    view: View | None
    config: Any

    def press(self, button: int) -> None: ...
    def lift(self, button: int) -> None: ...


async def choose(box: Reached, item: str) -> bool:
    """Chooses an item, and says yes to a second hold that it asks for. False: it is not on offer here; the menu is
    closed again, as it is when the box answers nothing."""
    if box.view is None:
        return False
    if box.view.menu is None:
        await _hold(box, STAR, box.config.table.hold + LONGER)
        if not await _until(box, lambda view: view.menu is not None):
            return False
    seen: set[str] = set()
    while (lit := _lit(box)) != item:
        if lit is None or lit in seen:
            await _hold(box, 1, TAP)
            return False
        seen.add(lit)
        await _hold(box, STAR, TAP)
        await _until(box, lambda view, lit=lit: view.menu != lit)
    await _hold(box, STAR, box.config.table.hold + LONGER)
    await _until(box, lambda view: view.menu is None)
    if item in SECOND_HOLD and await _until(box, lambda view: view.asking == item):
        await _hold(box, STAR, box.config.table.hold + LONGER)
        await _until(box, lambda view: view.asking is None)
    return True


def _lit(box: Reached) -> str | None:
    return None if box.view is None else box.view.menu


async def _hold(box: Reached, button: int, seconds: float) -> None:
    box.press(button)
    await asyncio.sleep(seconds)
    box.lift(button)
    await asyncio.sleep(REST)


async def _until(box: Reached, true: Any) -> bool:
    end = asyncio.get_running_loop().time() + ANSWER
    while box.view is None or not true(box.view):
        if asyncio.get_running_loop().time() > end:
            return False
        await asyncio.sleep(0.02)
    return True
