"""The process: the daemon, dim screens, systemd, the status socket."""

from pathlib import Path

SHUT_DOWN = 77
"""Exit status when the menu's shut-down was carried out; the unit's RestartPreventExitStatus."""

UPDATES = Path("/run/mind-box-update")
AVAILABLE = UPDATES / "available"
"""Is there while there is a new version; root's daily look writes it."""
