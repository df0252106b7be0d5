"""The process: the daemon, dim screens, systemd, the status socket."""

SHUT_DOWN = 77
"""Exit status when the menu's shut-down was carried out; the unit's RestartPreventExitStatus."""
