"""A whole box in another process: mock pins, a pty for a scanner, an OLED whose bytes are decoded into pictures."""

from __future__ import annotations

import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from mind_box.service.status import ask
from mind_box.settings.schema import GpioSettings
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip
from tests.models.capture import play

PATIENCE = 20.0
"""Seconds after which a process that does not do what is waited for is a failure."""


class Machine:
    """``directory`` is an empty one for the box's files. Call ``start`` and ``close``."""

    def __init__(self, directory: Path, config: str = "") -> None:
        self.state = directory / "state"
        self.run = directory / "run"
        self.run.mkdir(parents=True)
        self.capture = directory / "oled"
        self._pins = str(directory / "pins")
        self._gpio = GpioSettings()
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self._slave = slave
        self._scanner = directory / "scanner"
        self._scanner.symlink_to(os.ttyname(slave))
        self.settings = directory / "box.toml"
        self.settings.write_text(
            f'[box]\nstate_dir = "{self.state}"\nrun_dir = "{self.run}"\npower_off = []\n'
            "[table]\nhold = 0.5\ngather = 0.5\n"
            '[gpio]\nfactory = "mock"\n'
            f'[[screen]]\nbus = "sim:{self.capture}"\n'
            f'[[reader]]\ndevice = "{self._scanner}"\n' + config
        )
        self.command = [sys.executable, "-m", "mind_box"]
        self.environment = {**os.environ, "MIND_BOX_PIN_SOCKET": self._pins}
        self.options: tuple[str, ...] = ()
        """More of the command line."""
        self.inherited: tuple[int, ...] = ()
        """File descriptors that the box gets."""
        self._process: subprocess.Popen[bytes] | None = None
        self._log = directory / "log"

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Starts the box and waits until it says what it shows."""
        self.spawn()
        self.until(lambda: ask(self.run))

    def spawn(self) -> None:
        """Starts the process, and does not wait."""
        self.capture.unlink(missing_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self.command, "run", "--config", str(self.settings), *self.options],
                env=self.environment,
                stdout=log,
                stderr=log,
                pass_fds=self.inherited,
            )

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """The plug is pulled."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        (self.run / "status.sock").unlink(missing_ok=True)

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(PATIENCE)

    def ended(self) -> int:
        """Waits until the box ends by itself; the exit status."""
        assert self._process is not None
        return self._process.wait(PATIENCE)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        # A process that is left over would look for /dev/pts/N for ever, and take it from who gets that number next.
        self._scanner.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)

    @property
    def log(self) -> str:
        return self._log.read_text()

    # -- fingers and cards

    def _pin(self, button: int) -> int:
        return self._gpio.star_button if button == 0 else self._gpio.seat_buttons[button - 1]

    def _say(self, request: str) -> str:
        path = f"{self._pins}.{os.getpid()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.bind(path)
            try:
                s.sendto(request.encode(), self._pins)
                end = time.monotonic() + PATIENCE
                while not select.select([s], [], [], 0.1)[0]:
                    if self._process is None or self._process.poll() is not None:
                        raise ConnectionError("the box is dead")
                    assert time.monotonic() < end, f"no answer to {request}\n{self.log}"
                answer = s.recv(256).decode()
            finally:
                os.unlink(path)
        assert not answer.startswith("error"), answer
        return answer

    def press(self, *buttons: int) -> None:
        for button in buttons:
            self._say(f"drive {self._pin(button)} 0")

    def lift(self, *buttons: int) -> None:
        """Lets go, and leaves the buttons alone for longer than the debounce window."""
        for button in buttons:
            self._say(f"drive {self._pin(button)} 1")
        self.settle()

    def tap(self, button: int) -> None:
        """Down and up."""
        self.press(button)
        self.settle()
        self.lift(button)

    def settle(self) -> None:
        """Longer than the debounce window, also for a box that the system did not let run meanwhile: it answers after
        that time, so what comes next comes after its timers."""
        self.pass_time(0.04)
        self._say(f"read {self._pin(0)}")

    def begin(self) -> None:
        """A game of two, ready for level 1."""
        self.press(1, 2)
        self.expect(hands_down=[1, 2])
        self.pass_time(0.6)
        self.lift(1, 2)
        self.expect(phase="focus", level=1)

    def lamp(self, pin: int) -> bool:
        return self._say(f"read {pin}") == "1"

    def scan(self, payload: str) -> None:
        os.write(self._master, payload.encode() + b"\r\n")

    # -- what it shows

    @property
    def view(self) -> dict[str, Any]:
        answer = ask(self.run)
        assert answer is not None, self.log
        view: dict[str, Any] = answer["view"]
        return view

    def until(self, true: Callable[[], Any], what: str = "") -> Any:
        """Waits for the other process until ``true()`` is."""
        end = time.monotonic() + PATIENCE
        while not (value := true()):
            assert time.monotonic() < end, f"{what or 'what was waited for'} did not happen\n{self.log}"
            assert self._process is not None and self._process.poll() is None, self.log
            select.select([], [], [], 0.005)
        return value

    def expect(self, **fields: Any) -> None:
        """Waits until the View has these values."""

        def right() -> bool:
            view = self.view
            return all(view[name] == value for name, value in fields.items())

        self.until(right, f"{fields} (now { ({n: self.view[n] for n in fields}) })")

    def picture(self) -> Image.Image:
        """What an eye sees on the table screen."""
        chip = SSD1306Chip()
        play(self.capture.read_text(), ModelBus({0x3C: chip}))
        return chip.picture()

    @staticmethod
    def pass_time(seconds: float) -> None:
        """A finger stays where it is: the other process has a real clock, so real time has to pass."""
        select.select([], [], [], seconds)
