"""What a disk may hold after a power cut, given the calls that a program made.

Until a file is synced, each of its writes and cuts may have reached the disk or not, in any combination, a write
also only in part (512-byte sectors). Until the directory is synced, each name that was made or removed may be the
old or the new one. What was synced stays. That is more than a real file system does to its users.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

SECTOR = 512
MANY = 7
"""Up to so many open writes every combination is tried, above it a choice of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One recorded call: write, truncate, sync, create, unlink, link or rename."""

    what: str
    name: str
    at: int = 0
    data: bytes = b""
    other: str = ""
    torn_from: Call | None = None


def read_calls(text: str) -> Iterator[Call]:
    """The shim's record."""
    for line in text.splitlines():
        match line.split(" "):
            case ["write", name, at, *data]:
                yield Call("write", name, int(at), bytes.fromhex("".join(data)))
            case ["truncate", name, size]:
                yield Call("truncate", name, int(size))
            case [("link" | "rename") as what, name, other]:
                yield Call(what, name, other=other)
            case [what, name]:
                yield Call(what, name)


@dataclass(slots=True, eq=False)
class _File:
    durable: bytes = b""
    open: list[Call] = field(default_factory=list)

    def with_calls(self, calls: Iterable[Call]) -> bytes:
        data = bytearray(self.durable)
        for call in calls:
            if call.what == "truncate":
                data = data[: call.at].ljust(call.at, b"\0")
            else:
                data = data.ljust(call.at, b"\0")
                data[call.at : call.at + len(call.data)] = call.data
        return bytes(data)


Names = dict[str, _File]
State = dict[str, bytes]
"""A directory after the cut: names and contents."""


class Disk:
    """Takes calls one by one; ``states`` are the ways it may be found if the power goes now."""

    def __init__(self, seed: int = 0) -> None:
        self._now: Names = {}
        self._durable: Names = {}
        self._open_names: list[tuple[str, _File | None]] = []
        self._random = random.Random(seed)

    def take(self, call: Call) -> None:
        match call.what:
            case "create":
                self._name(call.name, _File())
            case "unlink":
                self._name(call.name, None)
            case "link":
                self._name(call.other, self._now[call.name])
            case "rename":
                self._name(call.other, self._now[call.name])
                self._name(call.name, None)
            case "sync" if call.name == ".":
                self._durable = dict(self._now)
                self._open_names.clear()
            case "sync":
                file = self._now[call.name]
                file.durable = file.with_calls(file.open)
                file.open.clear()
            case _:
                self._now[call.name].open.append(call)

    def _name(self, name: str, file: _File | None) -> None:
        self._open_names.append((name, file))
        if file is None:
            del self._now[name]
        else:
            self._now[name] = file

    def states(self, samples: int) -> Iterator[State]:
        """Each state once. ``samples``: how many random combinations where there are too many for all."""
        seen = set()
        for names in self._subsets(self._open_names, samples):
            directory = dict(self._durable)
            for name, file in names:
                if file is None:
                    directory.pop(name, None)
                else:
                    directory[name] = file
            calls = [call for file in set(directory.values()) for call in file.open]
            for chosen in self._subsets(calls, samples):
                for kept in (chosen, self._torn(chosen)):
                    state = {
                        name: file.with_calls(c for c in kept if (c.torn_from or c) in file.open)
                        for name, file in directory.items()
                    }
                    key = tuple(sorted(state.items()))
                    if key not in seen:
                        seen.add(key)
                        yield state

    def _torn(self, chosen: list[Call]) -> list[Call]:
        """The same with one of the writes cut at the end of a sector."""
        long = [i for i, c in enumerate(chosen) if c.what == "write" and SECTOR - c.at % SECTOR < len(c.data)]
        if not long:
            return chosen
        which = self._random.choice(long)
        call = chosen[which]
        cut = self._random.choice(range(SECTOR - call.at % SECTOR, len(call.data), SECTOR))
        torn = Call("write", call.name, call.at, call.data[:cut], torn_from=call)
        return [*chosen[:which], torn, *chosen[which + 1 :]]

    def _subsets(self, things: list[T], samples: int) -> Iterator[list[T]]:
        if len(things) <= MANY:
            for size in range(len(things) + 1):
                yield from map(list, itertools.combinations(things, size))
            return
        for i in range(len(things) + 1):
            yield things[:i]  # a prefix
            yield things[:i] + things[i + 1 :]  # one is missing
            yield things[i : i + 1]  # one alone
        for _ in range(samples):
            yield [thing for thing in things if self._random.random() < 0.5]
