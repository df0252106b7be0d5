"""Evenings remembered: from events and their times to what is told of a game. Pure but for ``book.py``, which reads."""
