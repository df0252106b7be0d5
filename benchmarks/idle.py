"""An idle box: wake-ups, memory, and the CPU time that a start takes. Five displays, a serial reader, the journal."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.e2e.machine import Machine

SECONDS = 20.0


def measure(seconds: float = SECONDS) -> dict[str, float]:
    """Over so many seconds of real time in the lobby, with nobody at the table."""
    with tempfile.TemporaryDirectory() as directory:
        seats = "".join(
            f'[[screen]]\nseat = {seat}\nbus = "sim:{directory}/oled"\nmux = 0x70\nchannel = {seat - 1}\n'
            for seat in range(1, 5)
        )
        box = Machine(Path(directory), seats)
        try:
            box.start()
            ready = _cpu(box.pid)
            box.pass_time(1.0)
            before, cpu = _wakeups(box.pid), _cpu(box.pid)
            box.pass_time(seconds)
            wakeups, spent = _wakeups(box.pid) - before, _cpu(box.pid) - cpu
            rss = _rss(box.pid)
            threads = len(os.listdir(f"/proc/{box.pid}/task"))
        finally:
            box.close()
    return {
        "seconds": seconds,
        "wakeups_per_second": round(wakeups / seconds, 2),
        "cpu_percent": round(100 * spent / seconds, 3),
        "rss_mb": round(rss / 1e6, 1),
        "start_cpu_ms": round(ready * 1000),
        "threads": threads,
    }


def _wakeups(pid: int) -> int:
    """Context switches of all threads, asked for and not."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        for line in Path(f"/proc/{pid}/task/{task}/status").read_text().splitlines():
            if line.startswith(("voluntary_ctxt", "nonvoluntary_ctxt")):
                total += int(line.split()[1])
    return total


def _cpu(pid: int) -> float:
    """Seconds of CPU, user and system, so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss(pid: int) -> int:
    """Bytes resident."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
