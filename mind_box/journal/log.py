"""The write-ahead log, looked at behind the place where SQLite stops reading it.

SQLite takes the first frame that is not what was written for the log's end, as after a power cut, and says nothing of
what stands behind it. Each commit is on disk before the next is written, so two whole ones behind that place were
there once, and so was all before them: that is no power cut, but damage.

The format: https://sqlite.org/fileformat2.html#walformat, and https://sqlite.org/walformat.html for the index.
"""

from __future__ import annotations

import mmap
import struct
import sys
from pathlib import Path
from typing import BinaryIO, Final

_HEADER: Final = struct.Struct(">8I")
"""Magic number, version, page size, count of checkpoints, two salts, two sums over what stands before."""
_FRAME: Final = struct.Struct(">6I")
"""Page, pages of the file after it if it ends a commit (else 0), two salts, two sums."""
_INDEX: Final = struct.Struct("=16xI12x8s")
"""How many frames count, the salts as they stand in the log."""
_MAGIC: Final = 0x377F0682
"""The last bit: the sums are over big-endian words."""


def log_of(path: Path) -> Path:
    """Where SQLite keeps the log of a database."""
    return path.with_name(path.name + "-wal")


def index_of(path: Path) -> Path:
    """Where SQLite keeps the log's index."""
    return path.with_name(path.name + "-shm")


def broken(path: Path) -> str:
    """What is wrong with the log of a database that is open and has been read: empty if nothing is known of it.

    Another process may write it meanwhile.
    """
    try:
        with log_of(path).open("rb") as log, index_of(path).open("rb") as index, path.open("rb") as file:
            return _broken(log, index.read(_INDEX.size), file)
    except (OSError, ValueError):  # there is none, or SQLite could not read it either
        return ""


def _broken(log: BinaryIO, index: bytes, file: BinaryIO) -> str:
    head = log.read(_HEADER.size)
    if len(head) < _HEADER.size or len(index) < _INDEX.size:
        return ""
    magic, _, page, _, *salts, first, second = _HEADER.unpack(head)
    counted, known = _INDEX.unpack(index)
    if magic | 1 == _MAGIC | 1 and _sums(head[:24], (0, 0), magic) == (first, second):
        with mmap.mmap(log.fileno(), 0, access=mmap.ACCESS_READ) as all_of_it:  # mostly there is nothing: then at once
            more = all_of_it.find(head[16:24], _HEADER.size + counted * (_FRAME.size + page)) >= 0
        if known == head[16:24] and more and _behind(log, counted, page, salts, magic)[0] > 1:
            return f"its log is broken at frame {counted + 1}, and what was written later is behind that"
        return ""
    # SQLite reads nothing of such a log. It may have died while it began it anew: all of it is in the file then.
    size = int.from_bytes(file.read(18)[16:], "big")
    commits, newest = _behind(log, 0, size, [], _MAGIC | (sys.byteorder == "big"))
    if commits > 1 and any(_read(log, at, size) != _read(file, (n - 1) * size, size) for n, at in newest.items()):
        return "its log's beginning is broken, and what was written later is behind that"
    return ""


def _behind(log: BinaryIO, counted: int, page: int, salts: list[int], order: int) -> tuple[int, dict[int, int]]:
    """How many whole commits follow each other, at most, behind so many frames: with these salts, or the first ones
    there. And where each page stands when the last of them has been made.
    """
    before: tuple[int, ...] = ()
    row = most = 0
    pages: dict[int, int] = {}
    newest: dict[int, int] = {}
    step = _FRAME.size + page
    at = _HEADER.size + counted * step
    while len(frame := _read(log, at, step)) == step:
        number, ends, *mark, first, second = _FRAME.unpack_from(frame)
        salts = salts or mark
        if mark == salts:
            whole = before and (first, second) == _sums(frame[:8] + frame[_FRAME.size :], before, order)
            row = row + (ends > 0) if whole else 0
            most = max(most, row)
            pages[number] = at + _FRAME.size
            if row and ends:
                newest = dict(pages)
            before = (first, second)
        else:  # of a log before this one
            before = ()
        at += step
    return most, newest


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)


def _sums(data: bytes, before: tuple[int, ...], order: int) -> tuple[int, int]:
    """SQLite's sums of these bytes, from the sums ``before`` on."""
    first, second = before
    words = struct.unpack(f"{'>' if order & 1 else '<'}{len(data) // 4}I", data)
    for one, two in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
