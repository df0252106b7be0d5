"""Table scripts, played: the real referee on a virtual box, in virtual time."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mind_box.journal.journal import Journal
from mind_box.referee import Referee
from mind_box.table.inputs import STAR
from mind_box.table.menu import SECOND_HOLD
from mind_box.table.view import View
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual

TAP = 0.1
"""Seconds that a tap is down, and the rest after a gesture."""
HANDS = 2.5
MENU_HOLD = 2.0

Report = Callable[[dict[str, Any]], None]
Field = Callable[[str], Any]
"""A field of the View that is shown now."""
Hold = Callable[[tuple[int, ...], float], Awaitable[None]]
"""Presses buttons for so many seconds."""


class Player:
    """Plays one script. ``report`` gets a dict for each action, and one for each expectation that failed."""

    def __init__(self, script: sc.Script, report: Report) -> None:
        self.failures = 0
        self._script = script
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._journal = Journal.in_memory()
        self.box = VirtualBox(script.config.box.seats, self._loop.time)
        self.referee = self._begin()

    def _begin(self) -> Referee:
        referee = Referee(self._script.config, self._journal)
        referee.start(self.box.open)
        return referee

    @property
    def view(self) -> View:
        """What is shown now."""
        self.referee.turn()
        return self.referee.view

    async def play(self) -> int:
        """Plays it all; the number of failed expectations."""
        for line in self._script.lines:
            await self.act(line.number, line.action)
            if not isinstance(line.action, sc.Expect):
                self._report({"line": line.number, "t": round(self._loop.time(), 6), "view": self.view.to_json()})
        self.referee.close()
        self._journal.close()
        return self.failures

    async def act(self, number: int, action: sc.Action) -> None:
        """One action."""
        match action:
            case sc.Hands(seats):
                everyone = self.view.seats or tuple(range(1, self.box.seats + 1))
                await self._hands(seats or everyone)
            case sc.Buttons(what, buttons):
                await self._buttons(what, buttons)
            case sc.Hold(button, seconds):
                await self._hold((button,), seconds)
            case sc.ShowPayload(payload):
                self.box.scan(payload)
            case sc.Wait(seconds):
                await self._sleep(seconds)
            case sc.Choose(item):
                await choose(item, self._field, self._hold)
            case sc.Plug(device, plugged):
                (self.box.plug if plugged else self.box.unplug)(device)
            case sc.Restart():
                self.referee.close()
                self.box.cut_power()
                self.referee = self._begin()
            case sc.Expect(field, value):
                self._compare(number, value, self._field(field))
        self.referee.turn()

    def _compare(self, number: int, expected: Any, got: Any) -> None:
        if _plain(expected) != _plain(got):
            self.failures += 1
            self._report({"line": number, "expected": expected, "got": got})

    def _field(self, name: str) -> Any:
        return sc.field_of(self.view, name)

    async def _sleep(self, seconds: float) -> None:
        self.referee.turn()
        await asyncio.sleep(seconds)
        self.referee.turn()

    async def _hold(self, buttons: tuple[int, ...], seconds: float) -> None:
        for button in buttons:
            self.box.press(button)
        await self._sleep(seconds)
        for button in buttons:
            self.box.lift(button)
        await self._sleep(TAP)

    async def _hands(self, seats: tuple[int, ...]) -> None:
        await self._hold(seats, HANDS)

    async def _buttons(self, what: str, buttons: tuple[int, ...]) -> None:
        for button in buttons:
            if what == "down":
                self.box.press(button)
            elif what == "up":
                self.box.lift(button)
            else:
                await self._hold((button,), TAP)


async def choose(item: str, field: Field, hold: Hold) -> None:
    """Opens the menu, taps on until the item is lit, holds to choose. An item that is not on offer here: once
    round, then any seat closes the menu, as a player would leave it."""
    if field("asking") in SECOND_HOLD:
        await hold((STAR,), TAP)  # another hold would say yes
    if field("menu") is None:
        await hold((STAR,), MENU_HOLD)
    seen: set[Any] = {None}
    while (lit := field("menu")) != item:
        if lit in seen:
            if lit is not None:
                await hold((1,), TAP)
            return
        seen.add(lit)
        await hold((STAR,), TAP)
    await hold((STAR,), MENU_HOLD)


def _plain(value: Any) -> str:
    """A value to compare with: in Python True == 1, and in a map the order means nothing."""
    return json.dumps(value, sort_keys=True)


def replay_text(text: str, report: Report) -> int:
    """Plays a script; the number of failed expectations. Raises ``ScriptError``."""
    script = sc.parse_script(text)

    async def main() -> int:
        return await Player(script, report).play()

    return run_virtual(main())


def replay_files(paths: list[Path], as_json: bool) -> int:
    """``mind-box replay``: 0 when every expectation held, 1 when one failed, 2 when a file is not a script."""
    worst = 0
    for path in paths:
        more = {"file": str(path)} if len(paths) > 1 else {}

        def report(entry: dict[str, Any], more: dict[str, Any] = more, path: Path = path) -> None:
            if as_json:
                print(json.dumps({**more, **entry}))
            elif "expected" in entry:
                print(f"{path}:{entry['line']}: expected {entry['expected']!r}, got {entry['got']!r}")

        try:
            text = _read(path)
            failures = replay_text(text, report)
        except sc.ScriptError as e:
            print(f"{path}: {e}", file=sys.stderr)
            worst = 2
            continue
        if failures:
            worst = max(worst, 1)
        elif not as_json:
            print(f"{path}: ok")
    return worst


def _read(path: Path) -> str:
    """The script's text, with or without a byte order mark. Raises ``ScriptError``."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise sc.ScriptError(0, f"cannot be read: {e.strerror}") from e
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise sc.ScriptError(data.count(b"\n", 0, e.start) + 1, "is not UTF-8 text: save the file as UTF-8") from e
