"""Table scripts, played: the real referee on a virtual box, in virtual time."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from mind_box.journal.file import JournalError, claim
from mind_box.journal.journal import Journal
from mind_box.journal.opening import journal_path
from mind_box.journal.stamps import Stamps
from mind_box.referee import Referee
from mind_box.storyteller import Storyteller
from mind_box.table.inputs import STAR
from mind_box.table.menu import SECOND_HOLD
from mind_box.table.view import View
from mind_box.virtual.scripts import script as sc
from mind_box.virtual.scripts.box import VirtualBox
from mind_box.virtual.scripts.clock import run_virtual
from mind_box.virtual.scripts.expected import field_of

HANDS = 2.5
MENU_HOLD = 2.0
TAP = 0.1
"""Seconds that a tap is down, and the rest after a gesture."""

Report = Callable[[dict[str, Any]], None]


class Box(Protocol):
    """What hands touch."""

    def press(self, button: int) -> None: ...
    def lift(self, button: int) -> None: ...
    def scan(self, payload: str) -> None: ...


class Gestures(Protocol):
    """The actions of a script as gestures at a box. Which box, and whose time it is, a subclass says."""

    box: Box
    script: sc.Script
    SHORTEST: float = 0.0
    """Seconds of the script: a button is down, and up again, for at least so long."""

    def _shown(self) -> View | None: ...
    async def sleep(self, seconds: float) -> None: ...
    async def _plug(self, device: str, plugged: bool) -> None: ...
    async def _restart(self) -> None: ...
    async def _expect(self, number: int, field: str, value: Any) -> None: ...

    async def act(self, number: int, action: sc.Action) -> None:
        """One action; ``number`` is its line."""
        match action:
            case sc.Hands(seats):
                everyone = self._field("seats") or range(1, self.script.config.box.seats + 1)
                ghosts = self._field("ghosts") or ()
                await self._hold(seats or tuple(seat for seat in everyone if seat not in ghosts), HANDS)
            case sc.Buttons("tap", buttons):
                for button in buttons:
                    await self._hold((button,), TAP)
            case sc.Buttons(what, buttons):
                for button in buttons:
                    (self.box.press if what == "down" else self.box.lift)(button)
            case sc.Hold(button, seconds):
                await self._hold((button,), seconds)
            case sc.ShowPayload(payload):
                await self._scan(payload)
            case sc.Lay() | sc.Take():
                await self._at_tray(action)
            case sc.Wait(seconds):
                await self.sleep(seconds)
            case sc.Choose(item):
                await self._choose(item)
            case sc.Plug(device, plugged):
                await self._plug(device, plugged)
            case sc.Restart():
                await self._restart()
            case sc.Expect(field, value):
                await self._expect(number, field, value)

    def _field(self, name: str) -> Any:
        """A field of the View that is shown now; None without one."""
        view = self._shown()
        return field_of(view, name) if view else None

    def _is(self, field: str, value: Any) -> bool:
        return _plain(self._field(field)) == _plain(value)

    async def _scan(self, payload: str) -> None:
        self.box.scan(payload)

    async def _at_tray(self, action: sc.Lay | sc.Take) -> None:
        """Where cards are shown in a slot, laying is showing, and nobody sees what is taken off the pile."""
        if isinstance(action, sc.Lay):
            await self._scan(action.payload)

    async def _hold(self, buttons: tuple[int, ...], seconds: float) -> None:
        for button in buttons:
            self.box.press(button)
        await self.sleep(max(seconds, self.SHORTEST))
        for button in buttons:
            self.box.lift(button)
        await self.sleep(max(TAP, self.SHORTEST))

    async def _choose(self, item: str) -> None:
        """Opens the menu, taps on until the item is lit, holds to choose. An item that is not on offer here: once
        round, then any seat closes the menu, as a player would leave it."""
        if self._field("asking") in SECOND_HOLD:
            await self._hold((STAR,), TAP)  # another hold would say yes
        if self._field("menu") is None:
            await self._hold((STAR,), MENU_HOLD)
        seen: set[Any] = {None}
        while (lit := self._field("menu")) != item:
            if lit in seen:
                if lit is not None:
                    await self._hold((1,), TAP)
                return
            seen.add(lit)
            await self._hold((STAR,), TAP)
        await self._hold((STAR,), MENU_HOLD)


class Player(Gestures):
    """Plays one script. ``report`` gets a dict for each action, and one for each expectation that failed."""

    box: VirtualBox

    def __init__(self, script: sc.Script, report: Report, journal: Journal | None = None) -> None:
        self.script = script
        self.failures = 0
        self._report = report
        self.loop = asyncio.get_running_loop()
        self.journal = journal or Journal.in_memory()
        self._runs = 0
        self.box = self._made_box(script.config.box.seats)
        self.referee = self._begin()

    def _made_box(self, seats: int) -> VirtualBox:
        return VirtualBox(seats, self.loop.time)

    def _begin(self) -> Referee:
        self._runs += 1
        stamps = Stamps(f"run {self._runs}") if self.script.config.journal.keep_times else None
        referee = Referee(self.script.config, self.journal, stamps=stamps)
        Storyteller(referee, thread=False)
        referee.start(self.box.open)
        return referee

    @property
    def view(self) -> View:
        """What is shown now."""
        self.referee.turn()
        return self.referee.view

    async def play(self) -> int:
        """Plays it all; the number of failed expectations."""
        for line in self.script.lines:
            await self.act(line.number, line.action)
            if not isinstance(line.action, sc.Expect):
                self._report({"line": line.number, "t": round(self.loop.time(), 6), "view": self.view.to_json()})
        self.referee.close()
        self.journal.close()
        return self.failures

    async def act(self, number: int, action: sc.Action) -> None:
        await super().act(number, action)
        self.referee.turn()

    def _shown(self) -> View:
        return self.view

    async def sleep(self, seconds: float) -> None:
        self.referee.turn()
        await asyncio.sleep(seconds)
        self.referee.turn()

    async def _plug(self, device: str, plugged: bool) -> None:
        (self.box.plug if plugged else self.box.unplug)(device)

    async def _at_tray(self, action: sc.Lay | sc.Take) -> None:
        match action:
            case sc.Lay(payload):
                self.box.lay(payload)
            case sc.Take(everything):
                (self.box.clear if everything else self.box.take)()

    async def _restart(self) -> None:
        self.referee.close()
        self.box.cut_power()
        self.referee = self._begin()

    async def _expect(self, number: int, field: str, value: Any) -> None:
        if not self._is(field, value):
            self.failures += 1
            self._report({"line": number, "expected": value, "got": self._field(field)})


def _plain(value: Any) -> str:
    """A value to compare with: in Python True == 1, and in a map the order means nothing."""
    return json.dumps(value, sort_keys=True)


def replay_text(text: str, report: Report, keep: Path | None = None) -> int:
    """Plays a script; the number of failed expectations. ``keep``: a directory that its journal is left in.

    Raises ``ScriptError``, and ``JournalError`` for such a directory that cannot be used.
    """
    script = sc.parse_script(text)
    journal = None if keep is None else _fresh(journal_path(keep))

    async def main() -> int:
        return await Player(script, report, journal).play()

    return run_virtual(main())


def _fresh(path: Path) -> Journal:
    if path.exists():
        raise JournalError(
            f"{path}: is there already, and a script begins with an empty journal: name another directory."
        )
    lock = claim(path)
    journal = Journal.open(path)
    journal.lock = lock
    return journal


def replay_files(paths: list[Path], as_json: bool, keep: Path | None = None) -> int:
    """``mind-box replay``: 0 when every expectation held, 1 when one failed, 2 when a file is not a script, or its
    journal cannot be kept."""
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
            failures = replay_text(text, report, keep)
        except (sc.ScriptError, JournalError) as e:
            print(f"{path}: {e}" if isinstance(e, sc.ScriptError) else e, file=sys.stderr)
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
