"""A real ``mind-box run``: from mock pins and a pty to lamps and the OLED's bytes; then the plug is pulled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from mind_box.settings.schema import GpioSettings
from mind_box.show.screens import draw
from mind_box.table.view import View
from mind_box.virtual.scripts.replay import replay_text
from tests.e2e.machine import Machine


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    try:
        machine.start()
        yield machine
    finally:
        machine.close()


def hands(box: Machine, *seats: int) -> None:
    box.press(*seats)
    box.expect(hands_down=list(seats))
    box.lift(*seats)


def play(box: Machine, *cards: int) -> None:
    """Lays cards that do not end the level."""
    for card in cards:
        box.scan(str(card))
        box.until(partial(lambda card: card in box.view["piles"][0], card), f"card {card}")


def tap(box: Machine, button: int) -> None:
    box.press(button)
    box.pass_time(0.06)  # longer than the debounce window
    box.lift(button)


def test_two_players_to_the_end_of_level_3_and_the_plug_is_pulled(box: Machine) -> None:
    gpio = GpioSettings()
    assert box.view["phase"] == "lobby"
    box.press(1, 2)
    box.expect(hands_down=[1, 2])
    box.pass_time(0.6)
    box.lift(1, 2)
    box.expect(phase="focus", reason="level", level=1, lives=2, stars=1)
    assert [box.lamp(p) for p in gpio.life_lamps] == [True, True, False, False, False]
    assert [box.lamp(p) for p in gpio.star_lamps] == [True, False, False]

    hands(box, 1, 2)
    box.expect(phase="play")
    play(box, 12)
    box.scan("MB1:034")
    box.expect(level=2, notices=["level_complete"])

    hands(box, 1, 2)
    box.expect(phase="play")
    play(box, 50)
    box.scan("20")  # the error
    box.expect(phase="focus", reason="error", lives=1, aside=[20])
    box.until(lambda: [box.lamp(p) for p in gpio.life_lamps] == [True, False, False, False, False], "life lamps")
    hands(box, 1, 2)
    box.expect(phase="play")
    box.press(2)  # the stop
    box.expect(phase="focus", reason="stop", hands_down=[2])
    box.press(1)
    box.expect(hands_down=[1, 2])
    box.lift(1, 2)
    box.expect(phase="play")
    play(box, 60)
    box.scan("70")
    box.expect(level=3, stars=2, lives=1, notices=["level_complete", "reward_star"])

    hands(box, 1, 2)
    box.expect(phase="play")
    play(box, 3, 4)
    tap(box, 0)
    box.expect(phase="vote")
    tap(box, 1)
    box.expect(agreed=[1])
    tap(box, 2)
    box.expect(phase="focus", reason="star", stars=1, star_left=2)
    for card in (8, 9):
        box.scan(str(card))
    box.expect(aside=[8, 9], star_left=0)
    hands(box, 1, 2)
    box.expect(phase="play")
    play(box, 80)
    shown = box.view

    box.kill()
    box.start()
    after = box.view
    assert (after["phase"], after["reason"], after["notices"]) == ("focus", "resume", ["resumed"])
    same = ("level", "lives", "stars", "piles", "aside", "remaining", "seats", "errors", "best")
    assert {k: after[k] for k in same} == {k: shown[k] for k in same}

    hands(box, 1, 2)
    box.expect(phase="play")
    box.scan("81")
    box.expect(level=4, lives=2, notices=["level_complete", "reward_life"])

    box.until(lambda: box.view["told"], "what there is to tell of the level")
    told = View.from_json(box.view)
    view = View(
        phase="focus", reason="level", seats=(1, 2), level=4, last_level=12, lives=2, stars=1, remaining=8,
        waiting=(1, 2), best=3, notices=("level_complete", "reward_life"), ended=told.ended, told=told.told,
    )  # fmt: skip
    wanted = draw(view, "table-screen", (128, 64), "en")
    box.until(lambda: box.picture().tobytes() == wanted.tobytes(), "picture")

    assert box.stop() == 0
    assert "Traceback" not in box.log


def test_the_virtual_box_says_the_same() -> None:
    """The same game as a table script ends in the same View: one referee, two sets of ports."""
    script = """
        hands 1 2
        hands
        scan 12
        scan MB1:034
        hands
        scan 50
        scan 20
        hands
        tap 2
        hands
        scan 60
        scan 70
        expect level 3
        expect stars 2
        expect lives 1
    """
    failures: list[object] = []
    assert replay_text(script, failures.append) == 0
