"""The command line itself: exit statuses, and an output that nobody takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from mind_box.cli import main
from mind_box.commands import screens


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
