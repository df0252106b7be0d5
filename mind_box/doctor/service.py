"""The service around the box: its user, its groups, its directory and journal, and the right to power off."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from mind_box.cards.store import CardStore, NewerCards
from mind_box.doctor.verdict import NOTE, OK, SERVICE_USER, WRONG, Scene, Verdict
from mind_box.files import in_memory
from mind_box.journal.file import JournalError
from mind_box.journal.journal import Journal
from mind_box.journal.opening import journal_path
from mind_box.pip import install_again
from mind_box.service.daemon import OUTLIVING
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import BoxSettings, Config

UNITS = ("etc/systemd/system/mind-box.service", "usr/lib/systemd/system/mind-box.service")
RULES = ("etc/polkit-1/rules.d/49-mind-box.rules", "usr/share/polkit-1/rules.d/49-mind-box.rules")
"""Where `make install` lays them, and where the Debian package does."""

Run = Callable[[Sequence[str]], str]
"""Runs a command; what it printed, empty when it failed or is not there."""


def run_command(command: Sequence[str]) -> str:
    """A question to the system, which has 5 s to answer."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _is_there(scene: Scene, places: Sequence[str]) -> bool:
    return any((scene.root / place).exists() for place in places)


def check(scene: Scene, run: Run = run_command) -> Iterator[Verdict]:
    """Everything around the program."""
    yield from _unit(scene, run)
    yield from _groups(scene)
    yield from _state(scene)
    yield from _cards(scene)
    yield from _power_off(scene, run)


def _unit(scene: Scene, run: Run) -> Iterator[Verdict]:
    if scene.running:
        yield Verdict("service", OK, f"a box runs (process {scene.running['pid']})")
        if not scene.running["journal"]:
            cure = "see below, and journalctl -u mind-box"
            yield Verdict("service", WRONG, "the running box cannot save the game", cure)
        return
    if not _is_there(scene, UNITS):
        yield Verdict("service", NOTE, "the service is not installed", install_again())
        return
    answer = run(("systemctl", "show", "mind-box", "-p", "ActiveState,SubState,NRestarts", "--value"))
    state = " ".join(answer.split()) or "systemd does not answer"
    cure = "sudo systemctl start mind-box; journalctl -u mind-box says why it stopped"
    yield Verdict("service", NOTE, f"no box runs ({state})", cure)


def groups_needed(config: Config) -> list[str]:
    """The groups that these settings need, as the unit lists them."""
    needed = ["gpio"]
    needed += ["i2c"] if any(s.bus.startswith("i2c") for s in config.screen) else []
    needed += ["spi"] if any(s.bus.startswith("spi") for s in config.screen) else []
    return needed + sorted({READERS[r.kind].group for r in config.reader})


def _groups(scene: Scene) -> Iterator[Verdict]:
    names = {g.gr_name: g for g in grp.getgrall()}
    needed = groups_needed(scene.config)
    unknown = [name for name in needed if name not in names]
    if unknown:
        what = f"this system has no group {', '.join(unknown)}"
        yield Verdict("service", WRONG, what, f"{install_again()} (it makes them)")
    try:
        account = pwd.getpwnam(scene.user)
    except KeyError:
        return
    member = [names[n] for n in needed if n in names]
    without = [g.gr_name for g in member if scene.user not in g.gr_mem and account.pw_gid != g.gr_gid]
    if without and account.pw_uid != 0:
        cure = f"sudo usermod -aG {','.join(without)} {scene.user}, then log in again"
        state = WRONG if scene.user == SERVICE_USER else NOTE
        yield Verdict("service", state, f"{scene.user} is not in the groups {', '.join(without)}", cure)
    elif not unknown:
        yield Verdict("service", OK, f"{scene.user} may use {', '.join(needed)}")


def _state(scene: Scene) -> Iterator[Verdict]:
    path = journal_path(scene.config.box.state_dir)
    directory = path.parent
    ours = scene.user == SERVICE_USER or not _is_there(scene, UNITS)
    gone = in_memory(directory, scene.root)
    if gone:
        what = f"{directory} is {gone}: with the power the game is gone"
        yield Verdict("service", WRONG, what, f"{OUTLIVING[0].lower()}{OUTLIVING[1:]}")
    try:
        os.scandir(directory).close()
    except FileNotFoundError:
        yield Verdict("service", NOTE, f"{directory} is not there yet", "the box makes it when it first runs")
        return
    except OSError as e:
        cure = f"name another box.state_dir, or let {SERVICE_USER} into that one" if ours else "sudo mind-box doctor"
        yield Verdict("service", WRONG if ours else NOTE, f"{directory} cannot be looked at: {e.strerror}", cure)
        return
    for place, right in ((directory, os.W_OK | os.X_OK), (path, os.W_OK)):
        if ours and os.path.exists(place) and not os.access(place, right):
            cure = f"sudo chown {SERVICE_USER}: {place}; sudo chmod u+rwX {place}; is the card read-only or broken?"
            yield Verdict("service", WRONG, f"{place} cannot be written by {scene.user}", cure)
            return
    yield from _owner(scene, directory)
    yield from _room(directory)
    if not path.exists():
        yield Verdict("service", NOTE, f"{path}: no game yet")
    elif os.access(path, os.R_OK):
        yield from _journal(path)
    else:
        yield Verdict("service", OK, f"{path} belongs to the service", "sudo mind-box journal verify looks into it")


def _owner(scene: Scene, directory: Path) -> Iterator[Verdict]:
    """Asked for as root, who may write anywhere: may the service?"""
    try:
        service = pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return
    if not _is_there(scene, UNITS) or scene.user == SERVICE_USER:
        return
    for place in (directory, *sorted(directory.glob("[!.]*"))):
        with contextlib.suppress(FileNotFoundError):
            if place.lstat().st_uid != service.pw_uid:
                cure = f"sudo chown -R {SERVICE_USER}: {directory}"
                yield Verdict("service", WRONG, f"{place} does not belong to {SERVICE_USER}: the box cannot save", cure)
                return


def _room(directory: Path) -> Iterator[Verdict]:
    disk = os.statvfs(directory)
    free = disk.f_bavail * disk.f_frsize
    cure = "make room, or soon the game cannot be saved"
    if free < 10_000_000:
        yield Verdict("service", WRONG, f"{directory}: only {free // 1000} kB are free", cure)
    if disk.f_files and disk.f_favail < 10:
        yield Verdict("service", WRONG, f"{directory}: the disk takes only {disk.f_favail} more files", cure)


def _journal(path: Path) -> Iterator[Verdict]:
    try:
        journal = Journal.looking_on(path)
    except JournalError as e:
        yield Verdict("service", WRONG, str(e), "sudo mind-box journal verify; at its next start the box sets it aside")
        return
    yield Verdict("service", OK, f"{path}: {journal.size() // 1000} kB; at the table: {journal.load().phase}")
    journal.close()
    damaged = sorted(p.name for p in path.parent.glob(f"{path.name}.damaged-*") if not p.name.endswith("-wal"))
    if damaged:
        cure = "the card may be failing: make a new one, and mind-box journal export the games to it"
        yield Verdict("service", NOTE, f"damaged journals were set aside: {', '.join(damaged)}", cure)


def _cards(scene: Scene) -> Iterator[Verdict]:
    """The enrolled tags, and those that the box could not understand."""
    store = CardStore(scene.config.box.state_dir)
    try:
        cards = store.read()
    except (OSError, NewerCards) as e:
        if os.access(store.path.parent, os.R_OK | os.X_OK):
            yield Verdict("service", NOTE, f"the enrolled tags cannot be read: {e}", "sudo mind-box doctor")
        return
    except ValueError as e:
        cure = "enrol the cards again (mind-box cards enrol), or correct it: at its next start the box sets it aside"
        yield Verdict("service", WRONG, f"{store.path} cannot be understood ({e}): no tag is known", cure)
        return
    broken = sorted(p.name for p in store.path.parent.glob(f"{store.path.name}.broken*"))
    if broken and not cards:
        cure = "enrol the cards again (mind-box cards enrol), or correct that file and put it back"
        yield Verdict("service", WRONG, f"no tag is known: their file was set aside as {', '.join(broken)}", cure)


def _power_off(scene: Scene, run: Run) -> Iterator[Verdict]:
    if scene.config.box.power_off != BoxSettings().power_off or not _is_there(scene, UNITS):
        return
    if scene.user == SERVICE_USER:
        manager = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
        answer = run(("busctl", "call", *manager, "CanPowerOff"))
        if answer == 's "yes"':
            yield Verdict("service", OK, "the menu's shut-down may power the machine off")
            return
        if answer:
            cure = f"{install_again()} (polkit's rule for it); is polkitd installed?"
            yield Verdict("service", WRONG, "the menu's shut-down may not power the machine off", cure)
            return
    if scene.user == "root" and not _is_there(scene, RULES):  # others may not look
        yield Verdict("service", WRONG, "polkit's rule for the menu's shut-down is missing", install_again())
    if not any((scene.root / "usr" / lib / "polkit-1/polkitd").exists() for lib in ("lib", "libexec")):
        cure = "sudo apt install polkitd"
        yield Verdict("service", WRONG, "polkitd is not installed: the menu cannot power off", cure)
