"""A result as the evenings' pages want it: the game as it is told, from the JSON that a box sent.

What only the box can know (every wait, what a star would have saved) is not in it: it would tell of cards that nobody
has seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import isfinite
from typing import Any

from mind_box.club.store import Stored
from mind_box.evening.book import Entry
from mind_box.evening.figures import GameFigures
from mind_box.evening.tempo import Tempo
from mind_box.evening.told import GameTold, Level, TurnedCard
from mind_box.game.cards import order_of
from mind_box.game.state import Setup


def entry_of(stored: Stored) -> Entry | None:
    """None: it is not understood."""
    game = stored.game
    try:
        blind = bool(game["blind"])
        setup = Setup(
            variant=game["variant"], deck=game["deck"], hands=game["hands"], blind="as_played" if blind else "no"
        )
        told = GameTold(
            begun=stored.at,
            setup=setup,
            order=order_of(setup.variant, setup.deck),
            seats=tuple(game["seats"]),
            result=game["result"],
            best=game["best"],
            resolves=float(game["resolves"]),
            levels=tuple(_level(level, setup.hands == "known") for level in game["levels"]),
            doubts=(),
        )
    except (KeyError, TypeError, ValueError):
        return None
    name = game.get("name")
    return Entry(stored.id, str(stored.id), 0, f"{stored.name} · {name or stored.at[:16].replace('T', ' ')}", told)


class SentFigures(GameFigures):
    """The figures of a game whose tempo its box has measured: the waits themselves stay there."""

    def __init__(self, game: GameTold, sent: Mapping[str, Any]) -> None:
        super().__init__(game)
        self._whole = _tempo(sent.get("tempo"))
        levels = zip(game.levels, sent["levels"], strict=True)
        self._by_level = {id(level): _tempo(of.get("tempo")) for level, of in levels}

    @cached_property
    def tempo(self) -> Tempo | None:
        return self._whole

    def tempo_of(self, level: Level) -> Tempo | None:
        return self._by_level[id(level)]


def _tempo(sent: Any) -> Tempo | None:
    if not isinstance(sent, dict):
        return None
    try:
        low, high = (float(end) for end in sent["p95"])
        figures = [float(sent[name]) for name in ("p", "r0", "w")]
        if not all(isfinite(value) and value > 0 for value in (*figures, high)):
            return None
        p, r0, w = figures
        return Tempo(p, (low, high), r0, w, int(sent["n"]))
    except (KeyError, TypeError, ValueError):
        return None


def _level(level: dict[str, Any], known: bool) -> Level:
    lives, stars = level["lives"], level["stars"]
    return Level(
        number=int(level["level"]),
        blind=bool(level["blind"]),
        known=known,
        ending=level["ending"],
        marked=False,
        lives=(int(lives[0]), int(lives[1])),
        stars=(int(stars[0]), int(stars[1])),
        errors=int(level["errors"]),
        stops=int(level["stops"]),
        play=None if level["play_s"] is None else float(level["play_s"]),
        cards=tuple(TurnedCard(c["card"], c["t"], c["seat"], c["how"]) for c in level["cards"]),
        waits=(),
        slips=(),
        steps=(),
    )
