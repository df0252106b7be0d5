"""Lamps on a second GPIO chip with a kernel driver (an MCP23017 on I2C): outputs only, written by one thread.

A write to such a chip waits for the I2C bus, up to 0.1 s behind a screen's picture; the loop must not.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from mind_box.devices.header_chip import named_chip

log = logging.getLogger(__name__)


class ExpanderLamp:
    """One output line of the expander."""

    def __init__(self, expander: Expander, line: int) -> None:
        self._expander = expander
        self._line = line

    def light(self, on: bool) -> None:
        """Hands the level over; a failure is told through the expander."""
        self._expander.set(self._line, on)

    def close(self) -> None:
        self._expander.drop(self._line)


class Expander:
    """The chip; its thread starts with the first lamp and sleeps while nothing changes.

    ``on_failed`` is called from that thread, once, with a one-line reason.
    """

    def __init__(self, name: str, on_failed: Callable[[str], None]) -> None:
        self._name = name
        self._on_failed = on_failed
        self._changed = threading.Condition()
        self._wanted: dict[int, bool] = {}
        self._requests: dict[int, Any] = {}
        self._chip: Any = None
        self._thread: threading.Thread | None = None
        self._stop = False

    def lamp(self, line: int, on: bool) -> ExpanderLamp:
        """Asks for a line as an output. Raises ``NoChip`` or ``OSError``."""
        import gpiod
        from gpiod.line import Direction, Value

        if self._chip is None:
            self._chip = gpiod.Chip(str(named_chip(self._name, "gpio.expander").path))
        settings = gpiod.LineSettings(direction=Direction.OUTPUT, output_value=Value(int(on)))
        self._requests[line] = self._chip.request_lines({line: settings}, consumer="mind-box")
        return ExpanderLamp(self, line)

    def set(self, line: int, on: bool) -> None:
        """Hands a level to the thread; the newest wins."""
        with self._changed:
            self._wanted[line] = on
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="expander lamps", daemon=True)
                self._thread.start()
            self._changed.notify()

    def drop(self, line: int) -> None:
        """Releases a line."""
        with self._changed:
            request = self._requests.pop(line, None)
            self._wanted.pop(line, None)
        if request is not None:
            request.release()

    def close(self) -> None:
        """Ends the thread and lets go of the chip."""
        with self._changed:
            self._stop = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(0.5)
        if self._chip is not None:
            self._chip.close()
            self._chip = None

    def _run(self) -> None:
        from gpiod.line import Value

        while True:
            with self._changed:
                while not self._wanted and not self._stop:
                    self._changed.wait()
                if self._stop:
                    return
                line, on = self._wanted.popitem()
                request = self._requests.get(line)
            if request is None:
                continue
            try:
                request.set_value(line, Value(int(on)))
            except Exception as e:
                self._on_failed(f"expander {self._name}, line {line}: {e}")
