"""The unit: closed as far as it can be, without the traps of hardening; and the files that the installer lays."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from mind_box.service.status import ask
from tests.e2e.machine import Machine

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "systemd/mind-box.service"
CEILING, CEILING_WITH_PAGE = 1.3, 1.6


def analyze(*words: str) -> str:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("needs systemd-analyze (apt install systemd)")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    """What the installer lays down, with a program where the unit starts one."""
    root = tmp_path / "root"
    subprocess.run(["sh", ROOT / "systemd/install.sh", "stage", root, "--page", "--broker"], check=True)
    program = root / "opt/mind-box/bin/mind-box"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return root


def exposure(unit: Path) -> float:
    said = analyze("security", "--offline=true", "--no-pager", str(unit))
    found = re.search(r"exposure level for \S+: ([\d.]+)", said)
    assert found, said
    return float(found[1])


def test_the_unit_is_closed(tmp_path: Path) -> None:
    assert exposure(UNIT) <= CEILING
    with_page = tmp_path / "mind-box.service"
    with_page.write_text(UNIT.read_text() + (ROOT / "systemd/page.conf").read_text())
    assert exposure(UNIT) < exposure(with_page) <= CEILING_WITH_PAGE
    with_page.write_text(UNIT.read_text() + (ROOT / "systemd/broker.conf").read_text())
    assert exposure(UNIT) < exposure(with_page) <= CEILING_WITH_PAGE
    with_page.write_text(with_page.read_text() + (ROOT / "systemd/page.conf").read_text())
    assert exposure(with_page) <= CEILING_WITH_PAGE


def test_the_club_s_unit_is_closed_too() -> None:
    assert exposure(ROOT / "systemd/mind-box-club.service") <= 2.5


def test_the_unit_verifies(staged: Path) -> None:
    """Offline: the units it names are the root's, of which a staged one has none; what is said of ours counts."""
    said = analyze("verify", "--recursive-errors=no", f"--root={staged}", "mind-box.service")
    assert not [line for line in said.splitlines() if "mind-box" in line and "not found" not in line], said


def test_the_traps_of_hardening_are_kept_out() -> None:
    """Each of these broke a box like this one (see docs/install.md)."""
    settings: dict[str, list[str]] = {}
    for line in UNIT.read_text().splitlines():
        name, separator, value = line.partition("=")
        if separator and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    assert "PrivateDevices" not in settings, "it hides the devices"
    assert "ProcSubset" not in settings, "it hides the board's revision"
    assert settings["WorkingDirectory"] == ["%t/mind-box"], "lgpio makes a FIFO there"
    assert settings["RuntimeDirectory"] == settings["StateDirectory"] == ["mind-box"]
    assert settings["StartLimitIntervalSec"] == ["0"], "it must not give up"
    assert (settings["Restart"], settings["Type"]) == (["always"], ["notify"])
    assert set(settings["SupplementaryGroups"][0].split()) == {"gpio", "i2c", "spi", "dialout", "input"}
    kinds = {value.split()[0].removeprefix("char-") for value in settings["DeviceAllow"]}
    assert {"gpiochip", "i2c", "spi", "ttyUSB", "ttyACM", "ttyAMA", "ttyS", "input"} <= kinds
    assert settings["Wants"] == settings["After"], "their kinds are looked up when the service starts"
    modules = {unit.removeprefix("modprobe@").removesuffix(".service") for unit in settings["Wants"][0].split()}
    assert modules == {"usbserial", "cdc_acm", "i2c_dev", "spidev"}, "loaded by nobody before a reader is plugged in"


def test_staging_lays_files_and_keeps_settings(staged: Path) -> None:
    names = {str(p.relative_to(staged)) for p in staged.rglob("*") if p.is_file()}
    assert {
        "etc/systemd/system/mind-box.service", "etc/systemd/system/mind-box.service.d/page.conf",
        "etc/systemd/system/mind-box.service.d/broker.conf",
        "etc/sysusers.d/mind-box.conf", "etc/udev/rules.d/70-mind-box.rules",
        "etc/polkit-1/rules.d/49-mind-box.rules", "etc/mind-box/box.toml",
    } <= names  # fmt: skip
    settings = staged / "etc/mind-box/box.toml"
    settings.write_text("[box]\nseats = 3\n")
    subprocess.run(["sh", ROOT / "systemd/install.sh", "stage", staged], check=True)
    assert settings.read_text() == "[box]\nseats = 3\n"


def test_the_installed_settings_are_right() -> None:
    from mind_box.settings.loading import load

    assert load(ROOT / "hardware/standard.toml").box.seats == 4


def test_the_installer_refuses_what_it_does_not_know() -> None:
    def run(*words: str) -> int:
        return subprocess.run(["sh", ROOT / "systemd/install.sh", *words], capture_output=True, check=False).returncode

    assert [run(), run("dance"), run("stage"), run("install", "--swiftly")] == [2, 2, 1, 1]


SYSTEM_SERVICE = ("@system-service",)
REFUSED = ("@privileged", "@resources")


def members(names: tuple[str, ...]) -> set[str]:
    """The calls of these groups, as systemd has them."""
    calls: set[str] = set()
    for name in names:
        for word in re.findall(r"^\s+(@?[a-z0-9_-]+)$", analyze("syscall-filter", name), re.M):
            calls |= members((word,)) if word.startswith("@") else {word}
    return calls


def test_every_system_call_of_a_game_is_allowed(tmp_path: Path) -> None:
    """The unit's filter, against what a whole run from start to SIGTERM asks of the kernel."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace (apt install strace)")
    allowed = members(SYSTEM_SERVICE) - members(REFUSED)
    assert len(allowed) > 200
    log = tmp_path / "calls"
    with Machine(tmp_path / "box") as box:
        box.command = ["strace", "-f", "-qq", "-o", str(log), *box.command]
        box.start()
        box.begin()
        process = ask(box.run)
        assert process is not None
        os.kill(process["pid"], signal.SIGTERM)
        assert box.ended() == 0
    used = set(re.findall(r"^\d+\s+([a-z0-9_]+)\(", log.read_text(), re.M))
    assert "fsync" in used or "fdatasync" in used
    if os.getuid() == 0:
        used.discard("fchown")  # only root gives its files to the owner of the directory
    assert used <= allowed, f"the unit's filter refuses {sorted(used - allowed)}"
