"""A board from power-up: its main.py, then MicroPython's raw prompt, where the board's time passes by the command."""
# ruff: noqa: ARG002, SIM115 - the arguments are the real ones, and MicroPython is not CPython

import gc
import os
import sys
import time

import machine
import uctypes

_HIDDEN = 0x5A5A5A5A5A5A

HOME = os.getenv("FAKE_HOME")
BUSY = 500
"""ms that a command takes: flash is slow to erase, and stops everything meanwhile."""


timers = []
"""What the alarm pool knows of each: nothing that the collector can see."""


class Timer:
    """It ticks while somebody holds it: the collector's finaliser stops it."""

    ONE_SHOT, PERIODIC = 0, 1

    def __init__(self, number=-1, *, mode=PERIODIC, period=-1, callback=None):
        self.period, self.callback = period, callback
        name = f"{os.getenv('FAKE_TIMER')}.{len(timers)}"
        self._open = open(name, "w")  # the only kind of object here whose finaliser one can see at work
        timers.append([self._open.fileno(), os.stat(name)[1], id(self) ^ _HIDDEN, now() + period])
        print("timer", period)


def now():
    return time.ticks_ms() + machine.WDT.passed


def lives(entry):
    try:
        return os.stat(f"/proc/self/fd/{entry[0]}")[1] == entry[1]
    except OSError:
        return False


def found(hidden):
    """The object at this address, as a C program finds it again."""
    box = [None]
    items = int.from_bytes(uctypes.bytearray_at(id(box) + 24, 8), "little")
    uctypes.bytearray_at(items, 8)[:] = (hidden ^ _HIDDEN).to_bytes(8, "little")
    return box[0]


def pass_time(ms):
    """The prompt is busy for so long, with flash that is erased or a line that is slow."""
    for _ in range(ms // 100):
        machine.WDT.passed += 100
        for entry in list(timers):
            if not lives(entry):
                timers.remove(entry)
            elif now() >= entry[3]:
                timer = found(entry[2])
                entry[3] += timer.period
                timer.callback(timer)
        machine.guard(machine.WDT.passed)


class Traced:
    """MicroPython's own module, and a word for what it cannot do on a pipe."""

    def kbd_intr(self, char):
        print("ctrl-c", char)


class Line:
    """The prompt's bytes."""

    def get(self):
        byte = sys.stdin.buffer.read(1)
        if not byte:
            sys.exit(0)
        return byte

    def put(self, data):
        sys.stdout.buffer.write(data)


def prompt():
    line, names, command, raw = Line(), {"__name__": "__main__"}, b"", False
    while True:
        gc.collect()  # it comes when it comes
        byte = line.get()
        if byte == b"\x01":
            raw, command = True, b""
            line.put(b"raw REPL; CTRL-B to exit\r\n>")
        elif byte in b"\x02\x03":
            command = b""
        elif raw and byte == b"\x05":
            line.get(), line.get()
            line.put(b"R\x00")  # no raw-paste mode
        elif raw and byte == b"\x04":
            line.put(b"OK")
            pass_time(BUSY)
            wrong = None
            try:
                exec(command.decode(), names)
            except Exception as e:
                wrong = e
            line.put(b"\x04")
            if wrong is not None:
                sys.print_exception(wrong)
            line.put(b"\x04>")
            command = b""
        elif raw:
            command += byte


def traced(pin, value):
    if pin == "LED":
        print("lamp", pin, value)


sys.modules["micropython"] = Traced()
machine.Pin.moved = traced
machine.Timer = Timer
os.chdir(HOME)
sys.path.insert(0, HOME)
try:
    with open("main.py") as file:
        source = file.read()
except OSError:
    source = ""
try:
    exec(source, {"__name__": "__main__"})
except KeyboardInterrupt:
    print("interrupted")
except Exception as e:
    sys.print_exception(e)
del source
prompt()
