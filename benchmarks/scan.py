"""Scan to screen: from the last byte into the scanner's pty to the first byte of the new picture on the OLED's bus.

A real ``mind-box run`` in another process, with its journal (fsync) on this machine's disk.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

from tests.e2e.machine import Machine


def measure(levels: int = 7) -> dict[str, float]:
    """Milliseconds, median and 95th percentile; and one fsync of a small append here, for comparison."""
    with tempfile.TemporaryDirectory() as directory:
        box = Machine(Path(directory))
        try:
            box.start()
            box.press(1, 2)
            box.pass_time(0.6)
            box.lift(1, 2)
            box.expect(phase="focus")
            times: list[float] = []
            for level in range(1, levels + 1):  # a perfect team; a card that comes back too soon would be resting
                _hands(box)
                box.expect(phase="play", level=level)
                first = level * 23 % 80 + 1
                times += [_scan(box, card) for card in range(first, first + 2 * level)]
            fsync = _fsync(Path(directory))
        finally:
            box.close()
    times.sort()
    return {
        "scans": len(times),
        "median_ms": round(statistics.median(times) * 1000, 2),
        "p95_ms": round(times[int(len(times) * 0.95)] * 1000, 2),
        "fsync_ms": round(fsync * 1000, 2),
    }


def _hands(box: Machine) -> None:
    box.press(1, 2)
    box.expect(hands_down=[1, 2])
    box.lift(1, 2)


def _scan(box: Machine, card: int) -> float:
    """Seconds until the capture of the bus grows."""
    size = -1
    while size != box.capture.stat().st_size:  # the picture before is out
        size = box.capture.stat().st_size
        box.pass_time(0.05)
    begin = time.perf_counter()
    box.scan(str(card))
    while box.capture.stat().st_size == size:
        box.pass_time(0.0001)  # the core is the box's
        assert time.perf_counter() - begin < 5, box.log
    return time.perf_counter() - begin


def _fsync(directory: Path) -> float:
    """Median seconds of an append and its fsync."""
    times = []
    with (directory / "probe").open("ab", buffering=0) as f:
        for _ in range(20):
            begin = time.perf_counter()
            f.write(b"x" * 4096)
            os.fsync(f.fileno())
            times.append(time.perf_counter() - begin)
    return statistics.median(times)
