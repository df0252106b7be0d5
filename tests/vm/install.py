"""Second half of ``make vm``: boots the bare guest and installs the box in it, by its own `make install`.

The result is kept under a digest of what is installed; change the program and it is installed anew.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.vm.guest import HERE, Guest
from tests.vm.qemu import cache

TREE = HERE.parent.parent
INSTALLED = ("mind_box", "systemd", "pyproject.toml", "constraints.txt", "Makefile", "README.md")
"""What of the tree ends up on a Pi; a change anywhere else needs no new installation."""


def files() -> list[Path]:
    """The files that are under version control, or would be, of what is installed."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z", *INSTALLED],
        cwd=TREE, check=True, capture_output=True,
    ).stdout  # fmt: skip
    return [TREE / name.decode() for name in sorted(listed.split(b"\0")) if name and (TREE / name.decode()).is_file()]


def digest() -> str:
    """Of what is installed, of what it is installed on, and of how."""
    total = hashlib.sha256((cache() / "base.made").read_bytes())
    for path in [*files(), Path(__file__)]:
        total.update(str(path.relative_to(TREE)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def install() -> None:
    """Makes ``installed.qcow2``, unless it is that already."""
    stamp, image = cache() / "installed.made", cache() / "installed.qcow2"
    wanted = digest()
    if image.exists() and stamp.exists() and stamp.read_text().strip() == wanted:
        return
    stamp.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="mbvm-tree-") as directory:
        tree = Path(directory) / "tree"
        for path in files():
            to = tree / path.relative_to(TREE)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, to)
        guest = Guest(Path(directory) / "guest", cache() / "base.ext4", tree)
        try:
            begun = time.monotonic()
            guest.start()
            print(f"booted in {guest.boot_seconds:.0f} s; installing ...", file=sys.stderr)
            print(guest.sh("cp -r /tree /root/mind-box && cd /root/mind-box && make install 2>&1", seconds=900))
            print(f"installed in {time.monotonic() - begun:.0f} s", file=sys.stderr)
            guest.stop()
            shutil.move(guest.disk, image)
        finally:
            guest.close()
    stamp.write_text(wanted)


if __name__ == "__main__":
    install()
