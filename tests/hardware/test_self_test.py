"""The self-test on a virtual box, in virtual time: a good box passes, each fault is found and named."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

import pytest
from PIL import Image

from mind_box.cards.store import CardStore
from mind_box.commands import self_test as command
from mind_box.commands.cli import main
from mind_box.devices.ports import Devices, Sound
from mind_box.game.cards import Card
from mind_box.self_test import engine
from mind_box.self_test.alone import on_devices
from mind_box.self_test.engine import SelfTest
from mind_box.settings.schema import BoxSettings, Config
from mind_box.show.lamps import LampPattern
from mind_box.table.inputs import STAR, DeviceLost, Edge, Input, Post
from mind_box.table.payload import encode
from mind_box.virtual.scripts.box import TABLE_SCREENS, VirtualBox, VirtualScreen

SEATS = 4
CARD = encode(42)


def glass(screen: VirtualScreen) -> Image.Image:
    assert screen.picture is not None
    return screen.picture()


def due(test: SelfTest) -> float:
    assert test.due is not None
    return test.due


class Person:
    """Somebody who does what the box asks, at a box where some things do not work."""

    def __init__(
        self,
        dead: Iterable[int] = (),
        swapped: Mapping[int, int] = {},
        dark: Iterable[str] = (),
        blank: Iterable[str] = (),
        card: str | None = CARD,
        sound: Sound | None = None,
        lost: Iterable[str] = (),
        tags: Mapping[str, Card] | None = None,
    ) -> None:
        self.now = 100.0
        self.box = VirtualBox(SEATS, lambda: self.now)
        self.dead, self.swapped, self.dark, self.blank, self.card = dead, dict(swapped), set(dark), set(blank), card
        self.shown: list[LampPattern] = []
        for device in lost:
            self.box.unplug(device)
        early: list[Input] = []
        devices = self.box.open(early.append)
        self.devices = Devices(devices.buttons, self, devices.screens, devices.readers, sound)
        self.told: list[str] = []
        self.test = SelfTest(SEATS, self.devices, tell=self.told.append, enrolled=tags)
        self.box.open(self.test.feed)
        self.test.start(self.now, {item.device: item.why for item in early if isinstance(item, DeviceLost)})

    def show(self, pattern: LampPattern) -> None:
        """The lamps' port: writes down what is lit."""
        self.shown.append(pattern)

    def close(self) -> None:
        """The lamps' port."""

    def press(self, button: int) -> None:
        button = self.swapped.get(button, button)
        if button not in self.dead:
            self.now += 0.5
            self.box.press(button)
            self.now += 0.1
            self.box.lift(button)

    def answer(self, question: str) -> None:
        if question.startswith("Press "):
            name = question.removeprefix("Press ")
            self.press(STAR if name == "star" else int(name.split()[1]))
        elif question.startswith("All lamps"):
            self.press(STAR if not self.dark else 1)
        elif " lit?" in question:
            self.press(1 if question.split(" lit?")[0] in self.dark else STAR)
        elif question.startswith("Each screen"):
            self.press(STAR if not self.blank else 1)
        elif " right?" in question:
            self.press(1 if question.split(" right?")[0] in self.blank else STAR)
        elif question.startswith("Did it sound"):
            self.press(STAR)
        elif question.startswith("Show a card") and self.card is not None:
            self.now += 0.5
            self.box.scan(self.card)

    def go(self) -> Self:
        """Until the test is over; never more than a few hundred steps."""
        heard = 0
        for _ in range(500):
            if self.test.done:
                return self
            if heard < len(self.told):
                heard += 1
                self.answer(self.told[heard - 1])
            else:
                self.now = max(self.now, due(self.test))
                self.test.wake(self.now)
        raise AssertionError(f"no end: {self.told[-5:]}")

    @property
    def failed(self) -> dict[str, str]:
        return {item.what: item.detail for item in self.test.items if not item.ok}


class Beeps:
    def __init__(self) -> None:
        self.tunes: list[str] = []

    def play(self, tune: str) -> None:
        self.tunes.append(tune)

    def close(self) -> None:
        pass


def test_good_box_passes() -> None:
    sound = Beeps()
    person = Person(sound=sound).go()
    assert person.failed == {}
    assert person.test.ok
    whats = [item.what for item in person.test.items]
    assert whats[:5] == ["star button", "seat 1 button", "seat 2 button", "seat 3 button", "seat 4 button"]
    assert whats[5:17] == (
        [f"life lamp {n}" for n in range(1, 6)]
        + [f"star lamp {n}" for n in range(1, 4)]
        + [f"seat {n} lamp" for n in range(1, 5)]
    )
    assert whats[17:23] == [*TABLE_SCREENS, *(f"seat-screen {n}" for n in range(1, 5))]
    assert whats[23:] == ["piezo", "reader"]
    assert person.test.items[-1].detail == "read card 42"
    assert sound.tunes == ["level_complete"]
    assert person.shown[-1] == LampPattern()
    assert person.test.page().endswith("Everything works.\n")


def test_every_lamp_has_its_turn_alone_or_as_the_next_one() -> None:
    person = Person().go()
    turns = [LampPattern(lives=n) for n in range(1, 6)] + [LampPattern(stars=n) for n in range(1, 4)]
    turns += [LampPattern(seats=frozenset({n})) for n in range(1, 5)]
    first = person.shown.index(LampPattern(lives=1))
    assert person.shown[first : first + 12] == turns


def test_lamp_of_the_asked_seat_is_lit_while_its_button_is_asked_for() -> None:
    person = Person()
    lit = {}
    while not person.test.done and "Watch" not in "".join(person.told):
        if person.told and person.told[-1].startswith("Press seat"):
            lit[person.told[-1]] = person.shown[-1].seats
        if person.told:
            person.answer(person.told[-1])
        person.now = max(person.now, due(person.test))
        person.test.wake(person.now)
    assert lit == {f"Press seat {n}": {n} for n in range(1, 5)}


def test_dead_button_is_named() -> None:
    assert Person(dead=[3]).go().failed == {"seat 3 button": "nothing came: look at its two wires and its pin"}


def test_swapped_buttons_are_named() -> None:
    failed = Person(swapped={2: 4, 4: 2}).go().failed
    assert set(failed) == {"seat 2 button", "seat 4 button"}
    assert failed["seat 2 button"] == "nothing came, but seat 4 answered: are the wires swapped?"
    assert "seat 2 answered" in failed["seat 4 button"]


def test_button_that_is_down_all_the_time_is_named() -> None:
    person = Person(dead=[2])
    person.box.press(2)
    assert "wires touch" in person.go().failed["seat 2 button"]
    assert "Let go of seat 2" in person.told


def test_button_held_at_first_is_asked_for_again_by_being_pressed() -> None:
    person = Person()
    person.box.press(1)
    while "Let go of seat 1" not in person.told:
        if person.told:
            person.answer(person.told[-1])
        person.now = max(person.now, due(person.test))
        person.test.wake(person.now)
    person.box.lift(1)
    person.press(1)
    assert person.go().failed == {}


def test_wrong_button_first_is_no_fault() -> None:
    person = Person()
    while not person.told:
        person.now = due(person.test)
        person.test.wake(person.now)
    person.press(2)
    assert person.go().failed == {}
    assert person.test.items[0].detail == "after seat 2"


def test_bouncing_button_counts_once() -> None:
    person = Person()
    while not person.told:
        person.now = due(person.test)
        person.test.wake(person.now)
    for i in range(10):
        person.test.feed(Edge(STAR, i % 2 == 0, person.now + i * 0.005))
    person.now += 0.05
    assert person.test.items == []  # it rests first
    assert person.go().failed == {}


def test_dark_lamps_are_found_one_by_one() -> None:
    failed = Person(dark=["life lamp 3", "seat 2 lamp"]).go().failed
    assert set(failed) == {"life lamp 3", "seat 2 lamp"}
    assert "polarity" in failed["life lamp 3"]


def test_wrong_screen_is_found() -> None:
    failed = Person(blank=["seat-screen 2"]).go().failed
    assert set(failed) == {"seat-screen 2"}
    assert "channel" in failed["seat-screen 2"]


def test_every_screen_shows_its_own_name() -> None:
    person = Person()
    shown = {}
    while not person.test.done:
        if person.told and person.told[-1].startswith("Each screen"):
            shown = {name: glass(screen) for name, screen in person.box.screens.items()}
        if person.told:
            person.answer(person.told[-1])
        if person.test.due is not None:
            person.now = max(person.now, due(person.test))
            person.test.wake(person.now)
    assert len(shown) == 6
    assert len({picture.tobytes() for picture in shown.values()}) == 6
    assert all(picture.size == (128, 64) and picture.getbbox() for picture in shown.values())


def test_unplugged_screen_fails_without_a_question() -> None:
    failed = Person(lost=["seat-screen 3"]).go().failed
    assert failed == {"seat-screen 3": "unplugged"}


def test_unplugged_reader_says_why() -> None:
    assert Person(lost=["reader"], card=None).go().failed == {"reader": "reader: unplugged"}


def test_silent_reader_points_to_the_docs() -> None:
    assert "docs/scanners.md" in Person(card=None).go().failed["reader"]


def test_tag_that_is_no_card_is_read_all_the_same() -> None:
    person = Person(card="04A1B2C3D4E5F6").go()
    assert person.failed == {}
    assert "enrol it" in person.test.items[-1].detail


def test_enrolled_tag_is_its_card() -> None:
    assert Person(card="04:a1:b2:c3", tags={"04A1B2C3": 6}).go().test.items[-1].detail == "read card 6"


def test_lost_buttons_fail_at_once() -> None:
    person = Person()
    person.test.feed(DeviceLost("buttons", "GPIO26 is held by mind-box", person.now))
    failed = person.go().failed
    assert failed["star button"] == "GPIO26 is held by mind-box"
    assert failed["lamps"].startswith("not tried")


def test_dead_star_button_leaves_nothing_unsaid() -> None:
    person = Person(dead=[STAR]).go()
    assert set(person.failed) == {"star button", "lamps", *TABLE_SCREENS, *(f"seat-screen {n}" for n in range(1, 5))}
    assert person.test.items[-1].what == "reader"
    assert person.test.items[-1].ok


def test_nobody_there_ends_by_itself() -> None:
    person = Person(dead=range(SEATS + 1), card=None).go()
    assert person.now < 100 + 20 * engine.ASK
    assert not person.test.ok


def test_result_is_on_the_table_screen() -> None:
    pages = []
    for person in (Person().go(), Person(dead=[1]).go(), Person(dead=[STAR]).go()):
        first, second = (glass(person.box.screens[name]).tobytes() for name in TABLE_SCREENS)
        assert first == second
        pages.append(first)
    assert len(set(pages)) == 3


def test_messages_go_through_the_translator() -> None:
    person = Person()
    heard = []

    def say(message: str, **_: object) -> str:
        heard.append(message)
        return "x"

    SelfTest(SEATS, person.devices, say=say).start(0.0)
    test = SelfTest(SEATS, person.devices, say=say)
    test.start(0.0)
    test.wake(engine.OPENING)
    assert heard == ["star", "Press {name}"]


def test_command_on_ports_in_a_loop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command's own loop, with a person who answers each question as soon as it is heard."""
    monkeypatch.setattr(engine, "OPENING", 0.0)
    monkeypatch.setattr(engine, "SETTLE", 0.0)
    monkeypatch.setattr(engine, "LIT", 0.0)
    monkeypatch.setattr(engine, "ASK", 1.0)

    def open_all(config: Config, post: Post) -> Devices:
        loop = asyncio.get_running_loop()
        box = VirtualBox(config.box.seats, loop.time, seat_screens=False)
        devices = box.open(post)

        def hear(*args: object, **_: object) -> None:
            question = str(args[0])
            if question.startswith("Show"):
                box.scan("04:AA")
            elif question.startswith("Press") or "?" in question:
                seat = question.removeprefix("Press seat ")
                button = int(seat) if seat.isdigit() else STAR
                box.press(button)
                box.lift(button)

        monkeypatch.setattr("builtins.print", hear)
        return devices

    CardStore(tmp_path).save({"04AA": 7})
    test = asyncio.run(on_devices(Config(box=BoxSettings(state_dir=str(tmp_path))), open_all))
    monkeypatch.undo()
    assert test.ok, test.page()
    assert test.items[-1].detail == "read card 7"


def test_command_prints_json_and_tells_by_its_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = Person(dead=[2]).go().test

    async def done(_: Config) -> SelfTest:
        return finished

    monkeypatch.setattr(command, "on_devices", done)
    assert main(["self-test", "--json"]) == 1
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert data["ok"] is False
    assert [item["what"] for item in data["items"] if not item["ok"]] == ["seat 2 button"]
    assert "systemctl stop" in err
    assert main(["self-test"]) == 1
    assert "FAIL  seat 2 button" in capsys.readouterr().out


def test_wrong_settings_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "box.toml"
    path.write_text("[gpio]\nstar = 1\n")
    assert main(["self-test", "--config", str(path)]) == 2
    assert "gpio.star" in capsys.readouterr().err


@pytest.mark.parametrize("seats", [2, 8])
def test_seats_of_the_settings_are_asked_for(seats: int) -> None:
    test = SelfTest(seats, Person().devices)
    test.start(0.0)
    for _ in range(500):
        if test.done:
            break
        test.wake(due(test))
    buttons = [item.what for item in test.items if item.what.endswith("button")]
    assert len(buttons) == seats + 1
