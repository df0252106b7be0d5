"""The table scripts in ``tests/scripts`` hold what they expect: worked examples, gestures, power cuts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mind_box.virtual.scripts.replay import replay_text
from tests.table import at_tray

FOLDER = Path(__file__).parent.parent / "scripts"
SCRIPTS = sorted(FOLDER.rglob("*.table"))


def test_the_worked_examples_are_there() -> None:
    assert {p.stem.split("_")[1] for p in SCRIPTS if p.stem.startswith("example_")} == set("123456789")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script(path: Path) -> None:
    failures: list[dict[str, Any]] = []
    replay_text(path.read_text(), lambda entry: failures.append(entry) if "expected" in entry else None)
    assert failures == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.table")), ids=lambda path: path.stem)
def test_script_at_a_tray(path: Path) -> None:
    """Every one of them also where the pile lies under the scanner, and laying is showing."""
    assert at_tray.play(path.read_text()) == []


def test_a_pile_that_is_left_on_the_tray_is_not_played_with() -> None:
    """The check of the check: who plays a script at a tray and never takes the old pile off does not get far."""
    failed = at_tray.play((FOLDER / "whole_game.table").read_text(), tidy=False)
    assert len(failed) > 10
