"""A result as the evenings' pages want it: the game as it is told, from the JSON that a box sent.

What only the box can know (whose wait it was, what a star would have saved) is not in it: hidden cards are none of
ours.
"""

from __future__ import annotations

from typing import Any

from mind_box.club.store import Stored
from mind_box.evening.book import Entry
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
