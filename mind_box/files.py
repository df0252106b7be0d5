"""Files that outlive a power cut, and that the service may read whoever wrote them."""

from __future__ import annotations

import os
from pathlib import Path


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
