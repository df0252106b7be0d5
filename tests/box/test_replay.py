"""``mind-box replay``: exit status, JSON lines, and what is no script is told with line and reason."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.game.state import Hands, Setup
from mind_box.settings.schema import Config, TableSettings
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.replay import Player
from mind_box.virtual.scripts.script import ScriptError, parse_script


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_0_when_all_holds_1_when_not_2_when_it_is_no_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path / "good", "hands 1 2\nexpect phase focus\n")
    wrong = write(tmp_path / "wrong", "hands 1 2\nexpect phase play\n")
    bad = write(tmp_path / "bad", "hands 1 2\nscann 4\n")
    assert main(["replay", good]) == 0
    assert main(["replay", good, wrong]) == 1
    assert f"{wrong}:2: expected 'play', got 'focus'" in capsys.readouterr().out
    assert main(["replay", bad, good]) == 2
    assert "line 2: 'scann' is no script word" in capsys.readouterr().err
    assert main(["replay", str(tmp_path / "none")]) == 2


def test_json_is_one_line_for_each_action_and_each_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = "# a comment\nconfig seats 3\n\nhands 1 2\nwait 1.5\nexpect phase focus\nexpect level 2\n"
    path = write(tmp_path / "s", script)
    assert main(["replay", path, "--json"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["line"] for entry in lines] == [4, 5, 7]
    assert lines[0]["t"] == 2.6
    assert lines[1]["t"] == 4.1
    assert lines[1]["view"]["seats"] == [1, 2]
    assert lines[2] == {"line": 7, "expected": 2, "got": 1}
    assert main(["replay", path, path, "--json"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[0])["file"] == path


def test_tabs_between_words_are_blanks() -> None:
    assert parse_script("expect\tphase\tfocus").lines == parse_script("expect phase focus").lines


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("tap 5", "line 1: '5' is no button"),
        ("hands star", "line 1: 'star' is no button"),
        ("expect hands_down star", "line 1: expect hands_down: 'star' is no seat"),
        ("expect agreed null", "line 1: expect agreed: 'null' is no seat"),
        ("hold star", "line 1: expected hold BUTTON SECONDS"),
        ("wait soon", "line 1: 'soon' is no number of seconds"),
        ("wait nan", "line 1: 'nan'"),
        ("wait -1", "line 1: '-1'"),
        ("menu pizza", "line 1: 'pizza' is no menu item"),
        ("unplug toaster", "line 1: 'toaster' is no device"),
        ("expect luck 3", "line 1: 'luck' is no field"),
        ("expect counts 1-2", "line 1: expect counts"),
        ("expect phase", "line 1: expect phase"),
        ("tap 1\nconfig seats 2", "line 2: config stands before the first action"),
        ("config colour red", "line 1: expected config NAME VALUE"),
        ("config seats 9", "line 1: config seats: '9' is not one of"),
        ("restart now", "line 1: restart stands alone"),
    ],
)
def test_typos_are_told(text: str, what: str) -> None:
    with pytest.raises(ScriptError) as refused:
        parse_script(text)
    assert str(refused.value).startswith(what)


def test_the_challenge_is_checked_at_the_end_unless_the_script_says_otherwise() -> None:
    for blind in ("no", "as_played", "at_end"):
        assert parse_script(f"config blind {blind}\n").config.game.challenge == "at_end"
        asked = parse_script(f"config challenge as_played\nconfig blind {blind}\n").config.game
        assert (asked.challenge, asked.blind) == ("as_played", blind)


def test_an_hour_replays_in_a_moment(tmp_path: Path) -> None:
    assert main(["replay", write(tmp_path / "s", "hands 1 2\nhands\nwait 3600\nexpect phase play\n")]) == 0


def test_a_number_is_not_true(tmp_path: Path) -> None:
    assert main(["replay", write(tmp_path / "s", "hands 1 2\nexpect level true\n")]) == 1
    assert main(["replay", write(tmp_path / "s", "hands 1 2\nexpect blind 0\n")]) == 1


def test_a_map_may_be_written_in_any_order(tmp_path: Path) -> None:
    script = "config hands known\nhands 1 2\nscan 10\nexpect counts 1:1 2:0\nexpect counts 2:0 1:1\n"
    assert main(["replay", write(tmp_path / "s", script)]) == 0
    assert main(["replay", write(tmp_path / "s", script + "expect counts 2:1 1:0\n")]) == 1


@pytest.mark.parametrize("suffix", ["\x1d", "\x1f", "\u00a0", "\x85"])
def test_a_scan_hands_on_what_a_scanner_puts_behind_a_code(tmp_path: Path, suffix: str) -> None:
    script = f"hands 1 2\nhands\nscan 42{suffix}\nexpect notices unknown_card\nscan 42 \t\nexpect pile 42\n"
    assert main(["replay", write(tmp_path / "s", script)]) == 0


def test_tabs_windows_line_ends_and_byte_order_marks_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"\xef\xbb\xbfhands\t1 2\r\n\thands  # concentrate\r\nscan\t029\r\nexpect pile 29")
    assert main(["replay", str(path)]) == 0


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s").write_bytes(b"hands 1 2\n# f\xfcr alle\n")
    assert main(["replay", str(tmp_path / "s")]) == 2
    assert "line 2: is not UTF-8" in capsys.readouterr().err


def test_the_menu_word_knows_an_open_menu_and_a_question(tmp_path: Path) -> None:
    script = "hands 1 2\nhands\nscan 10\nhold star 2\nexpect menu undo\nmenu life-up\nexpect lives 3\nexpect pile 10\n"
    script += "menu end-game\nmenu life-up\nexpect lives 4\nexpect phase focus\n"
    assert main(["replay", write(tmp_path / "s", script)]) == 0


def test_each_time_of_the_settings_is_the_tables() -> None:
    """All six differ from each other and from what they usually are."""
    times = TableSettings(debounce=0.05, hold=0.7, gather=1.2, vote=5.5, menu=9.5, check=2.5)
    script = """
        down 1 2
        wait 1.1
        up 1 2
        wait 0.1
        expect phase lobby
        down 1 2
        wait 0.04
        expect hands_down
        wait 0.02
        expect hands_down 1 2
        wait 1.2
        up 1 2
        wait 0.1
        expect phase focus
        hands
        tap star
        wait 5.3
        expect phase vote
        wait 0.2
        expect phase play
        down star
        wait 0.69
        expect menu null
        wait 0.01
        expect menu undo
        up star
        wait 9.4
        expect menu undo
        wait 0.1
        expect menu null
        hands
        scan 10
        scan 20
        expect phase reveal
        wait 2.4
        expect pile
        wait 0.1
        expect pile 10
        wait 2.5
        expect level 2
    """
    game = Setup(blind="as_played", challenge="as_played")
    assert played(script, Config(table=times, game=game))[1] == []


def test_what_a_callback_raises_is_not_lost() -> None:
    """asyncio logs it and goes on; a test that asserts in a listener would never fail."""

    async def main() -> None:
        asyncio.get_running_loop().call_later(1, lambda: 1 / 0)
        await asyncio.sleep(2)

    with pytest.raises(ZeroDivisionError):
        run_virtual(main())


def test_without_settings_the_times_are_those_of_the_tables_page() -> None:
    page = {"debounce": 0.025, "hold": 1.5, "gather": 2.0, "vote": 30.0, "menu": 30.0, "check": 0.8}
    assert asdict(TableSettings()) == page


@pytest.mark.parametrize("hands", ["known", "unknown"])
def test_the_game_of_the_settings_is_the_lobbys(hands: Hands) -> None:
    game = Setup("extreme", "extreme", hands, "as_played", True, "as_played")
    assert game.chosen() == {name: value for name, value in asdict(game).items() if name != "ghosts"}
    player, failed = played("hands 1 2\nexpect stars 0\n", Config(game=game))
    assert failed == []
    started = next(player.referee.journal.rows()).event()
    assert isinstance(started, ev.Started) and started.setup == game.chosen()


def played(script: str, box: Config) -> tuple[Player, list[dict[str, Any]]]:
    """A script on a box with these settings; the expectations that failed."""
    failed: list[dict[str, Any]] = []

    async def main() -> Player:
        player = Player(parse_script(script, box), lambda entry: failed.append(entry) if "expected" in entry else None)
        for line in player.script.lines:
            await player.act(line.number, line.action)
        return player

    return run_virtual(main()), failed
