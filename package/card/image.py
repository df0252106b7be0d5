"""The image of a card for a Pi 3, 4, 400 and Zero 2 W: ``python -m package.card.image`` (``make image``), as root.

mmdebstrap makes an arm64 trixie with the Debian package in it (translated by qemu-user elsewhere: most of an hour);
then the image is put together without mounting anything: a FAT for the firmware and ``mind-box.toml``, the system, and
a partition of their own for the games, which grows to the card's end at the first start. The system writes nothing
while the box runs but below ``/var/lib/mind-box``: its log is in memory, and there is no swap. The same root gives the
same bytes with e2fsprogs 1.47.1 or newer (trixie).

A Pi 5 needs a newer kernel than trixie's, which has no driver for its header.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from package import deb, repository

HERE = Path(__file__).parent
TOOLS = {
    "mmdebstrap": "mmdebstrap", "qemu-aarch64-static": "qemu-user-static", "sfdisk": "fdisk", "mkfs.vfat": "dosfstools",
    "mcopy": "mtools", "mke2fs": "e2fsprogs", "zstd": "zstd",
}  # fmt: skip
MIB = 1 << 20
FAT, SYSTEM, GAMES = 256, 1600, 64
"""Sizes of the three partitions in MiB; the first begins at 4."""
FIRST = 4
DISK = 0x6D696E64
UUIDS = {"system": "6d696e64-0000-4000-8000-000000000001", "games": "6d696e64-0000-4000-8000-000000000002"}
SEED = "6d696e64-0000-4000-8000-000000000003"
FSTAB = """\
/dev/mmcblk0p2 / ext4 defaults,noatime,errors=remount-ro 0 1
/dev/mmcblk0p1 /boot/firmware vfat defaults,noatime,nofail,umask=0077,x-systemd.device-timeout=0 0 2
/dev/mmcblk0p3 /var/lib/mind-box ext4 defaults,noatime,x-systemd.growfs 0 2
tmpfs /tmp tmpfs mode=1777,nosuid,nodev,size=64m 0 0
tmpfs /var/tmp tmpfs mode=1777,nosuid,nodev,size=64m 0 0
"""
IDENTITIES = (
    "etc/machine-id", "var/lib/dbus/machine-id", "var/lib/systemd/random-seed", "var/lib/systemd/credential.secret",
    "etc/ssh/ssh_host_*", "var/lib/NetworkManager/*", "etc/NetworkManager/system-connections/*", "var/lib/dhcp/*",
)  # fmt: skip
"""What must not be the same on two boxes, and is made at the first start."""
LEFTOVERS = ("var/cache/apt/*", "var/lib/apt/lists/*", "var/log/*", "root/.*", "tmp/*", "etc/resolv.conf")
CONFIG = """
# The box: its screens' bus, and a lamp that says within seconds of power that it starts.
dtparam=i2c_arm=on
gpio=17=op,dh
"""


class ImageError(Exception):
    """No image can be made. ``str()`` says why and what to do."""


def wanted_packages() -> list[str]:
    """What ``packages.txt`` lists."""
    lines = (HERE / "packages.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def prepare(root: Path, address: str = "", keyring: Path | None = None) -> None:
    """Makes a card's system of a Debian root that has the package: no identity, no password, and what it is to do.

    ``address`` is where updates come from, signed by a key of ``keyring``; empty: there are none.
    """
    for pattern in (*IDENTITIES, *LEFTOVERS):
        for path in root.glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    _write(root / "etc/machine-id", "uninitialized\n")  # systemd takes it for a first start
    _write(root / "etc/fstab", FSTAB)
    _write(root / "etc/hostname", "mind-box\n")
    _write(root / "etc/hosts", "127.0.0.1 localhost mind-box\n::1 localhost\n")
    _write(root / "etc/systemd/journald.conf.d/mind-box.conf", "[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\n")
    shadow = root / "etc/shadow"
    lines = [line.split(":") for line in shadow.read_text("utf-8").splitlines()]
    _write(shadow, "".join(":".join([name, "*", *rest]) + "\n" for name, _, *rest in lines), 0o640)
    _write(
        root / "etc/ssh/sshd_config.d/mind-box.conf", "PasswordAuthentication no\nPermitRootLogin prohibit-password\n"
    )
    units = root / "etc/systemd/system"
    for name in ("ssh.service", "ssh.socket"):  # until mind-box.toml names a key
        for link in units.glob(f"*.wants/{name}"):
            link.unlink()
    for source in HERE.glob("*.service"):
        _write(root / "usr/lib/systemd/system" / source.name, source.read_text("utf-8"))
        target = "local-fs.target" if source.stem == "mind-box-grow" else "multi-user.target"
        link = units / f"{target}.wants" / source.name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(f"/usr/lib/systemd/system/{source.name}")
    _write(root / "usr/lib/mind-box/card/grow.sh", (HERE / "grow.sh").read_text("utf-8"), 0o755)
    _write(root / "etc/mind-box/set-up-wanted", "")
    config = root / "boot/firmware/config.txt"
    text = config.read_text("utf-8") if config.exists() else ""
    _write(config, text if CONFIG in text else text + CONFIG)
    if address and keyring is not None:
        _write(root / "etc/apt/sources.list.d/mind-box.sources", repository.source(address))
        shutil.copy(keyring, root / "etc/apt/keyrings" / repository.KEYRING)


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def assemble(root: Path, out: Path, epoch: int, sizes: tuple[int, int, int] = (FAT, SYSTEM, GAMES)) -> None:
    """Puts the image of a prepared root together; ``sizes`` as ``FAT``, ``SYSTEM`` and ``GAMES``, in MiB.

    Raises ``ImageError`` where something does not fit.
    """
    fat, system, games = sizes
    begins = (FIRST, FIRST + fat, FIRST + fat + system)
    out.unlink(missing_ok=True)
    with out.open("wb") as file:
        file.truncate((FIRST + sum(sizes)) * MIB)
    table = f"label: dos\nlabel-id: 0x{DISK:x}\n"
    for begin, size, kind in zip(begins, sizes, ("c, bootable", "83", "83"), strict=True):
        table += f"start={begin * 2048}, size={size * 2048}, type={kind}\n"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "E2FSPROGS_FAKE_TIME": str(epoch), "TZ": "UTC"}

    def run(*words: object, text: str = "") -> None:
        command = [str(word) for word in words]
        done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment)
        if done.returncode:
            what = (done.stderr or done.stdout).strip().splitlines()
            raise ImageError(f"{command[0]}: {what[-1] if what else done.returncode}. Is a partition too small for it?")

    run("sfdisk", "--quiet", out, text=table)
    with tempfile.TemporaryDirectory() as place, _without_firmware(root, Path(place)) as firmware:
        boot = Path(place, "fat")
        with boot.open("wb") as file:
            file.truncate(fat * MIB)
        run("mkfs.vfat", "--invariant", "-F", "32", "-n", "MINDBOX", "-i", f"{DISK:x}", boot)
        for path in firmware.rglob("*"):
            os.utime(path, (epoch, epoch))
        run("mcopy", "-s", "-m", "-i", boot, *sorted(firmware.iterdir()), "::")
        run("dd", f"if={boot}", f"of={out}", "bs=1M", f"seek={FIRST}", "conv=notrunc,sparse", "status=none")
        empty = Path(place, "games")
        empty.mkdir()
        for name, source, begin, size in (("system", root, begins[1], system), ("games", empty, begins[2], games)):
            options = f"hash_seed={SEED},lazy_itable_init=0,lazy_journal_init=0,offset={begin * MIB}"
            owner = _owner(root) if name == "games" else "0:0"
            options += f",root_owner={owner}"
            what = ["-t", "ext4", "-L", name, "-U", UUIDS[name], "-E", options, "-d", source, out, f"{size * 1024}k"]
            run("mke2fs", "-q", *what)


@contextmanager
def _without_firmware(root: Path, place: Path) -> Iterator[Path]:
    """The system's root with an empty /boot/firmware, which is the FAT's; put back at the end."""
    firmware, aside = root / "boot/firmware", place / "firmware"
    shutil.move(firmware, aside)
    firmware.mkdir()
    try:
        yield aside
    finally:
        firmware.rmdir()
        shutil.move(aside, firmware)


def _owner(root: Path) -> str:
    """The service's user in that root: the games are its own."""
    for line in (root / "etc/passwd").read_text("utf-8").splitlines():
        name, _, uid, gid, *_ = line.split(":")
        if name == "mind-box":
            return f"{uid}:{gid}"
    raise ImageError(f"{root}: has no user mind-box: the package is not installed in it")


def make_root(root: Path, package: Path) -> None:
    """A new arm64 trixie with the package in it. Raises ``ImageError``."""
    missing = sorted({name for program, name in TOOLS.items() if shutil.which(program) is None})
    if missing:
        raise ImageError(f"needs sudo apt install {' '.join(missing)}")
    if os.geteuid():
        raise ImageError("a system's files are root's: sudo make image")
    keeps = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("man", "locale")]
    include = ",".join([*wanted_packages(), str(package.resolve())])
    command = ["mmdebstrap", "--variant=minbase", "--architectures=arm64", "--components=main,non-free-firmware"]
    command += [*keeps, f"--include={include}", "--hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount"]
    if subprocess.run([*command, "trixie", str(root)]).returncode:
        raise ImageError("mmdebstrap: see above")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    options = argparse.ArgumentParser(description="Makes the image of a card.")
    options.add_argument("--out", type=Path, default=deb.ROOT / "dist", help="where to (default: dist)")
    options.add_argument("--root", type=Path, help="a root that was made before, with the package in it")
    options.add_argument("--updates", default="", help="address of the repository that updates come from")
    options.add_argument("--keyring", type=Path, help="its public key")
    args = options.parse_args(arguments)
    number, epoch = deb.version(), deb.commit_time()
    image = args.out / f"mind-box-{number}-arm64.img"
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        root = args.root or deb.ROOT / "build/card"
        if args.root is None:
            shutil.rmtree(root, ignore_errors=True)
            make_root(root, deb.build(args.out))
        prepare(root, args.updates, args.keyring)
        assemble(root, image, epoch)
    except (ImageError, deb.PackageError, OSError) as e:
        print(f"make image: {e}", file=sys.stderr)
        return 1
    subprocess.run(["zstd", "-q", "-f", "-19", "-T1", "--rm", image], check=True)
    print(f"{image}.zst")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
