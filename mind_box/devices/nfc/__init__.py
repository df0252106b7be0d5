"""Tags through a PN532, and the line protocol of our own reader board.

Every module here runs unchanged on CPython and on MicroPython: the card reader's firmware is built from these
very files (``firmware/build.py``). So they import nothing but each other, do no I/O and read no clock; times
are milliseconds of one clock that only counts up.
"""
