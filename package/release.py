"""Everything that a release is, into ``dist/``: ``python -m package.release`` (``make release``), tests aside.

Wheel and source archive, Debian package, firmware, hardware files, documentation, change log, what is in it (CycloneDX)
and the sums of it all. The same commit gives the same bytes; without network once the vendored wheels were fetched.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from package import deb
from package.deb import ROOT, commit_time, version

SUMS = "SHA256SUMS"


def pack(out: Path, top: str, files: Iterable[tuple[str, bytes]], epoch: int) -> None:
    """A tar archive with nothing in it of who made it when: names below ``top`` and their bytes."""
    with (
        out.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, data in sorted(files):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mtime, member.mode = len(data), epoch, 0o644
            tar.addfile(member, io.BytesIO(data))


def folder(place: Path) -> list[tuple[str, bytes]]:
    """All files below it."""
    return [(str(p.relative_to(place)), p.read_bytes()) for p in place.rglob("*") if p.is_file()]


def archives(out: Path, epoch: int) -> None:
    """The wheel, and the source archive with its times and owners put right: setuptools takes those of the tree."""
    with tempfile.TemporaryDirectory() as place:
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", place, str(ROOT)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
        done = subprocess.run(build, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise deb.PackageError(f"python -m build: {done.stderr[-2000:]}")
        for wheel in Path(place).glob("*.whl"):
            shutil.copy(wheel, out)
        for source in Path(place).glob("*.tar.gz"):
            with tarfile.open(source) as tar:
                members = [(m.name.partition("/")[2], tar.extractfile(m)) for m in tar if m.isfile()]
                files = [(name, part.read()) for name, part in members if part is not None]
            pack(out / source.name, source.name.removesuffix(".tar.gz"), files, epoch)


def bill(number: str, epoch: int) -> str:
    """What the Debian package is made of, as CycloneDX: what is vendored, by its bytes, and what Debian brings."""
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from packageurl import PackageURL

    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_DNS, f"mind-box {number} {epoch}"))
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    box = Component(name="mind-box", version=number, type=ComponentType.APPLICATION, bom_ref="mind-box")
    bom.metadata.component = box
    parts = []
    for name, release, digest in re.findall(
        r"^(\S+)==(\S+) --hash=sha256:(\w+)$", deb.VENDORED.read_text("utf-8"), re.M
    ):
        url = PackageURL("pypi", name=name.replace(".", "-"), version=release)
        hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest)]
        parts.append(Component(name=name, version=release, purl=url, hashes=hashes, bom_ref=str(url)))
    control = (ROOT / "package/debian/control").read_text("utf-8")
    depends = re.search(r"^Depends:((?:.*\n )*.*)$", control, re.M)
    assert depends is not None, "package/debian/control names no Depends"
    for name in re.findall(r"(?:^|,)\s*([a-z][\w.+-]+)", depends[1]):
        url = PackageURL("deb", "debian", name)
        parts.append(Component(name=name, purl=url, bom_ref=str(url)))
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(box, parts)
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def sums(out: Path) -> str:
    """As ``sha256sum --check`` reads them."""
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != SUMS)
    return "".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(out)}\n" for p in files)


def release(out: Path) -> None:
    """Everything, in ``out``, which is begun anew. Raises ``PackageError``."""
    number, epoch = version(), commit_time()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    archives(out, epoch)
    package = deb.build(out)
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["dpkg-deb", "-x", package, place], check=True)
        firmware = Path(place, "usr/share/mind-box-firmware")
        pack(out / f"mind-box-firmware-{number}.tar.gz", "firmware", folder(firmware), epoch)
        for board in firmware.glob("*.uf2"):
            shutil.copy(board, out / f"mind-box-reader-{number}-{board.name}")
        site = Path(place, "site")
        mkdocs = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)]
        done = subprocess.run(
            mkdocs, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
        )
        if done.returncode:
            raise deb.PackageError(f"mkdocs: {done.stderr[-2000:]}")
        pack(out / f"mind-box-docs-{number}.tar.gz", "docs", folder(site), epoch)
    files = [(name.partition("/")[2], (ROOT / name).read_bytes()) for name in deb.listed("hardware")]
    pack(out / f"mind-box-hardware-{number}.tar.gz", "hardware", files, epoch)
    shutil.copy(ROOT / "CHANGELOG.md", out)
    (out / f"mind-box-{number}.cdx.json").write_text(bill(number, epoch), encoding="utf-8")
    (out / SUMS).write_text(sums(out), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    options = argparse.ArgumentParser(description="Builds a release.")
    options.add_argument("--out", type=Path, default=ROOT / "dist", help="where to (default: dist)")
    out: Path = options.parse_args(arguments).out
    try:
        release(out)
    except (deb.PackageError, subprocess.CalledProcessError) as e:
        print(f"make release: {e}", file=sys.stderr)
        return 1
    print((out / SUMS).read_text("utf-8"), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
