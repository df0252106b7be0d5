"""The journal: every event on disk, whole games in and out."""
