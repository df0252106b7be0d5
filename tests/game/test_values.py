"""The house's ``dataclass`` against the standard one."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pickle
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import pytest

from mind_box.game import values
from tests.game import valued as v

RUNS = 30


@pytest.fixture(autouse=True)
def classes() -> None:
    """Made anew: what makes them runs within each test."""
    importlib.reload(v)


def test_says_what_it_holds() -> None:
    assert repr(v.Point(1, ("a",))) == "Point(x=1, names=('a',), more={})"
    assert repr(v.Nothing()) == "Nothing()"


def test_equal_when_the_class_and_all_fields_are() -> None:
    assert v.Point(1) == v.Point(1, (), {})
    assert v.Point(1) != v.Point(2)
    other: tuple[Any, ...] = (v.Other(1), v.Nought(), 1)
    assert v.Point(1) != other[0]
    assert v.Nothing() == v.Nothing()
    assert v.Nothing() != other[1]
    assert v.One(1) == v.One(1) != v.One(2)
    assert v.One(1) != other[2]
    assert v.Thing(1) != v.Thing(1)


def test_one_of_a_set() -> None:
    assert len({v.One(1), v.One(1), v.One(2), v.Nothing(), v.Nothing(), v.Thing(1), v.Thing(1)}) == 5
    assert not isinstance(v.Tray(), Hashable)


def test_frozen() -> None:
    point: Any = v.Point(1)
    for change in (partial(setattr, point, "x", 2), partial(delattr, point, "x"), partial(setattr, point, "y", 2)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert point == v.Point(1)
    assert not hasattr(point, "__dict__")
    assert not hasattr(v.Point, "__weakref__")


def test_not_frozen() -> None:
    tray = v.Tray()
    tray.cards = [1]
    assert tray == v.Tray([1])
    other: Any = tray
    with pytest.raises(AttributeError):
        other.card = 2


def test_each_has_its_own_of_a_factory() -> None:
    assert v.Tray().cards is not v.Tray().cards


def test_arguments() -> None:
    make: Any = v.Point
    assert make(names=("b",), x=3) == v.Point(3, ("b",))
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        make()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        make(1, z=2)
    assert v.Filled().name == "none given"


def test_what_takes_dataclasses_takes_it() -> None:
    point = v.Point(1, ("a",), {"b": 2})
    assert [f.name for f in dataclasses.fields(point)] == ["x", "names", "more"]
    assert dataclasses.replace(point, x=2) == v.Point(2, ("a",), {"b": 2})
    assert dataclasses.asdict(point) == {"x": 1, "names": ("a",), "more": {"b": 2}}
    for again in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert again == point
        assert again is not point
    assert copy.deepcopy(v.Tray([1])) == pickle.loads(pickle.dumps(v.Tray([1]))) == v.Tray([1])


def test_match() -> None:
    match v.Point(1, ("a",)):
        case v.Point(x, names=(name,)):
            assert (x, name) == (1, "a")
        case _:
            pytest.fail("not matched")


def test_without_slots() -> None:
    chest = v.Chest(1)
    assert chest.__dict__ == {"x": 1, "y": 2}
    assert chest == v.Chest(1, 2) == copy.copy(chest)
    with pytest.raises(dataclasses.FrozenInstanceError):
        chest.x = 2  # type: ignore[misc]


def test_documentation_stays() -> None:
    assert v.Chest.__doc__ is None
    assert v.Point.__doc__ == "A frozen value."


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
