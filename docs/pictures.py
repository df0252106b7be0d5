"""What the pictures of the pages show, told in a few numbers: made with them, compared by a test with what is now.

A picture is older than what it shows when its page's files have changed, or what the page says of the Views in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from mind_box.page.message import table_message
from mind_box.show.pictures import table_picture
from mind_box.show.words import words_for
from mind_box.table.view import View
from mind_box.virtual.tryout.words import texts

PICTURES = Path(__file__).parent / "page"
STAMPS = PICTURES / "stamps.json"
PAGES = {"table": ("mind_box.page", "static"), "try": ("mind_box.virtual.tryout", "page")}
"""The pages by a short name: package and folder of their files. Both use those in ``mind_box/page/shared``."""
DRAWN = (".html", ".css", ".js", ".svg")

Plain = dict[str, Any]


def shown(view: Mapping[str, Any]) -> Plain:
    """A View as plain values, without what is as it always begins: a field that comes later changes no stamp."""
    begins = View().to_json()
    return {name: value for name, value in view.items() if value != begins.get(name)}


def stamp(page: str, views: Iterable[Mapping[str, Any]]) -> Plain:
    """Of a picture that shows these Views, each as ``View.to_json`` gives it, on this page."""
    seen = [shown(view) for view in views]
    return {"page": page, "views": seen, "files": _of_files(page), "words": _of_words(page, seen)}


def now(old: Mapping[str, Any]) -> Plain:
    """The same picture's stamp, if it were made now. Raises ``ValueError`` where the View has changed too much."""
    return stamp(old["page"], [View().to_json() | dict(view) for view in old["views"]])


def read() -> dict[str, Plain]:
    """All stamps by the pictures' names."""
    stamps: dict[str, Plain] = json.loads(STAMPS.read_text("utf-8"))
    return stamps


def keep(name: str, made: Plain) -> None:
    """Puts a picture's stamp beside the others."""
    stamps = (read() if STAMPS.exists() else {}) | {name: made}
    text = json.dumps(dict(sorted(stamps.items())), ensure_ascii=False, separators=(",", ":"))
    STAMPS.write_text(text.replace(',"', ',\n"') + "\n", "utf-8")


def _of_files(page: str) -> str:
    package, folder = PAGES[page]
    digest = hashlib.sha256()
    for place in (files("mind_box.page") / "shared", files(package) / folder):
        for file in sorted(place.iterdir(), key=lambda file: file.name):
            if file.name.endswith(DRAWN):
                digest.update(file.name.encode() + b"\0" + _settled(file) + b"\0")
    return digest.hexdigest()[:16]


def _settled(file: Traversable) -> bytes:
    """The file without indentation and without comments on lines of their own: nobody sees those."""
    lines = (line.strip() for line in file.read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/*"))).encode()


def _of_words(page: str, views: Iterable[Mapping[str, Any]]) -> str:
    """What the pages and the box's own screen say of these Views."""
    said: list[Any] = [texts("en")] if page == "try" else []
    for plain in views:
        view = View.from_json(View().to_json() | dict(plain))
        told = table_message(view, (), "en", None)
        del told["view"]
        said.append([told, table_picture(view, words_for("en")).tobytes().hex() if page == "try" else ""])
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]
