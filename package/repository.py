"""Makes a signed apt repository of Debian packages, a folder: ``python -m package.repository`` (``make repository``).

The key is made, and kept, by whoever releases (``KEY=``); without one nothing is made. The folder can be served by any
web server, or lie on a stick.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from email.utils import formatdate
from pathlib import Path

from package.deb import ROOT, commit_time

SUITE = "stable"
KEYRING = "mind-box.gpg"
"""Name of the public key, in the repository and in ``/etc/apt/keyrings``."""
TOOLS = {"apt-ftparchive": "apt-utils", "gpg": "gnupg"}
MAKE_ONE = "gpg --quick-generate-key 'mind-box releases <you@example.org>' ed25519 sign never"


class RepositoryError(Exception):
    """It cannot be made. ``str()`` says why and what to do."""


def source(address: str) -> str:
    """What goes into ``/etc/apt/sources.list.d/mind-box.sources`` for the repository at ``address``."""
    return (
        f"Types: deb\nURIs: {address}\nSuites: {SUITE}\nComponents: main\n"
        f"Architectures: all\nSigned-By: /etc/apt/keyrings/{KEYRING}\n"
    )


def make(folder: Path, debs: Sequence[Path], key: str, epoch: int, home: Path | None = None) -> None:
    """Writes the repository of these packages; ``home`` is GnuPG's directory, if not the usual one.

    Raises ``RepositoryError``. What was at ``folder`` is replaced, but for packages that are there already: who has an
    older version may go back to it.
    """
    missing = sorted({package for program, package in TOOLS.items() if shutil.which(program) is None})
    if missing:
        raise RepositoryError(f"needs sudo apt install {' '.join(missing)}")
    pool, dist = folder / "pool", folder / "dists" / SUITE
    pool.mkdir(parents=True, exist_ok=True)
    for package in debs:
        there = pool / package.name
        if there.exists() and there.read_bytes() != package.read_bytes():
            raise RepositoryError(f"{there}: is of other bytes, and may be installed somewhere: raise the version")
        shutil.copyfile(package, there)
    shutil.rmtree(dist, ignore_errors=True)
    for architecture in ("all", "amd64", "arm64", "armhf"):  # an apt asks for its own as well
        index = dist / f"main/binary-{architecture}/Packages"
        index.parent.mkdir(parents=True)
        index.write_bytes(_archive(folder, "packages", "pool"))
    words = {"Origin": "mind-box", "Label": "mind-box", "Suite": SUITE, "Codename": SUITE, "Components": "main"}
    words |= {"Architectures": "all amd64 arm64 armhf", "Description": "the mind box"}
    options = [f"-oAPT::FTPArchive::Release::{name}={value}" for name, value in words.items()]
    told = _archive(folder, *options, "release", str(dist.relative_to(folder))).decode()
    lines = [
        f"Date: {formatdate(epoch, usegmt=True)}" if line.startswith("Date:") else line for line in told.splitlines()
    ]
    (dist / "Release").write_text("\n".join(lines) + "\n")
    sign(dist, key, home)
    public = _gpg(home, "--export", key)
    if not public:
        raise RepositoryError(f"gpg has no key {key!r}: {MAKE_ONE}")
    (folder / KEYRING).write_bytes(public)


def sign(dist: Path, key: str, home: Path | None = None) -> None:
    """Signs ``dist/Release``: ``InRelease`` beside it. Raises ``RepositoryError``."""
    (dist / "InRelease").unlink(missing_ok=True)
    _gpg(home, "--local-user", key, "--clearsign", "--output", str(dist / "InRelease"), str(dist / "Release"))


def _archive(folder: Path, *words: str) -> bytes:
    command = ["apt-ftparchive", "-o", "APT::FTPArchive::DoByHash=false", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if done.returncode:
        raise RepositoryError(f"apt-ftparchive: {done.stderr.decode().strip()}")
    return done.stdout


def _gpg(home: Path | None, *words: str) -> bytes:
    command = ["gpg", *(("--homedir", str(home)) if home else ()), "--batch", "--yes", *words]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        raise RepositoryError(f"gpg: {done.stderr.decode().strip()}. Is there such a key? {MAKE_ONE}")
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    options = argparse.ArgumentParser(description="Makes a signed apt repository.")
    options.add_argument(
        "--out", type=Path, default=ROOT / "dist/repository", help="where to (default: dist/repository)"
    )
    options.add_argument("--key", help="the key that signs, as gpg knows it")
    options.add_argument("packages", nargs="*", type=Path, help="the packages (default: those in dist)")
    args = options.parse_args(arguments)
    debs = args.packages or sorted((ROOT / "dist").glob("*.deb"))
    try:
        if not args.key:
            raise RepositoryError(f"which key signs? make repository KEY=you@example.org; to make one: {MAKE_ONE}")
        if not debs:
            raise RepositoryError("there is no package in dist: make deb")
        make(args.out, debs, args.key, commit_time())
    except RepositoryError as e:
        print(f"make repository: {e}", file=sys.stderr)
        return 1
    print(f"{args.out}: {len(list((args.out / 'pool').iterdir()))} packages. On a box:")
    print(f"  {KEYRING} into /etc/apt/keyrings, and this into /etc/apt/sources.list.d/mind-box.sources:")
    print(source("https://WHERE.IT.LIES"), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
