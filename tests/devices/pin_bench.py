"""The box's buttons and lamps over the libgpiod factory and a model of the chip, in virtual time."""

from __future__ import annotations

import asyncio
from typing import Any

from mind_box.devices.gpio.gpiod_factory import GpiodFactory
from mind_box.devices.gpio.pins import open_pins
from mind_box.settings.schema import GpioSettings
from mind_box.table.inputs import Post
from mind_box.virtual.scripts.clock import run_virtual
from tests.devices.aids import Inbox
from tests.models.gpio_chip import ModelChip, ModelGpio

PATH = "/dev/gpiochip0"
SETTINGS = GpioSettings()
ALL = (*SETTINGS.life_lamps, *SETTINGS.star_lamps, *SETTINGS.seat_lamps)


class Bench:
    """A box on a model chip; to be made in a loop of virtual time."""

    def __init__(
        self, settings: GpioSettings = SETTINGS, seats: int = 4, chip: ModelChip | None = None, post: Post | None = None
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.chip = chip or self.new_chip()
        self.gpio = ModelGpio(self.chip)
        self.inbox = Inbox()
        self.made = 0
        self.names: list[str] = []
        self.buttons, self.lamps = open_pins(settings, seats, post or self.inbox.append, self.loop, self._make)

    def new_chip(self) -> ModelChip:
        return ModelChip(PATH, clock_ns=lambda: int(self.loop.time() * 1e9))

    def _make(self, settings: GpioSettings, loop: asyncio.AbstractEventLoop, on_lost: Any) -> tuple[GpiodFactory, str]:
        self.made += 1
        self.names.append(settings.factory)
        factory = GpiodFactory(PATH, consumer="mind-box", loop=loop, on_lost=on_lost, open_chip=self.gpio.open)
        return factory, "gpiod"

    def lit(self) -> set[int]:
        return {pin for pin in ALL if self.chip.lines[pin].level and self.chip.lines[pin].holder}

    def close(self) -> None:
        self.buttons.close()
        self.lamps.close()


async def rest(seconds: float = 0.0) -> None:
    await asyncio.sleep(seconds)
    for _ in range(4):
        await asyncio.sleep(0)


def virtual(test: Any) -> Any:
    """Runs a test in a loop of virtual time."""

    def run() -> None:
        run_virtual(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run
