"""A broker looked for in the local network by mDNS, in a process of its own that ends when it has looked."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from time import monotonic, sleep

log = logging.getLogger(__name__)

SERVICE = "_mqtt._tcp.local."
PATIENCE = 3.0
"""Seconds that brokers get to answer."""


class NotFound(OSError):
    """No broker says in the local network that it is there."""


def find(interfaces: Sequence[str] = ()) -> tuple[str, int]:
    """Host and port of the broker that is there; of several the first by name. Raises ``NotFound``.

    ``interfaces`` are the addresses of the networks to look in; all, if none is named.

    Takes seconds. What looking takes (6 MB, a socket that hears the whole network) is gone afterwards.
    """
    done = subprocess.run(
        [sys.executable, "-m", "mind_box.broker.finding", *interfaces],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise NotFound(done.stderr.strip().rpartition("\n")[2] or "mDNS could not be asked")
    if done.stderr:
        log.info("%s", done.stderr.strip())
    host, port = json.loads(done.stdout)
    return host, port


def main() -> int:
    """Prints host and port as JSON; 1: there is none, which is said."""
    try:
        from zeroconf import InterfaceChoice, ServiceBrowser, ServiceInfo, ServiceListener, Zeroconf
    except ImportError:
        print("broker.host = 'auto' needs the package zeroconf: sudo make install BROKER=1", file=sys.stderr)
        return 1

    found: dict[str, ServiceInfo] = {}

    class Listener(ServiceListener):
        def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
            info = zc.get_service_info(type_, name)
            if info is not None and info.parsed_addresses():
                found[name] = info

        update_service = add_service

        def remove_service(self, _zc: Zeroconf, _type: str, name: str) -> None:
            found.pop(name, None)

    network = Zeroconf(interfaces=sys.argv[1:] or InterfaceChoice.All)
    browser = ServiceBrowser(network, SERVICE, Listener())
    end = monotonic() + PATIENCE
    while monotonic() < end:
        sleep(0.1)
    browser.cancel()
    network.close()
    if not found:
        print(f"no broker says by mDNS ({SERVICE}) that it is there: name it in broker.host", file=sys.stderr)
        return 1
    info = found[min(found)]
    if len(found) > 1:
        print(f"{len(found)} brokers are there; {info.name} is taken", file=sys.stderr)
    print(json.dumps([info.parsed_addresses()[0], info.port]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
