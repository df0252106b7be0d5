"""What something holds, all of it: whatever comes in, that must not grow without an end."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any


def held(thing: Any) -> int:
    """Bytes, letters and numbers in the fields of an object of ours, and of whatever it has made for itself.

    What was handed to it from outside (a function, a clock) counts nothing, and neither do constants' names.
    """
    return _held(thing, set())


def _held(thing: Any, seen: set[int]) -> int:
    if isinstance(thing, bytes | bytearray | str):
        return len(thing)
    if isinstance(thing, int | float | None):
        return 0
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, Mapping):
        return len(thing) + sum(_held(k, seen) + _held(v, seen) for k, v in thing.items())
    if isinstance(thing, list | tuple | set | frozenset | deque):
        return len(thing) + sum(_held(item, seen) for item in thing)
    if type(thing).__module__.startswith(("mind_box", "firmware", "tests")):
        slots = [name for cls in type(thing).__mro__ for name in getattr(cls, "__slots__", ())]
        fields = {**getattr(thing, "__dict__", {}), **{name: getattr(thing, name) for name in slots}}
        return sum(_held(value, seen) for value in fields.values())
    return 0
