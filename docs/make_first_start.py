"""The pictures of the first start in docs/install.md: ``python -m docs.make_first_start``, or ``make docs-pages``."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from mind_box.self_test.engine import SWAPPED
from mind_box.show.pictures import name_picture
from mind_box.show.words import words_for

PICTURES = Path(__file__).parent / "screens/first-start"
ENLARGED = 3


def pictures() -> dict[str, Image.Image]:
    """What a table screen shows, by the file's name."""
    say = words_for("en").say
    hint = say("Star: yes, seat: no")
    swapped = f"{say(SWAPPED, others=say('seat {n}', n=2))} {say('The settings follow them.')}"
    texts = {
        "star": say("Press {name}", name=say("star")),
        "language": f"{say('{what}?', what='English')} {hint}",
        "seats": f"{say('{n} seats?', n=4)} {hint}",
        "seat": say("Press {name}", name=say("seat {n}", n=1)),
        "lamps": f"{say('All lamps lit?')} {hint}",
        "card": say("Show a card to the reader"),
        "fault": f"{say('seat {n}', n=1)}: {swapped}",
    }
    return {name: name_picture(text) for name, text in texts.items()}


def main() -> None:
    """Writes them."""
    PICTURES.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        large = picture.resize((picture.width * ENLARGED, picture.height * ENLARGED), Image.Resampling.NEAREST)
        large.save(PICTURES / f"{name}.png", optimize=True)
    print(f"{PICTURES}: made anew")


if __name__ == "__main__":
    main()
