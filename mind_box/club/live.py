"""All tables as they stand now: from what their boxes put into their topics, whatever that may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mind_box.broker.topics import ONLINE, BadPayload, LaterVersion, read
from mind_box.game.values import dataclass
from mind_box.page.spoken import NEWS
from mind_box.table.view import View

MOST = 500
"""Tables: whoever can publish could invent any number of them."""
LONGEST = 64
"""Letters of a table's name."""


@dataclass(frozen=True, slots=True)
class TableNow:
    """One table."""

    name: str
    online: bool = False
    view: View | None = None
    """None: nothing is known, or ``other``."""
    other: bool = False
    """It speaks another version than this hub."""
    event: tuple[tuple[str, Any], ...] = ()
    """What happened last, its ``code`` and the rest, as ``mind_box.page.happened`` tells it."""

    def changed(self, **values: Any) -> TableNow:
        """The same table with other values."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return TableNow(**(fields | values))


class Tables:
    """``heard`` takes what came in a topic of a box."""

    def __init__(self) -> None:
        self._tables: dict[str, TableNow] = {}
        self._states: dict[str, bytes] = {}
        """The newest, as it came: what is said again is no news, and is not read again."""
        self._numbers: dict[str, str] = {}
        """The newest event's, of each table: what comes twice is one."""

    def __iter__(self) -> Iterator[TableNow]:
        """By name; those that never said that they are there are none."""
        there = [table for table in self._tables.values() if table.view is not None or table.other]
        return iter(sorted(there, key=lambda table: (_natural(table.name), table.name)))

    def heard(self, name: str, what: str, payload: bytes) -> bool:
        """Whether a table changed. Raises ``BadPayload``."""
        before = self._tables.get(name, TableNow(name))
        if len(name) > LONGEST or (name not in self._tables and len(self._tables) >= MOST):
            raise BadPayload("is one table too many, or its name is too long")
        now = before
        if what == "availability":
            now = before.changed(online=payload == ONLINE.encode())
        elif what == "state" and not payload:
            self._states.pop(name, None)
            return self._tables.pop(name, None) is not None
        elif what == "state" and self._states.get(name) == payload:
            return False
        elif what == "state":
            now = self._state(before, payload)
            self._states[name] = payload
        elif what == "event":
            now = self._event(before, read(payload))
        self._tables[name] = now
        return now != before

    def _state(self, before: TableNow, payload: bytes) -> TableNow:
        try:
            view = View.from_json(read(payload).get("view", {}))
        except LaterVersion:
            return before.changed(view=None, other=True)
        except (BadPayload, ValueError, TypeError, AttributeError, RecursionError) as e:
            if isinstance(e, BadPayload):
                raise
            return before.changed(view=None, other=True)
        event = before.event if view.phase != "lobby" else ()
        return before.changed(view=view, other=False, event=event)

    def _event(self, before: TableNow, fields: Mapping[str, Any]) -> TableNow:
        code, number = fields.get("event_type"), fields.get("id")
        if code not in NEWS or not isinstance(number, str) or self._numbers.get(before.name) == number:
            return before
        self._numbers[before.name] = number
        known = ("card", "cards", "early", "level")
        rest = {name: fields[name] for name in known if _plain(fields.get(name))}
        return before.changed(event=tuple({"code": code, **rest}.items()))


def _plain(value: Any) -> bool:
    """A card, a level, or some cards."""
    if isinstance(value, list):
        return len(value) <= 100 and all(_plain(v) and not isinstance(v, list) for v in value)
    return isinstance(value, int) or (isinstance(value, str) and len(value) <= 4)


def _natural(name: str) -> tuple[str, int]:
    """Table 10 comes after table 9."""
    head = name.rstrip("0123456789")
    digits = name[len(head) :]
    return head, int(digits) if digits.isascii() and digits else -1
