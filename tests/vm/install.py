"""Second half of ``make vm``: boots the bare guest and installs the box in it, by its own `make install`.

That takes minutes on an emulated machine, so the result is kept under a digest of what decides how it is installed:
the unit, the scripts, the requirements. The program's own files are laid over it at each boot (``refresh``), so
that a changed line needs no new installation; ``--fresh`` installs anew all the same.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.vm.guest import HERE, Guest, overlay
from tests.vm.qemu import built

TREE = HERE.parent.parent
INSTALL = "make install"
PYTHON = "/opt/mind-box/bin/python"
PROGRAM = "mind_box"
INSTALLED = (
    PROGRAM,
    "systemd",
    "pyproject.toml",
    "constraints.txt",
    "Makefile",
    "README.md",
    "LICENSE",
    "docs",
    "hardware",
)
"""What of the tree ends up on a Pi; a change anywhere else needs no new installation."""


def files() -> list[Path]:
    """The files that are under version control, or would be, of what is installed."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z", *INSTALLED],
        cwd=TREE, check=True, capture_output=True,
    ).stdout  # fmt: skip
    return [TREE / name.decode() for name in sorted(listed.split(b"\0")) if name and (TREE / name.decode()).is_file()]


def digest() -> str:
    """Of what decides how the box is installed."""
    total = hashlib.sha256(INSTALL.encode())
    for path in files():
        if path.suffix == ".md" or path.is_relative_to(TREE / PROGRAM):
            continue  # laid beside the program, or over it at each boot
        total.update(str(path.relative_to(TREE)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


@contextmanager
def clean_tree() -> Iterator[Path]:
    """A copy of the files without what is not under version control."""
    with tempfile.TemporaryDirectory(prefix="mbvm-tree-") as directory:
        copy_tree(Path(directory))
        yield Path(directory)


def copy_tree(to: Path) -> None:
    """Copies what is installed."""
    for path in files():
        place = to / path.relative_to(TREE)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)


def refresh(guest: Guest) -> None:
    """Lays the program's present files over the installed ones, where they differ (an emulated machine takes minutes to
    compile them); ``guest`` sees the tree as /tree."""
    guest.sh(
        f"d=$({PYTHON} -c 'import mind_box; print(mind_box.__path__[0])') &&"
        f"if ! diff -rqx __pycache__ /tree/{PROGRAM} $d >/dev/null; then systemctl stop mind-box &&"
        f"rm -rf $d && cp -r /tree/{PROGRAM} $d && {PYTHON} -m compileall -q $d && sync && systemctl start --no-block mind-box; fi",  # noqa: E501
        seconds=600,
    )


def install(fresh: bool = False) -> None:
    """Makes ``installed.qcow2``, unless it is that already."""
    stamp, image = built() / "installed.made", built() / "installed.qcow2"
    wanted = f"{digest()} on {(built() / 'base.made').read_text().strip()}"
    if not fresh and image.exists() and stamp.exists() and stamp.read_text().strip() == wanted:
        return
    stamp.unlink(missing_ok=True)
    if (built() / "base-is-installed").exists():
        overlay(image, built() / "base.ext4")
        stamp.write_text(wanted)
        return
    with clean_tree() as tree, tempfile.TemporaryDirectory(prefix="mbvm-install-") as directory:
        guest = Guest(Path(directory), built() / "base.ext4", tree)
        try:
            guest.start()
            print(f"booted in {guest.boot_seconds:.0f} s; installing ...", file=sys.stderr)
            begun = time.monotonic()
            print(guest.sh(f"cp -r /tree /root/mind-box && cd /root/mind-box && {INSTALL} 2>&1", seconds=1800))
            print(f"installed in {time.monotonic() - begun:.0f} s", file=sys.stderr)
            guest.stop()
            shutil.move(guest.disk, image)
        finally:
            guest.close()
    stamp.write_text(wanted)


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            install()
        case ["--fresh"]:
            install(fresh=True)
        case ["--digest"]:
            print(digest())
        case ["--copy", directory]:
            copy_tree(Path(directory))
        case _:
            sys.exit("usage: python -m tests.vm.install [--fresh | --digest | --copy DIRECTORY]")
