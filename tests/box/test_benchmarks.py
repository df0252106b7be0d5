"""``make bench`` on machines that lack something."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import benchmarks
from benchmarks import page
from benchmarks.__main__ import main


def run(capsys: pytest.CaptureFixture[str], *names: str) -> tuple[int, dict[str, Any], str]:
    status = main(list(names))
    said = capsys.readouterr()
    return status, json.loads(said.out), said.err


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Benchmarks of which the first lacks a package and the last one gives a figure."""
    (tmp_path / "a_lacking.py").write_text("import nobody.has_this\n")
    (tmp_path / "b_failing.py").write_text("")
    (tmp_path / "c_good.py").write_text("def measure():\n    return {'figure': 42}\n")
    monkeypatch.setattr(benchmarks, "__path__", [str(tmp_path)])
    for name in ("a_lacking", "b_failing", "c_good"):
        monkeypatch.delitem(sys.modules, f"benchmarks.{name}", raising=False)
        monkeypatch.delattr(benchmarks, name, raising=False)
    return tmp_path


def test_what_lacks_something_is_left_out_and_the_others_figures_are_given(
    three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (three / "b_failing.py").unlink()
    status, results, said = run(capsys)
    assert results["c_good"] == {"figure": 42}
    assert "nobody" in results["a_lacking"]["left_out"]
    assert "a_lacking: left out: the Python package nobody is not installed" in said
    assert status == 0


@pytest.mark.parametrize(
    "failing", ["def measure():\n    raise AssertionError('wrong')\n", "import mind_box.no_such_room\n"]
)
def test_what_fails_takes_no_figure_with_it_but_is_a_failure(
    failing: str, three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (three / "b_failing.py").write_text(failing)
    status, results, said = run(capsys, "b_failing", "c_good")
    assert results["c_good"] == {"figure": 42}
    assert results["b_failing"].keys() == {"failed"}
    assert "b_failing: failed:" in said
    assert status == 1


@pytest.mark.parametrize("package", ["aiohttp", "playwright"])
def test_without_a_package_the_page_is_left_out(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    status, results, _ = run(capsys, "page")
    assert package in results["page"]["left_out"]
    assert status == 0


def test_without_a_browser_the_page_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("playwright")
    monkeypatch.setattr(page, "CHROMIUM", "/no/chromium")
    status, results, _ = run(capsys, "page")
    assert results["page"]["left_out"] == "there is no /no/chromium; apt install chromium"
    assert status == 0


def test_on_one_cpu_the_page_is_left_out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("playwright")
    monkeypatch.setattr(page, "CHROMIUM", sys.executable)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    _, results, _ = run(capsys, "page")
    assert "single CPU" in results["page"]["left_out"]


def test_one_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nonsense"]) == 2
    assert "no benchmark nonsense" in capsys.readouterr().err
