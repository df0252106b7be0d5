"""The list of equivalent mutants is of the program as it is."""

from __future__ import annotations

import pytest

from tests.mutants.areas import AREAS, Change, equivalent
from tests.papers.pages import ROOT


@pytest.mark.parametrize("change", equivalent(), ids=str)
def test_an_equivalent_mutant_changes_what_is_there(change: Change) -> None:
    file, old, _ = change
    path = ROOT / "mind_box" / file
    sources = [source for area in AREAS.values() for source in area.sources.split()]
    assert any(path in (ROOT / "mind_box").glob(source) for source in sources), file
    lines = {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
    assert {line for line in old.split(" / ") if line} <= lines, "gone from the file: strike it from equivalent.txt"


def test_every_test_of_an_area_is_there() -> None:
    for area in AREAS.values():
        for test in area.tests.split():
            assert (ROOT / "tests" / test).exists(), test
