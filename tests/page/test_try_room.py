"""Replays on the page of ``mind-box try``, with boxes that run in the same loop, in virtual time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from mind_box.settings.schema import Config
from mind_box.virtual.scripts.clock import run_virtual
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
