"""docs/install.md shows the first start as it is, and its mind-box.toml is one that is understood."""

from __future__ import annotations

import re

import pytest
from PIL import Image

from docs import make_first_start
from mind_box.first_start.file import NETWORK, SYSTEM, read
from tests.papers.pages import page

PAGE = "docs/install.md"


@pytest.mark.parametrize("name", make_first_start.pictures())
def test_a_picture_is_what_the_box_shows(name: str) -> None:
    drawn = make_first_start.pictures()[name]
    with Image.open(make_first_start.PICTURES / f"{name}.png") as kept:
        small = kept.convert("1").resize(drawn.size, Image.Resampling.NEAREST)
    assert small.tobytes() == drawn.convert("1").tobytes(), "make docs-pages"
    assert f"screens/first-start/{name}.png" in page(PAGE)


def test_the_file_on_the_page_is_understood() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", page(PAGE), re.S)
    asked = read(text.replace("AAAA...", "A" * 68).encode())
    assert asked.settings is not None and asked.settings.box.language == "de"
    assert asked.network is not None and asked.network.country == "DE"
    assert asked.ssh_key.endswith(" you@home") and asked.updates
    for key in (*NETWORK, *SYSTEM):
        assert f"\n{key} = " in text, key
