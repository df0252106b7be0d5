"""The drilling template is as large on paper as the box is."""

from pathlib import Path
from typing import Any

import mounts
import numpy as np
import pypdfium2
import pytest
import template
from layout import Layout

from mind_box.settings.loading import load

HARDWARE = Path(__file__).parents[2] / "hardware"
DOTS = 10
"""A millimetre."""


@pytest.fixture(scope="module")
def plan() -> Layout:
    return Layout(load(HARDWARE / "standard.toml"))


def sheet(path: Path, number: int) -> Any:
    """Ink of a page, upside up: True where it is dark, 10 dots a millimetre."""
    page = pypdfium2.PdfDocument(path)[number]
    picture = page.render(scale=DOTS * 25.4 / 72).to_pil().convert("L")
    return np.asarray(picture)[::-1] < 140


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_ruler_is_a_hundred_millimetres_on_every_sheet(plan: Layout, tmp_path: Path, paper: str) -> None:
    path = tmp_path / "t.pdf"
    count = template.write(plan, path, paper, "test")
    document = pypdfium2.PdfDocument(path)
    assert len(document) == count >= len(template.panels(plan))
    width, height = template.PAPERS[paper]
    assert document[0].get_size() == pytest.approx((width * 72 / 25.4, height * 72 / 25.4), abs=0.1)
    row = round((height - template.MARGIN - 14) * DOTS)
    for number in range(count):
        ink = sheet(path, number)[row - 1 : row + 2].any(axis=0)
        run = np.flatnonzero(ink[: round((template.MARGIN + 101) * DOTS)])
        assert run[-1] - run[0] == pytest.approx(100 * DOTS, abs=4)


def test_star_button_s_hole_is_where_the_lid_has_it(plan: Layout, tmp_path: Path) -> None:
    path = tmp_path / "t.pdf"
    template.write(plan, path, "a4", "test")
    lid = template.panels(plan)[0]
    x, y, diameter, _ = next(h for h in lid.holes if h[3] == "star")
    assert diameter == mounts.BUTTON.hole
    (_, origin), *more = template.tiles(lid, "a4")
    assert not more, "the lid is on one sheet"
    ink = sheet(path, 0)
    at_x, at_y = (round((c - o + template.MARGIN) * DOTS) for c, o in zip((x, y), origin, strict=True))
    assert ink[at_y - 1 : at_y + 2, at_x - 1 : at_x + 2].any(), "the middle is marked"
    edge = round(at_x + diameter / 2 * DOTS)
    assert ink[at_y, edge - 2 : edge + 3].any() and not ink[at_y, edge - 12 : edge - 4].any()


def test_a_large_panel_goes_on_over_several_sheets() -> None:
    board = template.Panel("board", [(0, 0), (400, 0), (400, 300), (0, 300)])
    sheets = template.tiles(board, "a4")
    assert len(sheets) == 6
    width, height = template.PAPERS["a4"]
    free = width - 2 * template.MARGIN, height - 2 * template.MARGIN - template.HEAD
    assert max(x for _, (x, _) in sheets) + free[0] >= 400 and max(y for _, (_, y) in sheets) + free[1] >= 300
    assert {n for n, _ in sheets} == {f", sheet {i} of 6" for i in range(1, 7)}


def test_committed_templates_are_today_s(tmp_path: Path) -> None:
    for build in ("standard", "full"):
        for paper in template.PAPERS:
            path = tmp_path / "t.pdf"
            template.write(Layout(load(HARDWARE / f"{build}.toml")), path, paper, f"Mind box, {build} build")
            committed = HARDWARE / "templates" / f"{build}-{paper}.pdf"
            assert [sheet(path, i).sum() for i in range(4)] == [sheet(committed, i).sum() for i in range(4)], committed
