"""What the pages for contributors name is there."""

from __future__ import annotations

import re
from functools import cache

import pytest
import yaml

from tests.conftest import FAST, HERE, tier
from tests.papers.pages import ROOT, codes, page, repository

PAGES = ["CONTRIBUTING.md", *(str(f.relative_to(ROOT)) for f in repository() if f.parent.name == "decisions")]


@cache
def names() -> set[str]:
    """Every word of the program and its tests, but for these tests here."""
    python = (file for file in repository() if file.suffix == ".py" and file.parent != HERE / "papers")
    return {word for file in python for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", PAGES)
def test_every_file_name_and_target_that_is_named_is_there(name: str) -> None:
    makefile = page("Makefile")
    for code in codes(page(name)):
        if re.fullmatch(r"(mind_box|tests|docs|firmware|hardware|systemd)/[\w./-]*", code):
            assert (ROOT / code).exists(), code
        elif re.fullmatch(r"[A-Z]\w+|[a-z]+(_[a-z]+)+", code):
            assert code in names(), code
        elif code.startswith("make "):
            assert re.search(rf"^{code.split()[1]}:", makefile, re.M), code


def test_the_tier_of_a_new_test_is_that_of_its_folder() -> None:
    assert {"box", "game", "readers", "show", "table"} <= FAST
    assert tier(HERE / "game/test_new.py") == "fast"
    assert tier(HERE / "game/test_new.py", marked_slow=True) == "slow"
    assert tier(HERE / "service/test_new.py") == "slow"
    assert {folder for folder in FAST if not (HERE / folder).is_dir()} == set()


def test_the_hooks_of_a_commit_are_the_targets_of_make() -> None:
    hooks = yaml.safe_load(page(".pre-commit-config.yaml"))["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"], "nothing is fetched"
    for hook in hooks[0]["hooks"]:
        command = hook["entry"].removeprefix(".venv/bin/")
        assert command in page("Makefile").replace("$(BIN)/", ""), command


@pytest.mark.parametrize("name", ["bug.yml", "feature.yml", "config.yml"])
def test_issue_forms_are_forms(name: str) -> None:
    form = yaml.safe_load(page(f".github/ISSUE_TEMPLATE/{name}"))
    if name != "config.yml":
        assert {"name", "description", "body"} <= set(form)
        ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
        assert len(ids) == len(set(ids)) > 1
        assert all(part["attributes"]["label"] for part in form["body"] if part["type"] != "markdown")
    if name == "bug.yml":
        assert {"doctor", "script"} <= set(ids)
        assert "mind-box doctor --json" in page(f".github/ISSUE_TEMPLATE/{name}")
