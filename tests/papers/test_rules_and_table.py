"""docs/rules.md and docs/table.md are what the program is: each rule that is cited is there, each code in both."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from mind_box.game.state import CHOICES
from mind_box.table import notices
from mind_box.table.view import View, ViewPhase
from mind_box.virtual.scripts.script import MENU_ITEMS, ScriptError, parse_script
from tests.papers.pages import ROOT, codes, page, prose, repository, section

TABLE = "docs/table.md"
CITED = re.compile(r"(?<![\w/.-])R([1-9]\d?[a-zA-Z]?)\b(?!/)")
RULE = re.compile(r"^- \*\*R(\d+[a-z]?)\*\* ", re.M)


def rules() -> set[str]:
    return set(RULE.findall(page("docs/rules.md")))


def test_the_rules_are_numbered_once_each() -> None:
    numbers = RULE.findall(page("docs/rules.md"))
    assert len(numbers) == len(set(numbers)) > 30


@cache
def cited_in(file: Path) -> set[str]:
    """The rules that a file names, in its prose or (test_r8_...) in a test's name."""
    if file.suffix not in (".py", ".md", ".table") or "hardware" in file.parts:  # there R1 is a resistor
        return set()
    text = file.read_text(encoding="utf-8")
    if not re.search(r"R\d|test_r\d", text):
        return set()
    named = re.findall(r"^ *(?:async )?def test_((?:r\d+[a-z]?_)+)", text, re.M)
    return {n for words in (*prose(file), *(name.upper().replace("_", " ") for name in named)) for n in cited(words)}


def cited(words: str) -> list[str]:
    """``8`` for R8; a letter behind the number belongs to it."""
    return [number.lower() for number in CITED.findall(words)]


def test_every_rule_that_is_cited_is_there() -> None:
    found = {n: str(file.relative_to(ROOT)) for file in repository() for n in cited_in(file)}
    assert len(found) > 30, "citations are not found any more"
    assert {n: file for n, file in found.items() if n not in rules()} == {}


def test_every_rule_is_cited_by_a_test() -> None:
    tests = [file for file in repository() if (ROOT / "tests") in file.parents]
    assert rules() - {n for file in tests for n in cited_in(file)} == set()


def test_every_notice_is_on_the_page_and_in_the_program() -> None:
    told = section(TABLE, "Notices")
    assert set(codes(told.partition("All:")[2])) == set(get_args(notices.Notice))
    rooms = [f for room in ("game", "table") for f in (ROOT / "mind_box" / room).rglob("*.py")]
    source = "".join(f.read_text() for f in (*rooms, ROOT / "mind_box/referee.py"))
    for code in get_args(notices.Notice):
        assert source.count(f'"{code}"') > 1, f"nothing brings {code} about"


def test_notices_of_one_input_come_in_the_order_of_the_page() -> None:
    told = section(TABLE, "Notices").partition("All:")[0]
    rewards = ["reward_star", "reward_life", "reward_void"]
    order = [c for code in codes(told) for c in (code, *(rewards if code == "level_complete" else ()))]
    assert order[0] == "star_off" and order[-1] == "game_lost"
    assert list(notices.in_order(reversed(order))) == order


def test_every_field_of_the_view_is_on_the_page_and_in_order() -> None:
    rows = section(TABLE, "The view").partition("\n### ")[0].splitlines()
    told = [name for row in rows if row.startswith("| `") for name in codes(row.split("|")[1])]
    assert told == [f.name for f in fields(View)]


def row(field: str) -> list[str]:
    """The values that the page gives for a field of the View."""
    return codes(re.search(rf"^\| `{field}` \| (.*) \|$", page(TABLE), re.M)[1])  # type: ignore[index]


def test_every_phase_is_on_the_page() -> None:
    assert sorted(row("phase")) == sorted(get_args(ViewPhase))


@pytest.mark.parametrize(("field", "choice"), [("variant", "variant"), ("check", "blind"), ("hands", "hands")])
def test_every_choice_of_the_lobby_is_on_the_page(field: str, choice: str) -> None:
    assert sorted(row(field)) == sorted(str(value) for value in CHOICES[choice] if value != "no")


def test_every_menu_item_is_on_the_page() -> None:
    told = re.findall(r"^- (?:in the lobby )?((?:`[a-z-]+`[ ,]*(?:\(with the seats held\), )?)+)", page(TABLE), re.M)
    listed = {code for words in told for code in codes(words)}
    listed |= set(codes(re.search(r"defeat\)\. (.*): ask for a second hold", page(TABLE))[1]))  # type: ignore[index]
    assert listed == set(MENU_ITEMS)


@pytest.mark.parametrize(("text", "before"), [("no_such_word", "there are "), ("config no_such_name x", "names: ")])
def test_the_script_language_is_on_the_page(text: str, before: str) -> None:
    with pytest.raises(ScriptError) as refused:
        parse_script(text)
    words = str(refused.value).partition(before)[2].split(", ")
    assert len(words) > 5
    block = section(TABLE, "Table scripts").split("```")[1]
    told = block if text == "no_such_word" else re.search(r"^config .*first action: (.*)", block, re.M)[1]  # type: ignore[index]
    for word in words:
        assert re.search(rf"\b{word}\b", told), f"{word} is not on the page"


def test_the_worked_examples_are_scripts() -> None:
    told = {int(n) for n in re.findall(r"^(\d)\. ", section("docs/rules.md", "Worked examples"), re.M)}
    scripts = {int(re.sub(r"\D", "", f.stem)) for f in (ROOT / "tests/scripts").glob("example_*.table")}
    assert told == scripts == set(range(1, 10))


def test_every_page_that_is_cited_is_there() -> None:
    """In comments, docstrings, scripts and pages alike: the repository stands alone."""
    pages = {file.name for file in repository() if file.suffix == ".md"}
    for file in repository():
        if file.suffix in (".py", ".md", ".table", ".toml", ".yml", ".sh", ".js"):
            for name in re.findall(r"\b\w[\w-]*\.md\b", file.read_text(encoding="utf-8")):
                assert name in pages or file.parent == ROOT / "tests/papers", f"{file.relative_to(ROOT)}: {name}"
