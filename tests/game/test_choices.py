"""What the lobby starts with and what may be chosen instead: the menu and the settings read both from the game."""

from __future__ import annotations

import dataclasses
import importlib.util
from types import ModuleType

import pytest

from mind_box.game import state


@pytest.fixture
def made() -> ModuleType:
    """The module made anew: what makes its classes runs within the test."""
    spec = importlib.util.find_spec(state.__name__)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("variant", ("classic", "reverse", "fifty", "tens", "extreme")),
        ("deck", ("original", "extreme")),
        ("hands", ("unknown", "known")),
        ("blind", ("no", "as_played", "at_end")),
        ("no_stars", (False, True)),
        ("challenge", ("at_end", "as_played")),
    ],
)
def test_the_box_starts_with_one_of_the_choices_and_all_are_explained(
    made: ModuleType, name: str, choices: tuple[str | bool, ...]
) -> None:
    setting = next(f for f in dataclasses.fields(made.Setup) if f.name == name)
    assert getattr(made.Setup(), name) == setting.default == choices[0]
    assert set(made.CHOICES[name]) == set(choices)
    assert " " in setting.metadata["doc"]
