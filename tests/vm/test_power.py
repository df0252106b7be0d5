"""The plug is pulled: every disk that a cut could leave, and ten real ones."""

from __future__ import annotations

import random
import shutil
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mind_box.game.evolve import replay
from mind_box.game.state import Game
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.rows import Row
from mind_box.journal.stamps import from_stored
from mind_box.virtual.scripts.script import Line, Script, parse_script
from tests.vm.box import GATHER, Box
from tests.vm.crash import Disk, Mounted, read_recording
from tests.vm.guest import Guest, GuestError, state_disk
from tests.vm.install import PYTHON, refresh
from tests.vm.player import Player

Figure = Callable[[str, Any], None]
GAME = Path(__file__).parent.parent / "scripts/whole_game.table"
KILLS = 10
ACK_BYTES = 1 << 20
"""Behind the file system of the state disk: where the guest writes what has been shown."""
KEPT = ("seats", "level", "lives", "stars", "piles", "aside", "remaining", "errors", "best")
"""What of a View is the game's place; hands, votes and menus are not journaled."""


def place(game_or_view: Game | dict[str, Any]) -> dict[str, Any]:
    """Where the game stands, of a game or of a View that was shown."""
    if isinstance(game_or_view, Game):
        from mind_box.table.viewing import Surroundings, view_of

        game_or_view = view_of(game_or_view, Surroundings()).to_json()
    return {name: game_or_view[name] for name in KEPT}


# -- every disk that a cut could leave


@dataclass(frozen=True)
class Evening:
    """A game whose every write was recorded."""

    empty: Path
    """The state disk before it."""
    log: Path
    full: list[Row]
    """The journal at its end."""
    shown: list[dict[str, Any]]


def record(directory: Path, tree: Path, levels: int, synchronous: str) -> Evening:
    """Plays the first levels of the game in a guest whose state disk is recorded.

    The first level is kept as before there were times, rows of format 1; all others have theirs, format 2, in the same
    file: what an upgrade in mid-game leaves.
    """
    guest = Guest(directory, tree=tree)
    state_disk(guest.state, 32)
    with guest.state.open("r+b") as disk:
        disk.truncate((32 << 20) + ACK_BYTES)
    empty = directory / "empty.ext4"
    shutil.copyfile(guest.state, empty)
    guest.state_log = directory / "state.log"
    guest.state_log.touch()
    shown: list[dict[str, Any]] = []
    try:
        guest.start()
        refresh(guest)
        guest.plug_scanner()
        if synchronous != "FULL":
            guest.sh(
                f"f=$({PYTHON} -c 'import mind_box.journal.file as j; print(j.__file__)');"
                f"sed -i 's/synchronous = FULL/synchronous = {synchronous}/' $f && grep -q {synchronous} $f"
            )
        box = Box(guest)
        script = parse_script(GAME.read_text())
        player = Player(box)
        settings = player.settings(script)
        box.configure(f"{settings}\n[journal]\nkeep_times = false")
        box.restart()
        upgrade = next(line.number for line in script.lines if line.number > heading(2))
        for line in first_levels(script, levels):
            if line.number == upgrade:
                box.configure(settings)
                box.restart()
            player.act(line.action)
            shown.append(guest.call("acks.shown"))
        assert player.failures == []
        guest.stop()
    finally:
        guest.close()
    with Mounted(guest.state, directory / "end") as state:
        full = read_rows(state / "journal.db")
    formats = [row.format for row in full]
    assert set(formats) == {1, 2} and formats == sorted(formats), formats
    return Evening(empty, guest.state_log, full, shown)


def first_levels(script: Script, levels: int) -> tuple[Line, ...]:
    """The lines of the whole game up to the end of this level."""
    after = heading(levels + 1)
    return tuple(line for line in script.lines if not after or line.number < after)


def heading(level: int) -> int:
    """The number of the line in which this level of the game begins; 0: there is none."""
    lines = GAME.read_text().splitlines()
    return next((n for n, text in enumerate(lines, 1) if text == f"# level {level}"), 0)


def read_rows(path: Path) -> list[Row]:
    """All rows of a journal, by SQLite alone; raises ``AssertionError`` if the file is not whole."""
    db = sqlite3.connect(path)
    try:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return [Row(*values) for values in db.execute("SELECT seq, format, body, crc FROM event ORDER BY seq")]
    finally:
        db.close()


def least_rows(evening: Evening) -> list[int]:
    """For each View that was shown: how many rows must be on disk for it."""
    events = [row.event() for row in evening.full]
    places = [place(replay(events[:count], None)) for count in range(len(events) + 1)]
    least, at = [], 0
    for view in evening.shown:
        wanted = place(view)
        at = next(i for i in range(at, len(places)) if places[i] == wanted)
        least.append(at)
    return least


def crash_states(evening: Evening, directory: Path, count: int) -> dict[str, int]:
    """Rebuilds and checks so many disks; how many were right, and what was wrong with the others."""
    recording = read_recording(evening.log)
    least = least_rows(evening)
    size = evening.empty.stat().st_size
    ack_sector = (size - 4096) // recording.sector_size
    acks = [i for i, w in enumerate(recording.writes) if w.sector == ack_sector and w.data]
    assert len(acks) == len(evening.shown), "each View that was shown left its mark in the recording"
    chance = random.Random(9)
    points = sorted(chance.choices(range(acks[0] + 1, len(recording.writes) + 1), k=count))
    medium, crashed = directory / "medium.ext4", directory / "crashed.ext4"
    shutil.copyfile(evening.empty, medium)
    disk = Disk(medium, recording)
    came = {"right": 0, "lost": 0, "damaged": 0, "states": count, "writes under way": 0,
            "writes recorded": sum(bool(w.data) for w in recording.writes), "flushes": recording.flushes}  # fmt: skip
    for point in points:
        came["writes under way"] += disk.crash(point, crashed, chance)
        shown = sum(a < point for a in acks)
        came[check(crashed, directory / "mnt", evening, least[shown - 1])] += 1
    return came


def check(disk: Path, mount: Path, evening: Evening, least: int) -> str:
    """Opens the journal on a crashed disk as the box would."""
    with Mounted(disk, mount) as state:
        try:
            journal = Journal.open(state / "journal.db")
        except (JournalError, sqlite3.Error):
            return "damaged"
        try:
            rows = list(journal.rows())
            if journal.damaged is not None or rows != evening.full[: len(rows)]:
                return "damaged"
            if len(rows) < least:
                return "lost"
            events = [from_stored_row(row) for row in rows]
            return "right" if place(journal.load()) == place(replay(events, None)) else "damaged"
        finally:
            journal.close()


def from_stored_row(row: Row) -> Any:
    """The event of a row, without the journal's own reading of it."""
    import json

    return from_stored(json.loads(row.body), row.format).event


@pytest.mark.parametrize(
    ("levels", "states"),
    [pytest.param(2, 60, id="short", marks=pytest.mark.quick), pytest.param(10, 400, id="whole game")],
)
def test_no_crash_state_loses_what_was_shown(
    tmp_path: Path, tree: Path, figure: Figure, levels: int, states: int
) -> None:
    came = crash_states(record(tmp_path, tree, levels, "FULL"), tmp_path, states)
    figure(f"crash states of {levels} levels, synchronous=FULL", came)
    assert came["right"] == states, came


def test_the_check_has_teeth(tmp_path: Path, tree: Path, figure: Figure) -> None:
    """The control: the same game with ``synchronous=NORMAL`` must lose what was shown."""
    came = crash_states(record(tmp_path, tree, 4, "NORMAL"), tmp_path, 100)
    figure("crash states of 4 levels, synchronous=NORMAL (the control, must fail)", came)
    assert came["lost"] >= 20, came


# -- real ones


def test_the_plug_is_pulled_in_mid_game(tmp_path: Path, tree: Path, figure: Figure) -> None:
    """Each time the same place in the same game, or one card further if that card was just being read."""
    guest = Guest(tmp_path, tree=tree)
    box = Box(guest)
    chance = random.Random(9)
    cards = iter(range(2, 100))
    further = 0
    boots = []
    try:
        guest.start()
        refresh(guest)
        guest.plug_scanner()
        box.configure()
        box.restart()
        box.hands(1, 2, 3, seconds=GATHER)
        box.expect(phase="focus", reason="level")
        for _ in range(KILLS):
            box.hands(1, 2, 3)
            box.expect(phase="play")
            for _ in range(chance.randrange(1, 4)):
                box.scan(str(next(cards)))
            if box.view["phase"] == "focus":  # that was the level's last card
                box.hands(1, 2, 3)
                box.expect(phase="play")
                cards = iter(range(2, 100))
            shown = place(box.view)
            last = next(cards)
            guest.scan(str(last))
            time.sleep(chance.random() * 0.05)
            guest.kill()
            guest.start()
            boots.append(guest.boot_seconds)
            guest.plug_scanner()
            box.until_up()
            view = box.expect(faults=[])
            assert (view["phase"], view["reason"]) in (("focus", "resume"), ("focus", "level")), view
            now = place(view)
            if now != shown:
                further += 1
                assert now["piles"] == [[*shown["piles"][0], last]] or now["level"] == shown["level"] + 1, (shown, now)
            if now["level"] != shown["level"]:
                cards = iter(range(2, 100))
    except GuestError as e:
        raise GuestError(f"{e}\nconsole: {guest.console[-1500:]}") from e
    finally:
        guest.close()
    figure(f"real power cuts: {KILLS} of {KILLS} came back to their place; one card further", further)
    figure("boot to agent after a power cut, s (longest)", round(max(boots), 1))
