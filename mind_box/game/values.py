"""``dataclass`` for whatever a starting box needs: the standard one, but its classes are made much faster.

The standard one writes the source of up to seven methods for each class and compiles them; the 70 such classes were a
quarter of a start. Here only ``__init__`` is compiled, when the first value is made; the others are closures over the
fields' names. ``fields``, ``replace``, ``asdict``, ``match``, ``copy`` and ``pickle`` take it like the standard one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Any, Never

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, slots=False, frozen=False, eq=True):
        """As ``dataclasses.dataclass``, for one that inherits no fields; a field may have a default or a factory."""
        return lambda cls: _made(cls, slots, frozen, eq)


def _made(cls: Any, slots: bool, frozen: bool, eq: bool) -> Any:
    names = tuple(cls.__annotations__)
    given = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    body = {name: value for name, value in cls.__dict__.items() if name not in (*given, "__dict__", "__weakref__")}
    methods: dict[str, Any] = {"__match_args__": names, "__repr__": _repr(names)}
    if slots:
        methods["__slots__"] = names
    if eq:
        methods |= _comparing(names, frozen)
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse, "__reduce__": _reduce(names)}
    made = type(cls)(cls.__name__, cls.__bases__, methods | body)
    made.__dataclass_fields__ = _Fields(given)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        made.__init__ = _init(made, names, given, slots)  # most are not needed at a start
        made.__init__(self, *args, **kwargs)

    made.__init__ = __init__
    return made


class _Fields:
    """The standard ``__dataclass_fields__``, made when ``fields``, ``replace`` or ``asdict`` ask for it."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def __get__(self, _: object, cls: Any) -> Any:
        # Any docstring: for a class without one the standard one writes a signature, longer work than all else.
        body = {"__doc__": cls.__name__, "__annotations__": cls.__annotations__, **self._given}
        standard: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(type(cls.__name__, (), body))
        cls.__dataclass_fields__ = standard.__dataclass_fields__
        return cls.__dataclass_fields__


def _init(cls: Any, names: Iterable[str], defaults: Mapping[str, Any], slots: bool) -> Any:
    """Compiled, as the rules make thousands of events a second: it puts each argument into its slot."""
    scope: dict[str, Any] = {"_MISSING": dataclasses.MISSING}
    arguments, lines = ["self"], []
    for name in names:
        given, value = name, name
        default = defaults.get(name, dataclasses.MISSING)
        if isinstance(default, dataclasses.Field):
            if default.default_factory is not dataclasses.MISSING:
                scope[f"_make_{name}"] = default.default_factory
                given, value = f"{name}=_MISSING", f"_make_{name}() if {name} is _MISSING else {name}"
            default = default.default
        if default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = default
            given = f"{name}=_default_{name}"
        arguments.append(given)
        if slots:
            scope[f"_set_{name}"] = getattr(cls, name).__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"self.__dict__[{name!r}] = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(_compiled(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(lines or ["pass"])), scope)
    init = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


@cache
def _compiled(source: str) -> CodeType:
    """Many have no field at all, and many others the same ones."""
    return compile(source, __name__, "exec")


def _repr(names: Iterable[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _comparing(names: tuple[str, ...], frozen: bool) -> dict[str, Any]:
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def __eq__(self: Any, other: object) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _reduce(names: Iterable[str]) -> Callable[[Any], tuple[type, tuple[Any, ...]]]:
    def __reduce__(self: Any) -> tuple[type, tuple[Any, ...]]:
        return type(self), tuple(getattr(self, name) for name in names)

    return __reduce__


def _refuse(_: Any, name: str, *__: object) -> Never:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")
