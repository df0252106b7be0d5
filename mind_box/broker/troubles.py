"""What goes wrong with a broker, in sentences that say what to do about it."""

from __future__ import annotations

import socket
from typing import Any

from mind_box.settings.schema import BrokerSettings
from mind_box.wall_clock import shown

REFUSED = {
    132: "speaks no MQTT 3.1.1: use a broker that does (Mosquitto, NATS)",
    133: "takes nobody of this name: see its log",
    134: "knows no such user, or another password: set broker.user and broker.password_file",
    135: "lets this user do nothing: set broker.user, or allow it there (docs/broker.md has the topics)",
    136: "is busy or going down: it is tried again",
}
"""Answers to a greeting, by MQTT 5's numbers, in which paho tells those of MQTT 3.1.1 too."""

TLS = "does it want TLS (broker.tls)?"
CUT = "ends the connection again and again: is there a copy of this box's card, or a second hub? See the broker's log"


def place_of(settings: BrokerSettings) -> str:
    """Host and port as people write them."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{host}:{port_of(settings)}"


def port_of(settings: BrokerSettings) -> int:
    """The port that is meant."""
    return settings.port or (8883 if settings.tls else 1883)


def refused(code: Any) -> str:
    """Why the broker took no greeting."""
    return REFUSED.get(int(code.value), f"refuses: {code}. See its log")


def told(error: Exception) -> str:
    """Why there is no connection."""
    if isinstance(error, ImportError):
        return f"needs a package that is not there ({error}). On the installed box: sudo make install BROKER=1"
    if hasattr(error, "verify_code"):
        return _certificate(error)
    match error:
        case FileNotFoundError() | PermissionError() | IsADirectoryError() if error.filename:
            return f"{error.filename}: cannot be read ({error.strerror}): see broker.ca and broker.password_file"
        case socket.gaierror():
            return f"its name is not known here ({error.strerror}): check broker.host, and this machine's network"
        case ConnectionRefusedError():
            return "nothing listens there: start the broker, or set broker.host and broker.port"
        case TimeoutError():
            return "does not answer: is it on, in the same network, and not behind a firewall?"
        case ConnectionResetError() | BrokenPipeError():
            return f"hung up at once: {TLS}"
    if type(error).__module__ == "ssl":
        return f"speaks no TLS there, or another ({error}): set broker.tls and broker.port as the broker has them"
    return f"cannot be reached: {error}"


def _certificate(error: Exception) -> str:
    code, why = getattr(error, "verify_code", 0), getattr(error, "verify_message", str(error))
    if code in (9, 10):
        which = "is not valid yet" if code == 9 else "has expired"
        return f"its certificate {which} by this machine's clock ({shown()}): set the clock, or renew the certificate"
    if code in (18, 19, 20, 21):
        return f"its certificate is signed by nobody known here ({why}): name its authority's file in broker.ca"
    if code in (62, 64):
        return f"its certificate is for another name ({why}): set broker.host to the name in it"
    return f"its certificate is not taken: {why}"
