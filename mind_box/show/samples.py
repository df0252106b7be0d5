"""Named sample Views, one for each screen: for `mind-box screens`, the golden pictures and the tests."""

from __future__ import annotations

from mind_box.table.view import View

SAMPLES: dict[str, View] = {
    "lobby": View(),
    "play": View(phase="play", seats=(1, 2, 3), level=2, last_level=10, lives=3, stars=1, piles=((7, 11, 35),), remaining=3),
}

__all__ = ["SAMPLES"]
