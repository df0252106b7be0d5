"""kill -9 of a real ``mind-box run`` at random moments of games over a pty and mock pins; then it must go on.

Each View that the box showed is told by the box itself, together with the last row of the journal by then. After a kill

* the journal holds at least the rows that had been shown (0 lost),
* the restarted box shows the View that was shown last, as docs/table.md maps it over a power cut,
* the restarted box's journal has the rows of the dead one and nothing else (0 doubled), but ``Resumed`` if the cut
  was in play.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mind_box.game.events import Resumed
from mind_box.game.state import Game, Setup, lobby_of
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row
from mind_box.table.table import Table
from tests.e2e.machine import PATIENCE, Machine
from tests.service.monkey import Monkey, View

KILLS = int(os.environ.get("MIND_BOX_KILLS", "8"))
"""`make kills`: 300."""
SEED = int(os.environ.get("MIND_BOX_SEED", "6"))

GAMES = {
    "counting": (2, ""),
    "known": (3, 'hands = "known"'),
    "tens": (2, 'variant = "tens"'),
    "extreme": (2, 'variant = "extreme"'),
    "blind": (2, 'blind = "as_played"'),
}


class Watched(Machine):
    """A machine that tells each View."""

    def __init__(self, directory: Path, game: str) -> None:
        super().__init__(directory, f"[game]\n{game}\n")
        self.command = [*self.command[:1], "-m", "tests.service.watched"]
        self.shown: list[tuple[int, View]] = []
        """Row and View, since the last start."""
        self._pipe = -1
        self._rest = b""

    def spawn(self) -> None:
        self._pipe, theirs = os.pipe()
        os.set_blocking(self._pipe, False)
        self._rest = b""
        self.shown = []
        self.inherited = (theirs,)
        self.environment["MIND_BOX_WATCH"] = str(theirs)
        super().spawn()
        os.close(theirs)

    def hear(self, seconds: float) -> bool:
        """Waits so long for the next View, and takes what has come; False: the box is dead and has said all."""
        select.select([self._pipe], [], [], seconds)
        while True:
            try:
                data = os.read(self._pipe, 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.shown += [(row, view) for row, view in map(json.loads, lines)]

    def changed(self) -> View:
        if not self.hear(0.15):
            raise ConnectionError("it is dead")
        return self.shown[-1][1]

    def dead(self) -> None:
        """After a kill: hears the last words, and tidies up."""
        while self.hear(PATIENCE):
            pass
        os.close(self._pipe)
        self.kill()


def over_a_power_cut(shown: list[tuple[int, View]]) -> View:
    """What has to be shown after the last of these (docs/table.md)."""
    view = dict(shown[-1][1])
    if view["phase"] == "vote":
        before = next((v for _, v in reversed(shown) if v["phase"] != "vote"), {"phase": "play"})
        view |= {key: before.get(key) for key in ("phase", "reason", "star_left")}
    if view["phase"] == "play":
        view |= {"phase": "focus", "reason": "resume"}
    view |= {"hands_down": [], "agreed": [], "menu": None, "asking": None, "story": None}
    view["told"] = []  # found again soon after the start
    last = shown[-1][0]
    view["ended"] = next((v["ended"] for row, v in reversed(shown) if row == last and v["ended"]), None)
    if view["phase"] == "focus":
        choosing = view["star_left"] and view["variant"] == "extreme" and view["hands"] == "known"
        view["waiting"] = view["waiting"] if choosing else view["seats"]
    elif view["phase"] != "deal":
        view["waiting"] = []
    view["notices"] = [] if view["phase"] == "lobby" else ["resumed"]
    return view


def from_rows(path: Path, lobby: Game) -> View:
    """The View that these rows mean, for what was on disk and had not been shown yet."""
    journal = Journal.looking_on(path)
    table = Table(journal.load(lobby), now=0.0)
    journal.close()
    table.begin()
    return table.view().to_json()


def rows(path: Path) -> list[Row]:
    if not path.exists():
        return []
    journal = Journal.looking_on(path)
    found = list(journal.rows())
    journal.close()
    return found


def play_until_dead(box: Watched, monkey: Monkey, rng: random.Random) -> None:
    """Somebody pulls the plug at a random moment: one time in ten while the box is starting."""
    early = rng.random() < 0.1
    wait = rng.uniform(0.05, 0.6) if early else rng.uniform(0, 1.5)
    killer = threading.Timer(wait, os.kill, (box.pid, signal.SIGKILL))
    if early:
        killer.start()
    with contextlib.suppress(ConnectionError, OSError):
        while not box.shown:
            if not box.hear(PATIENCE):
                break
        else:
            if not early:
                killer.start()
            while True:
                monkey.act(box.shown[-1][1])
    assert killer.ident is not None, box.log
    killer.join()


class Figures:
    def __init__(self) -> None:
        self.kills = self.equal = self.unshown = self.before_ready = self.events = 0
        self.phases: dict[str, int] = {}

    def __str__(self) -> str:
        return (
            f"{self.kills} kills in games of {self.events} events: the same View {self.equal} times, "
            f"{self.unshown} times with what was on disk and not yet shown, {self.before_ready} killed before they "
            f"showed anything; killed in {self.phases}; 0 lost, 0 doubled"
        )


def campaign(directory: Path, game: str, kills: int, rng: random.Random, figures: Figures) -> None:
    seats, setting = GAMES[game]
    box = Watched(directory, setting)
    path = box.state / "journal.db"
    name, _, value = setting.partition(" = ")
    chosen: dict[str, Any] = {name: value.strip('"')} if name else {}
    setup = Setup(**chosen)
    lobby = lobby_of(setup)
    monkey = Monkey(box, box.changed, rng, seats)
    expected: View | None = None
    before: list[Row] = []
    try:
        for _ in range(kills):
            box.spawn()
            play_until_dead(box, monkey, rng)
            box.dead()
            figures.kills += 1
            now = rows(path)
            if not box.shown:
                figures.before_ready += 1
                assert now[: len(before)] == before
                assert [r.event() for r in now[len(before) :]] in ([], [Resumed()])
                before = now
                continue
            first_row, first = box.shown[0]
            if expected is not None:
                assert first == expected, f"{first}\n{expected}\n{box.log}"
                assert now[: len(before)] == before
                resumed = [r.event() for r in now[len(before) : first_row]]
                assert resumed in ([], [Resumed()]), "doubled"
            row, last = box.shown[-1]
            figures.phases[last["phase"]] = figures.phases.get(last["phase"], 0) + 1
            newest = now[-1].seq if now else 0
            assert newest >= row, f"{row} was shown, {newest} is on disk"
            assert [r.seq for r in now] == list(range(1, newest + 1))
            if newest == row:
                figures.equal += 1
                expected = over_a_power_cut(box.shown)
                assert expected == from_rows(path, lobby)
            else:
                figures.unshown += 1
                expected = from_rows(path, lobby)
            before = now
        box.start()
        assert expected is None or box.view == expected
        assert box.stop() == 0
        assert "Traceback" not in box.log
        figures.events += len(before)
    finally:
        box.close()


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    return tmp_path


def test_the_box_comes_back_where_it_was_killed(folder: Path) -> None:
    rng = random.Random(SEED)
    figures = Figures()
    began = time.monotonic()
    for i, game in enumerate(GAMES):
        share = KILLS // len(GAMES) + (i < KILLS % len(GAMES))
        (folder / game).mkdir()
        campaign(folder / game, game, share, rng, figures)
    print(f"{figures} ({time.monotonic() - began:.0f} s)")
    assert figures.kills == KILLS
    assert figures.equal > KILLS // 2
