"""QEMU's command line: one definition of the machine, for the device tree that is dumped and for every boot."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MEMORY = "1024"
CORES = "2"
ARCH = os.environ.get("MIND_BOX_VM_ARCH", "arm64")
ARM = ARCH == "arm64"
BINARY = "qemu-system-aarch64" if ARM else "qemu-system-x86_64"
_MODEL = ("virt,gic-version=3", "cortex-a72") if ARM else ("q35", "max,-arch-capabilities")
MACHINE = ("-M", _MODEL[0], "-cpu", _MODEL[1], "-smp", CORES, "-m", MEMORY)
"""arm64: a Pi 4's processor. amd64: without the register that a host which is itself a guest may refuse to set."""
TRANSLATED = "tcg,thread=multi,tb-size=512"
CONSOLE = "ttyAMA0" if ARM else "ttyS0"
SCANNER_SERIAL = "SCAN1"
SCANNER = f"/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_{SCANNER_SERIAL}-if00-port0"
"""Where udev finds QEMU's USB serial port, whatever its number."""
KEYBOARD_SERIAL = "HID1"
KEYBOARD = f"/dev/input/by-id/usb-QEMU_QEMU_USB_Keyboard_{KEYBOARD_SERIAL}-event-kbd"


def built() -> Path:
    """Where ``build.sh`` keeps what it makes."""
    top = Path(os.environ.get("MIND_BOX_VM_CACHE") or Path.home() / ".cache/mind-box-vm")
    return top if ARM else top / ARCH


def dump_device_tree(to: Path) -> None:
    """The device tree that QEMU makes for this machine."""
    machine = [*MACHINE]
    machine[1] += f",dumpdtb={to}"
    subprocess.run([BINARY, *machine, "-nodefaults", "-display", "none"], check=True, capture_output=True)


@cache
def accelerator() -> str:
    """``kvm`` where the guest is a PC and the host's processor runs it, else QEMU's translation.

    A device node says little: inside another machine KVM is often there and does not get far. So the kernel is booted
    with it until it finds no root and restarts, which takes a second or two.
    """
    if ARM or platform.machine() != "x86_64" or not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return TRANSLATED
    words = [BINARY, *MACHINE, "-accel", "kvm", "-nodefaults", "-display", "none", "-no-reboot"]
    words += ["-kernel", f"{built()}/vmlinuz", "-append", "panic=-1"]
    try:
        tried = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=15)
    except subprocess.TimeoutExpired:
        return TRANSLATED
    return "kvm" if tried.returncode == 0 else TRANSLATED


@dataclass(frozen=True)
class Boot:
    """One boot: its disks, its sockets, and the directories that it sees."""

    disk: Path
    """qcow2, written to."""
    state: Path
    """Raw ext4 with the label STATE: what is mounted at /var/lib/mind-box."""
    sockets: Path
    """A directory for QEMU's sockets; a short path, they have 108 bytes."""
    shares: dict[str, Path]
    """9p tag to directory."""
    state_log: Path | None = None
    """Where every write and flush of the state disk is recorded (QEMU's blklogwrites)."""
    append: str = ""

    def command(self) -> list[str]:
        """The words of the command."""
        made = built()
        words = ["nice", "-n", "10", BINARY, *MACHINE, "-accel", os.environ.get("MIND_BOX_VM_ACCEL") or accelerator()]
        words += ["-nodefaults", "-display", "none", "-no-reboot", "-serial", f"file:{self.sockets}/console"]
        words += ["-kernel", f"{made}/vmlinuz", "-initrd", f"{made}/initrd.gz"]
        if ARM:
            words += ["-dtb", f"{made}/pi4.dtb"]
        words += ["-append", f"console={CONSOLE} quiet loglevel=4 panic=-1 systemd.show_status=0 {self.append}".strip()]
        words += ["-drive", f"file={self.disk},if=none,id=root,discard=unmap", "-device", "virtio-blk-pci,drive=root"]
        if self.state_log is None:
            words += ["-blockdev", f"driver=raw,node-name=state,file.driver=file,file.filename={self.state}"]
        else:
            words += ["-blockdev", f"driver=blklogwrites,node-name=state,file.driver=file,file.filename={self.state},"
                                   f"log.driver=file,log.filename={self.state_log}"]  # fmt: skip
        words += ["-device", "virtio-blk-pci,drive=state,write-cache=on", "-device", "virtio-rng-pci"]
        for tag, directory in self.shares.items():
            words += ["-fsdev", f"local,id={tag},path={directory},security_model=none,readonly=on,multidevs=remap"]
            words += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        words += ["-device", "virtio-serial-pci"]
        words += ["-chardev", f"socket,id=agent,path={self.sockets}/agent,server=on,wait=off"]
        words += ["-device", "virtserialport,chardev=agent,name=agent"]
        words += ["-qmp", f"unix:{self.sockets}/qmp,server=on,wait=off", "-device", "qemu-xhci,id=usb"]
        words += ["-chardev", f"socket,id=scanner,path={self.sockets}/scanner,server=on,wait=off"]
        return words


if __name__ == "__main__":
    if sys.argv[1:2] == ["dump-dtb"] and len(sys.argv) == 3:
        dump_device_tree(Path(sys.argv[2]))
    else:
        sys.exit("usage: qemu.py dump-dtb FILE")
