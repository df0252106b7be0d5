"""What is said where a package is missing can be typed as it stands."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mind_box import pip as module
from mind_box.commands.cli import main
from mind_box.pip import install_again, pip

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("prefix", "owner", "said"),
    [
        ("/opt/mind-box", 0, "sudo /opt/mind-box/bin/pip install 'gpiod>=2.1'"),
        ("/home/pi/mind box/.venv", 1000, "'/home/pi/mind box/.venv/bin/pip' install 'gpiod>=2.1'"),
    ],
)
def test_the_pip_of_this_python(monkeypatch: pytest.MonkeyPatch, prefix: str, owner: int, said: str) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(Path, "stat", lambda _: SimpleNamespace(st_uid=owner))
    assert pip("install", "gpiod>=2.1") == said


def test_the_debian_package_sends_nobody_to_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not module.packaged()
    assert install_again() == "sudo make install"
    monkeypatch.setattr(module, "PACKAGE", Path(module.__file__).parent)
    assert module.packaged()
    assert install_again() == "sudo apt install --reinstall mind-box"
    assert pip("install", "gpiod>=2.1") == "sudo apt install python3-libgpiod"
    assert pip("install", "reportlab", "segno") == "sudo apt install python3-reportlab python3-segno"
    assert pip("install", "RPi.GPIO") == "sudo apt install python3-rpi.gpio"
    assert pip("install", "--force-reinstall", "luma.oled") == "sudo apt install --reinstall mind-box"
    assert pip("uninstall", "lgpio") == "sudo apt remove python3-lgpio"


@pytest.mark.parametrize("command", ["labels", "sleeves"])
def test_without_the_packages_for_labels(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("reportlab.pdfgen", "reportlab.pdfgen.canvas"):  # another test may have imported them
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["cards", command, str(tmp_path / "out.pdf")]) == 2
    assert f"{sys.prefix}/bin/pip install reportlab segno\n" in capsys.readouterr().err


def test_nobody_is_sent_to_a_registry_for_the_box_itself() -> None:
    """Where mind-box is not, nor its extras, as `pip install 'mind-box[page]'` would need."""
    folders = ("mind_box", "docs", "firmware", "hardware")
    texts = [p for d in folders for p in (ROOT / d).rglob("*") if p.suffix in (".py", ".md")]
    assert [p for p in texts if "mind-box[" in p.read_text(encoding="utf-8")] == []
