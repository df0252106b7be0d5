"""The file on the card's FAT partition that sets a box up without a question: network, and any of its settings.

TOML, the very settings of ``box.toml``, and two tables more: ``[network]`` and ``[system]`` (docs/install.md). All of
it is checked before any of it is carried out.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any, NoReturn

from mind_box.settings.loading import ConfigError, parse
from mind_box.settings.schema import Config

NAME = "mind-box.toml"
MAX_BYTES = 100_000
NETWORK: dict[str, str] = {
    "name": "the Wi-Fi's name, 1 to 32 bytes",
    "password": "its password, 8 to 63 characters; left out: the network is open",
    "country": "two capital letters, as DE: which channels are allowed, from the next start on",
}
SYSTEM: dict[str, str] = {
    "ssh_key": "a public key, as ssh-ed25519 AAAA...: opens the box to whoever has the private one",
    "updates": "true: security updates of the system install themselves",
}


@dataclass(frozen=True, slots=True)
class Network:
    """One Wi-Fi."""

    name: str
    password: str = ""
    country: str = ""


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What the file asks for."""

    settings: Config | None
    """None: it says nothing of the box, which is asked at the box."""
    network: Network | None = None
    ssh_key: str = ""
    updates: bool = False


def read(data: bytes, where: str = NAME) -> FirstStart:
    """The file, checked. Raises ``ConfigError``: what, which line, what to do."""
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{where}: has {len(data)} bytes, and at most {MAX_BYTES} are read: is it the right file?")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise ConfigError(f"{where}, line {line}: is not UTF-8 at byte {e.start}. Save it as UTF-8 text.") from e
    text = text.replace("\r\n", "\n")
    config = parse(text, where, besides=("network", "system"))
    try:
        tables: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:  # parse has said it
        raise AssertionError(text) from e
    look = _Look(text, where)
    network = look.table(tables, "network", NETWORK)
    system = look.table(tables, "system", SYSTEM)
    ours = {name for name in tables if name not in ("network", "system")}
    wifi = None if network is None else look.network(network)
    key, updates = look.system(system or {})
    return FirstStart(config if ours else None, wifi, key, updates)


class _Look:
    """One look at one file; keeps the text to find line numbers."""

    def __init__(self, text: str, where: str) -> None:
        self._lines = text.split("\n")
        self._where = where

    def table(self, tables: dict[str, Any], name: str, known: dict[str, str]) -> dict[str, Any] | None:
        if name not in tables:
            return None
        table: dict[str, Any] = tables[name]
        if not isinstance(table, dict):
            self._fail(name, "", f"write it as a table: [{name}]")
        for key in table:
            if key not in known:
                self._fail(name, key, f"is not known here; known are: {', '.join(known)}")
        return table

    def network(self, table: dict[str, Any]) -> Network:
        name, password, country = (table.get(key, "") for key in NETWORK)
        if not isinstance(name, str) or not 1 <= len(name.encode()) <= 32 or _unprintable(name):
            self._fail("network", "name", f"must be {NETWORK['name']}")
        secret = isinstance(password, str) and (not password or 8 <= len(password) <= 63) and password.isascii()
        if not secret or _unprintable(password):
            self._fail("network", "password", f"must be {NETWORK['password']}")
        if not isinstance(country, str) or not re.fullmatch(r"([A-Z]{2})?", country):
            self._fail("network", "country", f"must be {NETWORK['country']}")
        return Network(name, password, country)

    def system(self, table: dict[str, Any]) -> tuple[str, bool]:
        key, updates = table.get("ssh_key", ""), table.get("updates", False)
        kinds = r"(ssh-(ed25519|rsa)|ecdsa-sha2-nistp\d+|sk-ssh-ed25519@openssh\.com) [A-Za-z0-9+/=]{40,}( [^\n]*)?"
        if not isinstance(key, str) or (key and not re.fullmatch(kinds, key)):
            self._fail("system", "ssh_key", f"must be {SYSTEM['ssh_key']}; never the private one")
        if not isinstance(updates, bool):
            self._fail("system", "updates", "must be true or false")
        return key, updates

    def _fail(self, table: str, key: str, what: str) -> NoReturn:
        at, inside = 0, False
        for number, line in enumerate(self._lines, 1):
            if re.match(r"\s*\[", line):
                inside = re.match(rf"\s*\[\s*{table}\s*\]", line) is not None
                at = at or (number if inside else 0)
            elif (inside and key and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line)) or re.match(
                rf"\s*{table}\b", line
            ):
                at = number
                break
        name = f"{table}.{key}" if key else table
        raise ConfigError(f"{self._where}{f', line {at}' if at else ''}: {name}: {what}.")


def _unprintable(text: str) -> bool:
    return not all(character.isprintable() for character in text)


def without_secrets(data: bytes) -> bytes:
    """The same file when it has been carried out: the FAT partition is read by whoever holds the card."""
    return re.sub(rb"(?m)^(\s*password\s*=\s*).*$", rb'\1"" # taken', data)
