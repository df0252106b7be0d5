"""Where files outlive the power: the kernel's table of mounts, as machines have it that keep everything in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind_box.files import in_memory, replacing
from mind_box.service.status import ask
from tests.e2e.machine import Machine

ROOT = "25 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw"
STATE = Path("/var/lib/mind-box")
OVERLAYROOT = """\
22 27 0:20 / /proc rw,nosuid - proc proc rw
31 1 179:2 / /media/root-ro ro,relatime shared:1 - ext4 /dev/mmcblk0p2 ro
32 1 0:30 / /media/root-rw rw,relatime shared:2 - tmpfs tmpfs-root rw
33 1 0:31 / / rw,noatime shared:3 - overlay overlayroot rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,\
workdir=/media/root-rw/overlay-workdir/_"""
LIVE = """\
28 1 0:26 / / rw,noatime shared:1 - overlay overlay rw,lowerdir=/run/live/rootfs/filesystem.squashfs/,\
upperdir=/run/live/overlay/rw,workdir=/run/live/overlay/work
40 28 0:23 / /run rw shared:2 - tmpfs tmpfs rw,size=400000k
41 40 7:0 / /run/live/rootfs/filesystem.squashfs ro - squashfs /dev/loop0 ro
42 40 0:25 / /run/live/overlay rw - {kind} {source} rw"""
HIDDEN = "25 1 0:18 / / rw - overlay overlay rw,lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work"
PARTITION = "60 33 179:3 / /var/lib/mind-box rw - ext4 /dev/mmcblk0p3 rw"


@pytest.mark.parametrize(
    ("mounts", "cmdline", "words"),
    [
        (ROOT, "", None),
        ("", "", None),
        ("rubbish\n25 1 - x\n - - -", "", None),
        (f"{ROOT}\n50 25 0:40 / /var/lib/mind-box rw - tmpfs tmpfs rw", "", "tmpfs at /var/lib/mind-box"),
        (f"{ROOT}\n50 25 0:40 / /var/lib rw - ramfs none rw", "", "ramfs at /var/lib"),
        (f"{ROOT}\n50 25 0:40 /x /var/lib/mind-box rw master:7 propagate_from:2 - tmpfs t rw", "", "tmpfs"),  # a bind
        (f"{ROOT}\n50 25 0:40 / /var/lib/mind rw - tmpfs tmpfs rw", "", None),
        (f"{ROOT}\n50 25 0:40 / /var/lib/mind-box/x rw - tmpfs tmpfs rw", "", None),
        ("1 1 0:2 / / rw - rootfs rootfs rw", "", "rootfs at /"),
        (OVERLAYROOT, "", "the overlay at /, whose upper side is in memory (tmpfs at /media/root-rw)"),
        (f"{OVERLAYROOT}\n{PARTITION}", "overlayroot=tmpfs", None),
        (LIVE.format(kind="tmpfs", source="tmpfs"), "boot=live", "tmpfs at /run/live/overlay"),
        (LIVE.format(kind="ext4", source="/dev/sdb3"), "boot=live persistence", None),
        (LIVE.format(kind="ext4", source="/dev/zram0"), "boot=live", "/dev/zram0 at /run/live/overlay"),
        (HIDDEN, "root=PARTUUID=1-2 boot=overlay quiet", "the overlay at /, whose upper side is in memory"),
        (HIDDEN, "BOOT_IMAGE=/casper/vmlinuz boot=casper splash", "the overlay at /"),
        (HIDDEN, "persistent boot=casper", None),
        (HIDDEN, "overlayroot=tmpfs:swap=1,recurse=0", "the overlay at /"),
        (HIDDEN, "console=tty1 rootwait", None),  # a container: its disk is not to be seen from inside
        (f"{HIDDEN}\n{PARTITION}", "boot=overlay", None),
        (f"{ROOT}\n50 25 1:0 / /var/lib/mind-box rw - ext4 /dev/ram0 rw", "", "/dev/ram0"),
        (f"{ROOT}\n50 25 7:0 / /var/lib/mind-box rw - ext4 /dev/loop3 rw\n51 25 0:9 / /r\\040am rw - tmpfs t rw", "",
         "the image /r am/disk.img, which is in memory (tmpfs at /r am)"),
        (f"{ROOT}\n50 25 7:0 / /var/lib/mind-box rw - ext4 /dev/loop4 rw", "", None),
        (f"{ROOT}\n50 25 0:3 / /var/lib/mind-box rw - tmpfs t rw\n{PARTITION}", "", None),  # over it
        (f"{ROOT}\n{PARTITION}\n50 25 0:3 / /var/lib/mind-box rw - tmpfs t rw", "", "tmpfs"),
        (f"{ROOT}\n50 25 0:4 / /var/lib/mind-box rw - overlay o rw,lowerdir=/a,upperdir=/b/u,workdir=/b/w", "", None),
    ],
)  # fmt: skip
def test_what_is_in_memory_is_known_from_the_mounts(
    tmp_path: Path, mounts: str, cmdline: str, words: str | None
) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(f"{mounts}\n")
    (tmp_path / "proc/cmdline").write_text(f"{cmdline}\n")
    (tmp_path / "sys/block/loop3/loop").mkdir(parents=True)
    (tmp_path / "sys/block/loop3/loop/backing_file").write_text("/r am/disk.img\n")
    found = in_memory(STATE, tmp_path)
    assert words in found if words and found else found == words, found


def test_without_a_table_of_mounts_nothing_is_known(tmp_path: Path) -> None:
    assert in_memory(STATE, tmp_path) is None


def test_a_file_is_the_old_or_the_new_one_whenever_the_power_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "box.toml"
    with replacing(path) as file:
        file.write("[box]\nseats = 2\n")
    order: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(fd: int) -> None:
        order.append(f"sync {Path(os.readlink(f'/proc/self/fd/{fd}')).name}")
        assert path.read_text() == "[box]\nseats = 2\n" or "replace" in order
        real_sync(fd)

    def replace(new: Path, old: Path) -> None:
        order.append("replace")
        real_replace(new, old)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    with replacing(path) as file:
        file.write("[box]\nseats = 3\n")
    assert order == ["sync box.toml.new", "replace", f"sync {tmp_path.name}"]
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("box.toml", "[box]\nseats = 3\n")]


# -- a real box on a real file system of memory

SHM = Path("/dev/shm")


@pytest.fixture
def in_shm() -> Iterator[Path]:
    if not in_memory(SHM) or not os.access(SHM, os.W_OK):
        pytest.skip("/dev/shm is no file system of memory here")
    import tempfile

    with tempfile.TemporaryDirectory(dir=SHM) as directory:
        yield Path(directory)


@pytest.mark.slow
def test_a_box_in_memory_says_that_nothing_is_saved(tmp_path: Path, in_shm: Path) -> None:
    """In the log, on the screens (a fault), in its status and by the doctor; and it goes on saying so as it writes."""
    with Machine(tmp_path) as machine:
        machine.state.symlink_to(in_shm)
        machine.start()
        assert machine.view["faults"] == ["journal"]
        assert "is in memory (tmpfs at /dev/shm): with the power the game is gone" in machine.log
        machine.begin()
        assert machine.view["faults"] == ["journal"]
        answer = ask(machine.run)
        assert answer is not None and answer["journal"] is None
        command = [*machine.command, "doctor", "service", "--config", str(machine.settings)]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        assert f"WRONG service: {machine.state} is in memory (tmpfs at /dev/shm)" in said
        assert "-> mount a partition of a disk there" in said


OVERLAY = """set -e
mount -t tmpfs tmpfs $1/ram; mkdir $1/ram/upper $1/ram/work
mount -t overlay overlay -o lowerdir=$1/lower,upperdir=$1/ram/upper,workdir=$1/ram/work $1/state
exec $2 -c 'import sys; from pathlib import Path; from mind_box.files import in_memory, replacing
print(in_memory(Path(sys.argv[1])))' $1/state/games"""


def test_the_kernels_own_overlay(tmp_path: Path) -> None:
    for name in ("ram", "lower", "state"):
        (tmp_path / name).mkdir()
    command = ["unshare", "-m", "sh", "-c", OVERLAY, "sh", str(tmp_path), sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no mounts here: {done.stderr.strip()}")
    upper = f"in memory (tmpfs at {tmp_path}/ram)"
    assert done.stdout.strip() == f"on the overlay at {tmp_path}/state, whose upper side is {upper}"
