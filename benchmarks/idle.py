"""An idle box: wake-ups, CPU time and memory. Five displays, a serial reader, the journal."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.start import cpu, five_screens, rss

SECONDS = 20.0


def measure(seconds: float = SECONDS) -> dict[str, float]:
    """Over so many seconds of real time in the lobby, with nobody at the table."""
    with tempfile.TemporaryDirectory() as directory:
        box = five_screens(Path(directory))
        try:
            box.start()
            box.pass_time(1.0)
            before, began = wakeups(box.pid), cpu(box.pid)
            box.pass_time(seconds)
            woken, spent = wakeups(box.pid) - before, cpu(box.pid) - began
            memory = rss(box.pid)
            threads = len(os.listdir(f"/proc/{box.pid}/task"))
        finally:
            box.close()
    return {
        "seconds": seconds,
        "wakeups_per_second": round(woken / seconds, 2),
        "cpu_percent": round(100 * spent / seconds, 3),
        "rss_mb": round(memory / 1e6, 1),
        "threads": threads,
    }


def wakeups(pid: int) -> int:
    """Context switches of all threads so far, asked for and not."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        for line in Path(f"/proc/{pid}/task/{task}/status").read_text().splitlines():
            if line.startswith(("voluntary_ctxt", "nonvoluntary_ctxt")):
                total += int(line.split()[1])
    return total
