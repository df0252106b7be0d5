"""Fingers, table scripts and whole games on the real drivers over models, with or without faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from unittest.mock import patch

from gpiozero.pins.mock import MockFactory, MockPin

from mind_box.journal.journal import Journal
from mind_box.referee import Referee
from mind_box.settings.schema import Config, GpioSettings
from mind_box.show.lamps import lamps
from mind_box.show.screens import draw, tables_missing
from mind_box.table.debounce import Debounce, Stable
from mind_box.table.view import View
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import Player
from tests.devices.aids import same
from tests.models.model_box import ModelBox

MakeBox = Callable[[int], ModelBox]


class DriverPlayer(Player):
    """Plays a script on a box of real drivers."""

    box: ModelBox  # type: ignore[assignment]

    def __init__(
        self, script: sc.Script, report: Callable[[dict[str, Any]], None], make_box: MakeBox = ModelBox
    ) -> None:
        self._make_box = make_box
        super().__init__(script, report)

    def _made_box(self, seats: int) -> ModelBox:  # type: ignore[override]
        return self._make_box(seats)

    @property
    def lines(self) -> tuple[sc.Line, ...]:
        return self.script.lines

    def wrong(self) -> list[str]:
        """What an eye sees that is not of this View."""
        view: View = self.view
        wrong = [] if self.box.lit() == lamps(view) else [f"lamps: {self.box.lit()}, not {lamps(view)}"]
        stands_in = tables_missing(self.box.panels, view.faults)
        for name in self.box.panels:
            glass = self.box.glass(name)
            if not same(glass, draw(view, name, glass.size, self.referee.language, stands_in)):
                wrong.append(name)
        return wrong


class MockBox(ModelBox):
    """The real drivers on gpiozero's mock pins, or others above them, given out as another library's."""

    def __init__(self, pin_class: type[MockPin], gpio: GpioSettings | None = None, name: str = "lgpio") -> None:
        super().__init__(gpio=gpio, screens=())
        self._pins = MockFactory(pin_class=pin_class)
        self._name = name

    def _factory(self, settings: GpioSettings, loop: asyncio.AbstractEventLoop, lost: Any) -> tuple[Any, str]:
        del settings, loop, lost
        return self._pins, self._name

    def press(self, button: int, told: bool = True) -> None:
        assert told
        self.down.add(button)
        self._pins.pin(self.pin(button)).drive_low()

    def lift(self, button: int, told: bool = True) -> None:
        assert told
        self.down.discard(button)
        self._pins.pin(self.pin(button)).drive_high()


class CountedReferee(Referee):
    """Counts its turns."""

    turns = 0

    def turn(self) -> None:
        self.turns += 1
        super().turn()


class Noting(Debounce):
    """Tells what has counted."""

    def __init__(self, noted: Callable[[list[Stable]], None], *args: Any) -> None:
        super().__init__(*args)
        self._noted = noted

    def settle(self, now: float) -> list[Stable]:
        changes = super().settle(now)
        self._noted(changes)
        return changes


class Table:
    """Fingers on a box, and eyes on what it makes of them."""

    def __init__(self, box: ModelBox | None = None) -> None:
        self.box = box or ModelBox()
        self.counted: list[Stable] = []
        self.told: Callable[[], None] = lambda: None
        """Called when something has counted."""
        self.referee = CountedReferee(Config(), Journal.in_memory())
        with patch("mind_box.table.table.Debounce", partial(Noting, self._noted)):
            self.referee.start(self.box.open)

    def _noted(self, changes: list[Stable]) -> None:
        self.counted += changes
        self.told()

    @property
    def turns(self) -> int:
        return self.referee.turns

    @property
    def view(self) -> View:
        return self.referee.view

    async def hands(self, *seats: int) -> None:
        for seat in seats:
            self.box.press(seat)
        await asyncio.sleep(2.5)
        for seat in seats:
            self.box.lift(seat)
        await asyncio.sleep(0.1)


def table(test: Callable[[Table], Awaitable[None]]) -> Callable[[], None]:
    """Runs a test with a table, in virtual time."""

    def run() -> None:
        async def main() -> None:
            bench = Table()
            await asyncio.sleep(1.0)
            await test(bench)
            bench.referee.close()

        run_virtual(main())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run
