"""The wiring table: what it says is the settings, and what would hurt a board is refused."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero import pi_info

from mind_box.commands.cli import main
from mind_box.hardware import header, parts
from mind_box.hardware.boards import BOARDS, Board
from mind_box.hardware.checks import check, sums, supply_ma
from mind_box.hardware.parts import Lamp
from mind_box.hardware.wiring import wires
from mind_box.settings.loading import load, parse
from mind_box.settings.schema import Config, pin_uses

HARDWARE = Path(__file__).parents[2] / "hardware"
BUILDS = ("standard", "full")
REST = "seat_lamps = [12, 16, 20, 21]\n"


def build(name: str) -> Config:
    return load(HARDWARE / f"{name}.toml")


def seats(n: int, buzzer: bool = False, expander: bool = False) -> Config:
    """As many seats as asked for, on whatever pins of the header are left."""
    free = [p for p in (*range(4, 14), *range(16, 28)) if p != 26]
    buttons, free = free[:n], free[n:]
    if expander:
        lamps = list(range(100, 100 + n + 8))
    else:
        lamps, free = free[: n + 8], free[n + 8 :]
    text = f"[box]\nseats = {n}\n[gpio]\nseat_buttons = {buttons}\nseat_lamps = {lamps[:n]}\n"
    text += f"life_lamps = {lamps[n : n + 5]}\nstar_lamps = {lamps[n + 5 :]}\n"
    text += 'expander = "mcp23017"\n' if expander else ""
    text += f"buzzer = {free[0]}\n" if buzzer else ""
    return parse(text)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["pins", *args])
    out, err = capsys.readouterr()
    return code, out, err


def test_standard_build_is_the_default_but_for_its_screens() -> None:
    standard = build("standard")
    [reader] = standard.reader
    assert reader == replace(Config().reader[0], place="tray")
    assert replace(standard, screen=Config().screen, reader=Config().reader) == Config()
    assert [(s.name, s.driver, s.address) for s in standard.screen] == [
        ("table-screen", "ssd1309", 0x3C),
        ("table-screen 2", "ssd1309", 0x3D),
    ]


def test_full_build_keeps_the_header_of_the_standard_one() -> None:
    plain, full = dict(pin_uses(build("standard"))), dict(pin_uses(build("full")))
    assert {k: v for k, v in full.items() if k != "gpio.buzzer"} == plain


@pytest.mark.parametrize("revision", ["0010", "a02082", "b03111", "c04170"], ids=["B+", "3B", "4B", "5"])
def test_header_is_where_gpiozero_says(revision: str) -> None:
    """An independent table: a wrong pin number here is a burnt board there."""
    j8 = pi_info(revision).headers["J8"].pins
    for bcm, pin in header.PHYSICAL.items():
        assert j8[pin].name == f"GPIO{bcm}"
    for pin, name in header.SUPPLY.items():
        if not name.startswith("ID"):
            assert j8[pin].name == name
    assert set(header.PHYSICAL.values()) | set(header.SUPPLY) == set(range(1, 41))


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
@pytest.mark.parametrize("name", [*BUILDS, "seats"])
def test_committed_builds_pass_with_margin(name: str, board: Board) -> None:
    config = build(name)
    assert not [f for f in check(config, board) if f.refused]
    total = sums(config)
    assert total.pin_ma <= 0.75 * board.pin_ma
    assert total.gpio_ma <= 0.75 * board.total_ma
    assert total.rail_ma <= 0.8 * board.rail_ma
    assert supply_ma(config, board) <= 3000


def test_current_is_ohms_law() -> None:
    lamp = Lamp("red", volts=2.0, low_volts=1.8, high_volts=2.2, ohms=650, order="")
    assert lamp.ma == pytest.approx(2.0)
    assert lamp.worst_ma == pytest.approx(1.5 / (650 * 0.95) * 1000)
    assert lamp.least_mcd == pytest.approx(1.0 / (650 * 1.05) * 1000 * 300 / 20)
    assert Lamp("white", volts=3.4, low_volts=3.3, high_volts=3.6, ohms=100, order="").least_mcd == 0


@pytest.mark.parametrize("kind", parts.LAMPS)
def test_the_dimmest_led_that_may_be_bought_is_clearly_lit(kind: str) -> None:
    """Its disc of 5 mm is then brighter than a lit pixel of a screen: 300 candela a square metre."""
    disc = 3.14159 / 4 * 0.005**2
    assert parts.LAMPS[kind].least_mcd / 1000 / disc > 3 * 300


def test_what_has_to_be_done_to_modules_is_said() -> None:
    notes = {name: "\n".join(f.text for f in check(build(name), BOARDS["pi4"])) for name in (*BUILDS, "seats")}
    assert "table-screen, table-screen 2 (2.42 inch): most modules come set to SPI" in notes["standard"]
    assert "behind a TCA9548A every channel needs pull-ups" in notes["seats"]
    assert "TCA9548A" not in notes["standard"] + notes["full"]


def test_sum_counts_every_lamp_and_the_piezo() -> None:
    total = sums(build("full"))
    assert total.lamps == 12
    each = {k: lamp.worst_ma for k, lamp in parts.LAMPS.items()}
    assert total.gpio_ma == pytest.approx(5 * each["life"] + 3 * each["star"] + 4 * each["seat"] + parts.PIEZO_MA)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[gpio]\nbuzzer = 14", "UART TXD"),
        ("[gpio]\nseat_buttons = [15, 6, 13, 19]", "UART RXD"),
        (
            '[[screen]]\nbus = "spi-0.0"\n[gpio]\nstar_lamps = [25, 18, 2]\nlife_lamps = [17, 27, 22, 4, 7]\n',
            "I2C1 SDA",
        ),
        (
            "[[screen]]\n[[screen]]\nseat = 1\naddress = 0x3D\n"
            "[[screen]]\nseat = 2\naddress = 0x3E\n[[screen]]\nseat = 3\naddress = 0x3F",
            "unsolder the pull-ups",
        ),
    ],
)
def test_misused_pins_are_refused(text: str, says: str) -> None:
    config = parse(text)
    for board in BOARDS.values():
        refused = [f.text for f in check(config, board) if f.refused]
        assert len(refused) == 1
        assert says in refused[0]


def test_what_is_only_good_to_know() -> None:
    notes = check(parse("[gpio]\nlife_lamps = [4, 17, 27, 22, 23]\nbuzzer = 24"), BOARDS["pi4"])
    assert not any(f.refused for f in notes)
    text = "\n".join(f.text for f in notes)
    assert "w1-gpio" in text
    assert "glows faintly" in text
    assert "no hardware PWM" in text
    assert "star lamp" not in text


def test_button_on_i2c_pins_is_allowed_while_i2c_is_unused() -> None:
    text = (
        '[gpio]\nstar_button = 3\nstar_lamps = [25, 18, 26]\n[[screen]]\nbus = "spi-0.0"\ndc_pin = 7\nreset_pin = 4\n'
    )
    notes = check(parse(text), BOARDS["pi4"])
    assert [f.refused for f in notes] == [False]
    assert "wakes a Pi" in notes[0].text


@pytest.mark.parametrize(
    ("ohms", "board", "says"),
    [
        (220, "pi4", "5 x 8.1 mA (life) + 3 x 8.6 mA (star) + 4 x 8.1 mA (seat) = 99.0 mA"),
        (100, "pi4", "more than the 16 mA that a pin"),
        (420, "pi5", "more than the 4 mA that a pin"),
    ],
)
def test_too_much_current_is_refused_with_the_sum(
    ohms: int, board: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "--ohms", str(ohms), "--board", board)
    assert code == 1
    assert says in out
    assert "REFUSED" in out
    assert "refused" in err


def test_smallest_resistor_named_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--ohms", "100", "--board", "pi5", "--volts", "2.0")
    least = {line.split("at least ")[1].split(" ")[0] for line in out.splitlines() if "at least" in line}
    _, out, _ = run(capsys, "--ohms", max(least), "--board", "pi5", "--volts", "2.0")
    assert "that a pin of the" not in out


@pytest.mark.parametrize("n", range(2, 7))
def test_six_seats_and_a_piezo_fit_on_the_header(n: int) -> None:
    config = seats(n, buzzer=True)
    for board in BOARDS.values():
        assert not any(f.refused for f in check(config, board))


@pytest.mark.parametrize("n", [7, 8])
def test_more_seats_need_the_expander(n: int) -> None:
    usable = [p for p in header.PHYSICAL if p not in (*header.I2C, *header.UART)]
    assert 2 * n + 1 + 8 > len(usable)
    config = seats(n, buzzer=True, expander=True)
    for board in BOARDS.values():
        assert not any(f.refused for f in check(config, board))
    total = sums(config)
    assert total.lamps == n + 8
    assert total.gpio_ma == parts.PIEZO_MA
    assert 0 < total.expander_ma < parts.EXPANDER_TOTAL_MA
    assert [w.line for w in wires(config) if w.pin == 108] == ["GPB0"]


def test_seventh_seat_on_the_serial_pins_is_told_of_the_expander() -> None:
    config = parse(
        "[box]\nseats = 7\n[gpio]\nseat_buttons = [4, 5, 6, 7, 8, 9, 10]\nseat_lamps = [11, 12, 13, 14, 15, 16, 18]\n"
        "life_lamps = [17, 27, 22, 23, 24]\nstar_lamps = [25, 19, 20]\n"
    )
    refused = [f.text for f in check(config, BOARDS["pi4"]) if f.refused]
    assert len(refused) == 2
    assert all("MCP23017" in text for text in refused)


@pytest.mark.parametrize("name", BUILDS)
def test_every_format_names_every_wire(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(HARDWARE / f"{name}.toml")
    config = load(Path(path))
    code, out, _ = run(capsys, "--config", path)
    assert code == 0
    assert all(w.what in out and w.line in out for w in wires(config))
    code, out, _ = run(capsys, "--config", path, "--format", "markdown")
    for w in wires(config):
        assert f"| {w.where} | {w.line} | {w.what} |" in out
    code, out, _ = run(capsys, "--config", path, "--format", "json")
    data = json.loads(out)
    assert {(w["setting"], w["bcm"]) for w in data["wires"]} == set(pin_uses(config))
    assert data["boards"]["pi5"]["pin_ma"] == 4
    assert not any(finding["refused"] for finding in data["findings"])


def test_text_shows_the_header_as_it_lies(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--board", "pi4")
    rows = [line for line in out.splitlines() if " o o " in line]
    assert len(rows) == 20
    assert "life lamp 1 GPIO17" in rows[5]
    assert rows[7].endswith("life lamp 4")


def test_pin_twice_is_refused_by_name_line_and_cure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "box.toml"
    path.write_text("[gpio]\nstar_button = 26\nseat_buttons = [5, 6, 13, 26]\n")
    code, out, err = run(capsys, "--config", str(path))
    assert (code, out) == (2, "")
    assert "line 3" in err
    assert "GPIO26 is used twice" in err
    assert "give one of them another pin" in err


@pytest.mark.parametrize(("option", "value"), [("--ohms", "0"), ("--ohms", "nan"), ("--volts", "5"), ("--volts", "-1")])
def test_senseless_options_are_refused(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, option, value)
    assert code == 2
    assert option in err


def test_a_terminal_without_an_ohm_sign_gets_the_table_too(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(out, "latin-1", write_through=True))
    assert main(["pins"]) == 0
    assert b"680 ? " in out.getvalue()
