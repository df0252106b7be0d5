"""The command line itself: exit statuses, and an output that nobody takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mind_box.commands import screens
from mind_box.commands.cli import main


def test_screens_says_how_many_and_that_all_went_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(screens, "write_screens", lambda _: 1293)
    assert main(["screens", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}: 1293 pictures\n"


def test_screens_without_a_place_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("no directory")
    assert main(["screens", str(tmp_path / "file")]) == 2
    assert f"{tmp_path / 'file'}" in (said := capsys.readouterr().err) and "cannot be written" in said
    assert main(["screens", ""]) == 2
    assert "DIR is empty" in capsys.readouterr().err


def into(output: int, *words: str) -> tuple[int, str]:
    """Status and complaints of a command whose output goes there, as it does from a shell: in one piece at its end."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "mind_box", *words]
    ended = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, env=env)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("words", [["pins"], ["--help"]], ids=" ".join)
def test_an_output_that_nobody_reads_is_not_complained_about(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert into(writing, *words) == (1, "")
    os.close(writing)


@pytest.mark.parametrize("words", [["pins"], ["--help"]], ids=" ".join)
def test_an_output_without_room_is_said_in_one_line(words: list[str]) -> None:
    said = "The output: cannot be written: No space left on device; make room and try again\n"
    with open("/dev/full", "w") as full:
        assert into(full.fileno(), *words) == (1, said)
