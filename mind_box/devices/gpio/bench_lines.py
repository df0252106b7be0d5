"""The header's lines for the test of a bare board: gpiozero's pins, whichever factory gives them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any

from mind_box.devices.gpio.buttons import close_quietly
from mind_box.devices.gpio.pin_factory import choose
from mind_box.settings.schema import GpioSettings

log = logging.getLogger(__name__)


class PinLines:
    """``Lines`` on a pin factory, which is closed with them."""

    def __init__(self, factory: Any, pins: Iterable[int]) -> None:
        """Raises what the factory raises for a pin that cannot be had: it is in use, or no chip is there."""
        self._factory = factory
        self._pins: dict[int, Any] = {}
        try:
            for number in pins:
                self._pins[number] = factory.pin(number)
                self._pins[number].input_with_pull("up")
        except Exception:
            self.close()
            raise

    def pull(self, up: bool) -> None:
        for pin in self._pins.values():
            pin.input_with_pull("up" if up else "down")

    def low(self, line: int) -> None:
        self._pins[line].output_with_state(0)

    def high(self, line: int) -> None:
        self._pins[line].output_with_state(1)

    def levels(self) -> dict[int, bool]:
        return {number: bool(pin.state) for number, pin in self._pins.items()}

    def close(self) -> None:
        for pin in self._pins.values():
            close_quietly(pin)
        self._pins.clear()
        self._factory.close()


def open_lines(settings: GpioSettings, pins: Iterable[int]) -> PinLines:
    """The real ones. Raises ``NoFactory``, or what its pins raise."""
    loop = asyncio.new_event_loop()
    try:
        factory, _ = choose(settings, loop, lambda error: log.warning("the chip is gone: %s", error))
        return PinLines(factory, pins)
    finally:
        loop.close()
