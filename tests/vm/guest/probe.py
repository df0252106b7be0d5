"""Runs in the service's place, under its unit's restrictions: what it tries, and what came of it, as JSON."""

import ctypes
import errno
import glob
import json
import mmap
import os
import socket
import sys
from collections.abc import Callable


def tried(what: Callable[[], object]) -> str:
    try:
        what()
    except OSError as e:
        return errno.errorcode.get(e.errno or 0, str(e.errno))
    except Exception as e:
        return type(e).__name__
    return "done"


libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> Callable[[], None]:
    def what() -> None:
        if getattr(libc, name)(*arguments) == -1:
            raise OSError(ctypes.get_errno(), "")

    return what


def opens(path: str, flags: int) -> Callable[[], None]:
    return lambda: os.close(os.open(path, flags))


def writable_code() -> None:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


class Time(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]


FORBIDDEN = {
    "write /etc": opens("/etc/probe", os.O_CREAT | os.O_WRONLY),
    "write /usr": opens("/usr/probe", os.O_CREAT | os.O_WRONLY),
    "write its own program": opens("/opt/mind-box/probe", os.O_CREAT | os.O_WRONLY),
    "read /root": lambda: os.listdir("/root"),
    "see /home/pi": lambda: os.listdir("/home/pi"),
    "open the disk": opens("/dev/vda", os.O_RDONLY),
    "open /dev/mem": opens("/dev/mem", os.O_RDONLY),
    "open the kernel log": opens("/dev/kmsg", os.O_RDONLY),
    "open the console": opens("/dev/tty0", os.O_RDWR),
    "become root": lambda: os.setuid(0),
    "new user namespace": call("unshare", 0x10000000),
    "mount": call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None),
    "set the clock": call("clock_settime", 0, ctypes.byref(Time(0, 0))),
    "set the host name": call("sethostname", b"probe", 5),
    "raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "change the kernel": opens("/proc/sys/kernel/hostname", os.O_WRONLY),
    "change a module": opens("/sys/module/i2c_fake/parameters/nak", os.O_WRONLY),
    "change a control group": opens("/sys/fs/cgroup/cgroup.procs", os.O_WRONLY),
    "signal process 1": lambda: os.kill(1, 0),
    "real-time priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "internet socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "look at other processes": lambda: os.stat("/proc/1"),
    "another personality": call("personality", 0x0008),
}
NEEDED = {
    "the header": opens(sorted(glob.glob("/dev/gpiochip*"))[-1], os.O_RDWR),
    "the I2C bus": opens("/dev/i2c-1", os.O_RDWR),
    "the scanner": lambda: os.close(os.open(sys.argv[2], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)),
    "the state directory": opens("/var/lib/mind-box/probe", os.O_CREAT | os.O_WRONLY),
    "the run directory": opens("/run/mind-box/probe", os.O_CREAT | os.O_WRONLY),
}
if os.uname().machine == "aarch64":  # a PC has no device tree
    NEEDED["the board's revision"] = opens("/proc/device-tree/system/linux,revision", os.O_RDONLY)

if __name__ == "__main__":
    result = {
        "forbidden": {name: tried(what) for name, what in FORBIDDEN.items()},
        "needed": {name: tried(what) for name, what in NEEDED.items()},
        "writable code": tried(writable_code),
        "user": os.getuid(),
    }
    with open(sys.argv[1], "w") as f:
        json.dump(result, f)
