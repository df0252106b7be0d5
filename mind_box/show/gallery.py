"""Every screen there is, by name: the samples on the table screen and on both sizes of seat screen, and the rest."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image

from mind_box.show.pictures import (
    TABLE_SIZE,
    name_picture,
    saved_picture,
    seat_picture,
    starting_picture,
    stopped_picture,
    table_picture,
)
from mind_box.show.samples import SAMPLES
from mind_box.show.seat_screen import instruction
from mind_box.show.words import Words, words_for
from mind_box.table.view import View

SEAT_SIZES = ((128, 64), (128, 32))
UPRIGHT_SIZE = (64, 128)
"""Of a table screen that was turned by a quarter."""


def seats_shown() -> Iterator[tuple[str, View, int]]:
    """The samples from the seats: of seats that are told the same in the same sample, only the first."""
    for name, view in SAMPLES.items():
        told = set()
        for seat in view.seats or (1, 2):
            count = view.counts.get(seat) if view.counts else None
            what = (instruction(view, seat, words_for("en")), count)
            if what not in told:
                told.add(what)
                yield f"{name}-seat-{seat}", view, seat


def screens(words: Words) -> Iterator[tuple[str, Image.Image]]:
    """Name and picture of every screen in one language. Seat screens that look alike are there once."""
    yield "starting", starting_picture(words)
    for name, view in SAMPLES.items():
        yield f"table-{name}", table_picture(view, words)
        yield f"upright-{name}", table_picture(view, words, UPRIGHT_SIZE)
    seen = set()
    for name, view, seat in seats_shown():
        for size in SEAT_SIZES:
            picture = seat_picture(view, seat, words, size)
            content = (size, picture.tobytes())
            if content not in seen:
                seen.add(content)
                yield f"{size[1]}-{name}", picture
    yield "self-test", name_picture("seat-screen 2")
    yield "self-test-32", name_picture("seat-screen 2", SEAT_SIZES[1])
    yield "saved", saved_picture(words)
    yield "stopped", stopped_picture(words)
    yield "stopped-32", stopped_picture(words, SEAT_SIZES[1])


def lying(picture: Image.Image) -> Image.Image:
    """An upright picture on its left side, any other as it is."""
    return picture.transpose(Image.Transpose.ROTATE_90) if picture.height > picture.width else picture


def sheet(pictures: list[Image.Image], columns: int, gap: int = 4) -> Image.Image:
    """Pictures side by side on one 1-bit image, row by row, cells as large as the table screen; an upright one lies on
    its left side."""
    width, height = TABLE_SIZE[0] + gap, TABLE_SIZE[1] + gap
    rows = -(-len(pictures) // columns)
    image = Image.new("1", (columns * width - gap, rows * height - gap), 1 if gap else 0)
    for i, picture in enumerate(pictures):
        image.paste(lying(picture), (i % columns * width, i // columns * height))
    return image
