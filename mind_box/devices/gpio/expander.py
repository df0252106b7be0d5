"""Lamps on a second GPIO chip with a kernel driver, an MCP23017 on I2C: outputs only, written by one thread.

A write to such a chip waits for its I2C bus, up to 0.1 s behind a screen's picture; the loop must not.
"""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from mind_box.devices.fault import Fault
from mind_box.devices.gpio.header_chip import named_chip

log = logging.getLogger(__name__)

CLOSING = 0.5
"""Seconds that ``close`` waits for the lamps to go out."""

OpenChip = Callable[[str], Any]
"""Opens the chip of this label or path as a ``gpiod.Chip``. Raises ``NoChip`` or ``OSError``."""


def open_named_chip(name: str) -> Any:
    """The kernel's chip of this label or path."""
    import gpiod

    return gpiod.Chip(str(named_chip(name, "gpio.expander").path))


class ExpanderLamps:
    """All lamps of one expander. The thread starts with the first levels and sleeps while nothing changes.

    ``tell`` is called from that thread with what is wrong when a try fails, and with None when one succeeds
    after that.
    """

    def __init__(
        self,
        name: str,
        tell: Callable[[str | None], None],
        open_chip: OpenChip = open_named_chip,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._open = open_chip
        self._clock = clock
        self._changed = threading.Condition()
        self._wanted: dict[int, bool] = {}
        self._thread: threading.Thread | None = None
        self._stop = False
        # The thread's own:
        self._chip: Any = None
        self._request: Any = None
        self._written: dict[int, bool] = {}
        self._fault = Fault(tell, clock)

    def show(self, levels: Mapping[int, bool]) -> None:
        """Hands over the level of each line, 0 to 15; the newest wins."""
        with self._changed:
            self._wanted = dict(levels)
            if self._thread is None and not self._stop:
                self._thread = threading.Thread(target=self._run, name=f"lamps {self._name}", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """All lamps off; lets go of the chip."""
        with self._changed:
            self._wanted = dict.fromkeys(self._wanted, False)
            self._stop = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(CLOSING)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not (self._stop or self._due()):
                    self._changed.wait(self._fault.retry_at - self._clock() if self._fault.lost else None)
                wanted, stop = dict(self._wanted), self._stop
            if wanted != self._written:
                self._try(wanted)
            if stop:
                self._let_go()
                return

    def _due(self) -> bool:
        if self._fault.lost:
            return self._clock() >= self._fault.retry_at
        return self._wanted != self._written

    def _try(self, wanted: dict[int, bool]) -> None:
        try:
            self._write(wanted)
        except Exception as e:
            self._let_go()
            self._fault.failed(f"expander {self._name}: {str(e) or type(e).__name__}")
        else:
            self._written = wanted
            self._fault.end()

    def _write(self, wanted: dict[int, bool]) -> None:
        from gpiod import LineSettings
        from gpiod.line import Direction, Value

        if self._request is None:
            self._chip = self._open(self._name)
            outputs = {
                line: LineSettings(direction=Direction.OUTPUT, output_value=Value(int(on)))
                for line, on in wanted.items()
            }
            try:
                self._request = self._chip.request_lines(outputs, consumer="mind-box")
            except OSError as e:
                if e.errno != errno.EBUSY:
                    raise
                taken = [self._chip.get_line_info(line) for line in wanted]
                who = ", ".join(f"line {i.offset} is taken by {i.consumer!r}" for i in taken if i.used)
                raise OSError(e.errno, f"{who}: stop that program, or use other lines") from e
        else:
            self._request.set_values({line: Value(int(on)) for line, on in wanted.items()})

    def _let_go(self) -> None:
        self._written = {}
        for held in (self._request, self._chip):
            try:
                if held is not None:
                    held.release() if held is self._request else held.close()
            except OSError as e:
                log.debug("expander %s: %s while letting go", self._name, e)
        self._request = self._chip = None
