"""I2C and SPI to a chip model behind a bridge; put behind core.py."""
# ruff: noqa: ARG002, SIM115 - the arguments are the real ones, and MicroPython is not CPython

import os

bridge = open(os.getenv("FAKE_BUS"), "r+b")


def ask(kind, data, count):
    bridge.write(kind + len(data).to_bytes(2, "big") + count.to_bytes(2, "big") + data)
    answer = b""
    while len(answer) < count:
        answer += bridge.read(count - len(answer))
    return answer


class I2C:
    def __init__(self, number, sda=None, scl=None, freq=None):
        if number not in (0, 1):
            raise ValueError(f"I2C({number}) doesn't exist")
        _pin(sda, "SDA", range(number * 2, 30, 4))  # noqa: F821 - core.py's
        _pin(scl, "SCL", range(number * 2 + 1, 30, 4))  # noqa: F821

    def writeto(self, address, data):
        if ask(b"W", data, 1) != b"\x01":
            raise OSError(5)

    def readfrom(self, address, count):
        answer = ask(b"R", count.to_bytes(2, "big"), count + 1)
        if answer[0] != 1:
            raise OSError(5)
        return answer[1:]


class SPI:
    def __init__(self, number, baudrate=0, polarity=0, phase=0, sck=None, mosi=None, miso=None):
        if number not in (0, 1):
            raise ValueError(f"SPI({number}) doesn't exist")
        for pin, name, first in ((miso, "MISO", 0), (sck, "SCK", 2), (mosi, "MOSI", 3)):
            _pin(pin, name, [p for p in range(first, 30, 4) if p // 8 % 2 == number])  # noqa: F821 - core.py's
        Pin.moved = self.moved  # noqa: F821

    def moved(self, name, value):
        if name == int(os.getenv("FAKE_CS")):
            ask(b"H" if value else b"L", b"", 0)

    def write(self, data):
        ask(b"X", bytes(data), len(data))

    def read(self, count):
        return ask(b"X", bytes(count), count)
