"""Settings as a TOML file, so that another process can be given the very same ones."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

from mind_box.config import Config


def to_toml(config: Config) -> str:
    """The text that ``mind_box.config.parse`` reads back as these settings."""
    head: list[str] = []
    sections: list[str] = []
    for f in fields(config):
        value = getattr(config, f.name)
        if is_dataclass(value):
            sections += [f"[{f.name}]", *_settings(value)]
        elif value:
            for table in value:
                sections += [f"[[{f.name}]]", *_settings(table)]
        else:
            head.append(f"{f.name} = []")
    return "\n".join([*head, *sections]) + "\n"


def _settings(section: Any) -> list[str]:
    """The lines of one table. TOML has no null: what is None is left out."""
    values = {f.name: getattr(section, f.name) for f in fields(section)}
    return [f"{name} = {_value(value)}" for name, value in values.items() if value is not None]


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)  # true, numbers and strings are written alike in JSON and TOML
