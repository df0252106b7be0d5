"""RP2040's `machine` for MicroPython's Unix port: UART on a pty, I2C and SPI on a bridge to a chip model."""
# ruff: noqa: ARG002, RUF012, SIM115 - the arguments are the real ones, and MicroPython is not CPython

import os
import select
import sys


class Pin:
    OUT = 1
    values = {}

    def __init__(self, name, mode=None, value=None):
        self.name = name
        if value is not None:
            self.value(value)

    def value(self, value=None):
        if value is None:
            return Pin.values.get(self.name, 0)
        Pin.values[self.name] = value
        if Bridge.cs == self.name:
            Bridge.ask(b"L" if not value else b"H", b"", 0)
        return None


class UART:
    def __init__(self, number, baudrate=115200, tx=None, rx=None, rxbuf=256):
        self.file = open(os.getenv("FAKE_UART"), "r+b")
        self.poll = select.poll()
        self.poll.register(self.file, select.POLLIN)

    def any(self):
        return 1 if self.poll.poll(0) else 0

    def read(self, count):
        data = b""
        while len(data) < 256 and self.poll.poll(0):
            data += self.file.read(1)
        return data or None

    def write(self, data):
        return self.file.write(data)


class Bridge:
    file = None
    cs = None

    def ask(kind, data, count):
        if Bridge.file is None:
            Bridge.file = open(os.getenv("FAKE_BUS"), "r+b")
        Bridge.file.write(kind + len(data).to_bytes(2, "big") + count.to_bytes(2, "big") + data)
        if not count:
            return b""
        answer = b""
        while len(answer) < count:
            answer += Bridge.file.read(count - len(answer))
        return answer


class I2C:
    def __init__(self, number, sda=None, scl=None, freq=None):
        pass

    def writeto(self, address, data):
        if Bridge.ask(b"W", data, 1) != b"\x01":
            raise OSError(5)

    def readfrom(self, address, count):
        answer = Bridge.ask(b"R", count.to_bytes(2, "big"), count + 1)
        if answer[0] != 1:
            raise OSError(5)
        return answer[1:]


class SPI:
    def __init__(self, number, baudrate=0, polarity=0, phase=0, sck=None, mosi=None, miso=None):
        Bridge.cs = int(os.getenv("FAKE_CS"))

    def write(self, data):
        Bridge.ask(b"X", bytes(data), len(data))

    def read(self, count):
        return Bridge.ask(b"X", bytes(count), count)


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
