"""A new version is offered in the lobby's menu; asked for there, it comes, or the reason stands on the screens."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mind_box.journal.journal import Journal
from mind_box.referee import Referee
from mind_box.service.updates import COMMAND, READING, BoxUpdate
from mind_box.settings.schema import Config
from mind_box.show.menu_words import NO_UPDATE, UPDATE_COMES
from mind_box.show.pictures import name_picture
from mind_box.show.words import words_for
from mind_box.table.inputs import STAR
from mind_box.table.menu import LOBBY_ITEMS
from mind_box.updating import Versions, tell_box
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from tests.papers.pages import ROOT

LANGUAGE = words_for("en")


class Evening:
    """A box in its lobby, and fingers at the star button."""

    def __init__(self, said: Path) -> None:
        self.loop = asyncio.get_running_loop()
        self.box = VirtualBox(4, self.loop.time)
        self.effects: list[str] = []
        self.said = said
        self.referee = Referee(Config(), Journal.in_memory(), on_effect=self.effect)
        self.referee.start(self.box.open)

    def effect(self, effect: str) -> None:
        self.effects.append(effect)
        BoxUpdate(self.referee, self.loop, COMMAND, self.said).start()

    def offer(self, there: bool) -> None:
        assert self.referee.table is not None
        self.referee.table.offer_update(there)

    async def hold(self, seconds: float) -> None:
        self.box.press(STAR)
        await asyncio.sleep(seconds)
        self.box.lift(STAR)
        await asyncio.sleep(0.1)

    async def offered(self) -> list[str]:
        """Every item, by stepping once round; the menu stays open on the first."""
        await self.hold(1.6)
        seen: list[str] = []
        while self.referee.view.menu not in seen:
            seen.append(str(self.referee.view.menu))
            await self.hold(0.1)
        return seen

    async def choose(self, item: str) -> None:
        while self.referee.view.menu != item:
            await self.hold(0.1)
        await self.hold(1.6)

    def shows(self, text: str) -> bool:
        picture = self.box.screens["table-screen"].picture
        return picture is not None and picture().tobytes() == name_picture(text).tobytes()


class Process:
    """What systemctl is, for as long as an update takes."""

    async def wait(self) -> int:
        await asyncio.sleep(60)
        return 1


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    asked: list[tuple[str, ...]] = []

    async def start(*command: str) -> Process:
        asked.append(command)
        return Process()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    return asked


def test_only_what_is_there_is_offered_and_only_in_the_lobby(tmp_path: Path) -> None:
    async def main() -> None:
        evening = Evening(tmp_path / "said")
        assert "update" not in await evening.offered()
        await asyncio.sleep(40)  # the menu closes by itself
        evening.offer(True)
        assert await evening.offered() == [*LOBBY_ITEMS[:-1], "update", LOBBY_ITEMS[-1]]
        await asyncio.sleep(40)
        for seat in (1, 2):
            evening.box.press(seat)
        await asyncio.sleep(2.5)
        for seat in (1, 2):
            evening.box.lift(seat)
        await asyncio.sleep(1)
        assert evening.referee.view.phase == "focus"
        assert "update" not in await evening.offered()
        evening.referee.close()

    run_virtual(main())


@pytest.mark.parametrize(
    ("said", "why"),
    [("mind-box 2 comes\nno network\n\n", "no network"), (None, f"{' '.join(COMMAND)}: 1")],
)
def test_why_there_was_none_stands_on_the_screens(
    said: str | None, why: str, tmp_path: Path, started: list[tuple[str, ...]]
) -> None:
    if said is not None:
        (tmp_path / "said").write_text(said)

    async def main() -> None:
        evening = Evening(tmp_path / "said")
        evening.offer(True)
        await evening.hold(1.6)
        await evening.choose("update")
        await asyncio.sleep(1)
        assert evening.effects == ["update"] and started == [COMMAND]
        assert evening.shows(LANGUAGE.say(UPDATE_COMES))
        await evening.hold(3)  # nothing that is pressed means anything now
        assert evening.shows(LANGUAGE.say(UPDATE_COMES))
        await asyncio.sleep(60)
        assert evening.shows(LANGUAGE.say(NO_UPDATE, why=why))
        await asyncio.sleep(READING)
        assert not evening.referee.borrowed and evening.referee.view.phase == "lobby"
        assert evening.referee.view.menu is None and evening.effects == ["update"]
        evening.referee.close()

    run_virtual(main())


def test_a_system_without_systemctl_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def start(*_: str) -> Process:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)

    async def main() -> None:
        evening = Evening(tmp_path / "said")
        evening.offer(True)
        await evening.hold(1.6)
        await evening.choose("update")
        await asyncio.sleep(1)
        assert evening.shows(LANGUAGE.say(NO_UPDATE, why="systemctl: No such file or directory"))
        evening.referee.close()

    run_virtual(main())


def test_root_tells_the_box_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "run/available"
    tell_box(Versions("1", "2"), file)
    assert not file.exists(), "where the service has made no directory nobody asked"
    file.parent.mkdir()
    tell_box(Versions("1", "2"), file)
    assert file.read_text() == "2\n"
    for _ in range(2):
        tell_box(Versions("2", "2"), file)
        assert not file.exists()


def test_the_box_may_start_that_one_service_and_it_is_there() -> None:
    unit = COMMAND[-1]
    assert f'action.lookup("unit") == "{unit}"' in (ROOT / "systemd/polkit.rules").read_text()
    assert "/mind-box update >/run/mind-box-update/said" in (ROOT / "systemd" / unit).read_text()


# A club's hub is no box, and has nothing to do without a network.
@pytest.mark.parametrize(
    "unit", sorted(p.name for p in (ROOT / "systemd").glob("*.service") if p.name != "mind-box-club.service")
)
def test_nothing_of_the_box_waits_for_the_network(unit: str) -> None:
    """The first picture comes as early as the disk and the modules allow."""
    lines = (ROOT / "systemd" / unit).read_text().splitlines()
    waits = [line for line in lines if line.startswith(("After=", "Requires=", "BindsTo="))]
    for word in ("network", "time-sync", "multi-user", "graphical", "NetworkManager", "remote-fs"):
        assert not [line for line in waits if word in line], f"{unit}: {waits}"
