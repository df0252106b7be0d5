"""Tags as the air shows them: NTAG213, a MIFARE card, a phone; put into a field and taken away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Final

from mind_box.devices.nfc import ndef

PAGES: Final = 45
"""Pages of four bytes of an NTAG213."""


class Tag:
    """A tag without memory that one may read: a MIFARE Classic card, a bank card, a phone."""

    def __init__(self, uid: bytes, sak: int = 0x08, ats: bytes = b"") -> None:
        """``uid`` of 4, 7 or 10 bytes; ``sak`` is SEL_RES; ``ats`` counts itself in its first byte."""
        if len(uid) not in (4, 7, 10):
            raise ValueError(f"a UID has 4, 7 or 10 bytes, not {len(uid)}")
        self.uid = uid
        self.sak = sak
        self.ats = ats
        self.atqa = {4: 0x0004, 7: 0x0044, 10: 0x0084}[len(uid)]
        self.active = False
        """Activated: it then ignores the next call for new tags, and is missed on every other poll."""

    def answer(self, command: bytes) -> bytes | None:
        """What the tag answers to a command; None: nothing."""
        return None if command else b""


class Ntag(Tag):
    """An NTAG213 with a text, or blank."""

    def __init__(self, uid: bytes, text: str | None = None) -> None:
        super().__init__(uid, sak=0x00)
        memory = bytearray(PAGES * 4)
        memory[0:3], memory[4:8] = uid[:3], uid[-4:]
        memory[12:16] = b"\xe1\x10\x12\x00"
        data = ndef.encode(text) if text is not None else b"\x03\x00\xfe"
        memory[16 : 16 + len(data)] = data
        self.memory = memory

    def answer(self, command: bytes) -> bytes | None:
        """READ gives four pages, around the end of the memory if need be."""
        if len(command) == 2 and command[0] == 0x30 and command[1] < PAGES:
            start = command[1] * 4
            return bytes((self.memory + self.memory)[start : start + 16])
        return None


class Field:
    """What lies in the reader's field. May be changed from any thread."""

    def __init__(self) -> None:
        self._tags: list[Tag] = []
        self._lock = RLock()
        self.changes = 0
        """Counts what came and went, so that a chip may notice."""

    def put(self, tag: Tag) -> None:
        """The tag comes into the field, which then powers it up."""
        with self._lock:
            tag.active = False
            self._tags.append(tag)
            self.changes += 1

    def take(self, tag: Tag) -> None:
        """The tag leaves the field."""
        with self._lock:
            self._tags.remove(tag)
            self.changes += 1

    @contextmanager
    def tags(self) -> Iterator[tuple[Tag, ...]]:
        """What lies there; nothing comes or goes meanwhile."""
        with self._lock:
            yield tuple(self._tags)

    def __len__(self) -> int:
        return len(self._tags)
