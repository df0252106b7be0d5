"""The udev rules: what they say, and what the real udevadm makes of a device in a sysfs of our own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mind_box.settings.schema import ReaderSettings

RULES = Path(__file__).parents[2] / "systemd/udev.rules"
LINES = [line for line in RULES.read_text().splitlines() if line and not line.startswith("#")]

SCANNER, BOARD = "/dev/mind-box-scanner", "/dev/mind-box-board"


def values(match: str) -> set[str]:
    """All that a key is compared with."""
    found = re.findall(rf'(?:^|, ){re.escape(match)}=="([^"]+)"', "\n".join(LINES), re.M)
    return {value for group in found for value in group.split("|")}


def test_an_attribute_is_only_taken_from_a_parent_that_has_it() -> None:
    """SUBSYSTEMS alone stops at the nearest parent: of a USB serial port that is the interface, without numbers."""
    for line in LINES:
        for name in re.findall(r"\$attr\{(\w+)\}", line):
            assert f"ATTRS{{{name}}}==" in line, line


def test_every_reader_that_is_named_is_kept_awake() -> None:
    named = {ids.partition(":")[0] for ids in values("ENV{.MIND_BOX}")}
    assert named
    assert named <= values("ATTR{idVendor}")


def test_the_settings_defaults_are_names_that_the_rules_give() -> None:
    names = {f"/dev/{name}" for name in re.findall(r'SYMLINK\+="([^"]+)"', "\n".join(LINES))}
    assert {ReaderSettings().device, ReaderSettings(kind="firmware").device} == names == {SCANNER, BOARD}


class Sysfs:
    """One USB device with a serial port, below ``root/sys``."""

    def __init__(self, root: Path, ids: str, tty: str, power: bool = True) -> None:
        self.root = root
        for name in ("sys", "dev", "run/udev/rules.d"):
            (root / name).mkdir(parents=True)
        shutil.copy(RULES, root / "run/udev/rules.d/70-mind-box.rules")
        vendor, _, product = ids.partition(":")
        usb = "MAJOR=189\nMINOR=1\nDEVNAME=bus/usb/001/002\nDEVTYPE=usb_device"
        self.device = self._node("devices/usb1/1-1", "bus/usb", usb, idVendor=vendor, idProduct=product)
        if power:
            (root / "sys" / self.device / "power").mkdir()
            (root / "sys" / self.device / "power/control").touch()
        self.stays_awake = False
        """Whether a rule wrote that: the test of a newer systemd (257) only says that it would."""
        interface = self._node(f"{self.device}/1-1:1.0", "bus/usb", "DEVTYPE=usb_interface")
        if tty.startswith("ttyUSB"):
            interface = self._node(f"{interface}/{tty}", "bus/usb-serial", "")
        self.port = self._node(f"{interface}/tty/{tty}", "class/tty", f"MAJOR=188\nMINOR=0\nDEVNAME={tty}")

    def _node(self, path: str, subsystem: str, uevent: str, **attributes: str) -> str:
        node = self.root / "sys" / path
        node.mkdir(parents=True)
        (self.root / "sys" / subsystem).mkdir(parents=True, exist_ok=True)
        (node / "subsystem").symlink_to(f"/sys/{subsystem}")
        (node / "uevent").write_text(f"{uevent}\n")
        for name, value in attributes.items():
            (node / name).write_text(f"{value}\n")
        return path

    def plugged_in(self, path: str) -> set[str]:
        """What udev would make of it, word by word: PROPERTY=value, and the names below /dev."""
        udevadm = shutil.which("udevadm", path=f"{os.environ['PATH']}:/sbin:/bin")
        if udevadm is None:
            pytest.skip("needs udevadm (apt install udev)")
        apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
        mounts = "for d in sys dev run; do mount --bind $0/$d /$d || exit 99; done; exec $1 test --action=add /sys/$2"
        done = subprocess.run(
            [*apart, "sh", "-c", mounts, self.root, udevadm, path],
            env={"PATH": os.environ["PATH"], "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if "unshare:" in done.stderr or done.returncode == 99:
            pytest.skip(f"may not make a namespace of its own: {done.stderr.strip()}")
        assert done.returncode == 0, done.stderr
        self.stays_awake |= re.search(r"power/control\W.*\bon\b", done.stderr) is not None
        return set(re.split(r"\s+|(?<=DEVLINKS)=", done.stdout))


@pytest.mark.parametrize(
    ("ids", "tty", "name"),
    [
        ("1a86:7523", "ttyUSB0", SCANNER),
        ("0403:6001", "ttyUSB0", SCANNER),
        ("0525:a4a7", "ttyACM0", SCANNER),
        ("1fc9:0083", "ttyACM0", SCANNER),
        ("0483:5740", "ttyACM0", SCANNER),
        ("2e8a:0005", "ttyACM0", BOARD),
    ],
)
def test_a_reader_gets_its_name_and_is_left_alone(tmp_path: Path, ids: str, tty: str, name: str) -> None:
    sysfs = Sysfs(tmp_path, ids, tty)
    words = sysfs.plugged_in(sysfs.port)
    assert {SCANNER, BOARD} & words == {name}
    assert "ID_MM_DEVICE_IGNORE=1" in words
    assert "ID_MM_DEVICE_IGNORE=1" in sysfs.plugged_in(sysfs.device)
    assert sysfs.stays_awake


def test_a_kernel_without_power_management_is_no_reason_for_modem_commands(tmp_path: Path) -> None:
    sysfs = Sysfs(tmp_path, "1a86:7523", "ttyUSB0", power=False)
    assert "ID_MM_DEVICE_IGNORE=1" in sysfs.plugged_in(sysfs.device)


def test_what_is_not_ours_is_left_as_it_is(tmp_path: Path) -> None:
    sysfs = Sysfs(tmp_path, "0403:6010", "ttyUSB0")
    for path in (sysfs.port, sysfs.device):
        assert not {SCANNER, BOARD, "ID_MM_DEVICE_IGNORE=1"} & sysfs.plugged_in(path)
    assert not sysfs.stays_awake
