"""What a start costs, as far as a busy machine can tell; ``python -m benchmarks start`` has the CPU time."""

from __future__ import annotations

import os
import statistics
import sys
from pathlib import Path

import pytest

from benchmarks.start import as_installed, box, five_screens, libraries

FOR_OTHER_BOXES = {
    "aiohttp",
    "gpiod",
    "mind_box.broker",
    "mind_box.club",
    "mind_box.devices.gpio.expander",
    "mind_box.devices.nfc.frames",
    "mind_box.devices.readers.board",
    "mind_box.devices.readers.keyboard",
    "mind_box.devices.readers.pn532",
    "mind_box.devices.readers.rdm6300",
    "mind_box.devices.gpio.sound",
    "mind_box.devices.oled.spi",
    "mind_box.doctor",
    "mind_box.hardware",
    "mind_box.page",
    "paho",
    "_hashlib",
    "_ssl",
}
"""Modules that a box with mock pins, displays on I2C and a serial reader has no use for."""


def test_imports_only_what_this_box_has(tmp_path: Path) -> None:
    machine = five_screens(tmp_path)
    machine.command = [sys.executable, "-X", "importtime", "-m", "mind_box"]
    try:
        machine.start()
        imported = {line.rpartition("|")[2].strip() for line in machine.log.splitlines() if "import time:" in line}
    finally:
        machine.close()
    assert "mind_box.devices.readers.lines" in imported
    assert imported & FOR_OTHER_BOXES == set()


@pytest.mark.skipif(
    any(name.startswith("COVERAGE_PROCESS") for name in os.environ), reason="coverage keeps its books in the box"
)
def test_takes_hardly_more_memory_than_the_libraries_alone() -> None:
    as_installed()
    ratios = [box()[1] / libraries()[1] for _ in range(3)]
    assert statistics.median(ratios) <= 1.05
