"""Makes docs/settings.md from the settings' own words: ``python -m docs.make_settings``, or ``make docs-pages``."""

from __future__ import annotations

from pathlib import Path

from mind_box.settings.loading import DEFAULT_PATH
from mind_box.settings.reference import sections

PAGE = Path(__file__).parent / "settings.md"


def text() -> str:
    """The page."""
    lines = [
        "# Settings",
        "",
        "<!-- Made from the settings' own words by `make docs-pages`: change them there. -->",
        "",
        f"The box reads `{DEFAULT_PATH}`, or the file of `--config`, when it starts; it is [TOML](https://toml.io).",
        "What is left out is as it stands here; the standard build of [the maker's page](../hardware/BUILD.md) names",
        "its two screens itself.",
        "A setting that is unknown, out of its range or at odds with another is refused with its line and the cure,",
        "and so is a pin that is used twice.",
        "",
        "    mind-box config example > box.toml     # all of this as a file to begin from",
        "    mind-box config check --config box.toml",
        "    mind-box pins --config box.toml        # what that means at the soldering iron",
    ]
    for section in sections():
        lines += ["", f"## `{section.header}`", "", *([section.about, ""] if section.about else [])]
        lines += ["| setting | default | may be | what for |", "|---|---|---|---|"]
        for entry in section.settings:
            default = f"`{entry.default}`" if entry.default is not None else f"left out (e.g. `{entry.example}`)"
            lines.append(f"| `{entry.name}` | {default} | {entry.range.replace(chr(34), '`')} | {entry.doc} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    print(f"{PAGE}: made anew")
