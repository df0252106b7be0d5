"""Pulses in software for a line that libgpiod can only switch: good enough for a piezo's tune, and only while it plays.

One thread per line while it pulses, none otherwise. The scheduler makes it jitter by about 0.1 ms: a tone, not a
servo.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)


class SoftPwm:
    """Pulses one line through ``write(level)`` until stopped. ``frequency`` in hertz, ``duty`` from 0 to 1."""

    def __init__(self, write: Callable[[bool], None], frequency: float, duty: float) -> None:
        self.frequency = frequency
        self.duty = duty
        self._write = write
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._apply()

    def set(self, frequency: float, duty: float) -> None:
        """Changes the pulses that run."""
        self.frequency, self.duty = frequency, duty
        self._apply()

    def stop(self) -> None:
        """Ends the pulses; the line stays where it is."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stop.set()
            thread.join()
            self._stop.clear()

    def _apply(self) -> None:
        if 0 < self.duty < 1:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pwm", daemon=True)
                self._thread.start()
        else:
            self.stop()
            self._write(self.duty >= 1)

    def _run(self) -> None:
        edge = time.monotonic()
        level = False
        while not self._stop.is_set():
            level = not level
            try:
                self._write(level)
            except OSError as e:
                log.debug("the pulses end: %s", e)  # the chip is gone; whoever sets the pin next is told
                return
            share = self.duty if level else 1 - self.duty
            now = time.monotonic()
            edge = max(edge + share / self.frequency, now)  # what was missed is not made up for
            time.sleep(edge - now)
