"""Scanners that type as on a keyboard of another country: what they meant, and what to do."""

from __future__ import annotations

from typing import Final

from mind_box.table.payload import LABEL, parse

_SHIFTED_DIGITS: Final = dict(zip("!@#$%^&*()", "1234567890", strict=True))
_LAYOUTS: Final = (  # what is read of their keys on a US keyboard, and what stands on these keys there
    ("French or Belgian (AZERTY)", {**_SHIFTED_DIGITS, ":": "M", ";": "M", ".": ":", "q": "A", "Q": "A"}),
    ("German (QWERTZ), Spanish, Italian or Nordic", {">": ":", "y": "Z", "Y": "Z", "z": "Y", "Z": "Y"}),
    ("Czech or Slovak", {**_SHIFTED_DIGITS, ">": ":"}),
)


def foreign(text: str) -> str:
    """What is said of a text that no US keyboard types and that is a card on another one; empty for any other text.

    The colon of a label tells the layout. A bare number tells only one that has its digits behind Shift.
    """
    if parse(text) is not None:
        return ""
    for name, keys in _LAYOUTS:
        meant = "".join(keys.get(char, char) for char in text)
        if meant != text and meant.upper().startswith(LABEL):
            return _cure(name)
        if meant.isdigit() and not any(char.isdigit() for char in text):
            return _cure("French, Belgian or Czech")
    return ""


def _cure(name: str) -> str:
    return f"the scanner types as on a {name} keyboard: set its country to USA, or its ALT mode (docs/scanners.md)"
