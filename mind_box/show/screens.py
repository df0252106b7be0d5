"""Which picture belongs on which screen, and in whose language."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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


def language_of(screen: str, language: str, own: Sequence[str]) -> str:
    """What a screen is written in: its seat's language, if that has one of its ``own``, else the table's."""
    seat = seat_of(screen)
    return own[seat - 1] if seat is not None and seat <= len(own) else language


def tables_missing(screens: Collection[str], faults: Collection[str]) -> bool:
    """Whether there are table screens, and all of them are lost."""
    tables = {name for name in screens if seat_of(name) is None}
    return bool(tables) and tables <= set(faults)
