"""systemd's notify protocol: ready, still alive, stopping. Without systemd all of it does nothing."""

from __future__ import annotations

import logging
import os
import socket

log = logging.getLogger(__name__)


def notify(state: str) -> None:
    """Tells the service manager, e.g. ``READY=1``; see sd_notify(3)."""
    path = os.environ.get("NOTIFY_SOCKET")
    if not path:
        return
    address = "\0" + path[1:] if path.startswith("@") else path
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as s:
            s.setblocking(False)  # the box does not wait for a manager that does not read
            s.connect(address)
            s.sendall(state.encode())
    except OSError as e:
        log.warning("the service manager does not hear %r: %s", state, e)


def watchdog_seconds() -> float | None:
    """How often the service manager wants to hear of progress; None: it does not ask."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    pid = os.environ.get("WATCHDOG_PID", "")
    if not microseconds.isdigit() or int(microseconds) == 0 or (pid and pid != str(os.getpid())):
        return None
    return int(microseconds) / 1e6
