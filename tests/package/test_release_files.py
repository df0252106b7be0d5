"""What a release is made of: archives that are the same twice, the bill of materials, the sums."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from package import deb, release
from tests.papers.pages import ROOT, page

EPOCH = 1_764_600_000


def test_an_archive_is_the_same_twice(tmp_path: Path) -> None:
    files = [("b/two", b"2"), ("one", b"1")]
    release.pack(tmp_path / "first.tar.gz", "top", files, EPOCH)
    release.pack(tmp_path / "second.tar.gz", "top", reversed(files), EPOCH)
    assert (tmp_path / "first.tar.gz").read_bytes() == (tmp_path / "second.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "first.tar.gz") as tar:
        assert [(m.name, m.mtime, m.uid, m.mode) for m in tar] == [
            ("top/b/two", EPOCH, 0, 0o644), ("top/one", EPOCH, 0, 0o644),
        ]  # fmt: skip


@pytest.mark.slow
def test_wheel_and_source_archive_are_the_same_twice(tmp_path: Path) -> None:
    sums = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        release.archives(tmp_path / name, EPOCH)
        sums.append({p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in (tmp_path / name).iterdir()})
        (ROOT / "mind_box/__init__.py").touch()
    assert sums[0] == sums[1] and {Path(name).suffix for name in sums[0]} == {".whl", ".gz"}


def test_the_bill_names_what_is_in_the_package() -> None:
    text = release.bill("1.2.3", EPOCH)
    assert text == release.bill("1.2.3", EPOCH) != release.bill("1.2.4", EPOCH)
    told = json.loads(text)
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.6")
    assert told["metadata"]["component"] | {"type": ""} == {
        "bom-ref": "mind-box", "name": "mind-box", "type": "", "version": "1.2.3",
    }  # fmt: skip
    parts = {part["name"]: part for part in told["components"]}
    for name, number, digest in re.findall(r"^(\S+)==(\S+) --hash=sha256:(\w+)", page("package/vendored.txt"), re.M):
        assert parts[name]["version"] == number
        assert parts[name]["hashes"] == [{"alg": "SHA-256", "content": digest}]
        assert parts[name]["purl"] == f"pkg:pypi/{name.replace('.', '-')}@{number}"
    assert {"python3", "python3-libgpiod", "python3-pil", "python3-cbor2", "micropython-mpremote"} <= parts.keys()
    assert "misc" not in parts
    (dependencies,) = [d for d in told["dependencies"] if d["ref"] == "mind-box"]
    assert len(dependencies["dependsOn"]) == len(parts)


def test_the_sums_are_those_that_sha256sum_reads(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b", "a", "sub/c"):
        (tmp_path / name).write_text(name)
    (tmp_path / release.SUMS).write_text(release.sums(tmp_path))
    checked = ["sha256sum", "--check", "--strict", release.SUMS]
    assert subprocess.run(checked, cwd=tmp_path, capture_output=True).returncode == 0
    assert [line.split()[1] for line in release.sums(tmp_path).splitlines()] == ["a", "b", "sub/c"]
    (tmp_path / "a").write_text("changed")
    assert subprocess.run(checked, cwd=tmp_path, capture_output=True).returncode == 1


def test_what_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise deb.PackageError("needs Debian's own tools: sudo apt install debhelper")

    monkeypatch.setattr(release, "archives", broken)
    assert release.main(["--out", str(tmp_path / "dist")]) == 1
    assert "sudo apt install debhelper" in capsys.readouterr().err
