"""Each setting with its default, its range and what it is for, as a file to begin from."""

from __future__ import annotations

import dataclasses
import json
import textwrap
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mind_box.settings.schema import EXPANDER_PINS, HEADER_PINS, Config


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting, in the words of the file."""

    name: str
    default: str | None
    """As TOML; None: left out."""
    example: str
    """As TOML; the default where there is one."""
    range: str
    """What it may be; empty: any text, or true or false."""
    doc: str


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the file."""

    name: str
    header: str
    """``[box]``, or ``[[screen]]`` where there is one for each."""
    about: str
    settings: tuple[Entry, ...]


def sections() -> Iterator[Section]:
    """All settings, in the order of ``Config``."""
    for part in dataclasses.fields(Config):
        value = getattr(Config(), part.name)
        each = isinstance(value, tuple)
        one = value[0] if each else value
        _, _, about = (type(one).__doc__ or "").partition("``")[2].partition("``")
        header = f"[[{part.name}]]" if each else f"[{part.name}]"
        entries = tuple(_entry(one, f) for f in dataclasses.fields(one))
        yield Section(part.name, header, _sentence(about.lstrip(": ")), entries)


def _sentence(text: str) -> str:
    """A docstring's text as it stands on a page."""
    text = "\n\n".join(" ".join(p.split()) for p in text.strip().split("\n\n")).replace("``", "`")
    return text[:1].upper() + text[1:]


def _entry(owner: Any, setting: dataclasses.Field[Any]) -> Entry:
    meta, value = setting.metadata, getattr(owner, setting.name)
    default = None if value is None else as_toml(value, "hexadecimal" in meta)
    example = default if default is not None else as_toml(meta["example"], "hexadecimal" in meta)
    return Entry(setting.name, default, example, _range(meta), meta["doc"])


def _range(meta: typing.Mapping[str, Any]) -> str:
    choices = meta.get("choices", ())
    if choices and choices != (False, True):
        *first, last = (as_toml(c) for c in choices)
        return f"{', '.join(first)} or {last}"
    if "pin" in meta:
        line = f" or {EXPANDER_PINS[0]} to {EXPANDER_PINS[-1]}" if "expander" in meta else ""
        return f"GPIO {HEADER_PINS[0]} to {HEADER_PINS[-1]}{line}"
    if "low" not in meta:
        return ""
    low, high = (as_toml(meta[end], "hexadecimal" in meta) for end in ("low", "high"))
    return f"{low} to {high}"


def as_toml(value: Any, hexadecimal: bool = False) -> str:
    """A setting's value."""
    if isinstance(value, tuple):
        return f"[{', '.join(as_toml(v, hexadecimal) for v in value)}]"
    if hexadecimal:
        return f"0x{value:02X}"
    return json.dumps(value, ensure_ascii=False)  # true, 4, 0.025 and "text" are the same in TOML


def example() -> str:
    """All settings as they are by default, as TOML; ``mind_box.settings.loading.parse`` makes ``Config()`` of it."""
    lines = [
        "# All settings of a mind box, as they are by default.",
        "# What you leave out stays so.",
    ]
    for section in sections():
        lines += ["", "", *_comment(section.about), section.header]
        for entry in section.settings:
            range_ = f" ({entry.range})" if entry.range else ""
            off = "#" if entry.default is None else ""
            lines += ["", *_comment(f"{entry.doc}{range_}"), f"{off}{entry.name} = {entry.example}"]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    out = []
    for paragraph in text.split("\n\n") if text else ():
        out += ["#", *(f"# {line}" for line in textwrap.wrap(paragraph, 98, break_on_hyphens=False))]
    return out[1:]
