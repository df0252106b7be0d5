"""What a start costs: a box with five displays until it is ready, beside a process that only imports the libraries.

Pairs of runs, one after the other: what else the machine does falls on both, and the ratios say more than milliseconds.
"""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mind_box
from tests.e2e.machine import Machine

PAIRS = 9
LIBRARIES = "asyncio, sqlite3, json, logging, tomllib, gpiozero, luma.oled.device, serial, gpiod"

Cost = tuple[float, int]
"""CPU seconds of all threads, and bytes resident."""


def measure(pairs: int = PAIRS) -> dict[str, float]:
    """Medians, of the ratios too."""
    as_installed()
    runs = [(box(), libraries()) for _ in range(pairs)]
    return {
        "pairs": pairs,
        "cpu_ms": round(1000 * statistics.median(ours[0] for ours, _ in runs), 1),
        "libraries_cpu_ms": round(1000 * statistics.median(theirs[0] for _, theirs in runs), 1),
        "cpu_ratio": round(statistics.median(ours[0] / theirs[0] for ours, theirs in runs), 3),
        "rss_mb": round(statistics.median(ours[1] for ours, _ in runs) / 1e6, 2),
        "libraries_rss_mb": round(statistics.median(theirs[1] for _, theirs in runs) / 1e6, 2),
        "rss_ratio": round(statistics.median(ours[1] / theirs[1] for ours, theirs in runs), 3),
    }


def as_installed() -> None:
    """Compiles the program, as pip leaves it on a box: doing it at a start takes time and memory."""
    compileall.compile_dir(Path(mind_box.__file__).parent, quiet=1)


def five_screens(directory: Path) -> Machine:
    """A box with a table screen and four seat screens behind a multiplexer, a serial reader and the journal."""
    seats = "".join(
        f'[[screen]]\nseat = {seat}\nbus = "sim:{directory}/oled"\nmux = 0x70\nchannel = {seat - 1}\n'
        for seat in range(1, 5)
    )
    return Machine(directory, seats)


def box() -> Cost:
    """From nothing until it answers what it shows."""
    with tempfile.TemporaryDirectory() as directory:
        machine = five_screens(Path(directory))
        try:
            machine.start()
            return cost(machine.pid)
        finally:
            machine.close()


def libraries() -> Cost:
    """The same of a process that imports and opens nothing."""
    program = f"import {LIBRARIES}\nprint(flush=True)\ninput()"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        spent = cost(process.pid)
        process.stdin.write(b"\n")
    return spent


def cost(pid: int) -> Cost:
    """What a process has cost so far."""
    return cpu(pid), rss(pid)


def cpu(pid: int) -> float:
    """Seconds of CPU so far, of all threads, also those that have ended; to the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | 2)


def rss(pid: int) -> int:
    """Bytes resident."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
