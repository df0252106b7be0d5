"""Settings written as the file that ``mind_box.settings.loading`` reads back as the same ones."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from mind_box.settings.reference import as_toml
from mind_box.settings.schema import Config


def to_toml(config: Config, changed: bool = False) -> str:
    """The text that ``mind_box.settings.loading.parse`` reads back as these settings; only what is not as it is by
    default, if ``changed``."""
    usual = Config()
    head: list[str] = []
    sections: list[str] = []
    for f in fields(config):
        value = getattr(config, f.name)
        if is_dataclass(value):
            lines = _settings(value, getattr(usual, f.name) if changed else None)
            sections += [f"[{f.name}]", *lines] if lines or not changed else []
        elif value:
            for table in value:
                sections += [f"[[{f.name}]]", *_settings(table, type(table)() if changed else None)]
        else:
            head.append(f"{f.name} = []")
    return "\n".join([*head, *sections]) + "\n"


def _settings(section: Any, usual: Any) -> list[str]:
    """The lines of one table but for what is ``usual``. TOML has no null: what is None is left out."""
    values = {f.name: getattr(section, f.name) for f in fields(section)}
    hexadecimal = {f.name for f in fields(section) if f.metadata.get("hexadecimal")}
    kept = {n: v for n, v in values.items() if v is not None and (usual is None or v != getattr(usual, n))}
    return [f"{name} = {as_toml(value, name in hexadecimal)}" for name, value in kept.items()]
