"""Settings: what is wrong is refused by name, line and cure."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.commands.cli import main
from mind_box.settings import loading as config_module
from mind_box.settings.loading import ConfigError, load, parse
from mind_box.settings.loading import settings as settings_of
from mind_box.settings.schema import Config, cautions, pin_uses


def test_without_a_setting_it_is_the_standard_build() -> None:
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
        ("[[screen]]\nrotate = 4", 2, ["screen.rotate", "one of 0, 1, 2, 3"]),
        ("[[screen]]\nrotate = 1\nheight = 32", 2, ["screen.rotate", "32 rows", "use 0 or 2"]),
        ("[[screen]]\nseat = 1\n\nrotate = 3", 4, ["screen.rotate", "a seat's screen", "use 0 or 2"]),
        ("[[screen]]\n[[screen]]\naddress = 0x3D", 2, ["screen.seat", "already a table-screen", "table = 2"]),
        ("[[screen]]\n[[screen]]\ntable = 2", 2, ["0x3c", "already table-screen"]),
        ("[[screen]]\nseat = 1\ntable = 2", 3, ["screen.table", "seat-screen 1 is no table screen"]),
        ("[[screen]]\ntable = 5", 2, ["screen.table", "from 1 to 4"]),
        ("[[screen]]\nheight = 48", 2, ["screen.height", "one of 64, 32"]),
        ("[[screen]]\ndc_pin = 1", 2, ["screen.dc_pin", "GPIO 2 to 27"]),
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


def test_several_table_screens_each_turned_as_it_stands() -> None:
    second = "[[screen]]\ntable = 2\naddress = 0x3D\nrotate = 2\n"
    config = parse(f"[[screen]]\n{second}[[screen]]\ntable = 3\nbus = 'i2c-3'\nrotate = 3")
    assert [s.name for s in config.screen] == ["table-screen", "table-screen 2", "table-screen 3"]
    assert [s.size for s in config.screen] == [(128, 64), (128, 64), (64, 128)]


def test_too_few_pins_for_the_seats() -> None:
    with pytest.raises(ConfigError, match=r"line 2: box\.seats: 4 pins for 5 seats: .*gpio\.seat_buttons"):
        parse("[box]\nseats = 5")


# -- each refusal has the line, however the setting is written

SINGLE = [
    (section, f.name, f.metadata)
    for section, kind in typing.get_type_hints(Config).items()
    for f in dataclasses.fields(typing.get_args(kind)[0] if typing.get_origin(kind) is tuple else kind)
]
SECTIONS = list(typing.get_type_hints(Config))
ARRAYS = ("screen", "reader")


def wrong_values(meta: Mapping[str, Any]) -> list[str]:
    """What no setting takes, as TOML; for this one its ranges and choices too. A line break is within the last."""
    wrong = ["1979-05-27", "{}", "[{}]", "[[]]", '"\\u0000"', "[\n  {},\n]"]
    if "low" in meta:
        wrong += [repr(meta["high"] + 1), repr(meta["low"] - 1), "nan", '"1"', "true"]
    if "choices" in meta:
        wrong += ['"nothing of that kind"', "9"]
    return wrong


def ways(section: str, key: str, value: str) -> list[tuple[str, int]]:
    """Each way to write a setting, and the line on which it stands."""
    array = section in ARRAYS
    head = f"[[{section}]]" if array else f"[{section}]"
    forms = [
        (f"{head}\n{key} = {value}\n", 2),
        (f"# settings\r\n\r\n{head} # here\r\n\r\n# so\r\n  {key}   = {value}\r\n", 6),
        (head.replace(section, f' "{section}" ') + f"\n'{key}' = {value}", 2),
        (f"# \u2028\x85 are in one line\n{head}\n{key} = {value}", 3),
    ]
    if array:
        forms += [(f"{head}\n{head}\n# first\n[page]\nport = 1\n{head}\n{key} = {value}", 7)]
    else:
        forms += [(f"[page]\nport = 1\n[table]\n[journal]\n{head}\n{key} = {value}", 6)]
        forms = forms if section not in ("page", "table", "journal") else forms[:4]
        forms += [(f"\n{section}.{key} = {value}", 2), (f'"{section}" . "{key}" = {value}', 1)]
    if "\n" not in value:
        inline = f"[{{ {key} = {value} }}]" if array else f"{{ {key} = {value} }}"
        forms += [(f"\n{section} = {inline}", 2)]
    return forms


@pytest.mark.parametrize(("section", "key", "meta"), SINGLE, ids=lambda x: x if isinstance(x, str) else "")
def test_each_setting_is_refused_by_name_and_line(section: str, key: str, meta: Mapping[str, Any]) -> None:
    for value in wrong_values(meta):
        for text, line in ways(section, key, value):
            with pytest.raises(ConfigError) as refused:
                parse(text)
            assert str(refused.value).startswith(f"box.toml, line {line}: {section}.{key}: "), (text, refused.value)


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_no_setting_or_no_section_is_refused_by_name_and_line(section: str) -> None:
    for text, line in ways(section, "nonsense", "1"):
        with pytest.raises(ConfigError, match=rf"^box\.toml, line {line}: {section}\.nonsense: is not a setting; "):
            parse(text)
    head = f"[{section}]" if section in ARRAYS else f"[[{section}]]"
    for shape in (f"{section} = 1", f'"{section}" = "x"', f"{section} = [1, 2]", head, f"{head}\n"):
        with pytest.raises(ConfigError, match=rf"^box\.toml, line 2: {section}: write it as "):
            parse(f"# settings\n{shape}")


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("box.seats = 9", 1, "box.seats"),
        ('["box"]\nseats = 9', 2, "box.seats"),
        ("[box.seats]\nx = 1", 1, "box.seats"),
        ("[gpio]\nstar_button = 2", 2, "gpio.star_button"),  # the default screen's bus
        ("[gpio]\n[[screen]]\nbus = 'spi-0.0'", 3, "screen.bus"),  # the default lamp's
        ("[[screen]]\n[[screen]]\nbus = 'spi-0.1'\nseat = 1\ndc_pin = 4\nreset_pin = 5\n"
         "[gpio]\nstar_lamps=[14, 15, 18]", 6, "screen.reset_pin"),
        ("[[reader]]\nkind = 'hid'\n[[reader]]\ndevice = '/dev/serial0'\n[gpio]\nbuzzer = 14", 4, "reader.device"),
        ("gpio.expander = 'mcp23017'\n[[screen]]\nbus = 'sim:x'\n[gpio.buzzer]\n", 4, "gpio.buzzer"),
        ("gpio = {star_button = 2, expander = 'mcp23017'}\nscreen = []", 1, "gpio.expander"),
        ("[gpio]\nlife_lamps = [\n17,\n27,\n22, 23,\n100]", 2, "gpio.life_lamps"),
        ("[[reader]]\n[[reader]]", 2, "reader.device"),
        ("[box]\nseats = 5\n[gpio]\nseat_buttons = [5, 6, 13, 19]", 4, "gpio.seat_buttons"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused_by_name_and_line(text: str, line: int, name: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(text)
    assert str(refused.value).startswith(f"box.toml, line {line}: {name}: "), refused.value


# -- a file that says nothing


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t\n", "nothing but blanks or NUL bytes"),
        (b"\0" * 4096, "nothing but blanks or NUL bytes"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\xef\xbb\xbf\r\n", "nothing but blanks or NUL bytes"),
        (b"# The standard build: 4 seats, one table screen", "has no settings"),
        (b"# seats\n\n[box]\n", "has no settings"),
        (b"[box]\n[gpio]\n[table]\n", "has no settings"),
        (b"[box]\nseats = 4\n\0\0\0\0\0\0", "line 3"),
        (b"[box]\nseats = 4\n[gpio]\nseat_buttons = [5, 6, 1", "line 4"),
        (b"[box]\nstate_dir = '/var/lib", "line 2"),
        (b"[box]\nseats = 4 # f\xfcnf", "line 2"),
        (b"[box]\nseats = 4".decode().encode("utf-16"), "UTF-8"),
    ],
)
def test_a_file_that_a_power_cut_left_is_refused_with_its_cure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: bytes, words: str
) -> None:
    path = tmp_path / "box.toml"
    path.write_bytes(written)
    assert main(["config", "check", "--config", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(str(path)) and words in said and "sets" not in said
    assert any(cure in said for cure in ("write the settings again", "Correct that place", "Save it as UTF-8")), said


def test_settings_that_only_ask_for_the_standard_are_settings(tmp_path: Path) -> None:
    for text in ("box.seats = 4", "[[reader]]", "reader = []"):
        (tmp_path / "box.toml").write_text(text)
        assert load(tmp_path / "box.toml").box.seats == 4


def test_what_stands_at_the_installed_name_is_read_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never another build than the one that was wired: only where nothing stands it is the standard one."""
    path = tmp_path / "box.toml"
    monkeypatch.setattr(config_module, "DEFAULT_PATH", path)
    assert settings_of(None) == Config()
    path.symlink_to(tmp_path / "gone.toml")
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        settings_of(None)
    path.unlink()
    path.mkdir()
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        settings_of(None)
    monkeypatch.setattr(config_module, "DEFAULT_PATH", path / ("x" * 300))
    with pytest.raises(ConfigError, match="cannot be read: File name too long"):
        settings_of(None)


def test_without_settings_it_is_said_which_build_is_assumed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(config_module, "DEFAULT_PATH", tmp_path / "box.toml")
    monkeypatch.setattr("mind_box.service.daemon.run", lambda _, **__: 0)
    assert main(["config", "check"]) == 0
    assumed = f"no settings at {tmp_path / 'box.toml'}, the defaults are assumed: "
    assert capsys.readouterr().out.startswith(f"{assumed}right. 4 seats; ")
    with caplog.at_level("INFO"):
        assert main(["run"]) == 0
    assert f"{assumed}4 seats; table-screen; serial reader at /dev/mind-box-scanner" in caplog.text


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


@pytest.mark.slow
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
