"""A real Mosquitto on this machine alone, in a process of its own."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

PATIENCE = 20.0
"""Seconds after which something that does not happen is a failure."""


def program() -> str:
    """Debian's Mosquitto."""
    found = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
    if found is None:
        pytest.skip("needs Mosquitto (apt install mosquitto)")
    return found


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


class Mosquitto:
    """``lines`` are more of its settings; its state is kept in ``directory``, as a distribution's is."""

    def __init__(self, directory: Path, *lines: str, anonymous: bool = True) -> None:
        self._program = program()
        self.port = free_port()
        self.directory = directory
        directory.mkdir(exist_ok=True)
        self._config = directory / "mosquitto.conf"
        self._config.write_text(
            "\n".join(
                (
                    f"listener {self.port} 127.0.0.1",
                    f"allow_anonymous {'true' if anonymous else 'false'}",
                    "persistence true",
                    f"persistence_location {directory}/",
                    "user root",
                    "log_dest stdout",
                    "log_type all",
                    *lines,
                    "",
                )
            )
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen([self._program, "-c", str(self._config)], stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < end and self._process.poll() is None, (self.directory / "log").read_text()

    def kill(self) -> None:
        """SIGKILL: what it had not written yet is gone."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(PATIENCE)
