"""The self-test of a bare board, over a model of its wiring: a good board passes, every fault is found and named."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from mind_box.commands import self_test as command
from mind_box.commands.cli import main
from mind_box.devices.gpio.bench_lines import PinLines
from mind_box.self_test import bench
from mind_box.self_test.bench import Bench, Line, lines_of
from mind_box.settings.loading import load
from mind_box.settings.schema import Config, GpioSettings

HARDWARE = Path(__file__).parents[2] / "hardware"
GROUND, RAIL = 0, 1
"""Of the model: what a line may be joined to besides other lines."""


class BareBoard:
    """Lines as a board joins them; somebody at the bench puts test plugs in and pulls them out as they are told."""

    def __init__(
        self,
        config: Config,
        joined: tuple[tuple[int, int], ...] = (),
        open_pins: tuple[int, ...] = (),
        no_pull: tuple[int, ...] = (),
        misplaced: Mapping[str, str] = {},
        lazy: tuple[str, ...] = (),
        exchanged: tuple[str, ...] = (),
        crossed: tuple[str, ...] = (),
        led: str = "white",
    ) -> None:
        """``exchanged``: plugs whose lamp's and button's poles are; ``crossed``: whose two lines are, at the header."""
        self.lines = lines_of(config)
        self._joined, self._open, self._no_pull = joined, open_pins, no_pull
        self._misplaced, self._lazy = misplaced, lazy
        self._exchanged, self._crossed, self._led = exchanged, crossed, led
        self._up, self._low = True, -1
        self.lit: list[int] = []
        self._lamp_plug = False
        self.plugged = ""
        self.told: list[str] = []
        self.driven: list[int] = []
        self.waited = 0.0
        self.closed = False

    def tell(self, text: str) -> None:
        self.told.append(text)
        if text.startswith("Put"):
            name = text.rpartition(" into ")[2]
            self.plugged = "" if name in self._lazy else self._misplaced.get(name, name)
            self._lamp_plug = "lamp plug" in text
        elif text.startswith("Pull") and "blinked" not in text:
            self.plugged = ""

    def wait(self, seconds: float) -> None:
        self.waited += seconds

    def pull(self, up: bool) -> None:
        self._up, self._low = up, -1

    def low(self, line: int) -> None:
        self._low = line
        self.driven.append(line)

    def high(self, line: int) -> None:
        """Whoever sees the LED pulls the plug out."""
        assert self._lamp_plug and self.plugged, "nothing is driven high into a bare board or a wire"
        if not self._wired(next(x for x in self.lines if x.pin == line)) and self._led == "white":
            self.lit.append(line)
            self.plugged = ""

    def _wired(self, line: Line) -> bool:
        """Whether what is plugged in takes the line to ground: a lamp plug only pole 1, unless its LED is red."""
        if line.plug != self.plugged or line.pin in self._open:
            return False
        return not self._lamp_plug or line.pulled != (line.plug in self._exchanged) or self._led == "red"

    def levels(self) -> Mapping[int, bool]:
        return {line.pin: self._level(line) for line in self.lines}

    def _level(self, line: Line) -> bool:
        group = {line.pin}
        for _ in self._joined:
            group |= {x for pair in self._joined if group & set(pair) for x in pair}
        mine = [x for x in self.lines if x.pin in group]
        if GROUND in group or (self._low in group and RAIL not in group):
            return False
        if RAIL in group:
            return True
        if any(self._wired(x) for x in mine):
            return False
        return self._up or any(x.pulled != (x.plug in self._crossed) and x.pin not in self._no_pull for x in mine)

    def close(self) -> None:
        self.closed = True

    def run(self) -> dict[str, str]:
        """What failed, and why."""
        self.test = Bench(self.lines, self, self.tell, self.wait)
        self.test.run()
        return {item.what: item.detail for item in self.test.items if not item.ok}


@pytest.mark.parametrize("build", ["standard", "full"])
def test_good_board_passes(build: str) -> None:
    board = BareBoard(load(HARDWARE / f"{build}.toml"))
    assert board.run() == {}
    assert board.test.ok
    plugs = ["SEAT 1", "SEAT 2", "SEAT 3", "SEAT 4", "STAR", "LIVES", "STARS"] + ["PIEZO"] * (build == "full")
    assert [i.what for i in board.test.items if i.what.startswith("plug")] == [f"plug {p}" for p in plugs]
    assert board.told[0] == "Nothing may be plugged in."
    assert board.told[1:5] == [
        "Put the test plug with 3 poles or more into SEAT 1",
        "Pull it out of SEAT 1",
        "Put the lamp plug into SEAT 1",
        "Pull it out of SEAT 1 when its LED has blinked; leave it in if that stays dark",
    ]
    assert len(board.test.items) == len(board.lines) + len(plugs) + 4
    assert board.lit == [line.pin for line in board.lines if line.plug.startswith("SEAT") and not line.pulled]


def test_every_line_is_driven_once_and_only_to_ground() -> None:
    board = BareBoard(Config())
    board.run()
    assert board.driven == [line.pin for line in board.lines]


@pytest.mark.parametrize(
    ("pair", "what", "why"),
    [
        ((16, 12), "seat 1 lamp (GPIO12)", "joined to seat 2 lamp (GPIO16)"),
        ((5, 6), "seat 1 button (GPIO5)", "joined to seat 2 button (GPIO6)"),
        ((17, 27), "life lamp 2 (GPIO27)", "joined to life lamp 1 (GPIO17)"),
        ((17, 26), "life lamp 1 (GPIO17)", "is high: a short to 3V3 or to a button's line"),
        ((17, RAIL), "life lamp 1 (GPIO17)", "is high: a short to 3V3 or to a button's line"),
        ((13, RAIL), "seat 3 button (GPIO13)", "cannot be pulled low: a short to 3V3"),
        ((9, GROUND), "star lamp 2 (GPIO9)", "is low: a short to GND, or something is plugged in"),
        ((19, GROUND), "seat 4 button (GPIO19)", "is low: a short to GND, or something is plugged in"),
    ],
)
def test_shorts_are_named(pair: tuple[int, int], what: str, why: str) -> None:
    board = BareBoard(Config(), joined=(pair,))
    failed = board.run()
    assert failed[what] == why
    assert failed[f"plug {next(x.plug for x in board.lines if x.name == what)}"].startswith("not tried")


def test_stuck_lines_are_not_driven_against() -> None:
    board = BareBoard(Config(), joined=((17, RAIL),))
    board.run()
    assert 17 not in board.driven


def test_missing_pull_up_is_named() -> None:
    failed = BareBoard(Config(), no_pull=(6,)).run()
    assert "10 kΩ or 1 kΩ is missing" in failed["seat 2 button (GPIO6)"]
    assert set(failed) == {"seat 2 button (GPIO6)", "plug SEAT 2"}


def test_no_board_at_all_is_named() -> None:
    buttons = tuple(x.pin for x in lines_of(Config()) if x.pulled)
    failed = BareBoard(Config(), no_pull=buttons).run()
    assert sum("not on the header" in why for why in failed.values()) == len(buttons)


def test_open_pole_is_named() -> None:
    assert BareBoard(Config(), open_pins=(23,)).run() == {
        "plug LIVES": "open: life lamp 4 (GPIO23): look at its resistor and its joints"
    }


def test_plug_in_the_wrong_place_is_named() -> None:
    failed = BareBoard(Config(), misplaced={"SEAT 2": "SEAT 3"}).run()
    assert set(failed) == {"plug SEAT 2"}
    assert failed["plug SEAT 2"] == (
        "nothing came, but seat 3 button (GPIO13), seat 3 lamp (GPIO20) answered: is it in the right plug?"
    )


def test_nobody_at_the_bench_ends_by_itself() -> None:
    board = BareBoard(Config(), lazy=("SEAT 1", "STAR"))
    failed = board.run()
    assert set(failed) == {"plug SEAT 1", "plug STAR"}
    assert board.waited < 5 * bench.ASK


def test_poles_exchanged_in_one_plug_are_named() -> None:
    """A plug that joins all poles sees no difference; the lamp plug does."""
    board = BareBoard(Config(), exchanged=("SEAT 2",))
    assert board.run() == {"lamp of SEAT 2": "button and lamp of SEAT 2 are exchanged at its poles"}
    assert 16 not in board.lit


def test_lines_exchanged_at_the_header_are_named() -> None:
    failed = BareBoard(Config(), crossed=("SEAT 3",)).run()
    why = "button and lamp of SEAT 3 are exchanged, between the header and the resistors"
    assert failed["seat 3 button (GPIO13)"] == failed["seat 3 lamp (GPIO20)"] == why
    assert set(failed) == {"seat 3 button (GPIO13)", "seat 3 lamp (GPIO20)", "plug SEAT 3"}


@pytest.mark.parametrize(("led", "why"), [("dark", "not seen: "), ("red", "is low too: the test plug's LED")])
def test_lamp_that_nobody_sees_is_named(led: str, why: str) -> None:
    failed = BareBoard(Config(), led=led).run()
    assert set(failed) == {f"lamp of SEAT {n}" for n in (1, 2, 3, 4)}
    assert all(why in detail for detail in failed.values())


def test_lamps_on_an_expander_are_left_out() -> None:
    config = Config(gpio=GpioSettings(life_lamps=(100, 101, 102, 103, 104), expander="mcp23017"))
    assert not [line for line in lines_of(config) if line.plug == "LIVES"]


def test_gpiozero_s_pins_do_what_the_test_asks() -> None:
    factory = MockFactory()
    ports = PinLines(factory, [5, 17])
    assert ports.levels() == {5: True, 17: True}
    ports.pull(False)
    assert ports.levels() == {5: False, 17: False}
    ports.pull(True)
    ports.low(17)
    assert (ports.levels(), factory.pin(17).function) == ({5: True, 17: False}, "output")
    ports.high(17)
    assert (ports.levels()[17], factory.pin(17).function) == (True, "output")
    ports.pull(True)
    assert (factory.pin(17).function, factory.pin(17).pull) == ("input", "up")
    ports.close()


def test_command_tells_by_its_status(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for faults, status in (((), 0), (((12, 16),), 1)):
        board = BareBoard(Config(), joined=faults)

        def quick(*args: object, board: BareBoard = board) -> Bench:
            return Bench(args[0], board, board.tell, board.wait)  # type: ignore[arg-type]

        monkeypatch.setattr(command, "open_lines", lambda *_, board=board: board)
        monkeypatch.setattr(command, "Bench", quick)
        assert main(["self-test", "--bench", "--json"]) == status
        data = json.loads(capsys.readouterr().out)
        assert data["ok"] is (status == 0) and board.closed
        assert main(["self-test", "--bench"]) == status
        assert ("Everything works." in capsys.readouterr().out) == (status == 0)


def test_command_without_pins_says_why(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "box.toml"
    path.write_text('[gpio]\nchip = "no-such-chip"\nfactory = "gpiod"\n')
    assert main(["self-test", "--bench", "--config", str(path)]) == 1
    err = capsys.readouterr().err
    assert "the pins cannot be had" in err and "no-such-chip" in err
