"""paho, without OpenSSL where the process does without: that is more than all else of a broker."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paho.mqtt.client import Client


def paho() -> Callable[[str], Client]:
    """Makes clients of a name. Raises ``ImportError`` where paho is not installed.

    Where ``ssl`` is kept out of the process (``mind-box run``) paho is given the two names of it that it needs without
    TLS: it looks for them whenever a socket has nothing to read. ``hashlib`` has its own sums beside OpenSSL's.
    """
    kept_out = "ssl" in sys.modules and sys.modules["ssl"] is None
    if kept_out:
        names = ModuleType("ssl")
        for name in ("SSLWantReadError", "SSLWantWriteError"):
            setattr(names, name, type(name, (OSError,), {}))
        sys.modules["ssl"] = names
        sys.modules.setdefault("_hashlib", None)  # type: ignore[arg-type]
    try:
        from paho.mqtt.client import Client, MQTTv311
        from paho.mqtt.enums import CallbackAPIVersion
    finally:
        if kept_out:
            sys.modules["ssl"] = None  # type: ignore[assignment]

    def client_of(name: str) -> Client:
        return Client(CallbackAPIVersion.VERSION2, name, clean_session=True, protocol=MQTTv311)

    return client_of
