"""What a first start leaves behind: the settings, the network, who may come in; each file whole or not at all."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from mind_box.files import keep, replacing
from mind_box.first_start.file import FirstStart, Network
from mind_box.settings.schema import Config
from mind_box.settings.writing import to_toml

CONNECTION = "etc/NetworkManager/system-connections/mind-box.nmconnection"
COUNTRY = "etc/modprobe.d/mind-box-country.conf"
KEYS = "root/.ssh/authorized_keys"
UPDATES = "etc/apt/apt.conf.d/52mind-box-updates"
BEGINNING = "# Written at the box's first start. All settings: mind-box config example; docs/settings.md.\n"

Run = Callable[[Sequence[str]], int]
"""Runs a command of the system; its exit status."""


def run_command(command: Sequence[str]) -> int:
    """For real."""
    return subprocess.run(command, check=False).returncode


def write_settings(config: Config, path: Path) -> Path | None:
    """Puts them at ``path``; another file that was there is kept, under the name that is returned.

    Raises ``OSError``.
    """
    text = BEGINNING + to_toml(config, changed=True)
    with contextlib.suppress(OSError):
        if path.read_text("utf-8") == text:
            return None
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = keep(path, "before-set-up") if path.exists() else None
    with replacing(path, mode=0o644) as file:
        file.write(text)
    return kept


def carry_out(asked: FirstStart, root: Path, run: Run = run_command) -> None:
    """Everything that the file asks for but the settings. Raises ``OSError``."""
    if asked.network is not None:
        _write(root / CONNECTION, _connection(asked.network), 0o600)
        if asked.network.country:
            _write(root / COUNTRY, f"options cfg80211 ieee80211_regdom={asked.network.country}\n", 0o644)
        run(("nmcli", "connection", "reload"))
    if asked.ssh_key:
        keys = root / KEYS
        there = keys.read_text("utf-8") if keys.exists() else ""
        if asked.ssh_key not in there.splitlines():
            _write(keys, f"{there}{asked.ssh_key}\n", 0o600)
        run(("systemctl", "enable", "--now", "ssh.service"))
    if asked.updates:
        lines = ('APT::Periodic::Update-Package-Lists "1";', 'APT::Periodic::Unattended-Upgrade "1";')
        _write(root / UPDATES, "\n".join(lines) + "\n", 0o644)


def _connection(wifi: Network) -> str:
    """As NetworkManager keeps it (nm-settings-keyfile(5)): a name is bytes, semicolons and backslashes are escaped."""
    name = "".join(f"{byte};" for byte in wifi.name.encode())
    lines = ["[connection]", "id=mind-box", "type=wifi", "", "[wifi]", "mode=infrastructure", f"ssid={name}", ""]
    if wifi.password:
        lines += ["[wifi-security]", "key-mgmt=wpa-psk", "psk=" + wifi.password.replace("\\", "\\\\"), ""]
    return "\n".join([*lines, "[ipv4]", "method=auto", "", "[ipv6]", "method=auto", ""])


def _write(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if path.parent.name == ".ssh" else 0o755)
    with replacing(path, mode=mode) as file:
        file.write(text)
