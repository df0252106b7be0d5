"""Settings: what is wrong is refused by name, line and cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.cli import main
from mind_box.config import Config, ConfigError, cautions, load, parse, pin_uses


def test_an_empty_file_is_the_standard_build() -> None:
    config = parse("")
    assert config == Config()
    assert config.box.seats == 4
    pins = [pin for _, pin in pin_uses(config)]
    assert len(pins) == len(set(pins)) == 1 + 4 + 4 + 5 + 3 + 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[boks]\n", 1, ["boks", "not a setting"]),
        ("[game]\nblnd = 'no'", 2, ["game.blnd", "did you mean blind"]),
        ("[box]\nseats = '4'", 2, ["box.seats", "whole number"]),
        ("[box]\nseats = true", 2, ["box.seats", "whole number"]),
        ("[box]\n\n# so\nseats = 9", 4, ["box.seats", "from 2 to 8"]),
        ("[table]\nvote = nan", 2, ["table.vote", "from"]),
        ("[game]\nvariant = 'klassik'", 2, ["game.variant", "classic"]),
        ("[gpio]\nseat_buttons = [5, 6, 13, 5]", 2, ["GPIO5", "twice"]),
        ("[gpio]\nstar_button = 12", 2, ["GPIO12", "twice", "gpio.seat_lamps"]),
        ("[gpio]\nstar_button = 1", 2, ["gpio.star_button", "GPIO 2 to 27"]),
        ("[gpio]\nlife_lamps = [4]", 2, ["gpio.life_lamps", "5"]),
        ("[[screen]]\n[[screen]]\nseat = 9", 3, ["screen.seat"]),
        ("[[screen]]\n[[screen]]\nseat = 1", 2, ["0x3c", "already table-screen"]),
        ("[[screen]]\nbus = 'usb'", 2, ["screen.bus", "i2c-1"]),
        ("[[screen]]\nbus = 'spi-1.0'", 2, ["screen.bus", "spi-0.0", "spi-0.1"]),
        (
            "[[screen]]\nbus = 'spi-0.5'\ndc_pin = 4\nreset_pin = 18\n[gpio]\nstar_lamps = [25, 7, 8]",
            2,
            ["screen.bus", "spi-0.0", "spi-0.1"],
        ),
        ("[box]\nstate_dir = 'games'", 2, ["box.state_dir", "begins with /"]),
        ("[box]\nstate_dir = ''", 2, ["box.state_dir", "begins with /"]),
        ("[box]\nseats = 4\nrun_dir = '~/run'", 3, ["box.run_dir", "begins with /"]),
        ("screen = 1", 1, ["[[screen]]"]),
        ("box = 1", 1, ["[box]"]),
        ("[box]\nsound = true", 2, ["gpio.buzzer"]),
        ("[[reader]]\nkind = 'telepathy'", 2, ["reader.kind", "serial"]),
        ("[box]\ndim_after = 1" + "0" * 400, 2, ["box.dim_after", "from 0 to 86400"]),
        ("[box]\n\nseats = 1" + "0" * 5000, 3, ["thousands of digits"]),
        ("[box]\nseats = 0x1" + "0" * 5000, 2, ["box.seats", "from 2 to 8", "thousands of digits"]),
        ("[box]\nlanguage = [0x1" + "0" * 5000 + "]", 2, ["box.language", "text", "thousands of digits"]),
        ('[box]\nstate_dir = "/a\\u0000b"', 2, ["box.state_dir", "control character"]),
        ('[box]\npower_off = ["true", "a\\u001Bb"]', 2, ["box.power_off", "control character"]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, words: list[str]) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(text, "my.toml")
    said = str(refused.value)
    assert said.startswith(f"my.toml, line {line}: "), said
    for word in words:
        assert word in said


def test_too_few_pins_for_the_seats() -> None:
    with pytest.raises(ConfigError, match="4 pins for 5 seats"):
        parse("[box]\nseats = 5")


@pytest.mark.parametrize("text", ["[box", "a = ", "[box]\nseats = 4\nseats = 4", "x = " + "[" * 5000])
def test_what_is_no_toml_is_said_to_be(text: str) -> None:
    with pytest.raises(ConfigError, match=r"box\.toml: is "):
        parse(text)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--config"):
        load(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="UTF-8"):
        load(tmp_path / "bad.toml")


def test_a_mark_before_the_first_line_is_no_setting(tmp_path: Path) -> None:
    """Windows' Notepad and PowerShell write one."""
    (tmp_path / "box.toml").write_bytes("[box]\nseats = 3\n".encode("utf-8-sig"))
    assert load(tmp_path / "box.toml").box.seats == 3


def test_config_check_says_it_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "box.toml"
    path.write_text("[box]\nseats = 3\n")
    assert main(["config", "check", "--config", str(path)]) == 0
    assert "3 seats" in capsys.readouterr().out
    path.write_text("[box]\nseats = 1\n")
    assert main(["config", "check", "--config", str(path)]) == 2
    assert f"{path}, line 2: box.seats" in capsys.readouterr().err


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_settings_or_refused(text: str) -> None:
    try:
        assert isinstance(parse(text), Config)
    except ConfigError as e:
        assert str(e).startswith("box.toml")


CAUTIONS = [
    ('[[screen]]\nbus = "spi-0.0"\ndc_pin = 7\nreset_pin = 4\n[gpio]\nstar_lamps = [25, 2, 3]', "screen.dc_pin: GPIO7"),
    (
        '[[screen]]\nbus = "spi-0.1"\ndc_pin = 4\nreset_pin = 8\n[gpio]\nstar_lamps = [25, 2, 3]',
        "screen.reset_pin: GPIO8",
    ),
    (
        '[[screen]]\nbus = "spi-0.0"\ndc_pin = 4\nreset_pin = 18\n[gpio]\nstar_lamps = [25, 2, 3]\nstar_button = 7',
        "gpio.star_button: GPIO7",
    ),
    (
        '[[screen]]\nbus = "spi-0.0"\ndc_pin = 4\nreset_pin = 18\n[gpio]\nstar_lamps = [25, 2, 7]',
        "gpio.star_lamps[3]: GPIO7",
    ),
    ('[[screen]]\nbus = "i2c-6"', "gpio.life_lamps[3]: GPIO22"),
    ('[[reader]]\ndevice = "/dev/ttyAMA5"', "gpio.seat_buttons[3]: GPIO13"),
    ('[gpio]\nfactory = "rpigpio"\nkernel_debounce = 0.1', "gpio.kernel_debounce is not used"),
]


@pytest.mark.parametrize(("text", "said"), CAUTIONS)
def test_what_was_right_once_and_cannot_work_is_said_and_not_refused(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "box.toml"
    path.write_text(text)
    assert main(["config", "check", "--config", str(path)]) == 0
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note: ")]
    assert any(note.startswith(f"note: {said}") for note in notes), notes
    assert all(" use " in note.lower() or " set it to " in note for note in notes), "each with its cure"


@pytest.mark.parametrize(
    "text",
    [
        "",
        '[[screen]]\nbus = "spi-0.0"\ndc_pin = 4\nreset_pin = 18\n[gpio]\nstar_lamps = [25, 2, 3]',
        '[gpio]\nfactory = "lgpio"\nkernel_debounce = 0.1',
        '[gpio]\nfactory = "rpigpio"',
    ],
)
def test_nothing_is_said_of_what_works(text: str) -> None:
    assert cautions(parse(text)) == []
