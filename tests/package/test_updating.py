"""`mind-box update` above a model of apt and systemd: the new version, or the old one again with all its games."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from mind_box import updating
from mind_box.commands import update as command
from mind_box.commands.cli import main
from mind_box.game import events as ev
from mind_box.journal.file import SCHEMA
from mind_box.journal.journal import Journal
from mind_box.journal.opening import journal_path
from mind_box.settings.loading import load
from mind_box.updating import UpdateError, Updater
from tests.journal.workload import EVENTS, ROWS


class System:
    """apt, dpkg and systemd, as far as an update asks them; the old version is 1, the new one 2."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.settings = folder / "box.toml"
        self.settings.write_text(f'[box]\nstate_dir = "{self.state}"\nrun_dir = "{folder}"\n')
        self.place = folder / "cache"
        self.installed = "1"
        self.newest = "2"
        self.fetched = {"1", "2"}
        self.ready = {"1", "2"}
        self.converts = False
        """Version 2 changes the journal so that 1 cannot read it, before it becomes ready or not."""
        self.trusted = True
        self.cut_at = ""
        """The command at which the power goes."""
        self.asked: list[str] = []
        self.told: list[str] = []
        with contextlib.closing(Journal.open(journal_path(self.state))) as journal:
            journal.append(EVENTS)

    def updater(self) -> Updater:
        return Updater(load(self.settings), self.settings, self.told.append, self.run, self.place)

    def run(self, words: Sequence[str], directory: Path | None = None) -> tuple[int, str]:
        said = " ".join(words)
        self.asked.append(said)
        if self.cut_at and self.cut_at in said:
            self.cut_at = ""
            raise KeyboardInterrupt
        match list(words):
            case ["apt-get", "update", *_]:
                return (0, "") if self.trusted else (100, "Err: ...\nE: The repository is not signed.")
            case ["apt-cache", "policy", _]:
                return 0, f"mind-box:\n  Installed: {self.installed}\n  Candidate: {self.newest}\n"
            case ["apt-get", "download", *_, wanted]:
                number = wanted.partition("=")[2]
                if number not in self.fetched:
                    return 100, f"E: Version '{number}' for 'mind-box' was not found"
                assert directory == self.place
                (directory / f"mind-box_{number}_all.deb").write_text(number)
                return 0, ""
            case ["apt-get", *_, deb]:
                if "2" in Path(deb).read_text() and self.converts:
                    self.convert()
                self.installed = Path(deb).read_text()
                return 0, ""
            case ["systemctl", "restart", _]:
                return (0, "") if self.installed in self.ready else (1, "Job for mind-box.service failed")
            case ["systemctl", "stop", _] | ["dpkg", *_]:
                return 0, ""
            case ["mind-box", *rest]:
                return main(rest), ""
        raise AssertionError(said)

    def convert(self) -> None:
        import sqlite3

        with contextlib.closing(sqlite3.connect(journal_path(self.state))) as db:
            db.execute(f"PRAGMA user_version = {SCHEMA + 1}")
            db.commit()

    def rows(self) -> int:
        with contextlib.closing(Journal.looking_on(journal_path(self.state))) as journal:
            return len(list(journal.rows()))


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def test_the_new_version_runs_and_stays_as_the_way_back(system: System) -> None:
    assert system.updater().update()
    assert system.installed == "2" and system.told[-1] == "mind-box 2 is ready"
    assert [path.name for path in system.place.iterdir()] == ["mind-box_2_all.deb"]
    assert (system.state / "before-2.mindbox").exists() and system.rows() == len(ROWS)
    install = next(said for said in system.asked if " install " in said)
    assert "--force-confold" in install, "settings of one's own stay, and nobody is asked"
    system.newest, system.fetched = "3", {"3"}  # the repository has forgotten the old ones
    system.ready.add("3")
    assert system.updater().update() and system.installed == "3"


@pytest.mark.parametrize("converts", [False, True])
def test_a_version_that_does_not_become_ready_is_taken_back(system: System, converts: bool) -> None:
    system.ready, system.converts = {"1"}, converts
    assert not system.updater().update()
    assert system.installed == "1" and system.rows() == len(ROWS)
    assert "back to 1" in system.told[1]
    assert any("restore" in said for said in system.asked) == converts, "games are touched only if they have to be"
    assert [path.name for path in system.place.glob("*.json")] == []


def test_only_in_the_lobby(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updating, "ask", lambda _: {"view": {"phase": "play"}})
    with pytest.raises(UpdateError, match="a game is at the table"):
        system.updater().update()
    phases = iter(["lobby", "focus"])  # a game was begun while it was downloaded
    monkeypatch.setattr(updating, "ask", lambda _: {"view": {"phase": next(phases)}})
    with pytest.raises(UpdateError, match="a game is at the table"):
        system.updater().update()
    assert system.installed == "1" and system.updater().finish() and system.installed == "1"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ({"newest": "1"}, "is the newest"),
        ({"trusted": False}, "somebody else signed: Err: ..."),
        ({"fetched": {"2"}}, "no way back"),
        ({"fetched": {"1"}}, "mind-box 2 cannot be had"),
        ({"installed": "(none)"}, "is not installed from the Debian package"),
    ],
)
def test_what_stands_against_it_changes_nothing(system: System, spoil: dict[str, object], words: str) -> None:
    for name, value in spoil.items():
        setattr(system, name, value)
    before = system.installed
    with pytest.raises(UpdateError, match=words.replace(".", r"\.")):
        system.updater().update()
    assert system.installed == before and not any(" install " in said for said in system.asked)


def test_a_full_card_changes_nothing(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updating, "ROOM", 1 << 62)
    with pytest.raises(UpdateError, match="make room"):
        system.updater().update()
    assert system.installed == "1"


def test_games_that_cannot_be_copied_stop_it(system: System) -> None:
    path = journal_path(system.state)
    path.write_bytes(b"no database" * 300)
    with pytest.raises(UpdateError, match="cannot be copied first"):
        system.updater().update()
    assert system.installed == "1"


@pytest.mark.parametrize("at", ["install", "restart", "allow-downgrades", "verify"])
@pytest.mark.parametrize("works", [True, False])
def test_a_power_cut_in_the_middle_is_finished_at_the_next_start(system: System, at: str, works: bool) -> None:
    system.ready = {"1", "2"} if works else {"1"}
    system.cut_at = at
    with contextlib.suppress(KeyboardInterrupt):
        system.updater().update()
    cut = not system.cut_at
    assert cut == (works <= (at in ("install", "restart")))
    if cut:
        assert json.loads((system.place / "under-way.json").read_text())["old"] == "1"
    assert system.updater().finish() == works or not cut
    assert system.installed == ("2" if works else "1") and system.rows() == len(ROWS)
    assert not (system.place / "under-way.json").exists()


def test_the_command(system: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def updater(config: object, settings: Path, say: object) -> Updater:
        return Updater(config, settings, say, system.run, system.place)  # type: ignore[arg-type]

    monkeypatch.setattr(command, "Updater", updater)
    words = ["update", "--config", str(system.settings)]
    assert main([*words, "--check"]) == 0 and capsys.readouterr().out == "mind-box 1; 2\n"
    assert main(words) == 0
    assert main([*words, "--check"]) == command.NONE
    assert main(words) == 2 and "is the newest" in capsys.readouterr().err
    assert main([*words, "--finish"]) == 0


def test_events_of_a_game_that_goes_on_are_still_there(system: System) -> None:
    with contextlib.closing(Journal.open(journal_path(system.state))) as journal:
        journal.append([ev.Left()])
    system.ready = {"1"}
    assert not system.updater().update()
    assert system.rows() == len(ROWS) + 1
