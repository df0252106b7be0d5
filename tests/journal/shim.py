"""The library that stands between a process and its files (shim.c), compiled once a test run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("shim.c")
ROOT = Path(__file__).parents[2]


@cache
def library() -> Path:
    """The compiled shim; without a C compiler the test is skipped."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler (apt install gcc libc6-dev)")
    target = Path(tempfile.mkdtemp(prefix="mind-box-shim-")) / "shim.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", target, SOURCE, "-ldl"], check=True)
    return target


def environment(directory: Path, **more: str | Path) -> dict[str, str]:
    """What a process has to be started with. ``more``: MB_LOG, MB_FLAG, MB_STALL, MB_CLOCK."""
    ours = {"LD_PRELOAD": library(), "MB_DIR": directory, "PYTHONPATH": ROOT, **more}
    return {**os.environ, **{name: str(value) for name, value in ours.items()}}


def run(module: str, directory: Path, *args: str, **more: str | Path) -> str:
    """Runs a module of these tests behind the shim; what it printed."""
    command = [sys.executable, "-m", f"tests.journal.{module}", str(directory), *args]
    done = subprocess.run(command, env=environment(directory, **more), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
