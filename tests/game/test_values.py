"""The house's ``dataclass`` against the standard one."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from mind_box.game import values
from mind_box.game.values import dataclass

RUNS = 30


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


def test_says_what_it_holds() -> None:
    assert repr(Point(1, ("a",))) == "Point(x=1, names=('a',), more={})"
    assert repr(Nothing()) == "Nothing()"


def test_equal_when_the_class_and_all_fields_are() -> None:
    assert Point(1) == Point(1, (), {})
    assert Point(1) != Point(2)
    other: tuple[Any, ...] = (Other(1), Nought(), 1)
    assert Point(1) != other[0]
    assert Nothing() == Nothing()
    assert Nothing() != other[1]
    assert One(1) == One(1) != One(2)
    assert One(1) != other[2]
    assert Thing(1) != Thing(1)


def test_one_of_a_set() -> None:
    assert len({One(1), One(1), One(2), Nothing(), Nothing(), Thing(1), Thing(1)}) == 5
    with pytest.raises(TypeError, match="unhashable"):
        hash(Tray())


def test_frozen() -> None:
    point: Any = Point(1)
    for change in (partial(setattr, point, "x", 2), partial(delattr, point, "x"), partial(setattr, point, "y", 2)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert point == Point(1)
    assert not hasattr(point, "__dict__")


def test_not_frozen() -> None:
    tray = Tray()
    tray.cards = [1]
    assert tray == Tray([1])
    other: Any = tray
    with pytest.raises(AttributeError):
        other.card = 2


def test_each_has_its_own_of_a_factory() -> None:
    assert Tray().cards is not Tray().cards


def test_arguments() -> None:
    make: Any = Point
    assert make(names=("b",), x=3) == Point(3, ("b",))
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        make()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        make(1, z=2)
    assert Filled().name == "none given"


def test_what_takes_dataclasses_takes_it() -> None:
    point = Point(1, ("a",), {"b": 2})
    assert [f.name for f in dataclasses.fields(point)] == ["x", "names", "more"]
    assert dataclasses.replace(point, x=2) == Point(2, ("a",), {"b": 2})
    assert dataclasses.asdict(point) == {"x": 1, "names": ("a",), "more": {"b": 2}}
    for again in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert again == point
        assert again is not point
    assert copy.deepcopy(Tray([1])) == pickle.loads(pickle.dumps(Tray([1]))) == Tray([1])


def test_match() -> None:
    match Point(1, ("a",)):
        case Point(x, names=(name,)):
            assert (x, name) == (1, "a")
        case _:
            pytest.fail("not matched")


def test_without_slots() -> None:
    chest = Chest(1)
    assert chest.__dict__ == {"x": 1, "y": 2}
    assert chest == Chest(1, 2) == copy.copy(chest)
    with pytest.raises(dataclasses.FrozenInstanceError):
        chest.x = 2  # type: ignore[misc]


def test_documentation_stays() -> None:
    assert Chest.__doc__ is None
    assert Point.__doc__ == "A frozen value."


def _class(decorate: Callable[..., Any]) -> Any:
    class Erred:
        """As large as a usual event."""

        early: int
        aside: tuple[int, ...]
        paid: bool

    return decorate(frozen=True, slots=True)(Erred)


def _least(*what: Callable[[], object]) -> list[float]:
    """CPU seconds of each, the least of alternating runs."""
    times: list[list[float]] = [[] for _ in what]
    for _ in range(RUNS):
        for act, taken in zip(what, times, strict=True):
            began = time.thread_time()
            act()
            taken.append(time.thread_time() - began)
    return list(map(min, times))


def test_makes_classes_faster_than_the_standard_one_and_values_no_slower() -> None:
    def classes(decorate: Callable[..., Any]) -> None:
        for _ in range(5):
            _class(decorate)(1, (2,), True)

    ours, theirs = _least(lambda: classes(values.dataclass), lambda: classes(dataclasses.dataclass))
    assert ours < theirs * 0.8

    def made(cls: Any) -> None:
        for _ in range(5000):
            cls(1, (2,), True)

    mine, standard = _class(values.dataclass), _class(dataclasses.dataclass)
    ours, theirs = _least(lambda: made(mine), lambda: made(standard))
    assert ours < theirs * 1.1
    print(ours / theirs)
