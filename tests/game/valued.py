"""Classes of every kind that the house's ``dataclass`` makes: ``test_values.py`` imports them anew for each test."""

from __future__ import annotations

import dataclasses

from mind_box.game.values import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A frozen value."""

    x: int
    names: tuple[str, ...] = ()
    more: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Other:
    """The same fields, another thing."""

    x: int
    names: tuple[str, ...] = ()
    more: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No fields."""


@dataclass(frozen=True, slots=True)
class Nought:
    """None either."""


@dataclass(frozen=True, slots=True)
class One:
    """A single field."""

    value: int


@dataclass(frozen=True, slots=True)
class Filled:
    """Looks at itself when it is made."""

    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", "none given")


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """Equal only to itself."""

    x: int


@dataclass(frozen=True)
class Chest:
    x: int
    y: int = 2


@dataclass(slots=True)
class Tray:
    """May be changed."""

    cards: list[int] = dataclasses.field(default_factory=list)
