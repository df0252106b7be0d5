"""The tests' boxes stand on a disk: one whose games are in memory says so, on every screen, as it should."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mind_box.files import in_memory


def pytest_configure() -> None:
    """Debian 13 has /tmp in memory, but not /var/tmp."""
    if in_memory(Path(tempfile.gettempdir())):
        tempfile.tempdir = "/var/tmp"
