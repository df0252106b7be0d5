"""The Debian package: what is in it, that the same commit gives the same bytes, and that lintian finds no error."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from mind_box import __version__
from mind_box.commands.cli import COMMANDS
from mind_box.pip import PACKAGE
from package import deb
from tests.papers.pages import ROOT, page

needs_tools = pytest.mark.skipif(
    any(shutil.which(program) is None for program in deb.TOOLS),
    reason=f"apt install {' '.join(sorted(set(deb.TOOLS.values())))}",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return deb.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def inside(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("inside")
    subprocess.run(["dpkg-deb", "-R", built, place / "all"], check=True)
    return place / "all"


@needs_tools
def test_the_same_commit_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """Also from a tree whose files have other times, and for whoever takes rights from what he makes."""
    (ROOT / "mind_box/__init__.py").touch()
    old = os.umask(0o077)
    try:
        again = deb.build(tmp_path)
    finally:
        os.umask(old)
    assert again.name == built.name == f"mind-box_{__version__}_all.deb"
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(built.read_bytes()).digest()


@needs_tools
@pytest.mark.skipif(shutil.which("lintian") is None, reason="apt install lintian")
def test_lintian_finds_nothing(built: Path) -> None:
    said = subprocess.run(
        ["lintian", "--allow-root", "--tag-display-limit", "0", built], capture_output=True, text=True
    )
    assert said.stdout == "", said.stdout


@needs_tools
def test_every_command_has_its_man_page(inside: Path) -> None:
    pages = {p.name.removesuffix(".1.gz") for p in (inside / "usr/share/man/man1").iterdir()}
    assert pages == {"mind-box"} | {f"mind-box-{name.replace(' ', '-')}" for name in COMMANDS}
    if shutil.which("man"):
        for file in (inside / "usr/share/man/man1").iterdir():
            env = {**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
            said = subprocess.run(
                ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file], capture_output=True, env=env
            )
            assert said.stderr == b"", file.name


@needs_tools
def test_the_shell_completes_commands_and_their_options(inside: Path) -> None:
    asked = f"""source {inside}/usr/share/bash-completion/completions/mind-box
    by=$(complete -p mind-box | grep -o -- '-F [^ ]*' | cut -c4-)
    ask() {{ COMP_WORDS=(mind-box "$@"); COMP_CWORD=$#; COMPREPLY=(); $by; echo "${{COMPREPLY[@]}}"; }}
    ask jour; ask journal ex; ask history --"""
    said = subprocess.run(["bash", "-c", asked], capture_output=True, text=True)
    first, second, third = said.stdout.splitlines()
    assert (first, second) == ("journal", "export") and "--state" in third.split(), said.stderr


@needs_tools
def test_everything_of_the_program_is_in_it_and_nothing_of_its_workshop(inside: Path) -> None:
    lib = inside / str(PACKAGE).lstrip("/")
    listed = subprocess.run(["git", "ls-files", "mind_box"], cwd=ROOT, capture_output=True, text=True, check=True)
    packed = {str(p.relative_to(lib)) for p in lib.rglob("*") if p.is_file()}
    assert set(listed.stdout.splitlines()) - packed == set()
    assert {name.split("/")[0].partition("-")[0] for name in packed} == {
        "mind_box", "gpiozero", "gpiozerocli", "luma", "luma_core", "luma_oled", "page.conf", "broker.conf",
    }  # fmt: skip
    assert not [name for name in packed if name.endswith((".pyc", ".so", "RECORD"))]
    for file in inside.rglob("*"):
        assert file.is_symlink() or not stat.S_IMODE(file.stat().st_mode) & 0o022, file
    unit = (inside / "usr/lib/systemd/system/mind-box.service").read_text()
    assert "ExecStart=/usr/bin/mind-box run\n" in unit and "/opt/" not in unit
    for told in (*inside.glob("usr/lib/systemd/system/mind-box*"), *(lib / name for name in deb.DROP_INS)):
        assert "/opt/" not in told.read_text(), told
    assert (inside / "DEBIAN/conffiles").read_text() == "/etc/mind-box/box.toml\n"
    assert (inside / "etc/mind-box/box.toml").read_text() == page("hardware/standard.toml")
    firmware = inside / "usr/share/mind-box-firmware"
    assert (firmware / "files/main.py").exists() and {p.name for p in firmware.glob("*.uf2")} == {
        "pico.uf2",
        "pico-w.uf2",
        "pico-2.uf2",
    }
    compiled = re.findall(r"\bpy3compile -p mind-box (\S+)", (inside / "DEBIAN/postinst").read_text())
    assert str(PACKAGE) in compiled
    assert not [path for path in compiled if "firmware" in path], (
        "sources below the firmware are MicroPython's: what lies there goes on the board"
    )


@needs_tools
@pytest.mark.parametrize("script", ["preinst", "postinst", "prerm", "postrm"])
def test_maintainers_scripts_are_shell(inside: Path, script: str) -> None:
    assert subprocess.run(["dash", "-n", inside / "DEBIAN" / script]).returncode == 0


def test_what_is_vendored_are_the_versions_that_are_tested() -> None:
    constraints = set(page("constraints.txt").splitlines())
    vendored = re.findall(r"^(\S+==\S+) --hash", page("package/vendored.txt"), re.M)
    assert len(vendored) == 3 and set(vendored) <= constraints


def test_a_wheel_of_other_bytes_is_not_taken(tmp_path: Path) -> None:
    """Fetching it again is what is tried; here there is nothing to fetch it from."""
    place, listed = tmp_path / "wheels", tmp_path / "vendored.txt"
    place.mkdir()
    (place / "luma.core-2.6.0-py3-none-any.whl").write_bytes(b"other bytes")
    listed.write_text(f"mind-box-has-no-such-package==1 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(deb.PackageError, match="cannot be fetched"):
        list(deb.wheels(place, listed))


def test_without_debians_tools_it_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert deb.main(["--out", "/nonexistent"]) == 1
    assert "sudo apt install debhelper dh-python dpkg" in capsys.readouterr().err
