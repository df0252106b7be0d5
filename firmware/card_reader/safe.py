"""What is left to a reader that does not run: its line, its lamp, and the prompt. Loaded when it comes to that."""

import sys
import time

import machine
import micropython

_YOUNG = 60000
"""ms of a life in which an error would only come again after a restart: it is said first, and the prompt is open."""
_SAID = 30000
"""ms for which it is."""


def excuse(error, now: int, built, lamp):
    """What to say of an error, when to restart (0: never), and the lamp that shows it. Resets an old reader at once.

    ``built`` is None while the reader's parts were not made of the settings yet.
    """
    sys.print_exception(error)  # to the box as lines that are no messages, to a person as what they are
    if now >= _YOUNG:
        time.sleep_ms(1000)
        machine.reset()
    micropython.kbd_intr(3)
    if lamp is None and built is None:
        try:
            lamp = machine.Pin("LED", machine.Pin.OUT)
        except Exception:  # a board without one
            lamp = None
    why = type(error).__name__
    if built is None and (why not in ("MemoryError", "ImportError") or "settings" in str(error)):
        return f"settings.py: {error}", 0, lamp
    return f"{why}: {error}", now + _SAID, lamp
