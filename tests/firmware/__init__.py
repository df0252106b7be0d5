"""The reader board: its firmware in MicroPython, against chip models."""
