"""Who else uses a reader's serial port: of two that read from one, each gets some of the bytes.

``TIOCEXCL`` keeps out whoever is not root (``transport``); the kernel's console and a login on it are root's.
"""

from __future__ import annotations

import asyncio
import glob
import logging
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from mind_box.game.values import dataclass
from mind_box.settings.kinds import HEADER_UART, READERS
from mind_box.settings.schema import ReaderSettings

log = logging.getLogger(__name__)

CMDLINES = ("boot/firmware/cmdline.txt", "boot/cmdline.txt")
"""Since bookworm, and before."""
FIRST = 2.0
"""Seconds until the first one: it goes through every process, and a start has better to do."""
EVERY = 15.0
"""Seconds between two looks of a running box: only its log tells of them."""
CURES = {
    "agetty": "sudo systemctl disable --now serial-getty@{tty}",
    "ModemManager": "sudo systemctl disable --now ModemManager",
    "gpsd": "sudo systemctl disable --now gpsd.socket gpsd.service",
    "hciattach": "sudo systemctl disable --now hciuart; write dtoverlay=disable-bt into config.txt; start the Pi again",
    "btattach": "write dtoverlay=disable-bt into config.txt and start the Pi again",
    "brltty": "sudo apt remove brltty",
}
"""What makes a program let go, by its name; ``{tty}`` is the port's."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Somebody else at the port."""

    who: str
    cure: str


def rivals(device: str, root: Path = Path("/"), ours: Collection[int] = ()) -> list[Rival]:
    """Everybody that can be seen to use this port, now or from the next start on, but processes of ``ours``.

    Other users' processes are seen by root only. Everything is looked for below ``root``.
    """
    port = _Tty(device, root)
    console = _console(port)
    login = _login(port)
    seen = [rival for rival in (console, login, _bluetooth(port)) if rival is not None]
    return [*seen, *_processes(port, {*ours, os.getpid()}, login is not None)]


class _Tty:
    """A port under its names."""

    def __init__(self, device: str, root: Path) -> None:
        self.root = root
        self.path = self._real(device)
        self.tty = self.path.removeprefix("/dev/")
        known = device not in HEADER_UART or self.path != device or (root / "dev/serial0").is_symlink()
        self._names = (device,) if known else HEADER_UART  # which of the two UARTs the header has is not known

    def _real(self, device: str) -> str:
        place = os.path.realpath(self.root / device.lstrip("/"))
        base = os.path.realpath(self.root).rstrip("/")
        return place.removeprefix(base)

    def is_called(self, name: str) -> bool:
        """Whether ``ttyS0``, ``serial0`` and so on is this port."""
        return f"/dev/{name}" in self._names or self._real(f"/dev/{name}") == self.path

    def text(self, name: str) -> str:
        try:
            return (self.root / name).read_text("utf-8", "replace")
        except OSError:
            return ""


def _console(port: _Tty) -> Rival | None:
    """What is set for the next start, and what the running kernel has."""
    for name in (*CMDLINES, "proc/cmdline"):
        for word, tty in re.findall(r"(?<!\S)((?:console|kgdboc)=([\w/]+)\S*)", port.text(name)):
            if port.is_called(tty.removeprefix("/dev/")):
                where = f"remove {word} from /{name} (sudo raspi-config nonint do_serial_cons 1), then"
                cure = f"{'' if name.startswith('proc') else f'{where} '}start the Pi again"
                return Rival(f"{word} in /{name}: the system's console is on that port too", cure)
    consoles = [line.split()[0] for line in port.text("proc/consoles").splitlines() if line.strip()]
    if any(map(port.is_called, [*consoles, *port.text("sys/class/tty/console/active").split()])):
        cure = "sudo raspi-config nonint do_serial_cons 1, then start the Pi again"
        return Rival("as /proc/consoles says, the system's console is on that port too", cure)
    return None


def _login(port: _Tty) -> Rival | None:
    """A login that is enabled, that a console brings with it, or that runs."""
    places = (
        "etc/systemd/system/*.wants",
        "run/systemd/generator*/*.wants",
        "run/systemd/system/*.wants",
        "sys/fs/cgroup/system.slice/system-*getty.slice",
        "sys/fs/cgroup/*/system.slice/system-*getty.slice",
    )
    for place in places:
        for unit in sorted(glob.glob(f"{place}/*getty@*.service", root_dir=port.root)):
            name = unit.rpartition("/")[2]
            mask = port.root / "etc/systemd/system" / name
            masked = mask.is_symlink() and os.readlink(mask) == "/dev/null" and not unit.startswith("sys/")
            if port.is_called(name.partition("@")[2].removesuffix(".service")) and not masked:
                how = "runs" if unit.startswith("sys/") else "is enabled"
                cure = f"sudo systemctl disable --now {name} (it stays gone when no console is on that port)"
                return Rival(f"a login console has that port ({name} {how})", cure)
    return None


def _bluetooth(port: _Tty) -> Rival | None:
    """The kernel's own driver of a chip on the port: there is no device file then."""
    if port.tty != "ttyAMA0" or (port.root / "dev/ttyAMA0").exists():
        return None
    if not glob.glob("sys/bus/serial/devices/serial*-0", root_dir=port.root):
        return None
    cure = "set reader.device to /dev/serial0, or write dtoverlay=disable-bt into config.txt and start the Pi again"
    return Rival("the board's Bluetooth has that port", cure)


def _processes(port: _Tty, ours: Collection[int], login: bool) -> Iterator[Rival]:
    for folder in sorted(port.root.glob("proc/[0-9]*"), key=lambda p: int(p.name)):
        if int(folder.name) in ours or not _has_open(folder / "fd", port.path):
            continue
        name = port.text(f"proc/{folder.name}/comm").strip() or "a process"
        if not (login and name in ("agetty", "login")):
            cure = CURES.get(name, f"stop it (process {folder.name}: `ps {folder.name}` names it)")
            yield Rival(f"{name} (process {folder.name}) has that port open too", cure.format(tty=port.tty))


def _has_open(descriptors: Path, path: str) -> bool:
    try:
        for entry in os.scandir(descriptors):
            try:
                if os.readlink(entry.path) == path:
                    return True
            except OSError:  # just closed
                continue
    except OSError:  # another user's, or gone
        pass
    return False


class RivalWatch:
    """Looks now and again who else is at the readers' ports, and logs who has come and gone."""

    def __init__(
        self,
        readers: Iterable[ReaderSettings],
        loop: asyncio.AbstractEventLoop,
        look: Callable[[str], list[Rival]] = rivals,
    ) -> None:
        """Call it in the loop's thread; looking is another thread's work."""
        self._devices = [reader.device for reader in readers if not READERS[reader.kind].keyboard]
        self._loop = loop
        self._look = look
        self._known: set[tuple[str, Rival]] = set()
        self._task = loop.create_task(self._watch()) if self._devices else None

    def close(self) -> None:
        """No more looks."""
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        await asyncio.sleep(FIRST)
        while True:
            here = {(d, rival) for d in self._devices for rival in await asyncio.to_thread(self._look, d)}
            for device, rival in sorted(here - self._known, key=str):
                log.error("%s: %s, so cards are misread or lost: %s", device, rival.who, rival.cure)
            for device, rival in sorted(self._known - here, key=str):
                log.info("%s: no longer: %s", device, rival.who)
            self._known = here
            await asyncio.sleep(EVERY)
