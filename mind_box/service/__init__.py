"""The process: the daemon, dim screens, systemd, the status socket."""
