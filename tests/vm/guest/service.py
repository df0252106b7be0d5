"""The running service, as another process of the guest sees it."""

import json
import os
import socket
import subprocess
import time
from typing import Any

SOCKET = "/run/mind-box/status.sock"
UNIT = "mind-box.service"


def ask() -> Any:
    """What ``mind-box status --json`` prints, without starting a program for it; None when no box answers."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(5)
            s.connect(SOCKET)
            return json.loads(s.makefile().readline())
    except (OSError, ValueError):
        return None


def view() -> Any:
    """The View, or None."""
    answer = ask()
    return None if answer is None else answer["view"]


def wait_view(fields: dict[str, Any], seconds: float) -> Any:
    """Waits until the View has these values; the last View seen, or None."""
    end = time.monotonic() + seconds
    while True:
        seen = view()
        if seen is not None and all(seen[name] == value for name, value in fields.items()):
            return seen
        if time.monotonic() > end:
            return seen
        time.sleep(0.02)


def wait_other(before: Any, seconds: float) -> Any:
    """Waits until the View differs from ``before``, at most so long; the View."""
    end = time.monotonic() + seconds
    while True:
        seen = view()
        if seen != before or time.monotonic() > end:
            return seen
        time.sleep(0.02)


def shows(*properties: str) -> dict[str, str]:
    """Properties of the unit, from the service manager."""
    said = subprocess.run(
        ["systemctl", "show", UNIT, *(f"-p{p}" for p in properties)], capture_output=True, text=True, check=True
    ).stdout
    return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def main_pid() -> int:
    """The service's process; 0 when none runs."""
    return int(shows("MainPID")["MainPID"])


def _switches(pid: int) -> tuple[int, float]:
    """Times that any of its threads went to sleep and was woken, and its CPU time in seconds."""
    woken = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as status:
            for line in status:
                if line.startswith("voluntary_ctxt_switches"):
                    woken += int(line.split()[1])
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return woken, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle(seconds: float) -> dict[str, Any]:
    """Wake-ups and CPU of the service over so many seconds in which nothing is done to it."""
    pid = main_pid()
    woken, cpu = _switches(pid)
    begun = time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - begun
    woken_after, cpu_after = _switches(pid)
    with open(f"/proc/{pid}/status") as status:
        memory = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))
    return {
        "seconds": round(took, 1), "wake-ups/s": round((woken_after - woken) / took, 2),
        "cpu %": round((cpu_after - cpu) / took * 100, 2), "threads": len(os.listdir(f"/proc/{pid}/task")),
        "rss MB": round(memory, 1),
    }  # fmt: skip


def freeze(seconds: float) -> dict[str, Any]:
    """Stops the process as a hang would; how long until the service manager has killed it, and until it is back."""
    pid, before = main_pid(), int(shows("NRestarts")["NRestarts"])
    begun = time.monotonic()
    os.kill(pid, 19)
    killed = None
    while time.monotonic() < begun + seconds:
        if killed is None and not os.path.exists(f"/proc/{pid}"):
            killed = time.monotonic() - begun
        if killed is not None and int(shows("NRestarts")["NRestarts"]) > before and ask() is not None:
            return {"killed": round(killed, 2), "back": round(time.monotonic() - begun, 2)}
        time.sleep(0.05)
    return {"killed": killed, "back": None}
