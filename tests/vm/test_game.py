"""A whole game on real lines and ports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mind_box.show.screens import draw
from mind_box.table.view import View
from mind_box.virtual.scripts.script import parse_script
from tests.vm.box import GATHER, Box
from tests.vm.guest import until
from tests.vm.player import Player

WHOLE_GAME = Path(__file__).parent.parent / "scripts/whole_game.table"


def shows_picture(box: Box) -> bool:
    """Whether the bytes on the bus have made the picture that belongs to the View."""
    wanted = draw(View.from_json(box.view), "table-screen", (128, 64), "en")
    return box.picture().tobytes() == wanted.tobytes()


@pytest.mark.quick
def test_the_command_says_what_the_box_shows(box: Box) -> None:
    said = json.loads(box.guest.sh("mind-box status --json"))
    assert said["running"] and said["view"] == box.view
    assert "gpiod" in said["pins"].lower()
    assert said["journal"] == "/var/lib/mind-box/journal.db"


def test_a_round_from_fingers_to_lamps_and_pictures(box: Box) -> None:
    box.guest.tap()
    box.hands(1, 2, 3, seconds=GATHER)
    box.expect(phase="focus", reason="level", seats=[1, 2, 3])
    until(lambda: box.lamps() == (3, 1, (1, 2, 3)), "the lamps of the first level", 10)
    until(lambda: shows_picture(box), "its picture", 10)
    box.hands(1, 2, 3)
    box.expect(phase="play")
    until(lambda: box.lamps() == (3, 1, ()), "the lamps of play", 10)
    box.scan("31")
    box.scan("7")
    box.expect(phase="focus", reason="error", lives=2, aside=[7])
    until(lambda: box.lamps()[0] == 2, "a life lamp going out", 10)
    until(lambda: shows_picture(box), "the picture of the error", 10)


@pytest.mark.quick
def test_a_whole_game_by_a_table_script(box: Box, figure: Any) -> None:
    box.guest.tap()
    player = Player(box)
    script = parse_script(WHOLE_GAME.read_text())
    box.configure(player.settings(script))
    box.restart(empty=True)
    assert player.play(script) == []
    assert json.loads(box.guest.sh("mind-box status --json"))["view"] == box.view
    until(lambda: shows_picture(box), "the picture of the lobby", 10)
    figure("whole game: expectations, all held", sum(type(line.action).__name__ == "Expect" for line in script.lines))
    figure("whole game: cards scanned", player.scans)
    assert "Traceback" not in box.log
