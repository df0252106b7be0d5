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


def measure(scans: int = 60) -> dict[str, float]:
    """Milliseconds, median and 95th percentile; and one fsync of a small append here, for comparison."""
    with tempfile.TemporaryDirectory() as directory:
        box = Machine(Path(directory))
        try:
            box.start()
            box.press(1, 2)
            box.pass_time(0.6)
            box.lift(1, 2)
            box.expect(phase="focus")
            while box.view["level"] < 12:  # a level long enough to lay cards in
                box.press(0)
                box.pass_time(0.7)
                box.lift(0)
                box.press(0)
                box.pass_time(0.1)
                box.lift(0)
                box.press(0)
                box.pass_time(0.7)
                box.lift(0)
                box.expect(asking="level-done")
                level = box.view["level"]
                _hands(box)
                box.until(lambda level=level: box.view["level"] > level)
            times: list[float] = []
            card = 0
            while len(times) < scans and card < 99:
                if box.view["phase"] == "focus":
                    _hands(box)
                    box.expect(phase="play")
                card += 5 if card < 90 else 1
                if card > 95 or box.view["remaining"] <= 1:
                    box.press(0)
                    break
                times.append(_scan(box, card))
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
    size = box.capture.stat().st_size
    begin = time.perf_counter()
    box.scan(str(card))
    while box.capture.stat().st_size == size:
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
