"""``mind-box update``: the next version of the Debian package, and the way back from it.

apt does the work. Before it the old package and a backup of games, cards and settings lie on the card; a new version
whose box does not become ready is taken back, and the games with it if it has changed them. A power cut in the middle
leaves a note of how far it was, and the next start finishes from there.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mind_box.backup import BackupError, back_up
from mind_box.files import replacing, sync_directory
from mind_box.journal.file import JournalError
from mind_box.service import AVAILABLE
from mind_box.service.status import ask
from mind_box.settings.schema import Config

PACKAGE = "mind-box"
SERVICE = "mind-box.service"
ROOM = 20_000_000
"""Bytes that have to be free: two packages, a backup, and what they unpack to."""
QUIET = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
INSTALL = ("apt-get", "-y", "-q", "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold")
"""Settings of one's own stay, and nobody is asked: nobody sits there."""

Run = Callable[[Sequence[str], Path | None], tuple[int, str]]
"""Runs a command of the system in a directory; its exit status and what it said."""
Say = Callable[[str], None]


def run_command(command: Sequence[str], directory: Path | None = None) -> tuple[int, str]:
    """For real."""
    environment = {**os.environ, **QUIET}
    try:
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    except OSError as e:
        return 127, f"{command[0]}: {e.strerror}"
    return done.returncode, (done.stdout + done.stderr).strip()


class UpdateError(Exception):
    """There is no update, and nothing was changed. ``str()`` says why and what to do."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What is installed, and what could be."""

    installed: str
    newest: str

    @property
    def there_is_one(self) -> bool:
        """Whether there is something to do."""
        return self.newest != self.installed


@dataclass(frozen=True, slots=True)
class _Note:
    """How far an update is, for whoever finds it after a power cut."""

    old: str
    new: str
    backup: str


def tell_box(versions: Versions, file: Path = AVAILABLE) -> None:
    """Tells a running box, if this is asked by the service whose directory that is."""
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
        return
    if versions.there_is_one:
        file.write_text(f"{versions.newest}\n", encoding="utf-8")
    else:
        file.unlink(missing_ok=True)


class Updater:
    """One box's updates. ``place`` keeps the old package, ``config`` says where the games are."""

    def __init__(
        self,
        config: Config,
        settings: Path,
        say: Say,
        run: Run = run_command,
        place: Path = Path("/var/cache/mind-box"),
    ) -> None:
        self._config = config
        self._settings = settings
        self._say = say
        self._run = run
        self._place = place
        self._note = place / "under-way.json"

    def look(self, renew: bool = True) -> Versions:
        """Asks apt. Raises ``UpdateError``."""
        if renew:
            code, said = self._run(("apt-get", "update", "-q", "--error-on=any"), None)
            if code:
                raise UpdateError(
                    f"the package lists cannot be renewed, so nothing was changed. No network, or a repository that "
                    f"somebody else signed: {_last(said)}"
                )
        code, said = self._run(("apt-cache", "policy", PACKAGE), None)
        found = dict(re.findall(r"^ *(Installed|Candidate): (\S+)$", said, re.M))
        if code or found.get("Installed", "(none)") == "(none)" or "Candidate" not in found:
            raise UpdateError("this box is not installed from the Debian package: git pull, then sudo make install")
        return Versions(found["Installed"], found["Candidate"])

    def update(self) -> bool:
        """True: the new version runs; False: it did not become ready, and the old one is back.

        Raises ``UpdateError`` while nothing is changed: no update, no lobby, no room, no way back.
        """
        self._place.mkdir(parents=True, exist_ok=True)
        versions = self.look()
        if not versions.there_is_one:
            raise UpdateError(f"mind-box {versions.installed} is the newest")
        self._only_in_the_lobby()
        disk = os.statvfs(self._place)
        if disk.f_bavail * disk.f_frsize < ROOM:
            raise UpdateError(f"{self._place}: less than {ROOM // 1_000_000} MB are free: make room, then again")
        for number in (versions.installed, versions.newest):
            self._fetch(number)
        backup = Path(self._config.box.state_dir) / f"before-{versions.newest}.mindbox"
        backup.unlink(missing_ok=True)
        try:
            back_up(self._config, self._settings, backup)
        except (BackupError, JournalError, OSError) as e:
            raise UpdateError(f"the games cannot be copied first, so nothing was changed: {e}") from e
        with replacing(self._note) as file:
            json.dump(asdict(_Note(versions.installed, versions.newest, str(backup))), file)
        self._only_in_the_lobby()  # the downloads took their time
        self._say(f"mind-box {versions.newest} comes, from {versions.installed}")
        return self._install()

    def finish(self) -> bool:
        """What a power cut has left, if it has: True where nothing is wrong (any more)."""
        if not self._note.exists():
            return True
        self._run(("dpkg", "--configure", "-a", "--force-confdef", "--force-confold"), None)
        return self._install()

    def _install(self) -> bool:
        note = _Note(**json.loads(self._note.read_text("utf-8")))
        code, said = self._run((*INSTALL, "install", str(self._deb(note.new))), None)
        ready = code == 0 and self._ready()
        if not ready:
            self._say(f"mind-box {note.new} does not become ready ({_last(said)}): back to {note.old}")
            code, said = self._run((*INSTALL, "--allow-downgrades", "install", str(self._deb(note.old))), None)
            if code:
                self._say(f"mind-box {note.old} cannot be installed again: {_last(said)}; the next start tries again")
                return False
            self._give_games_back(Path(note.backup))
            if not self._ready():
                self._say(f"mind-box {note.old} does not become ready either: journalctl -u mind-box; mind-box doctor")
        else:
            self._say(f"mind-box {note.new} is ready")
            for deb in self._place.glob("*.deb"):
                if deb != self._deb(note.new):  # the way back from the next one
                    deb.unlink()
        self._note.unlink()
        sync_directory(self._place)
        return ready

    def _ready(self) -> bool:
        """The unit's start ends when the box has said that it is ready, or will not."""
        return self._run(("systemctl", "restart", SERVICE), None)[0] == 0

    def _give_games_back(self, backup: Path) -> None:
        """If the old version cannot read what the new one has made of them."""
        if self._run((PACKAGE, "journal", "verify", "--config", str(self._settings)), None)[0] == 0:
            return
        self._run(("systemctl", "stop", SERVICE), None)
        code, said = self._run((PACKAGE, "restore", "--config", str(self._settings), str(backup)), None)
        self._say(said if code else f"the games are those of before, from {backup}")

    def _only_in_the_lobby(self) -> None:
        status = ask(Path(self._config.box.run_dir))
        phase = status["view"]["phase"] if status is not None and "view" in status else "lobby"
        if phase != "lobby":
            with contextlib.suppress(FileNotFoundError):
                self._note.unlink()
            raise UpdateError("a game is at the table: play it to its end, or end it; updates are for the lobby only")

    def _deb(self, number: str) -> Path:
        return self._place / f"{PACKAGE}_{number.replace(':', '%3a')}_all.deb"

    def _fetch(self, number: str) -> None:
        """The package of this version, checked by apt against what the repository's key has signed."""
        if self._deb(number).exists():
            return
        code, said = self._run(("apt-get", "download", "-q", f"{PACKAGE}={number}"), self._place)
        if code or not self._deb(number).exists():
            what = f"mind-box {number} cannot be had, so nothing was changed: {_last(said)}"
            raise UpdateError(f"{what}. Without the old version there is no way back: sudo apt install mind-box")


def _last(said: str) -> str:
    """What is most likely the reason."""
    lines = [line for line in said.splitlines() if line.startswith(("E:", "W:", "Err:"))] or said.splitlines()
    return lines[0].strip() if lines else "no reason was given"
