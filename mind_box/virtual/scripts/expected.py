"""What a script expects: the words after ``expect``, read as ``View.to_json`` gives that field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from mind_box.game.cards import Card
from mind_box.game.state import Ended
from mind_box.table.view import GhostLaid, View


def field_of(view: View, name: str) -> Any:
    """A field of the View as plain values; ``pile`` and ``pile2`` are the first and the second pile, ``told`` the kinds
    of the facts, ``ghost_card`` and its like what ``ghost`` says."""
    plain = view.to_json()
    if name == "told":
        return [fact["kind"] for fact in plain["told"]]
    if name.startswith("ghost_"):
        return plain["ghost"] and plain["ghost"][name.removeprefix("ghost_")]
    if name in ("pile", "pile2"):
        which = int(name == "pile2")
        return plain["piles"][which] if which < len(plain["piles"]) else None
    return plain[name]


def _one(words: list[str]) -> Any:
    if len(words) != 1:
        raise ValueError("expected one value")
    return _scalar(words[0])


def _scalar(word: str) -> Any:
    named = {"null": None, "true": True, "false": False}
    if word in named:
        return named[word]
    return int(word) if re.fullmatch(r"-?[0-9]+", word) else word


def _card(word: str) -> Card:
    if re.fullmatch(r"[0-9]+|[WR][0-9]+", word):
        return word if word[0] in "WR" else int(word)
    raise ValueError(f"{word!r} is no card")


def _cards(words: list[str]) -> Any:
    return None if words == ["null"] else [_card(word) for word in words]


def _names(words: list[str]) -> Any:
    return words


def _faults(words: list[str]) -> Any:
    """``reader seat-screen 2``: a number belongs to the screen before it."""
    return re.findall(r"(?:seat|table)-screen [0-9]+|\S+", " ".join(words))


def _seats_of(words: list[str]) -> Any:
    wrong = next((word for word in words if not re.fullmatch("[1-9]", word)), None)
    if wrong is not None:
        raise ValueError(f"{wrong!r} is no seat; where there is none, nothing stands here")
    return [int(word) for word in words]


def _pairs(words: list[str]) -> Any:
    if words == ["null"]:
        return None
    pairs = [word.split(":") for word in words]
    if not all(len(pair) == 2 and all(re.fullmatch("[0-9]+", p) for p in pair) for pair in pairs):
        raise ValueError("expected SEAT:NUMBER pairs, e.g. 1:2 2:0")
    return {seat: int(count) for seat, count in pairs}


def _card_lists(words: list[str]) -> Any:
    if words == ["null"]:
        return None
    pairs = [word.split(":") for word in words]
    if not all(len(pair) == 2 for pair in pairs):
        raise ValueError("expected SEAT:CARD,CARD pairs, e.g. 1:18,24")
    return {seat: _comma(cards) for seat, cards in pairs}


def _error(words: list[str]) -> Any:
    if words == ["null"]:
        return None
    parts = dict(word.split(":", 1) for word in words if ":" in word)
    if len(parts) != len(words) or set(parts) != {"early", "aside", "paid"} or parts["paid"] not in ("true", "false"):
        raise ValueError("expected early:29 aside:18,24 paid:true, or null")
    return {
        "early": _card(parts["early"]),
        "aside": _comma(parts["aside"]),
        "paid": parts["paid"] == "true",
    }


def _ended(words: list[str]) -> Any:
    """``level:2 pile:7,11,35 early:51 late:42 paid:true reward:star``; of two piles: ``pile:4,23/98,88``."""
    if words == ["null"]:
        return None
    parts = dict(word.split(":", 1) for word in words if ":" in word)
    plain: dict[str, Any] = dict.fromkeys(f.name for f in fields(Ended)) | {"aside": []}
    if len(parts) != len(words) or not {"level", "pile"} <= set(parts) <= set(plain):
        raise ValueError("expected level:2 pile:7,51 and what else there is of aside early late paid reward, or null")
    for name, text in parts.items():
        if name == "pile" and "/" in text:
            plain[name] = [_comma(pile) for pile in text.split("/")]
        else:
            plain[name] = _comma(text) if name in ("pile", "aside", "late") else _one([text])
    return plain


def _ghost(words: list[str]) -> Any:
    """``seat:3 card:42 place:2``; in blind play ``card:null``."""
    if words == ["null"]:
        return None
    parts = dict(word.split(":", 1) for word in words if ":" in word)
    if set(parts) != {f.name for f in fields(GhostLaid)} or len(parts) != len(words):
        raise ValueError("expected seat:3 card:42 place:2, or null")
    return {name: _scalar(text) for name, text in parts.items()}


def _comma(text: str) -> list[Card]:
    return [_card(card) for card in text.split(",") if card]


def _piles(words: list[str]) -> Any:
    """Piles with a slash between them."""
    piles: list[list[Card]] = [[]]
    for word in words:
        if word == "/":
            piles.append([])
        else:
            piles[-1].append(_card(word))
    return piles


FIELDS: Mapping[str, Callable[[list[str]], Any]] = {f.name: _one for f in fields(View)} | {
    "pile": _cards,
    "pile2": _cards,
    "piles": _piles,
    "aside": _cards,
    "aside_by": _card_lists,
    "last_error": _error,
    "ended": _ended,
    "counts": _pairs,
    "seats": _seats_of,
    "hands_down": _seats_of,
    "agreed": _seats_of,
    "waiting": _seats_of,
    "faults": _faults,
    "notices": _names,
    "told": _names,
    "ghosts": _seats_of,
    "ghost": _ghost,
    "ghost_seat": _one,
    "ghost_card": _one,
    "ghost_place": _one,
}
"""Each field that a script may expect something of, and what reads its words."""
