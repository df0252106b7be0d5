"""The commands around the pages: what they say when something is in the way."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from aiohttp import web

from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.journal.journal import Journal
from mind_box.page import server
from mind_box.page.server import TablePage
from mind_box.page.web import listen
from mind_box.settings.schema import Config, PageSettings
from mind_box.settings.writing import to_toml
from mind_box.virtual.scripts.replay import replay_text
from mind_box.virtual.tryout import try_box


def test_a_port_that_is_taken_is_named_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        assert main(["try", "--no-browser", "--port", str(port)]) == 1
    said = capsys.readouterr().err
    assert f"127.0.0.1:{port}" in said and "--port" in said


@pytest.mark.parametrize("port", ["99999", "-1", "x"])
def test_a_port_that_is_none_is_said(capsys: pytest.CaptureFixture[str], port: str) -> None:
    with pytest.raises(SystemExit):
        main(["try", "--no-browser", f"--port={port}"])
    assert "argument --port" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["file", "file/below", "x" * 300])
def test_a_directory_that_cannot_be_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str) -> None:
    (tmp_path / "file").touch()
    assert main(["try", "--no-browser", "--port", "0", "--state", str(tmp_path / place)]) == 1
    said = capsys.readouterr().err
    assert f"--state {tmp_path / place} cannot be used" in said and "Name another" in said


def test_a_kept_game_gets_the_seats_it_was_begun_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[int, int | None]] = []

    async def serve(config: Config, wishes: try_box.Wishes, _: Path) -> int:
        started.append((config.box.seats, wishes.players))
        (tmp_path / "box.toml").write_text(to_toml(config))
        return 0

    monkeypatch.setattr(try_box, "_serve", serve)
    assert main(["try", "--state", str(tmp_path), "--players", "5"]) == 0
    assert main(["try", "--state", str(tmp_path)]) == 0
    assert main(["try", "--state", str(tmp_path), "--players", "5"]) == 0
    assert started == [(5, 5)] * 3
    assert main(["try", "--state", str(tmp_path), "--players", "2"]) == 2
    assert "5 seats" in capsys.readouterr().err
    assert started == [(5, 5)] * 3


def test_a_closed_terminal_ends_it_and_nothing_is_left(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mind_box", "try", "--no-browser", "--port", "0"]
    heard = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # where the tests run under nohup, it would be told nothing
    try:
        tried = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)})
    finally:
        signal.signal(signal.SIGHUP, heard)
    assert tried.stdout is not None
    assert b"http" in tried.stdout.readline()
    assert list(tmp_path.iterdir())
    tried.send_signal(signal.SIGHUP)
    tried.communicate()
    assert tried.returncode == 0
    assert list(tmp_path.iterdir()) == []


async def test_a_host_that_is_no_name_at_all_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """``a..b`` cannot even be looked up, and the error for that is none of the network's."""
    page = TablePage(PageSettings(host="a..b"), lambda: "en")
    await page.start()
    for _ in range(100):
        await asyncio.sleep(0)
    assert "a..b:8750 cannot be used (not the name of a machine); set page.host" in caplog.text
    assert len(asyncio.all_tasks()) == 2, "it goes on trying"
    await page.stop()


async def test_the_address_in_the_log_can_be_typed(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With brackets around an address of IPv6, which this machine need not have."""

    async def listens(app: web.Application, host: str, _: int) -> web.AppRunner:
        assert host == "::1"
        return await listen(app, "127.0.0.1", 0)

    monkeypatch.setattr(server, "listen", listens)
    caplog.set_level("INFO")
    page = TablePage(PageSettings(host="::1"), lambda: "en")
    await page.start()
    while "http://" not in caplog.text:
        await asyncio.sleep(0.01)
    assert f"http://[::1]:{page.port}/" in caplog.text
    await page.stop()


def test_settings_that_are_wrong_are_refused_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "box.toml"
    settings.write_text("[box]\nseats = 9\n")
    assert main(["try", "--no-browser", "--config", str(settings)]) == 2
    assert "line 2: box.seats" in capsys.readouterr().err


def test_record_writes_a_game_of_the_journal_that_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal.db"
    journal = Journal.open(path)
    for variant in ("classic", "reverse"):
        setup = {"variant": variant, "deck": "original", "hands": "unknown", "blind": "no", "no_stars": False}
        journal.append([ev.Started((1, 2), {**setup, "challenge": "at_end"}, ()), ev.Concentrated(), ev.Laid(40)])
    for arguments, variant in (([], "reverse"), (["--game", "1"], "classic"), (["--game", "-2"], "classic")):
        assert main(["record", "--journal", str(path), *arguments]) == 0
        text = capsys.readouterr().out
        assert ("config variant reverse" in text) == (variant == "reverse")
        assert replay_text(text, lambda _: None) == 0
    journal.close()


@pytest.mark.parametrize("game", ["0", "3", "-4"])
def test_record_says_how_many_games_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str) -> None:
    path = tmp_path / "journal.db"
    Journal.open(path).close()
    assert main(["record", "--journal", str(path), "--game", game]) == 2
    assert "holds 0" in capsys.readouterr().err
    assert main(["record", "--journal", str(tmp_path / "none.db")]) == 2
    assert "none.db" in capsys.readouterr().err
