"""From a finger on the page of ``mind-box try`` to the changed picture on its canvas, in headless Chromium.

The way: browser, socket, pin, debounce (25 ms), rules, journal on disk, View, picture, I2C bytes, chip model, socket,
canvas. Needs aiohttp, playwright, Debian's chromium, and a CPU for the browser beside the box's.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks import Missing

CHROMIUM = "/usr/bin/chromium"
PRESSES = 60

WATCH = """() => {
    window.samples = [];
    let since = null;
    for (const kind of ["pointerdown", "pointerup"]) {
        document.addEventListener(kind, () => { since = performance.now(); }, true);
    }
    document.querySelector("#screen-table").addEventListener("drawn", () => {
        if (since !== null) window.samples.push(performance.now() - since);
        since = null;
    });
}"""


def measure(presses: int = PRESSES) -> dict[str, Any]:
    """Milliseconds from a press or a release of a seat's button to the new picture on the table screen."""
    import aiohttp  # noqa: F401 -- of the box's page
    from playwright.sync_api import sync_playwright

    if not os.access(CHROMIUM, os.X_OK):
        raise Missing(f"there is no {CHROMIUM}; apt install chromium")
    if len(os.sched_getaffinity(0)) < 2:
        raise Missing("on a single CPU the browser would be measured, not the box")
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        command = [sys.executable, "-m", "mind_box", "try", "--no-browser", "--port", "0", "--partners", "person"]
        process = subprocess.Popen(
            [*command, "--players", "2", "--state", directory],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        try:
            assert process.stdout is not None
            found = re.search(r"http\S+", process.stdout.readline().decode())
            assert found is not None
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page()
            page.goto(found[0])
            page.locator("body[data-phase=lobby]").wait_for()
            page.wait_for_timeout(1000)
            page.locator('.push[data-button="1"]').hover()
            page.evaluate(WATCH)
            for _ in range(presses):
                for act in (page.mouse.down, page.mouse.up):
                    before = page.evaluate("window.samples.length")
                    act()
                    while page.evaluate("window.samples.length") == before:
                        page.wait_for_timeout(10)
                    page.wait_for_timeout(100)
            samples = sorted(page.evaluate("window.samples"))
            browser.close()
        finally:
            process.terminate()
            process.wait()
    return {
        "input_to_picture_ms": {
            "median": round(statistics.median(samples), 1),
            "p95": round(samples[int(len(samples) * 0.95)], 1),
            "longest": round(samples[-1], 1),
            "n": len(samples),
            "of which debounce": 25,
        }
    }
