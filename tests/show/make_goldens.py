"""`make goldens`: draws the golden pictures and the sheets in docs/screens anew. Look at them before you commit.

One 1-bit sheet per language, its pictures' names in the PNG itself, so that adding a screen moves no other.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, PngImagePlugin

from mind_box.show.fonts import WORD6, mask
from mind_box.show.gallery import screens, sheet
from mind_box.show.words import LANGUAGES, words_for

GOLDEN = Path(__file__).parent / "golden"
DOCS = Path(__file__).parents[2] / "docs" / "screens"
COLUMNS = 10
CELL = (128, 64)


def read(language: str) -> dict[str, Image.Image]:
    """The golden pictures of a language by name."""
    with Image.open(GOLDEN / f"{language}.png") as image:
        names = [entry.split("=") for entry in image.info["pictures"].split("\n")]
        pictures = {}
        for i, (name, height) in enumerate(names):
            x, y = i % COLUMNS * CELL[0], i // COLUMNS * CELL[1]
            high = min(int(height), CELL[1])
            picture = image.crop((x, y, x + CELL[0], y + high)).convert("1")
            pictures[name] = picture.transpose(Image.Transpose.ROTATE_270) if int(height) > high else picture
        return pictures


def labelled(pictures: dict[str, Image.Image]) -> Image.Image:
    """Pictures for people: each under its name, twice as large as on the screen."""
    columns, width, height = 6, CELL[0] + 6, max(p.height for p in pictures.values()) + 16
    rows = -(-len(pictures) // columns)
    image = Image.new("L", (columns * width, rows * height), 150)
    draw = ImageDraw.Draw(image)
    for i, (name, picture) in enumerate(pictures.items()):
        x, y = i % columns * width + 3, i // columns * height + 12
        ink, down = mask(name, WORD6)
        draw.bitmap((x, y - 9 + down), ink, fill=0)
        image.paste(picture, (x, y))
    palette = image.convert("P", palette=Image.Palette.ADAPTIVE, colors=4)
    return palette.resize((image.width * 2, image.height * 2))


def for_the_docs() -> dict[str, Image.Image]:
    """The sheets in docs/screens by file name."""
    sheets = {}
    for language in LANGUAGES:
        drawn = dict(screens(words_for(language)))
        table = {name.removeprefix("table-"): p for name, p in drawn.items() if name.startswith("table-")}
        sheets[f"table-{language}"] = labelled(table)
        if language == "en":
            upright = {name.removeprefix("upright-"): p for name, p in drawn.items() if name.startswith("upright-")}
            sheets["upright-en"] = labelled(upright)
            seats = {name: p for name, p in drawn.items() if name.startswith(("64-", "32-"))}
            sheets["seats-en"] = labelled(seats)
    return sheets


def main() -> None:
    DOCS.mkdir(parents=True, exist_ok=True)
    for name, image in for_the_docs().items():
        image.save(DOCS / f"{name}.png", optimize=True)
    GOLDEN.mkdir(exist_ok=True)
    for language in LANGUAGES:
        pictures = dict(screens(words_for(language)))
        info = PngImagePlugin.PngInfo()
        info.add_text("pictures", "\n".join(f"{name}={p.height}" for name, p in pictures.items()), zip=True)
        sheet(list(pictures.values()), COLUMNS, gap=0).save(GOLDEN / f"{language}.png", pnginfo=info, optimize=True)


if __name__ == "__main__":
    main()
