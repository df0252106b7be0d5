"""Mock pins driven through a socket: a test presses the buttons of a box in another process."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from mind_box.devices.gpio.mock_pins import VARIABLE
from mind_box.devices.gpio.pins import open_pins
from mind_box.settings.schema import GpioSettings
from mind_box.show.lamps import LampPattern
from tests.devices.aids import Inbox


class Remote:
    """The test's side."""

    def __init__(self, box: Path, own: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(str(own))
        self._socket.connect(str(box))

    async def say(self, text: str) -> str:
        self.send(text)
        return (await asyncio.get_running_loop().sock_recv(self._socket, 256)).decode()

    def send(self, text: str) -> None:
        """And does not wait for the answer."""
        self._socket.send(text.encode())

    def close(self) -> None:
        self._socket.close()


async def test_buttons_and_lamps_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inbox: Inbox) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "pins"))
    (tmp_path / "pins").touch()  # left behind by a box that was killed
    settings = GpioSettings(factory="mock", expander="mcp23017", seat_lamps=(100, 101, 102, 115))
    buttons, lamps = open_pins(settings, 4, inbox.append, asyncio.get_running_loop())
    remote = Remote(tmp_path / "pins", tmp_path / "own")
    assert await remote.say("drive 26 0") == "ok"
    assert buttons.level(0)
    assert await remote.say("drive 26 1") == "ok"
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert inbox.edges == [(0, True), (0, False)]
    lamps.show(LampPattern(lives=1, seats=frozenset({4})))
    said = [await remote.say(f"read {pin}") for pin in (17, 27, 100, 115, 26)]
    assert said == ["1", "0", "0", "1", "1"]
    for wrong in ("drive 17 0", "read 99", "read x", "drive 5", "", "drive 5 2", "read 110", "\xff"):
        assert (await remote.say(wrong)).startswith("error: ")
    assert inbox.faults == []
    lamps.close()
    buttons.close()
    with pytest.raises(ConnectionRefusedError):
        await remote.say("read 17")
    remote.close()


async def test_a_sender_without_an_address_gets_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inbox: Inbox
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "pins"))
    buttons, lamps = open_pins(GpioSettings(factory="mock"), 4, inbox.append, asyncio.get_running_loop())
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"drive 5 0", str(tmp_path / "pins"))
    gone = Remote(tmp_path / "pins", tmp_path / "gone")
    gone.send("drive 6 0")
    gone.close()
    (tmp_path / "gone").unlink()
    for _ in range(5):
        await asyncio.sleep(0)
    assert sorted(inbox.edges) == [(1, True), (2, True)]
    lamps.close()
    buttons.close()


async def test_without_the_variable_there_is_no_socket(
    monkeypatch: pytest.MonkeyPatch, inbox: Inbox, tmp_path: Path
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    buttons, lamps = open_pins(GpioSettings(factory="mock"), 4, inbox.append, asyncio.get_running_loop())
    assert not list(tmp_path.iterdir())
    lamps.close()
    buttons.close()
    assert inbox == []
