"""Makes the pictures of the page of evenings from a simulated one: ``python -m docs.make_evenings``."""

from __future__ import annotations

from pathlib import Path

from mind_box.evening.figures import GameFigures
from mind_box.evening.telling import told
from mind_box.game.state import Setup
from mind_box.page.evenings.files import as_file
from mind_box.page.evenings.pictures import evening_picture, level_picture
from mind_box.page.spoken import page_words
from mind_box.virtual.evenings import TEAMS, played

PICTURES = Path(__file__).parent / "evenings"
SEED = 3


def main() -> None:
    """A level with an error, and its evening."""
    game = told(played(TEAMS[2], SEED, Setup(hands="known")))
    assert game is not None
    words, figures = page_words("en"), GameFigures(game)
    level = max(game.levels, key=lambda level: (min(level.errors, 1), level.number))
    PICTURES.mkdir(exist_ok=True)
    for name, drawing in (
        ("level", level_picture(figures, level, words)),
        ("evening", evening_picture(GameFigures(game), words.say("Evening"), words)),
    ):
        (PICTURES / f"{name}.png").write_bytes(as_file(drawing, "png"))


if __name__ == "__main__":
    main()
