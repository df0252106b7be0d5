"""The simulated header: levels are put on its inputs and read from its outputs, in the time of the guest's clock.

gpio-sim keeps, for each line, what an outside circuit pulls it to (``pull``), and what it carries (``value``).
"""

import glob
import time


def _line(number: int) -> str:
    (chip,) = glob.glob("/sys/devices/platform/gpio-sim*/gpiochip*/sim_gpio0")
    return f"{chip[:-1]}{number}"


def drive(levels: list[list[int]]) -> None:
    """Puts levels on inputs: [[line, level], ...]; 0 is a pressed button."""
    for number, level in levels:
        with open(f"{_line(number)}/pull", "w") as pull:
            pull.write("pull-up" if level else "pull-down")


def values(numbers: list[int]) -> list[int]:
    """What these lines carry: 0 or 1 each."""
    return [int(open(f"{_line(number)}/value").read()) for number in numbers]


def gesture(numbers: list[int], seconds: float, rest: float) -> None:
    """Buttons go down together, come up together after ``seconds``, and are left alone for ``rest`` seconds."""
    drive([[n, 0] for n in numbers])
    time.sleep(seconds)
    drive([[n, 1] for n in numbers])
    time.sleep(rest)


def bounce(number: int, level: int, edges: int, spacing: float) -> None:
    """A contact that bounces: so many edges, ``spacing`` seconds apart, the last to ``level``."""
    for i in range(edges, 0, -1):
        drive([[number, level if i % 2 else 1 - level]])
        time.sleep(spacing)
