"""`mind-box screens DIR`: every screen in every language as PNG, enlarged, and one contact sheet."""

from __future__ import annotations

from pathlib import Path

from mind_box.show.pictures import table_picture
from mind_box.show.samples import SAMPLES
from mind_box.show.words import LANGUAGES, words_for

SCALE = 4


def write_screens(directory: Path) -> int:
    """Writes the pictures into ``directory`` (made if missing); returns how many files were written.

    Raises ``OSError`` when the directory cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    count = 0
    for language in LANGUAGES:
        for name, view in SAMPLES.items():
            picture = table_picture(view, words_for(language))
            picture.resize((picture.width * SCALE, picture.height * SCALE)).save(directory / f"{language}-{name}.png")
            count += 1
    return count


__all__ = ["write_screens"]
