"""kill -9 between any two calls, and a disk that fails at any call: nothing that was saved is lost or doubled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.journal import shim

EVERY = "MIND_BOX_EVERY_CALL" in os.environ
"""`make power-cut`: every call is a moment to die or to fail at; else every so many-th."""


@pytest.mark.parametrize(("what", "step"), [("kill", 3), ("torn", 5), ("fail", 23)])
def test_at_any_call(what: str, step: int, folder: Path) -> None:
    said = shim.run("victim", folder, what, "1" if EVERY else str(step))
    assert "nothing lost" in said
    print(said)
