"""Each setting of ``[game]`` and ``[table]`` does what it says, and no other's work; each language is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import Any

import pytest

from mind_box.game.state import Blind, Choice, Ghosts, Setup
from mind_box.journal.journal import Journal
from mind_box.page import spoken
from mind_box.referee import Referee
from mind_box.settings import schema as settings
from mind_box.settings.schema import Config, GhostSettings, TableSettings
from mind_box.show import words
from mind_box.table.inputs import STAR
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual


class Played:
    """A box with these settings, in virtual time."""

    def __init__(self, config: Config) -> None:
        self.loop = asyncio.get_running_loop()
        self.box = VirtualBox(4, self.loop.time)
        self.journal = Journal.in_memory()
        self.referee = Referee(config, self.journal)
        self.referee.start(self.box.open)

    async def hands(self, *seats: int) -> None:
        for seat in seats:
            self.box.press(seat)
        await asyncio.sleep(12)
        for seat in seats:
            self.box.lift(seat)
        await asyncio.sleep(0.5)

    async def seconds_until(self, true: Callable[[], object]) -> float:
        start = self.loop.time()
        while not true():
            assert self.loop.time() < start + 700
            await asyncio.sleep(0.001)
        return self.loop.time() - start

    async def debounce(self) -> float:
        self.box.press(1)
        return await self.seconds_until(lambda: self.referee.view.hands_down)

    async def hold(self) -> float:
        self.box.press(STAR)
        return await self.seconds_until(lambda: self.referee.view.menu)

    async def menu(self) -> float:
        await self.hold()
        self.box.lift(STAR)
        return await self.seconds_until(lambda: self.referee.view.menu is None)

    async def gather(self) -> float:
        """Hands that were down for a little less start nothing."""
        seconds = self.referee.config.table.gather
        for wait in (seconds - 0.2, seconds + 0.2):
            self.box.press(1)
            self.box.press(2)
            await asyncio.sleep(wait)
            self.box.lift(1)
            self.box.lift(2)
            await asyncio.sleep(1)
            if self.referee.view.phase != "lobby":
                return wait
        raise AssertionError("never began")

    async def vote(self) -> float:
        await self.hands(1, 2)
        await self.hands(1, 2)
        self.box.press(STAR)
        await asyncio.sleep(0.3)
        self.box.lift(STAR)
        await self.seconds_until(lambda: self.referee.view.phase == "vote")
        return await self.seconds_until(lambda: self.referee.view.phase != "vote")

    async def check(self) -> float:
        await self.hands(1, 2)
        await self.hands(1, 2)
        for card in ("10", "20"):
            self.box.scan(card)
        await self.seconds_until(lambda: len(self.referee.view.piles[0]) == 1)
        return await self.seconds_until(lambda: self.referee.view.level == 2)


UNUSUAL = {"debounce": 0.15, "hold": 3.3, "gather": 7.7, "vote": 51.0, "menu": 17.0, "check": 6.1}


@pytest.mark.parametrize("name", [f.name for f in fields(TableSettings)])
def test_each_time_is_its_own(name: str) -> None:
    async def measured(times: TableSettings, blind: Blind) -> float:
        played = Played(Config(table=times, game=Setup(blind=blind)))
        seconds: float = await getattr(played, name)()
        played.referee.close()
        return seconds

    for others in (TableSettings(), replace(TableSettings(), **UNUSUAL)):
        times = replace(others, **{name: UNUSUAL[name]})
        seconds = run_virtual(measured(times, "as_played" if name == "check" else "no"))
        assert seconds == pytest.approx(UNUSUAL[name], abs={"debounce": 0.01, "gather": 0.25}.get(name, 0.2))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("variant", "tens"),
        ("deck", "extreme"),
        ("hands", "known"),
        ("blind", "as_played"),
        ("no_stars", True),
        ("challenge", "as_played"),
        ("ghosts", 2),
    ],
)
def test_each_setting_of_the_game_is_what_the_lobby_begins_with(name: str, value: Choice) -> None:
    assert getattr(Setup(), name) != value

    async def begun() -> object:
        chosen: dict[str, Any] = {name: value}
        played = Played(Config(game=replace(Setup(), **chosen)))
        await played.hands(1, 2)
        assert played.referee.view.phase in ("focus", "deal")
        played.referee.close()
        return getattr(played.journal.load().setup, name)

    assert run_virtual(begun()) == value


def test_every_setting_of_the_game_is_tried_above() -> None:
    assert {f.name for f in fields(Setup)} == {"variant", "deck", "hands", "blind", "no_stars", "challenge", "ghosts"}


@pytest.mark.parametrize("name", [f.name for f in fields(GhostSettings)])
def test_each_setting_of_the_ghosts_is_what_the_next_game_has(name: str) -> None:
    usual, other = GhostSettings(), GhostSettings("dreamy", 0.31, False)
    assert getattr(usual, name) != getattr(other, name)
    box = Config(game=Setup(ghosts=1), ghost=replace(usual, **{name: getattr(other, name)}))

    async def begun() -> Ghosts | None:
        played = Played(box)
        await played.hands(1, 2)
        played.referee.close()
        return played.journal.load().minds

    minds = run_virtual(begun())
    assert minds is not None
    assert {"kind": minds.kind, "pace": minds.pace, "learns": minds.learn} == asdict(box.ghost)


def test_the_languages_of_the_settings_are_those_of_the_catalogues() -> None:
    assert settings.LANGUAGES == words.LANGUAGES
    for locale, domain in ((words.LOCALE, words.DOMAIN), (spoken.LOCALE, spoken.DOMAIN)):
        there = {path.parts[-3] for path in locale.glob(f"*/LC_MESSAGES/{domain}.mo")}
        assert there | {"en"} == set(settings.LANGUAGES), domain
    for language in settings.LANGUAGES:
        assert words.words_for(language) and spoken.page_words(language) and words.LANGUAGE_NAMES[language]
