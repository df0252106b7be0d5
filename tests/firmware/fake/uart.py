"""A serial line to a chip model on a pty; put behind core.py."""
# ruff: noqa: ARG002, SIM115 - the arguments are the real ones, and MicroPython is not CPython

import os
import select


class UART:
    def __init__(self, number, baudrate=115200, tx=None, rx=None, rxbuf=256):
        if number not in (0, 1):
            raise ValueError(f"UART({number}) doesn't exist")
        _pin(tx, "TX", ((0, 12, 16, 28), (4, 8, 20, 24))[number])  # noqa: F821 - core.py's
        _pin(rx, "RX", ((1, 13, 17, 29), (5, 9, 21, 25))[number])  # noqa: F821
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
