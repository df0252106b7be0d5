"""`make goldens`: draws the golden pictures anew. Look at what changed before you commit it.

One 1-bit sheet per language, its pictures' names in the PNG itself, so that adding a screen moves no other.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, PngImagePlugin

from mind_box.show.gallery import screens, sheet
from mind_box.show.words import LANGUAGES, words_for

GOLDEN = Path(__file__).parent / "golden"
COLUMNS = 10
CELL = (128, 64)


def read(language: str) -> dict[str, Image.Image]:
    """The golden pictures of a language by name."""
    with Image.open(GOLDEN / f"{language}.png") as image:
        names = [entry.split("=") for entry in image.info["pictures"].split("\n")]
        pictures = {}
        for i, (name, height) in enumerate(names):
            x, y = i % COLUMNS * CELL[0], i // COLUMNS * CELL[1]
            pictures[name] = image.crop((x, y, x + CELL[0], y + int(height))).convert("1")
        return pictures


def main() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for language in LANGUAGES:
        pictures = dict(screens(words_for(language)))
        info = PngImagePlugin.PngInfo()
        info.add_text("pictures", "\n".join(f"{name}={p.height}" for name, p in pictures.items()), zip=True)
        sheet(list(pictures.values()), COLUMNS, gap=0).save(GOLDEN / f"{language}.png", pnginfo=info, optimize=True)


if __name__ == "__main__":
    main()
