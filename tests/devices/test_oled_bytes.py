"""What a change of a picture costs on I2C: the fewest bytes that windows can do it with, found by trying all cuts."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator, Sequence

import pytest
from PIL import Image

from mind_box.devices.oled.drivers import WIDTH, DirtySH1106, DirtySSD1306, bands, differing, edges, pack, windows
from mind_box.devices.oled.i2c import I2CInterface, SharedBus
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SH1106Chip, SSD1306Chip
from tests.devices.aids import same

Places = Sequence[tuple[int, int]]
"""Columns and pages that differ."""


def pages_of(places: Places) -> list[int]:
    new = bytearray(8 * WIDTH)
    for column, page in places:
        new[page * WIDTH + column] = 1
    return differing(bytes(8 * WIDTH), bytes(new))


@functools.cache
def band_cost(pages: tuple[int, ...]) -> int:
    """Of one band over these pages: a gap is sent, or ends a window, whichever is cheaper."""
    union = 0
    for page in pages:
        union |= page
    parts = edges(union)
    gaps = [right - left - 1 for (_, left), (right, _) in itertools.pairwise(parts)]
    height = len(pages)
    return 3 + 7 + height * union.bit_count() + sum(min(7, height * gap) for gap in gaps) if union else 0


def cheapest(pages: Sequence[int]) -> int:
    """The best of all ways to cut the pages into bands; those where nothing differs may be bands of their own."""
    cuts = itertools.product((False, True), repeat=len(pages) - 1)
    return min(sum(map(band_cost, _cut(tuple(pages), marks))) for marks in cuts)


def _cut(pages: tuple[int, ...], marks: Sequence[bool]) -> Iterator[tuple[int, ...]]:
    begin = 0
    for at, mark in enumerate(marks, 1):
        if mark:
            yield pages[begin:at]
            begin = at
    yield pages[begin:]


def some_places(rng: random.Random) -> Places:
    columns = rng.sample((0, 1, 2, 5, 9, 17, 40, 41, 60, 90, 100, 126, 127), rng.randint(1, 6))
    return [(x, page) for x in columns for page in range(8) if rng.random() < rng.choice((0.2, 0.7))]


def test_no_other_cut_into_bands_is_cheaper() -> None:
    rng = random.Random(5)
    for _ in range(100):
        places = some_places(rng)
        pages = pages_of(places)
        cost, cut = bands(pages)
        assert cost == cheapest(pages), places
        assert cost == sum(3 + 7 * len(edges(wide)) + (end - start) * wide.bit_count() for start, end, wide in cut), (
            places
        )
        assert [start for start, _, _ in cut] == sorted(start for start, _, _ in cut)


@pytest.mark.parametrize(
    "places",
    [
        [(0, 0), (127, 7)],
        [(0, 0), (100, 7), (110, 7), (127, 6)],
        [(10, 0), (11, 5), (30, 5), (40, 0), (127, 1)],
        [(x, page) for x in (0, 8, 60) for page in (1, 6)],
        [(3, 7), (70, 0), (80, 2)],
        [(x, 0) for x in range(20)] + [(x, 4) for x in range(90, 128)] + [(50, 2)],
        [(x, page) for x in range(40) for page in (0, 1)] + [(x, page) for x in range(60, 100) for page in (1, 2)],
    ],
)
def test_left_and_right_of_the_widest_gap_are_cut_by_themselves_where_that_is_cheaper(places: Places) -> None:
    pages = pages_of(places)
    columns = sorted({x for x, _ in places})
    _, edge = max((right - left, left) for left, right in itertools.pairwise(columns))
    sides = [[place for place in places if (place[0] <= edge) is left] for left in (True, False)]
    best = min(cheapest(pages), sum(cheapest(pages_of(side)) for side in sides))
    found = windows(pages)
    rows = {(x > edge and best < cheapest(pages), p0, p1) for x, _, p0, p1 in found}
    assert 3 * len(rows) + sum(7 + (x1 - x0 + 1) * (p1 - p0 + 1) for x0, x1, p0, p1 in found) == best
    assert all(any(x0 <= x <= x1 and p0 <= p <= p1 for x0, x1, p0, p1 in found) for x, p in places)


def changed(places: Places) -> Image.Image:
    image = Image.new("1", (WIDTH, 64))
    for column, page in places:
        image.putpixel((column, 8 * page), 1)
    return image


def sent(chip: SSD1306Chip | SH1106Chip, places: Places, *first: int) -> int:
    """Bytes that this change of a dark picture takes."""
    bus = ModelBus({0x3C: chip})
    kind = DirtySSD1306 if isinstance(chip, SSD1306Chip) else DirtySH1106
    device = kind(I2CInterface(SharedBus("i2c-1", lambda _: bus), 0x3C))
    device.persist = True
    device.forget()
    assert device.unknown
    device.display(changed([]))
    assert not device.unknown
    before, frame = bus.bytes, pack(changed(places))
    assert device.shows(frame) is not bool(places)
    device.update(frame, first)
    assert device.shows(frame)
    assert same(chip.picture(), changed(places))
    device.forget()
    assert not device.shows(frame)
    return bus.bytes - before


@pytest.mark.parametrize(
    ("places", "cost"),
    [
        ([], 0),
        ([(127, 7)], 3 + 7 + 1),
        ([(10, 3), (17, 3), (40, 3)], 3 + 7 + 8 + 7 + 1),
        ([(10, 3), (18, 3)], 3 + 7 + 9),
        ([(10, 3), (19, 3)], 3 + 7 + 1 + 7 + 1),
        ([(x, page) for x in range(20) for page in (0, 7)], 3 + 7 + 20 + 7 + 20),  # the columns are told once
        ([(x, page) for x in range(20) for page in (0, 7) if page or x], 3 + 7 + 19 + 3 + 7 + 20),
    ],
)
def test_an_ssd1306_is_told_of_a_window_what_is_new(places: Places, cost: int) -> None:
    assert sent(SSD1306Chip(), places) == cost


@pytest.mark.parametrize(
    ("places", "cost"),
    [
        ([], 0),
        ([(127, 7)], 1 + 6 + 1),
        ([(10, 3), (17, 3)], 1 + 6 + 8),
        ([(10, 3), (18, 3)], 1 + 6 + 1 + 6 + 1),  # the page is told once
        ([(10, 3), (10, 5)], 1 + 6 + 1 + 1 + 6 + 1),
    ],
)
def test_an_sh1106_is_told_of_a_run_what_is_new(places: Places, cost: int) -> None:
    assert sent(SH1106Chip(), places) == cost


@pytest.mark.parametrize("chip", [SSD1306Chip, SH1106Chip])
def test_commands_before_a_picture_are_sent_once_with_it(chip: type[SSD1306Chip | SH1106Chip]) -> None:
    places = [(0, 0), (60, 3), (127, 7)]
    without, model = sent(chip(), places), chip()
    assert sent(model, places, 0x81, 0x33) == without + 2
    assert model.contrast == 0x33
