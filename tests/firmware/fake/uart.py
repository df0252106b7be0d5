"""A serial line to a chip model on a pty; put behind core.py."""
# ruff: noqa: ARG002, SIM115 - the arguments are the real ones, and MicroPython is not CPython

import os
import select


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
