"""RP2040's `machine` for MicroPython's Unix port: what every board needs."""
# ruff: noqa: ARG002 - the arguments are the real ones, and MicroPython is not CPython

import sys


class Pin:
    OUT = 1
    moved = None  # told when a pin changes

    def __init__(self, name, mode=None, value=None):
        self.name = name
        if value is not None:
            self.value(value)

    def value(self, value):
        if Pin.moved is not None:
            Pin.moved(self.name, value)


class WDT:
    def __init__(self, timeout=5000):
        self.timeout = timeout

    def feed(self):
        pass


class Timer:
    PERIODIC = 1

    def __init__(self, period=0, mode=0, callback=None):
        print("timer", period)


def unique_id():
    return b"\xe6\x61\x38\x52\x83\x1f\x2a\x2c"


def reset():
    sys.exit(42)
