"""The mind box: a referee for the card game The Mind."""

__version__ = "0.1.0"
