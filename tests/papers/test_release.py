"""A release: what is asked before it is built, and what the two archives hold."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from mind_box import __version__
from mind_box.commands.cli import main
from tests.papers.pages import ROOT, page, repository


def git(place: Path, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=place, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository that may be released, small."""
    for name in (".ci/release.py", "mind_box/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## [Unreleased]\n\n## [{__version__}] - 2026-11-30\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def asked(tree: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, tree / ".ci/release.py"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_clean_tree_with_its_entry_may_be_released(tree: Path) -> None:
    assert asked(tree) == (0, f"mind-box {__version__} may be released\n")


def changed(tree: Path) -> None:
    (tree / "new.txt").write_text("not committed")


def without_entry(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text("# Changes\n\n## [Unreleased]\n")
    git(tree, "commit", "-qam", "no entry")


def without_date(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text(f"# Changes\n\n## [{__version__}]\n")
    git(tree, "commit", "-qam", "no date")


def tagged(tree: Path) -> None:
    git(tree, "tag", f"v{__version__}")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(changed, "new.txt"), (without_entry, "Unreleased"), (without_date, "YYYY-MM-DD"), (tagged, "is tagged already")],
)
def test_what_is_missing_is_said_with_its_cure(tree: Path, spoil: Callable[[Path], None], words: str) -> None:
    spoil(tree)
    status, said = asked(tree)
    assert status == 1 and words in said and "may be released" not in said


def test_the_version_stands_in_one_place(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads(page("pyproject.toml"))
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "mind_box.__version__"}
    assert metadata.version("mind-box") == __version__
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"mind-box {__version__}\n"
    numbers = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", page("CHANGELOG.md"), re.M)
    assert __version__ in numbers, "the change log knows nothing of this version"
    assert numbers == sorted(numbers, key=lambda n: [*map(int, n.split("."))], reverse=True)


@pytest.mark.slow
def test_both_archives_hold_all_that_they_should(tmp_path: Path) -> None:
    """Built as `make release` does, but with the setuptools that is here: the network is not needed."""
    copy = tmp_path / "tree"
    files = {str(file.relative_to(ROOT)) for file in repository()}
    for name in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(copy)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "SetuptoolsDeprecationWarning" not in done.stdout + done.stderr

    with tarfile.open(next(tmp_path.glob("dist/*.tar.gz"))) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert files - packed == set(), "MANIFEST.in leaves these out"

    wheel = next(tmp_path.glob("dist/*.whl"))
    assert wheel.name == f"mind_box-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = archive.read(f"mind_box-{__version__}.dist-info/METADATA").decode()
    assert {name for name in files if name.startswith("mind_box/")} - names == set(), "package-data leaves these out"
    assert not any(name.startswith(("tests/", "docs/", "hardware/")) for name in names)
    assert "License-Expression: MIT\n" in about and f"Version: {__version__}\n" in about
    assert {
        f"mind_box-{__version__}.dist-info/licenses/{name}" for name in ("LICENSE", "mind_box/show/typefaces/OFL.txt")
    } <= names


@pytest.mark.slow
def test_what_the_installer_copies_is_enough_to_build(tmp_path: Path) -> None:
    copied = re.search(r'^ *cp -R (.*) "\$copy"$', page("systemd/install.sh"), re.M)
    assert copied
    place = tmp_path / "copy"
    place.mkdir()
    for name in re.findall(r'"\$SOURCE/([^"]+)"', copied[1]):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name)
        else:
            shutil.copy(ROOT / name, place / name)
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path / "dist"), str(place)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    with zipfile.ZipFile(next(tmp_path.glob("dist/*.whl"))) as archive:
        names = set(archive.namelist())
    assert f"mind_box-{__version__}.dist-info/licenses/LICENSE" in names
    assert {str(f.relative_to(ROOT)) for f in repository() if ROOT / "mind_box" in f.parents} <= names
