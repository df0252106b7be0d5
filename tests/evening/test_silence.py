"""Nothing of time anywhere while a level is played (R36): what is shown then is the same at every pace."""

from __future__ import annotations

import json
import logging
import random
from typing import Any

import pytest

from mind_box.page.server import TablePage
from mind_box.settings.schema import PageSettings
from mind_box.show.lamps import lamps
from mind_box.show.pictures import seat_picture, table_picture
from mind_box.show.sounds import tune_for
from mind_box.show.words import words_for
from mind_box.table.view import View
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import Player

WORDS = words_for("en")


def evening(seed: int, pace: float) -> str:
    """A table script: always the same for a seed, but for how long everything takes."""
    rng, lines = random.Random(seed), ["hands 1 2 3"]
    if rng.random() < 0.5:
        lines.insert(0, "config hands known")
    known = len(lines) > 1

    def wait() -> None:
        lines.append(f"wait {round(rng.uniform(0.2, 3) * pace, 3)}")

    for level in range(1, 4):
        cards = rng.sample(range(1, 101), 3 * level)
        if known:
            lines += [f"scan {card}" for card in cards]
        lines.append("hands")
        order = sorted(cards)
        if rng.random() < 0.4:
            i = rng.randrange(len(order) - 1)
            order[i], order[i + 1] = order[i + 1], order[i]
        for card in order:
            wait()
            what = rng.random()
            if what < 0.1:
                lines += ["tap 2", "hands"]
            elif what < 0.2:
                lines += ["tap star", "tap star"]
            elif what < 0.25:
                lines.append("restart")
                lines.append("hands")
            lines.append(f"scan {card}")
            lines.append("hands")  # after an error; in play it is a stop and goes on
        wait()
    return "\n".join(lines)


def shown(text: str) -> list[tuple[View, View]]:
    """Each View of the script and the one before."""

    async def main() -> list[View]:
        views: list[View] = []
        player = Player(sc.parse_script(text), lambda _: None)
        player.referee.listeners.append(views.append)
        await player.play()
        return views

    views = run_virtual(main())
    return list(zip([View(), *views], views, strict=False))


def looks(before: View, view: View, page: TablePage) -> dict[str, Any]:
    """All that comes of a View: lamps, screens, sound, page, socket."""
    page.show(view)
    return {
        "view": view.to_json(),
        "lamps": repr(lamps(view)),
        "table": table_picture(view, WORDS).tobytes(),
        "seat": seat_picture(view, 1, WORDS).tobytes(),
        "tune": tune_for(before, view),
        "page": page._message(),  # noqa: SLF001
    }


@pytest.mark.parametrize("seed", range(10))
def test_play_looks_the_same_at_every_pace(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "mind_box")
    seen = []
    for pace in (1.0, 2.7):
        page = TablePage(PageSettings(), lambda: "en")
        told = [(view, looks(before, view, page)) for before, view in shown(evening(seed, pace))]
        seen.append([look for view, look in told if view.phase in ("play", "vote")])
        for view, look in told:
            if view.phase in ("play", "vote") or (view.phase == "focus" and view.reason != "level"):
                assert (view.told, view.story) == ((), None)
                assert '"told":[]' in json.dumps(json.loads(look["page"])["view"], separators=(",", ":"))
    assert seen[0] and seen[0] == seen[1]
    assert "told" not in caplog.text and " s apart" not in caplog.text


def test_between_levels_the_evenings_do_differ() -> None:
    """The test above can see: at another pace another story is told."""
    stories = [
        [view.told for _, view in shown(evening(3, pace)) if view.phase == "focus" and view.reason == "level"]
        for pace in (1.0, 2.7)
    ]
    assert any(stories[0]) and stories[0] != stories[1]
