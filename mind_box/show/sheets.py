"""`mind-box screens DIR`: every screen in every language as PNG, enlarged, and one contact sheet."""

from __future__ import annotations

from pathlib import Path

from mind_box.show.words import LANGUAGES, words_for

SCALE = 4
COLUMNS = 10


def write_screens(directory: Path) -> int:
    """Writes ``LANGUAGE/NAME.png`` and ``contact-sheet.png`` (made if missing); returns how many files.

    Raises ``OSError`` when the directory cannot be written.
    """
    from mind_box.show.gallery import screens, sheet

    pictures = []
    count = 0
    for language in LANGUAGES:
        folder = directory / language
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in screens(words_for(language)):
            pictures.append(picture)
            picture.resize((picture.width * SCALE, picture.height * SCALE)).save(folder / f"{name}.png")
            count += 1
    sheet(pictures, COLUMNS).save(directory / "contact-sheet.png", optimize=True)
    return count + 1
