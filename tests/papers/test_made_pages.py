"""Pages and files that are made from the program are of today."""

from __future__ import annotations

import argparse
import dataclasses
import re
from pathlib import Path

import pytest

from docs import make_commands, make_settings, make_sizes
from mind_box.commands.cli import COMMANDS, main
from mind_box.settings.loading import ConfigError, parse
from mind_box.settings.reference import example, sections
from mind_box.settings.schema import Config
from tests.papers.pages import codes, page


@pytest.mark.parametrize("made", [make_settings, make_commands, make_sizes], ids=["settings", "commands", "sizes"])
def test_the_page_is_of_today(made: object) -> None:
    assert made.PAGE.read_text(encoding="utf-8") == made.text(), "make docs-pages"  # type: ignore[attr-defined]


def test_the_page_of_settings_has_them_all() -> None:
    told = [codes(line.split("|")[1])[0] for line in page("docs/settings.md").splitlines() if line.startswith("| `")]
    parts = [getattr(Config(), f.name) for f in dataclasses.fields(Config)]
    assert told == [f.name for p in parts for f in dataclasses.fields(p[0] if isinstance(p, tuple) else p)]


def test_every_setting_and_argument_says_what_it_is_for() -> None:
    assert [t.name for s in sections() for t in s.settings if len(t.doc) < 5] == []
    for command in COMMANDS:
        for action in make_commands.actions_of(make_commands.parser_of(command)):
            assert action.help and action.help != argparse.SUPPRESS, f"mind-box {command}: {action.dest}"


def test_the_example_is_the_standard_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "example"]) == 0
    text = capsys.readouterr().out
    assert text == example() and parse(text) == Config()
    (tmp_path / "box.toml").write_text(text)
    assert main(["config", "check", "--config", str(tmp_path / "box.toml")]) == 0


def test_what_the_example_leaves_out_may_be_put_in_as_it_stands() -> None:
    left_out = re.findall(r"^#(\w+) = ", example(), re.M)
    assert set(left_out) == {"buzzer", "seat", "mux", "column", "baud"}
    for name in left_out:
        assert parse(example().replace(f"\n#{name} =", f"\n{name} =")) != Config(), name


@pytest.mark.slow
def test_the_range_in_the_example_is_the_one_that_is_checked() -> None:
    """Just outside of every "(low to high)" the checker refuses."""
    ranges = re.findall(r"\((?:GPIO )?(\S+) to (\S+?)\)\n#?(\w+) = (\[?)", example())
    assert len(ranges) > 15
    for low, high, name, several in ranges:
        for value in (number(low) - 1, number(high) + 1):
            new = f"{name} = [{value}]" if several else f"{name} = {value}"
            with pytest.raises(ConfigError, match=name):
                parse(re.sub(rf"^#?{name} = .*$", new, example(), flags=re.M))


def number(text: str) -> int | float:
    """A number as the example has it, which may be in hexadecimal."""
    return float(text) if "." in text else int(text, 0)


def test_a_table_can_read_the_screens_of_the_standard_build() -> None:
    kinds = {(s.inches, s.where): s for s in make_sizes.sizes()}
    table = kinds["2.42", "table"]
    assert table.minutes(table.word, make_sizes.READ_FROM) >= make_sizes.TO_READ == 16
    assert table.minutes(table.card, make_sizes.GLANCED_FROM) >= make_sizes.TO_GLANCE == 30
    small = kinds["0.96", "table"]
    assert small.minutes(small.word) < 9  # what it was before: the measure would notice
