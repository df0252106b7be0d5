"""The table scripts in ``tests/scripts`` hold what they expect: worked examples, gestures, power cuts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mind_box.virtual.scripts.replay import replay_text

SCRIPTS = sorted((Path(__file__).parent.parent / "scripts").rglob("*.table"))


def test_the_worked_examples_are_there() -> None:
    assert {p.stem.split("_")[1] for p in SCRIPTS if p.stem.startswith("example_")} == set("123456789")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script(path: Path) -> None:
    failures: list[dict[str, Any]] = []
    replay_text(path.read_text(), lambda entry: failures.append(entry) if "expected" in entry else None)
    assert failures == []
