"""What a self-test found, thing by thing, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was tried."""

    what: str
    """``seat 2 button``, ``life lamp 3``, ``table-screen``, ``reader``."""
    ok: bool
    detail: str = ""
    """What was seen, or what to look at."""


def page(items: Sequence[Item]) -> str:
    """The result for people, one line a thing."""
    width = max((len(item.what) for item in items), default=0)
    lines = [f"{'ok  ' if i.ok else 'FAIL'}  {i.what:<{width}}  {i.detail}".rstrip() for i in items]
    bad = sum(not item.ok for item in items)
    lines.append("Everything works." if not bad else f"{bad} of {len(items)} failed.")
    return "\n".join(lines) + "\n"


def to_json(items: Sequence[Item], ok: bool) -> dict[str, Any]:
    """The result for programs."""
    return {"ok": ok, "items": [asdict(item) for item in items]}
