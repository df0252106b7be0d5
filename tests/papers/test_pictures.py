"""The pictures of the pages in the README and in docs show what the program shows now."""

from __future__ import annotations

import pytest

from docs import pictures
from docs.pictures import PICTURES, now, read, stamp
from mind_box.table.view import View
from tests.papers.pages import ROOT

STAMPS = read()
CURE = "python -m docs.make_pictures makes it anew; look at it"


def test_every_picture_has_a_stamp_and_stands_on_a_page() -> None:
    made = {path.name for path in PICTURES.iterdir() if path.suffix in (".png", ".webp")}
    assert made == set(STAMPS)
    told = "".join((ROOT / page).read_text("utf-8") for page in ("README.md", "docs/page.md"))
    assert [name for name in made if f"page/{name}" not in told] == []


@pytest.mark.parametrize("name", STAMPS)
def test_a_picture_shows_what_its_page_shows_now(name: str) -> None:
    old = STAMPS[name]
    new = now(old)
    assert old["files"] == new["files"], f"{name} is older than the files of its page: {CURE}"
    assert old["words"] == new["words"], f"{name} shows words that are others now: {CURE}"


def test_other_words_and_other_files_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    view = View(phase="play", seats=(1, 2), level=1, last_level=12, lives=2, remaining=2)
    first = stamp("try", [view.to_json()])
    assert first == stamp("try", [view.to_json()]) == now(first)
    assert first["words"] != stamp("try", [View().to_json()])["words"]
    assert first["files"] != stamp("table", [view.to_json()])["files"]
    monkeypatch.setattr(pictures, "texts", lambda _: {"title": "Another box"})
    assert now(first)["words"] != first["words"]
    monkeypatch.setattr(pictures, "_settled", lambda file: file.name.encode())
    assert now(first)["files"] != first["files"]
