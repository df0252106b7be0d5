"""The figures of the rules: players, lives and stars, rewards, and what may be put right by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

MIN_SEATS = 2
MAX_SEATS = 8
MAX_LIVES = 5
MAX_STARS = 3

Reward = Literal["life", "star", "void"]
"""Void: a life or a star at its cap, or a star where there are none (R5, R22)."""
REWARDS: Mapping[int, Literal["life", "star"]] = {
    2: "star", 3: "life", 5: "star", 6: "life", 8: "star", 9: "life",
}  # fmt: skip
"""By the level that brings it (R19)."""

Stock = Literal["lives", "stars"]
LIMITS: Mapping[Stock, int] = {"lives": MAX_LIVES, "stars": MAX_STARS}
Correction = Literal["life-up", "life-down", "star-up", "star-down"]
CORRECTIONS: Mapping[Correction, tuple[Stock, int]] = {
    "life-up": ("lives", 1),
    "life-down": ("lives", -1),
    "star-up": ("stars", 1),
    "star-down": ("stars", -1),
}


def start_figures(players: int) -> tuple[int, int]:
    """Lives and last level for a number of players (R2, R3)."""
    return {2: (2, 12), 3: (3, 10), 4: (4, 8)}.get(players, (MAX_LIVES, 8))


def house_rule(players: int) -> bool:
    """Whether so many players are more than the game was made for (R3)."""
    return players > 4
