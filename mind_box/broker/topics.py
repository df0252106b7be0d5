"""What stands in the topics (docs/broker.md): their names, and the payloads as text. Values in, values out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from mind_box.game.values import dataclass
from mind_box.page.happened import Entry
from mind_box.table.view import View

FORMAT = 1
"""Of every JSON payload. A later one may say more in fields of the same name, never something else."""
ONLINE, OFFLINE = "online", "offline"
WINDOW = 10
"""Results that may be on their way at a time."""

Kind = TypeVar("Kind", str, int)


class BadPayload(ValueError):
    """What stands in a topic is not what belongs there. ``str()`` says why."""


class LaterVersion(BadPayload):
    """A payload of a later version of this program."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one box; ``name`` is ``+`` for those of all boxes."""

    prefix: str
    name: str

    def of(self, what: str) -> str:
        """``PREFIX/NAME/what``."""
        return f"{self.prefix}/{self.name}/{what}"

    @property
    def hub(self) -> str:
        """Where the hub says that it is there. No box can have that name."""
        return f"{self.prefix}-club/availability"

    def split(self, topic: str) -> tuple[str, str] | None:
        """The box's name and the rest of one of these topics; None: of no box."""
        head, _, rest = topic.removeprefix(f"{self.prefix}/").partition("/")
        return (head, rest) if topic.startswith(f"{self.prefix}/") and head and rest else None


@dataclass(frozen=True, slots=True)
class Result:
    """A game that is over, as the hub gets it."""

    box: str
    """The box's own number, which its journal made up; not its name, which people choose."""
    seq: int
    """Counts the results of this box from 1, without a gap."""
    first: int
    """The lowest that the box still has: the hub has said of all before that it has them."""
    replaces: int | None
    """The earlier result of the same game, which was taken back and ended again."""
    game: Mapping[str, Any] | None
    """As in docs/evenings.md; None: people wanted it forgotten before it was sent."""
    was: tuple[str, int] | None = None
    """The box and the number under which it may have been sent before the box took a new number."""

    def to_text(self) -> str:
        """The payload."""
        fields = {"format": FORMAT, "box": self.box, "seq": self.seq, "first": self.first, "replaces": self.replaces}
        was = None if self.was is None else {"box": self.was[0], "seq": self.was[1]}
        return _text(fields | {"was": was, "game": self.game})


def text_of_state(view: View, language: str) -> str:
    """``state``: the View and nothing else, but in which language the table reads it."""
    return _text({"format": FORMAT, "language": language, "view": view.to_json()})


def text_of_event(entry: Entry, number: str) -> str:
    """``event``; ``number`` is the same when it is sent again."""
    return _text({"format": FORMAT, "id": number, "event_type": entry["code"]} | {
        name: value for name, value in entry.items() if name != "code"
    })  # fmt: skip


def text_of_about(version: str, box: str, seats: int, readers: Sequence[Mapping[str, Any]]) -> str:
    """``about``: what the box is made of, by its settings."""
    return _text({"format": FORMAT, "version": version, "box": box, "seats": seats, "readers": list(readers)})


def text_of_owner(box: str) -> str:
    """``owner``: whose name it is."""
    return _text({"format": FORMAT, "box": box})


def text_of_had(box: str, had: int, copied: bool = False) -> str:
    """``had``: the hub has all results of this box up to this one. ``copied``: another box has the same number."""
    return _text({"format": FORMAT, "box": box, "had": had, "copied": copied})


def text_of_hub(run: str, there: bool) -> str:
    """The hub's ``availability``; each start of it is another ``run``."""
    return _text({"format": FORMAT, "run": run, "state": ONLINE if there else OFFLINE})


def read(payload: bytes) -> dict[str, Any]:
    """The fields of a payload. Raises ``BadPayload``."""
    try:
        fields = json.loads(payload)
    except (ValueError, RecursionError) as e:
        raise BadPayload("is not JSON") from e
    if not isinstance(fields, dict):
        raise BadPayload("is not a JSON object")
    if field(fields, "format", int) > FORMAT:
        raise LaterVersion(f"is of format {fields['format']}, this program knows {FORMAT}: update it")
    return fields


def field(fields: Mapping[str, Any], name: str, kind: type[Kind]) -> Kind:
    """One field; whole numbers are not negative and fit in 63 bits, text is short. Raises ``BadPayload``."""
    value = fields.get(name)
    if type(value) is not kind or (isinstance(value, int) and not 0 <= value < 2**63):
        raise BadPayload(f"{name!r} is no {'whole number' if kind is int else 'text'} there")
    if isinstance(value, str) and len(value) > 200:
        raise BadPayload(f"{name!r} is too long")
    return value


def read_result(payload: bytes) -> Result:
    """What ``Result.to_text`` wrote. Raises ``BadPayload``."""
    fields = read(payload)
    seq, first = field(fields, "seq", int), field(fields, "first", int)
    if not 1 <= first <= seq:
        raise BadPayload("its numbers do not go together")
    replaces = None if fields.get("replaces") is None else field(fields, "replaces", int)
    game = fields.get("game")
    if game is not None and not isinstance(game, dict):
        raise BadPayload("'game' is no object")
    was = fields.get("was")
    if was is not None and not isinstance(was, dict):
        raise BadPayload("'was' is no object")
    before = None if was is None else (field(was, "box", str), field(was, "seq", int))
    box = field(fields, "box", str)
    if not re.fullmatch("[0-9a-f]{16}", box):
        raise BadPayload("'box' is no box's number")
    return Result(box, seq, first, replaces, game, before)


def _text(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
