"""Makes the digit faces: an outline font's digits as bitmaps of exact heights (BDF). Run it to change or check them.

    python tests/show/make_digits.py BarlowCondensed-SemiBold.ttf mind_box/show/typefaces

Drawn eight times too large and reduced, a pixel is lit when half of it is covered: rounder than a font's own
hinting, and the same on every version of FreeType. Overshoot of round digits is cut, so that all are equally high.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

HEIGHTS = (16, 24, 26, 40, 44, 48)
NARROW = {24: 0.82, 26: 0.82, 48: 0.88}
"""Faces made narrower than they are drawn: beside a 100 of 48 pixels stay 56 for words, two digits of 24 fit a card,
and two cards of 26 leave room for a word."""
CHARACTERS = "0123456789–"
SCALE = 8
HEAD = """STARTFONT 2.1
FONT -mindbox-digits-bold-r-condensed--{h}-{h}0-75-75-p-0-iso10646-1
SIZE {h} 75 75
FONTBOUNDINGBOX {w} {h} 0 0
STARTPROPERTIES 4
PIXEL_SIZE {h}
FONT_ASCENT {h}
FONT_DESCENT 0
COPYRIGHT "2017 The Barlow Project Authors; SIL OFL 1.1"
ENDPROPERTIES
CHARS {n}
"""


def glyphs(source: str, height: int) -> list[tuple[str, Image.Image]]:
    """The characters as 1-bit pictures, as wide as their ink."""
    size = height * SCALE
    while True:  # the size at which a 1, flat at both ends, has the height
        font = ImageFont.truetype(source, size)
        _, top, _, bottom = font.getbbox("1")
        if bottom - top >= height * SCALE:
            break
        size += 1
    pictures = []
    for character in CHARACTERS:
        room = (int(font.getlength(character)) + 4 * SCALE, int(bottom - top) + 4 * SCALE)
        large = Image.new("L", room, 0)
        ImageDraw.Draw(large).text((SCALE, 2 * SCALE - top), character, fill=255, font=font)
        wide = round(room[0] * NARROW.get(height, 1.0)) // SCALE
        small = large.resize((wide, room[1] // SCALE), Image.Resampling.BOX)
        picture = small.point(lambda covered: 255 * (covered >= 128)).convert("1")
        left, _, right, _ = picture.getbbox() or (0, 0, 1, 1)
        pictures.append((character, picture.crop((left, 2, right, 2 + height))))
    return pictures


def bdf(height: int, pictures: list[tuple[str, Image.Image]]) -> str:
    """The pictures as a BDF font."""
    widest = max(picture.width for _, picture in pictures)
    lines = [HEAD.format(h=height, w=widest, n=len(pictures))]
    gap = max(1, height // 12)
    for character, picture in pictures:
        w, h = picture.size
        code = ord(character)
        lines.append(f"STARTCHAR U+{code:04X}\nENCODING {code}\nSWIDTH {1000 * w // height} 0\n")
        lines.append(f"DWIDTH {w + gap} 0\nBBX {w} {h} 0 0\nBITMAP\n")
        stride = (w + 7) // 8
        data = picture.tobytes()
        lines += [data[y * stride : (y + 1) * stride].hex().upper() + "\n" for y in range(h)]
        lines.append("ENDCHAR\n")
    return "".join([*lines, "ENDFONT\n"])


def main(source: str, folder: str) -> None:
    for height in HEIGHTS:
        (Path(folder) / f"digits{height}.bdf").write_text(bdf(height, glyphs(source, height)))


if __name__ == "__main__":
    main(*sys.argv[1:])
