"""docs/field-notes.md: each kind says where it is tested, and each test that is named is there."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.papers.pages import ROOT, codes, page, section

PAGE = "docs/field-notes.md"
ROWS = [
    row for row in page(PAGE).splitlines() if row.startswith("| ") and not row.startswith(("| reported ", "| kind "))
]


@cache
def named_in(name: str) -> set[str]:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    tests = "test_" if "/test_" in name else ""  # a campaign that is a program of its own has functions
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds) and node.name.startswith(tests)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_a_kind_is_tested_where_the_page_says(row: str) -> None:
    cells = [cell.strip() for cell in row.strip("| ").split(" | ")]
    assert len(cells) == 4 and all(cells)
    named = codes(cells[-1])
    assert named and ", ".join(f"`{name}`" for name in named) == cells[-1]
    for name in named:
        file, _, test = name.partition("::")
        assert (ROOT / file).is_file(), name
        assert not test or test in named_in(file), name
        assert test or row in section(PAGE, "Found on this box"), f"{name}: name the test itself"


def test_a_report_that_a_test_names_is_on_the_page() -> None:
    """The other way round, for the tests that carry a report's number in their name."""
    numbers = set(re.findall(r"#(\d+)", page(PAGE)))
    for folder in ("devices", "readers", "service", "table"):
        for file in sorted((ROOT / "tests" / folder).glob("test_*.py")):
            for test in named_in(f"tests/{folder}/{file.name}"):
                for repository, number in re.findall(r"_(gpiozero|lg|lempa|luma_oled|pikvm|pillow|u8g2)_(\d+)", test):
                    assert number in numbers, f"{file.name}::{test}: {repository}#{number}"
