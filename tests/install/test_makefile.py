"""The Makefile: what each target installs, and that none is a secret."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make(*words: str) -> str:
    return subprocess.run(["make", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("target", "extras"),
    [
        ("try", "page"),
        ("firmware", "firmware"),
        ("hardware", "hardware,labels"),
        ("enclosure", "hardware,labels"),
        ("docs", "docs"),
        ("deb", "package"),
        ("test", "page,broker,club,labels,hardware,firmware,update,docs,package,test"),
    ],
)
def test_a_target_installs_what_it_needs_and_no_more(tmp_path: Path, target: str, extras: str) -> None:
    """What the tests need has no wheel for a Raspberry Pi: `make firmware` there must not ask for it."""
    assert re.findall(r'-e "\.\[(.*)\]"', make("-n", f"VENV={tmp_path}", target)) == [extras]


def test_whoever_has_everything_installs_nothing_for_a_part(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name, text in (("python", ""), ("pip", "#!/bin/sh\n")):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    make(f"VENV={tmp_path}", "venv")
    assert "pip install" not in make("-n", f"VENV={tmp_path}", "venv", "try", "firmware", "hardware")


def test_help_lists_every_target() -> None:
    phony = set(" ".join(re.findall(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.M)).split())
    assert phony - set(re.findall(r"[\w-]+", make("help"))) == {"venv", "help"}
