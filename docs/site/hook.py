"""The site is the repository's pages where they lie: `make docs` reads this (mkdocs.yml, ``hooks``).

Every page keeps its path, so a link that works in the repository works on the site, and the other way round. What a
page links to that is no page (pictures, tables, settings files) comes along; sources are linked to by no page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "firmware", "hardware")
SUFFIXES = (".md", ".png", ".webp", ".svg", ".csv", ".pdf", ".toml", ".yml")
LEFT_OUT = ("build", "site", "__pycache__")


def files() -> list[Path]:
    """Every file of the site, from the repository's top."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    found = [path for path in found if not set(path.relative_to(ROOT).parts) & set(LEFT_OUT)]
    return sorted([*ROOT.glob("*.md"), ROOT / "LICENSE", *found])


def on_files(known: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Adds them to what lies in docs/site, which is the style sheet only."""
    for path in files():
        known.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return known
