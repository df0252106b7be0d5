"""From a finger to a lamp, on the guest's own clock: the kernel's trace says when a line was set."""

import re
import time
from typing import Any

from lines import drive

TRACE = "/sys/kernel/tracing"
EVENT = re.compile(r"\s(\d+\.\d+): gpio_value: (\d+) set (\d)")


def _write(name: str, text: str) -> None:
    with open(f"{TRACE}/{name}", "w") as f:
        f.write(text)


def _base() -> int:
    """The number that the trace gives to line 0 of the header."""
    with open("/sys/kernel/debug/gpio") as f:
        (base,) = re.findall(r"gpiochip\d+: (?:GPIOs )?(\d+).*pinctrl-bcm2711", f.read())
    return int(base)


def late(times: int, pause: float) -> list[float]:
    """By how many milliseconds this process wakes up late, each time that it sleeps for ``pause`` seconds."""
    found: list[float] = []
    for _ in range(times):
        slept = time.monotonic()
        time.sleep(pause)
        found.append(round((time.monotonic() - slept - pause) * 1000, 3))
    return found


def press_to_lamp(button: int, lamp: int, presses: int, down: float, rest: float) -> dict[str, Any]:
    """Presses a button that turns a lamp off, and on again when it is lifted.

    Gives for each press and each release the milliseconds until the lamp followed, null where it did not; and by how
    many milliseconds this process woke up late each time that it slept.
    """
    _write("trace_clock", "mono")
    _write("buffer_size_kb", "4096")
    _write("trace", "")
    _write("events/gpio/gpio_value/enable", "1")
    times, woke = [], []
    for _ in range(presses):
        pair = []
        for level, pause in ((0, down), (1, rest)):
            pair.append(time.monotonic())
            drive([[button, level]])
            woke += late(1, pause)
        times.append((*pair, time.monotonic()))
    _write("events/gpio/gpio_value/enable", "0")
    number = _base() + lamp
    with open(f"{TRACE}/trace") as trace:
        sets = [(float(t), int(v)) for t, n, v in EVENT.findall(trace.read()) if int(n) == number]
    result: dict[str, Any] = {"press": [], "release": [], "wake-up": woke}
    for pressed, lifted, end in times:
        for name, begin, until, value in (("press", pressed, lifted, 0), ("release", lifted, end, 1)):
            at = next((t for t, v in sets if begin <= t < until and v == value), None)
            result[name].append(None if at is None else round((at - begin) * 1000, 3))
    return result
