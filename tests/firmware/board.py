"""A reader board without hardware: the firmware's own files in MicroPython, a chip model on its bus, a line to it."""

from __future__ import annotations

import contextlib
import os
import pty
import random
import select
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

MICROPYTHON = Path(sys.executable).parent / "micropython"


class Serving(threading.Thread):
    """A thread that serves descriptors until it is stopped; what it raises is raised in ``stop``."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._quit, self._poke = os.pipe()
        self._error: BaseException | None = None

    def turn(self) -> float | None:
        """Does what there is to do; returns the time of the next turn (monotonic), or None."""
        return None

    @property
    def descriptors(self) -> list[int]:
        return []

    def readable(self, fd: int) -> None:
        raise NotImplementedError

    def run(self) -> None:
        try:
            while True:
                due = self.turn()
                wait = None if due is None else max(0.0, due - time.monotonic())
                ready, _, _ = select.select([self._quit, *self.descriptors], [], [], wait)
                for fd in ready:
                    if fd == self._quit:
                        if os.read(fd, 1) == b"q":
                            return
                    else:
                        self.readable(fd)
        except BaseException as e:
            self._error = e

    def poke(self) -> None:
        """Something changed: look at the clock again."""
        os.write(self._poke, b"p")

    def stop(self) -> None:
        if self.is_alive():
            os.write(self._poke, b"q")
            self.join()
        os.close(self._quit)
        os.close(self._poke)
        if self._error is not None:
            raise self._error


class ChipOnPty(Serving):
    """A chip model at the far end of a pty."""

    def __init__(self, chip: Any) -> None:
        super().__init__()
        self.chip = chip
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        self._slave = slave
        self._input = b""
        self.start()

    @property
    def descriptors(self) -> list[int]:
        return [self._master]

    def stop(self) -> None:
        super().stop()
        os.close(self._master)
        os.close(self._slave)


class UartChip(ChipOnPty):
    """One with a serial line."""

    def turn(self) -> float | None:
        if data := self.chip.take(time.monotonic()):
            os.write(self._master, data)
        due: float | None = self.chip.due
        return due

    def readable(self, fd: int) -> None:
        self.chip.feed(os.read(fd, 4096), time.monotonic())


class Bridge(ChipOnPty):
    """One behind the fake I2C or SPI: one transaction after the other."""

    def readable(self, fd: int) -> None:
        self._input += os.read(fd, 4096)
        while len(self._input) >= 5:
            size, count = int.from_bytes(self._input[1:3], "big"), int.from_bytes(self._input[3:5], "big")
            if len(self._input) < 5 + size:
                return
            kind, data = self._input[:1], self._input[5 : 5 + size]
            self._input = self._input[5 + size :]
            if answer := self._answer(kind, data):
                assert len(answer) == count
                os.write(fd, answer)

    def _answer(self, kind: bytes, data: bytes) -> bytes:
        if kind == b"W":
            return bytes((self.chip.write(data),))
        if kind == b"R":
            count = int.from_bytes(data, "big")
            answer = self.chip.read(count)
            return bytes(1 + count) if answer is None else b"\x01" + answer
        if kind == b"X":
            return bytes(self.chip.transfer(data))
        self.chip.select(kind == b"L")
        return b""


class Wire(Serving):
    """The USB cable: carries bytes between MicroPython's standard streams and a pty, and may damage them."""

    def __init__(self, link: Path, process: subprocess.Popen[bytes]) -> None:
        super().__init__()
        self._link = link
        self._process = process
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.harm: Callable[[bytes], bytes] = lambda data: data
        self.up = b""
        """Everything the reader sent."""
        assert process.stdout is not None and process.stdin is not None
        self._out, self._in = process.stdout.fileno(), process.stdin.fileno()
        self._ended = False
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self.start()

    @property
    def descriptors(self) -> list[int]:
        return [self._master] if self._ended else [self._master, self._out]

    def readable(self, fd: int) -> None:
        data = os.read(fd, 4096)
        if fd == self._out:
            self._ended = not data
            self.up += data
            os.write(self._master, self.harm(data))
        else:
            with contextlib.suppress(BrokenPipeError):
                os.write(self._in, self.harm(data))

    def send(self, data: bytes) -> None:
        """Bytes to the reader that no box sent."""
        os.write(self._in, data)

    def stop(self) -> None:
        super().stop()
        self._link.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)


def harm(rng: random.Random, chance: float) -> Callable[[bytes], bytes]:
    """Loses, damages and adds bytes: each piece of traffic with this chance."""

    def spoil(data: bytes) -> bytes:
        if not data or rng.random() >= chance:
            return data
        at = rng.randrange(len(data))
        match rng.randrange(4):
            case 0:
                return b""
            case 1:
                return data[:at] + data[at + rng.randint(1, 20) :]
            case 2:
                return data[:at] + bytes((data[at] ^ rng.randint(1, 255),)) + data[at + 1 :]
            case _:
                return data[:at] + rng.randbytes(rng.randint(1, 30)) + data[at:]

    return spoil


class Board:
    """A board that can be plugged in and out."""

    def __init__(
        self, files: Path, fake: Path, link: Path, *, uart: str = "", bus: str = "", cs: int = 17, heap: str = "2M",
        prompt: bool = False,
    ) -> None:  # fmt: skip
        """``files``: a folder with the firmware as it is on the board, or a script that starts it from elsewhere.

        ``fake``: a folder with the fake ``machine``. ``link``: where the board's serial port appears. ``prompt``: there
        is one behind the program.
        """
        self._start = files if files.is_file() else files / "main.py"
        if prompt:
            self._start = Path(__file__).parent / "fake" / "power.py"
        self._link = link
        self._heap = heap
        self._environment = os.environ | {
            "MICROPYPATH": f"{fake}:{self._start.parent}:.frozen",
            "FAKE_UART": uart, "FAKE_BUS": bus, "FAKE_CS": str(cs), "FAKE_TIMER": f"{link}.timer",
            "FAKE_HOME": str(files),
        }  # fmt: skip
        self.wire: Wire | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.errors = b""

    def plug(self) -> Wire:
        """Power: MicroPython starts and runs main.py."""
        self._process = subprocess.Popen(
            [MICROPYTHON, "-X", f"heapsize={self._heap}", str(self._start)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self._environment, bufsize=0,
        )  # fmt: skip
        self.wire = Wire(self._link, self._process)
        return self.wire

    def unplug(self) -> None:
        """Power is gone in the middle of whatever it did."""
        if self._process is None or self.wire is None:
            return
        self._process.kill()
        self._process.wait()
        self.wire.stop()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            if stream is self._process.stderr:
                self.errors += stream.read()
            stream.close()
        self._process = None

    @property
    def ended(self) -> int | None:
        """The exit code of MicroPython; None while it runs."""
        assert self._process is not None
        return self._process.poll()
