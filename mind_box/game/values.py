"""``dataclass`` for whatever a starting box needs: the standard one, but its classes are made much faster.

The standard one writes the source of up to seven methods for each class and compiles them; the 70 such classes were a
quarter of a start. Here only ``__init__`` is compiled, the other methods are closures over the fields' names. It
is a dataclass all the same: ``fields``, ``replace``, ``asdict``, ``match``, ``copy`` and ``pickle`` take it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Any, Never

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, slots=False, frozen=False, eq=True):
        """As ``dataclasses.dataclass``. A field may have a default or a factory; none of its other options counts."""
        return lambda cls: _made(cls, slots, frozen, eq)


def _made(cls: type, slots: bool, frozen: bool, eq: bool) -> type:
    cls.__doc__ = cls.__doc__ or cls.__name__  # or the standard one would work out a signature for it
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    fields = dataclasses.fields(cls)
    names = [field.name for field in fields]
    methods = {"__init__": _init(cls, fields, slots), "__repr__": _repr(names)}
    if eq:
        methods |= _comparing(names, frozen)
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse, "__reduce__": _reduce(names)}
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    return cls


def _init(cls: type, fields: Iterable[dataclasses.Field[Any]], slots: bool) -> Any:
    """Compiled, as the rules make thousands of events a second: it puts each argument into its slot."""
    scope: dict[str, Any] = {}
    arguments, lines = ["self"], []
    for field in fields:
        name = field.name
        given, value = name, name
        if field.default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = field.default
            given = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            scope |= {f"_make_{name}": field.default_factory, "_MISSING": dataclasses.MISSING}
            given, value = f"{name}=_MISSING", f"_make_{name}() if {name} is _MISSING else {name}"
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


def _comparing(names: list[str], frozen: bool) -> dict[str, Any]:
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
