"""RP2040's `machine` for MicroPython's Unix port, with the manners of the chip: what every board needs."""
# ruff: noqa: ARG002 - the arguments are the real ones, and MicroPython is not CPython

import sys
import time

_dog = None  # (timeout, when it was fed last)


def guard(passed=0):
    """The watchdog's look at the clock, which may be ahead of ours by so many ms."""
    if _dog is not None and time.ticks_ms() + passed - _dog[1] > _dog[0]:
        print("the watchdog bites")
        sys.exit(43)


def _pin(pin, name, allowed):
    if pin is not None and pin.name not in allowed:
        raise ValueError(f"bad {name} pin")


class Pin:
    OUT = 1
    moved = None  # told when a pin changes

    def __init__(self, name, mode=None, value=None):
        if name != "LED" and not (type(name) is int and 0 <= name < 30):
            raise ValueError("unknown named pin" if isinstance(name, str) else "invalid pin")
        self.name = name
        if value is not None:
            self.value(value)

    def value(self, value):
        if Pin.moved is not None:
            Pin.moved(self.name, value)


class WDT:
    """It cannot be stopped, and bites."""

    passed = 0

    def __init__(self, number=0, timeout=5000):
        global _dog
        if not 0 < timeout <= 8388:
            raise ValueError("timeout exceeds 8388")
        _dog = (timeout, time.ticks_ms() + self.passed)

    def feed(self):
        guard(self.passed)
        self.__init__(0, _dog[0])


class Timer:
    """One that never ticks: power.py has the chip's."""

    PERIODIC = 1

    def __init__(self, period=0, mode=0, callback=None):
        print("timer", period)


def unique_id():
    return b"\xe6\x61\x38\x52\x83\x1f\x2a\x2c"


def reset():
    sys.exit(42)
