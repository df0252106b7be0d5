"""Crash states: from a recording of every write and flush of a disk, the disks that a power cut could have left.

A disk keeps what it was told to flush. Of what was written since then each write may have reached the medium or
not, in any order, whole or as some of its sectors. Only the file system's superblock, two sectors under one check sum,
is never torn: ext4 counts on that, and without it nothing on the disk can be mounted.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAGIC = 0x6A736677736872
"""Of the dm-log-writes format, which QEMU's blklogwrites keeps to: a superblock, then heads with their data."""
FLUSH, FUA, DISCARD = 1, 2, 4
SUPERBLOCK = 1024
"""Where it begins, in bytes."""


@dataclass(frozen=True)
class Write:
    """One entry of the recording: sectors written, or discarded, or a flush."""

    sector: int
    data: bytes
    flush: bool
    fua: bool


@dataclass(frozen=True)
class Recording:
    """What was done to a disk, in the order in which it was told."""

    sector_size: int
    writes: tuple[Write, ...]

    @property
    def flushes(self) -> int:
        return sum(w.flush for w in self.writes)


def read_recording(path: Path) -> Recording:
    """Reads a log of blklogwrites. Raises ``ValueError`` if it is none."""
    with path.open("rb") as log:
        magic, _version, count, size = struct.unpack("<QQQI", log.read(28))
        if magic != MAGIC:
            raise ValueError(f"{path}: is no recording of a disk's writes")
        log.seek(size)
        writes = []
        for _ in range(count):
            head = log.read(size)
            if len(head) < size:
                break  # QEMU was killed while it wrote
            sector, sectors, flags, _length = struct.unpack_from("<QQQQ", head)
            data = b"" if flags & DISCARD else log.read(sectors * size)
            if not flags & DISCARD and len(data) < sectors * size:
                break
            writes.append(Write(sector, data, bool(flags & FLUSH), bool(flags & FUA)))
    return Recording(size, tuple(writes))


class Disk:
    """An image that is brought forward along a recording."""

    def __init__(self, image: Path, recording: Recording) -> None:
        self._image = image
        self._recording = recording
        self._done = 0

    def crash(self, at: int, to: Path, chance: random.Random) -> int:
        """Writes to ``to`` a disk as it could be after a power cut before entry ``at``; ``at`` must not go back.

        Returns how many writes were under way.
        """
        writes, size = self._recording.writes, self._recording.sector_size
        flushed = max((i for i in range(self._done, at) if writes[i].flush), default=self._done)
        with self._image.open("r+b") as medium:
            for write in writes[self._done : flushed]:
                os.pwrite(medium.fileno(), write.data, write.sector * size)
        self._done = flushed
        shutil.copyfile(self._image, to)
        under_way = [w for w in writes[flushed:at] if w.data]
        with to.open("r+b") as medium:
            for write in under_way:
                for start, data in _arrived(write, size, chance):
                    os.pwrite(medium.fileno(), data, write.sector * size + start)
        return len(under_way)


def _arrived(write: Write, size: int, chance: random.Random) -> Iterator[tuple[int, bytes]]:
    """The parts of a write that reached the medium."""
    kind = 0.0 if write.fua else chance.random()
    superblock = write.sector * size <= SUPERBLOCK < write.sector * size + len(write.data)
    if kind < 0.5:
        yield 0, write.data
    elif kind < 0.7 and not superblock:  # torn: each sector for itself
        for start in range(0, len(write.data), size):
            if chance.random() < 0.5:
                yield start, write.data[start : start + size]


class Mounted:
    """A file system in an image, mounted; its own journal is replayed as at a boot. Needs root and loop devices."""

    def __init__(self, image: Path, place: Path) -> None:
        self._image = image
        self.place = place

    def __enter__(self) -> Path:
        self.place.mkdir(exist_ok=True)
        words = ["mount", "-o", "loop", str(self._image), str(self.place)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return self.place

    def __exit__(self, *_: object) -> None:
        for attempt in range(50, -1, -1):  # something else on this machine may be looking through what is mounted
            done = subprocess.run(["umount", str(self.place)], capture_output=True, text=True, check=False)
            if done.returncode == 0 or not attempt:
                break
            time.sleep(0.2)
        assert done.returncode == 0, done.stderr
