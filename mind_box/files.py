"""Files that outlive a power cut, where none does, and that the service may read whoever wrote them."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

_MEMORY = ("tmpfs", "ramfs", "rootfs", "devtmpfs")
_UNION = ("overlay", "overlayfs", "aufs")
_BOOTED = re.compile(
    r"^(?!.*\bpersisten(t|ce)\b).*(?<!\S)"
    r"(overlayroot=\S*tmpfs|boot=(overlay|live|casper)(?!\S)|systemd\.volatile=(overlay|yes))"
)
"""What on the kernel's command line puts the upper side of the root into memory."""


def give_to_owner(fd: int, directory: Path) -> None:
    """What root begins (``sudo mind-box ...``) belongs to whoever its directory belongs to: the service.

    Raises ``OSError`` where files have no owners.
    """
    if os.geteuid() == 0:
        owner = directory.stat()
        os.fchown(fd, owner.st_uid, owner.st_gid)


def sync_directory(directory: Path) -> None:
    """Makes the names in a directory durable."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[TextIO]:
    """A text to write that takes the place of ``path`` when the block ends: after a power cut it is the old file or the
    new one, never half of it or an empty one. What root writes belongs to whoever the directory belongs to.

    ``mode`` as of open(2); a link stays one. Raises ``OSError``; then, as after any error in the block, the old one
    stays.
    """
    path = Path(os.path.realpath(path))
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
            with contextlib.suppress(OSError):
                give_to_owner(file.fileno(), path.parent)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
    sync_directory(path.parent)


def keep(path: Path, word: str) -> Path:
    """Gives the file at ``path`` a second name with this word, which it keeps when something takes its place.

    Raises ``OSError``.
    """
    number = 1
    while (kept := path.with_name(f"{path.name}.{word}-{number}")).exists():
        number += 1
    try:
        os.link(path, kept)
    except OSError as e:
        if e.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        import shutil  # a box at play needs none of it

        shutil.copy2(path, kept)  # no hard links on this file system
    sync_directory(path.parent)
    return kept


def in_memory(path: Path, root: Path = Path("/")) -> str | None:
    """What keeps the files at ``path`` in memory, in words, so that they are gone with the power; None: nothing known.

    From the kernel's table of mounts (proc(5), mountinfo) below ``root``. A file system of memory may also be the
    upper side of an overlay (a read-only root, a live system), a compressed disk in memory, or hold a disk's image.
    """
    try:
        lines = (root / "proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    mounts = [mount for line in lines if (mount := _mount(line))]
    place = os.path.realpath(path) if root == Path("/") else str(path)
    return _memory_below(place, mounts, root, 8)


def _mount(line: str) -> tuple[str, str, str, str] | None:
    """Where it is, its kind, its source and its own options."""
    mine, _, its = line.partition(" - ")
    words = [re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), word) for word in (*mine.split(" "), *its.split(" "))]
    return (words[4], words[-3], words[-2], words[-1]) if its.count(" ") >= 2 and mine.count(" ") >= 5 else None


def _memory_below(path: str, mounts: list[tuple[str, str, str, str]], root: Path, depth: int) -> str | None:
    over = [m for m in mounts if f"{path}/".startswith(f"{m[0].rstrip('/')}/")]
    if not over or not depth:
        return None
    at, kind, source, options = max(reversed(over), key=lambda m: len(m[0]))  # of two at one place the last one is seen
    if kind in _MEMORY:
        return f"in memory ({kind} at {at})"
    if re.match(r"/dev/z?ram\d", source):
        return f"in memory ({source} at {at})"
    if kind in _UNION:
        upper = re.search(r"(?:^|,)upperdir=([^,]+)", options)
        rest = [m for m in mounts if m[0] != at]
        below = _memory_below(upper[1], rest, root, depth - 1) if upper else None
        hidden = not upper or not any(f"{upper[1]}/".startswith(f"{m[0]}/") for m in rest if m[0] != "/")
        if below is None and hidden and _BOOTED.search(_text(root / "proc/cmdline")):
            below = "in memory (as the kernel's command line has it)"
        return below and f"on the overlay at {at}, whose upper side is {below}"
    if loop := re.fullmatch(r"/dev/(loop\d+)(?:p\d+)?", source):
        image = _text(root / f"sys/block/{loop[1]}/loop/backing_file").strip()
        below = _memory_below(image, mounts, root, depth - 1) if image else None
        return below and f"on the image {image}, which is {below}"
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
