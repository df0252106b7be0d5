"""The system's clock, the one place that reads it: only where it is known to be set, and only to tell dates.

A Pi has no clock of its own: until the network has set it, it shows any time. No rule and no timer ever asks here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

EARLIEST = 1_764_547_200
"""Seconds since 1970 (2025-12-01): this program is no older, so whatever shows less is not set."""
SET = "run/systemd/timesync/synchronized"
"""Is there once systemd's own time service has set the clock."""
RTCS = "sys/class/rtc"


def how_set(root: Path = Path("/")) -> str | None:
    """By whom the clock is known to be set: ``network`` or ``battery``; None: by nobody that is known.

    ``root`` is where ``run`` and ``sys`` are found.
    """
    if time.time() < EARLIEST:
        return None
    if (root / SET).exists():
        return "network"
    for rtc in (root / RTCS).glob("rtc*/hctosys"):
        try:
            if rtc.read_text().strip() == "1":  # the kernel has set the clock from this one
                return "battery"
        except OSError:
            continue
    return None


def shown() -> str:
    """The day that the clock shows, set or not (ISO 8601): for those who have to hear that it is wrong."""
    return time.strftime("%Y-%m-%d", time.localtime())


def date(ago: float = 0.0, known: Callable[[], str | None] = how_set) -> str | None:
    """The date so many seconds ago, UTC by ISO 8601; None while the clock is not known to be set."""
    if known() is None:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - ago))
