"""The table scripts in ``tests/scripts`` hold what they expect: worked examples, gestures, power cuts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mind_box.virtual.scripts.replay import replay_text
from tests.table import at_tray

FOLDER = Path(__file__).parent.parent / "scripts"
SCRIPTS = sorted(FOLDER.rglob("*.table"))


def name_of(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix()


def test_the_worked_examples_are_there() -> None:
    assert {p.stem.split("_")[1] for p in SCRIPTS if p.stem.startswith("example_")} == set("123456789")


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_script(path: Path) -> None:
    failures: list[dict[str, Any]] = []
    replay_text(path.read_text(), lambda entry: failures.append(entry) if "expected" in entry else None)
    assert failures == []


AT_A_TRAY = {
    # A power cut between two levels: nothing counts until the tray was seen empty, so whoever deals clears it.
    "ghosts/dealing": ("\nplug reader\n", "\nplug reader\nclear\n"),
    # A card of the pile is no scan there when it is seen again, and so it closes no menu either.
    "ghosts/notices_stand": ("scan 10\nexpect menu null\n", "scan 10\nexpect menu undo\n"),
}
"""What a script has to say otherwise at a tray, by the rulings on it (docs/rulings.md)."""


SLOT = [path for path in SCRIPTS if path.parent.name != "tray"]
"""Those that are not written for a tray from the start."""


@pytest.mark.parametrize("path", SLOT, ids=name_of)
def test_script_at_a_tray(path: Path) -> None:
    """Every one of them also where the pile lies under the scanner, and laying is showing."""
    text = path.read_text()
    if name_of(path) in AT_A_TRAY:
        assert at_tray.play(text) != [], "it is the same at a tray by now: no form of its own is needed"
        slot, tray = AT_A_TRAY[name_of(path)]
        assert text.count(slot) == 1
        text = text.replace(slot, tray)
    assert at_tray.play(text) == []


def test_a_pile_that_is_left_on_the_tray_is_not_played_with() -> None:
    """The check of the check: who plays a script at a tray and never takes the old pile off does not get far."""
    failed = at_tray.play((FOLDER / "whole_game.table").read_text(), tidy=False)
    assert len(failed) > 10
