"""Two tiers of tests: the fast one for every save (`make test-fast`), and all of them (`make test`).

A test belongs to a tier by its folder: those in ``FAST`` are fast, and a new test there is too; whatever stands in
another folder is slow. A file, class or test in a fast folder that takes long says ``pytest.mark.slow``. The fast
tier is to take half a minute at most on two cores: ``make test-fast`` tells its slowest tests, so that it stays so.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from mind_box.files import in_memory

settings.register_profile("box", deadline=None)  # a busy machine makes no test fail: limits are ratios
settings.load_profile("box")

HERE = Path(__file__).parent
FAST = frozenset({"box", "game", "ghost", "papers", "readers", "show", "table"})
"""Folders of pure code, models and virtual time: no browser, no other process, no long campaign."""


def tier(path: Path, marked_slow: bool = False) -> str:
    """``fast`` or ``slow``, for a test in this file of ``tests/``."""
    return "fast" if not marked_slow and path.relative_to(HERE).parts[0] in FAST else "slow"


def pytest_configure() -> None:
    """The tests' boxes stand on a disk: one in memory says so, and Debian 13 has /tmp there, but not /var/tmp."""
    if in_memory(Path(tempfile.gettempdir())):
        tempfile.tempdir = "/var/tmp"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and tier(item.path, item.get_closest_marker("slow") is not None) == "fast":
            item.add_marker(pytest.mark.fast)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The fast tier does not even import the other folders: that alone would take a tenth of its time."""
    if config.option.markexpr != "fast" or not collection_path.is_dir() or HERE not in collection_path.parents:
        return None
    return True if tier(collection_path) == "slow" else None
