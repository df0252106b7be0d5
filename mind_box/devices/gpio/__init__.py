"""Buttons, lamps and sound on GPIO lines."""
