"""Who else is at a reader's port: consoles, logins and programs, as systems have them, and real processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind_box.devices.readers.rivals import EVERY, Rival, RivalWatch, rivals
from mind_box.settings.schema import ReaderSettings
from mind_box.virtual.scripts.clock import VirtualLoop
from tests.e2e.machine import Machine


class System:
    """A made-up system; ``serial0`` is where the header's UART is."""

    def __init__(self, root: Path, serial0: str | None) -> None:
        self.root = root
        (root / "dev").mkdir()
        if serial0:
            for name in ("ttyAMA0", "ttyS0"):
                (root / "dev" / name).touch()
            (root / "dev/serial0").symlink_to(serial0)

    def write(self, name: str, text: str = "") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def link(self, name: str, target: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def process(self, number: int, name: str, *opened: str) -> None:
        self.write(f"proc/{number}/comm", f"{name}\n")
        for fd, target in enumerate(opened):
            self.link(f"proc/{number}/fd/{fd}", target)

    def at(self, device: str, *ours: int) -> list[str]:
        found = rivals(device, self.root, ours)
        assert all(rival.cure for rival in found)
        return [f"{rival.who} -> {rival.cure}" for rival in found]


CONSOLE = "the system's console is on that port too"


@pytest.mark.parametrize(
    ("device", "serial0", "cmdline", "taken"),
    [
        ("/dev/serial0", "ttyAMA0", "console=serial0,115200 console=tty1 root=/dev/x", True),
        ("/dev/serial0", "ttyAMA0", "console=ttyAMA0,115200", True),
        ("/dev/serial0", "ttyAMA0", "console=ttyS0", False),
        ("/dev/serial0", "ttyS0", "root=/dev/x console=ttyS0,115200n8", True),
        ("/dev/serial0", "ttyS0", "console=ttyAMA0", False),
        ("/dev/ttyAMA0", "ttyAMA0", "console=serial0", True),
        ("/dev/ttyS0", "ttyAMA0", "console=serial0", False),
        ("/dev/ttyAMA0", "ttyS0", "console=ttyS0", False),
        ("/dev/ttyAMA0", "ttyS0", "kgdboc=ttyAMA0,115200", True),
        ("/dev/serial0", None, "console=ttyAMA0", True),  # the port has yet to be switched on
        ("/dev/serial0", None, "console=ttyS0", True),
        ("/dev/ttyAMA0", None, "console=serial0", True),
        ("/dev/ttyUSB0", "ttyAMA0", "console=ttyUSB0,9600", True),
        ("/dev/ttyUSB0", "ttyAMA0", "console=serial0 xconsole=ttyUSB0", False),
        ("/dev/mind-box-scanner", None, "console=serial0 console=tty1", False),
    ],
)
@pytest.mark.parametrize("file", ["boot/firmware/cmdline.txt", "boot/cmdline.txt", "proc/cmdline"])
def test_a_console_of_the_next_start_or_of_this_one(
    tmp_path: Path, file: str, device: str, serial0: str | None, cmdline: str, taken: bool
) -> None:
    system = System(tmp_path, serial0)
    system.write(file, f"{cmdline}\n")
    found = system.at(device)
    assert len(found) == taken
    if taken:
        assert f" in /{file}: {CONSOLE} -> " in found[0] and "start the Pi again" in found[0]


@pytest.mark.parametrize("file", ["proc/consoles", "sys/class/tty/console/active"])
def test_a_console_that_the_running_kernel_has(tmp_path: Path, file: str) -> None:
    system = System(tmp_path, "ttyAMA0")
    lines = "tty1                 -WU (EC  p  )    4:1\nttyAMA0              -W- (E   p  )  204:64\n"
    system.write(file, lines if file.startswith("proc") else "tty1 ttyAMA0\n")
    assert CONSOLE in system.at("/dev/serial0")[0]
    assert system.at("/dev/ttyS0") == []


@pytest.mark.parametrize(
    ("unit", "how"),
    [
        ("etc/systemd/system/getty.target.wants/serial-getty@ttyAMA0.service", "is enabled"),
        ("etc/systemd/system/multi-user.target.wants/serial-getty@serial0.service", "is enabled"),
        ("etc/systemd/system/getty.target.wants/getty@ttyAMA0.service", "is enabled"),
        ("run/systemd/generator/getty.target.wants/serial-getty@ttyAMA0.service", "is enabled"),
        ("sys/fs/cgroup/system.slice/system-serial\\x2dgetty.slice/serial-getty@ttyAMA0.service", "runs"),
        ("sys/fs/cgroup/systemd/system.slice/system-serial\\x2dgetty.slice/serial-getty@ttyAMA0.service", "runs"),
    ],
)
def test_a_login_on_the_port(tmp_path: Path, unit: str, how: str) -> None:
    system = System(tmp_path, "ttyAMA0")
    system.write(unit)
    system.process(300, "agetty", "/dev/ttyAMA0")
    name = unit.rpartition("/")[2]
    [found] = system.at("/dev/serial0")
    assert f"({name} {how})" in found and f"sudo systemctl disable --now {name}" in found
    assert system.at("/dev/ttyS0") == []
    system.link(f"etc/systemd/system/{name}", "/dev/null")
    [found] = system.at("/dev/serial0")
    assert "login console" in found if how == "runs" else "agetty (process 300)" in found


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("agetty", "systemctl disable --now serial-getty@ttyAMA0"),
        ("ModemManager", "systemctl disable --now ModemManager"),
        ("gpsd", "gpsd.socket"),
        ("hciattach", "disable-bt"),
        ("minicom", "stop it (process 77"),
    ],
)
def test_a_program_that_has_it_open_is_named(tmp_path: Path, name: str, cure: str) -> None:
    system = System(tmp_path, "ttyAMA0")
    system.process(77, name, "/dev/null", "/dev/ttyAMA0")
    system.process(78, "cat", "/dev/ttyS0", "pipe:[4]")
    system.process(79, "mind-box", "/dev/ttyAMA0")
    (tmp_path / "proc/80").mkdir()  # another user's
    [found] = system.at("/dev/serial0", 79)
    assert found.startswith(f"{name} (process 77) has that port open too -> ") and cure in found


def test_bluetooth_on_the_port(tmp_path: Path) -> None:
    system = System(tmp_path, None)
    system.write("sys/bus/serial/devices/serial0-0/uevent")
    [found] = system.at("/dev/ttyAMA0")
    assert "Bluetooth" in found and "/dev/serial0" in found
    assert system.at("/dev/ttyUSB0") == []


@pytest.fixture
def port() -> Iterator[str]:
    master, slave = os.openpty()
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_a_real_process_is_seen_until_it_ends(port: str) -> None:
    assert rivals(port) == []
    with open(port, "rb") as opened, subprocess.Popen(["cat"], stdin=opened, stdout=subprocess.PIPE) as process:
        assert [rival.who for rival in rivals(port)] == [f"cat (process {process.pid}) has that port open too"]
        assert rivals(port, ours=[process.pid]) == []
        process.kill()
    assert rivals(port) == []


def test_a_running_box_logs_who_comes_and_who_goes_once(caplog: pytest.LogCaptureFixture) -> None:
    loop = VirtualLoop()
    here: list[Rival] = []
    looked: list[str] = []

    def look(device: str) -> list[Rival]:
        looked.append(device)
        return list(here)

    async def evening() -> None:
        async def looks(count: int) -> None:
            looked.clear()
            while len(looked) < count:
                await asyncio.sleep(EVERY / 3)

        readers = (ReaderSettings(device="/dev/serial0"), ReaderSettings(kind="hid", device="/dev/input/x"))
        watch = RivalWatch(readers, loop, look)
        await looks(2)
        assert caplog.text == "" and set(looked) == {"/dev/serial0"}
        here.append(Rival("agetty (process 5) has that port open too", "sudo systemctl disable --now it"))
        await looks(4)
        told = "/dev/serial0: agetty (process 5) has that port open too, so cards are misread or lost: sudo systemctl"
        assert caplog.text.count(told) == 1
        here.clear()
        await looks(3)
        assert caplog.text.count("no longer: agetty") == 1
        watch.close()

    with caplog.at_level("INFO"):
        loop.run_until_complete(evening())
    loop.close()


@pytest.mark.slow
def test_a_real_box_says_who_is_at_its_port_but_itself(tmp_path: Path) -> None:
    """This very process: it holds the other end of the pseudo-terminal open, and the end that the box reads, too."""
    with Machine(tmp_path) as machine:
        machine.start()
        machine.until(lambda: f"(process {os.getpid()}) has that port open too, so cards are misread" in machine.log)
        assert f"process {machine.pid})" not in machine.log
