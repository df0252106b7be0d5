"""Evenings as pictures and pages. Nothing here needs a server but ``serving.py``."""
