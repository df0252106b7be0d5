"""The kinds of ghosts: how evenly they feel time."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """As the settings, the menu and table scripts call them."""

    STEADY = "steady"
    """A clock: it errs only where it does not know the persons' pace."""
    HUMAN = "human"
    """As even as a good player."""
    DREAMY = "dreamy"
    """As even as most of us."""

    @property
    def noise(self) -> float:
        """The Weber fraction: the spread of a felt wait, relative to the wait (sigma of its logarithm)."""
        return _NOISE[self]


_NOISE: Final[Mapping[Kind, float]] = {Kind.STEADY: 0.0, Kind.HUMAN: 0.08, Kind.DREAMY: 0.15}
