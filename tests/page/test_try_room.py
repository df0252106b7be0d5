"""Replays on the page of ``mind-box try``, with boxes that run in the same loop, in virtual time."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from aiohttp import web

from mind_box.game.state import Game
from mind_box.settings.schema import Config
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.record import Recording
from mind_box.virtual.scripts.script import Script
from mind_box.virtual.tryout import try_room
from mind_box.virtual.tryout.box_settings import virtual_box
from mind_box.virtual.tryout.machine import Hooks
from mind_box.virtual.tryout.try_page import Session
from mind_box.virtual.tryout.try_room import TryRoom
from tests.page.in_process import InProcess

SCRIPT = "hands 1 2 3\nhands\nscan 17\nexpect pile 17\n"


class Disked(InProcess):
    """With a disk, which has to be there, and like a process not up or down at once."""

    up: ClassVar[list[Disked]] = []

    def __init__(self, config: Config, directory: Path, hooks: Hooks) -> None:
        super().__init__(config)
        self.directory, self.hooks = directory, hooks
        self.broken = self.worn = self.repeats = False
        self.lamps: list[int] = []
        self.unplugged: list[str] = []
        self.screens: dict[str, Any] = {}

    async def start(self) -> None:
        self.up.append(self)
        await asyncio.sleep(0.1)
        (self.directory / "box.toml").touch()
        await super().start()

    async def close(self) -> None:
        await asyncio.sleep(0.1)
        await super().close()
        (self.directory / "box.toml").unlink()
        self.up.remove(self)


@pytest.mark.parametrize("texts", [[SCRIPT, SCRIPT], [SCRIPT, None, SCRIPT], [SCRIPT, None, None, SCRIPT, SCRIPT]])
@pytest.mark.parametrize("gap", [0.0, 0.05, 0.15])
def test_however_fast_replays_are_asked_for_they_come_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str | None], gap: float
) -> None:
    monkeypatch.setattr(try_room, "Machine", Disked)
    monkeypatch.setattr(Disked, "up", [])
    session = cast(Session, None)
    wrong: list[dict[str, Any]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context))
        room = TryRoom(virtual_box(3), tmp_path, "token", "127.0.0.1", 3, "human", 1)
        await room.start()
        replay = room.page.on_replay
        assert replay is not None
        for text in texts:
            replay(session, text)
            await asyncio.sleep(gap)
        await asyncio.sleep(60)
        assert len(Disked.up) == 2
        assert room.page.replay is not None and room.page.replay["done"] and not room.page.replay["failures"]
        replay(session, SCRIPT)
        await asyncio.sleep(gap)
        await room.close()
        assert Disked.up == []

    run_virtual(main())
    assert wrong == []


class Told(Session):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(web.WebSocketResponse())
        self.messages: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    def kinds(self) -> list[str]:
        return [message["type"] for message in self.messages]


async def test_of_many_wishes_to_save_one_is_done_and_the_others_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes a thread, and the box starts with the same few: 300 of them used to leave it starting."""
    gate, running, most = threading.Event(), 0, 0

    def record(_: Path) -> tuple[Recording, bool]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        gate.wait(20)
        running -= 1
        return Recording("hands 1 2\n", Game(), False), True

    monkeypatch.setattr(try_room, "Machine", Disked)
    monkeypatch.setattr(try_room, "_record", record)
    room = TryRoom(virtual_box(3), tmp_path, "token", "127.0.0.1", 3, "human", 1)
    save = room.page.on_save
    assert save is not None
    told = Told()
    for _ in range(300):
        save(told)
        await asyncio.sleep(0)
    assert told.kinds() == ["saving"] + ["refused"] * 299
    assert await asyncio.wait_for(asyncio.to_thread(lambda: True), 5), "a thread is left for the box"
    gate.set()
    while room._tasks:
        await asyncio.gather(*room._tasks)
    assert most == 1 and told.messages[-2]["text"] == "hands 1 2\n"
    assert told.messages[-1] == {"type": "saving", "on": False}
    save(told)
    while room._tasks:
        await asyncio.gather(*room._tasks)
    assert told.kinds()[-3:] == ["saving", "script", "saving"]


def test_of_many_replays_only_the_newest_that_waits_is_put_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_room, "Machine", Disked)
    monkeypatch.setattr(Disked, "up", [])
    put_up: list[str] = []
    real = TryRoom._put_up

    async def counted(self: TryRoom, script: Script, text: str) -> None:
        put_up.append(text)
        await real(self, script, text)

    monkeypatch.setattr(TryRoom, "_put_up", counted)

    async def main() -> None:
        room = TryRoom(virtual_box(3), tmp_path, "token", "127.0.0.1", 3, "human", 1)
        await room.start()
        assert room.page.on_replay is not None
        texts = [f"{SCRIPT}wait {n}\n" for n in range(300)]
        for text in texts:
            room.page.on_replay(Told(), text)
        await asyncio.sleep(60)
        assert put_up == [texts[-1]]
        await room.close()

    run_virtual(main())
