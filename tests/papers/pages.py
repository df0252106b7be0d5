"""The repository's pages, and what a test wants to know about them."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def page(name: str) -> str:
    """A page's text; ``name`` counts from the repository's top."""
    return (ROOT / name).read_text(encoding="utf-8")


def section(name: str, heading: str) -> str:
    """What stands below a heading of a page, up to the next heading of the same or a higher rank."""
    lines = page(name).splitlines()
    fence = [line.startswith("```") for line in lines]
    heads = [i for i, line in enumerate(lines) if re.match("#+ ", line) and sum(fence[:i]) % 2 == 0]
    start = next(i for i in heads if lines[i].lstrip("#") == f" {heading}")
    rank = lines[start].index(" ")
    end = next((i for i in heads if i > start and lines[i].index(" ") <= rank), len(lines))
    return "\n".join(lines[start + 1 : end])


def codes(text: str) -> list[str]:
    """Everything in a text that stands between backticks."""
    return re.findall(r"`([^`\n]+)`", text)


@cache
def repository() -> tuple[Path, ...]:
    """Every file of the repository, as git has it; or as the disk has it, where a source archive was unpacked."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode == 0:
        return tuple(path for line in listed.stdout.splitlines() if (path := ROOT / line).is_file())
    hidden = (".venv", "build", "dist", "node_modules", "__pycache__")
    return tuple(p for p in ROOT.rglob("*") if p.is_file() and not set(hidden) & set(p.relative_to(ROOT).parts))


def prose(file: Path) -> Iterator[str]:
    """What a file tells its readers: comments and docstrings of Python, the comments of a script, a whole page.

    What stands between backticks or quotes is left out: those are names, not words.
    """
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        told = [
            node.value.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        ]
        told += [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    elif file.suffix == ".table":
        told = re.findall(r"#.*", text)
    else:
        told = [text]
    for words in told:
        yield re.sub(r"```.*?```|``[^`]*``|`[^`\n]*`|\"[^\"\n]*\"", " ", words, flags=re.S)
