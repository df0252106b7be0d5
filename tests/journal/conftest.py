"""Directories in memory: these tests sync thousands of times, and what they ask is not how fast a disk is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

IN_MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty directory, in memory where the system has room for one."""
    made = Path(tempfile.mkdtemp(prefix="mind-box-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)
