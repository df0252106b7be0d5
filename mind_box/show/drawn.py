"""One screen's picture by its name. What draws is loaded with the first picture: a box starts fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_box.table.view import View

if TYPE_CHECKING:
    from PIL import Image


def seat_of(screen: str) -> int | None:
    """The seat of ``seat-screen N``; None for a table screen."""
    return int(screen.rpartition(" ")[2]) if screen.startswith("seat-screen ") else None


def draw(view: View, screen: str, size: tuple[int, int], language: str, stands_in: bool = False) -> Image.Image:
    """The picture of one screen. May run in a worker thread.

    ``stands_in``: every table screen is missing, so a seat's screen that is as tall shows what they would.
    """
    from mind_box.show.pictures import seat_picture, table_picture
    from mind_box.show.words import words_for

    seat = seat_of(screen)
    words = words_for(language)
    if seat is None or (stands_in and size[1] >= 64):
        return table_picture(view, words, size)
    return seat_picture(view, seat, words, size)
