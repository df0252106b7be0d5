"""Databases for the hub's tests: SQLite always, and a PostgreSQL server of its own where Debian's is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

DEBIANS = Path("/usr/lib/postgresql")


class Postgres:
    """A server in a directory of its own, reached through a socket in it."""

    def __init__(self) -> None:
        found = sorted(DEBIANS.glob("*/bin/initdb"))
        if not found:
            pytest.skip("needs PostgreSQL (apt install postgresql)")
        self._bin = found[-1].parent
        self.directory = Path(tempfile.mkdtemp(prefix="mind-box-pg-"))
        self._as = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        if os.geteuid() == 0:  # it does not run as root
            shutil.chown(self.directory, "postgres", "postgres")
        else:
            self._as = []
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "club", "--no-sync")
        self.server: subprocess.Popen[bytes] | None = None
        self.start()
        self._run("createdb", "-h", str(self.directory), "-U", "club", "club")

    def _run(self, program: str, *words: str) -> None:
        command = [*self._as, str(self._bin / program), *words]
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    @property
    def url(self) -> str:
        return f"postgresql://club@/club?host={self.directory}"

    def start(self) -> None:
        command = [*self._as, str(self._bin / "postgres"), "-D", "data", "-k", str(self.directory), "-h", ""]
        with (self.directory / "log").open("ab") as log:
            self.server = subprocess.Popen(command, cwd=self.directory, stdout=log, stderr=log)
        end = time.monotonic() + 30
        ready = [str(self._bin / "pg_isready"), "-q", "-h", str(self.directory)]
        while subprocess.run(ready, check=False).returncode:
            assert time.monotonic() < end, (self.directory / "log").read_text()

    def stop(self) -> None:
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)  # fast: clients are cut off
            self.server.wait(30)
            self.server = None

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


@contextmanager
def database(kind: str, directory: Path) -> Iterator[str]:
    """Where the hub keeps its results: a file, or a server's URL."""
    if kind == "sqlite":
        yield str(directory / "club.db")
        return
    server = Postgres()
    try:
        yield server.url
    finally:
        server.close()
