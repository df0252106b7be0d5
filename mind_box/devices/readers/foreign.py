"""Codes that would be cards if the scanner were set otherwise: what is said of them. They stay unknown cards."""

from __future__ import annotations

import re
from typing import Final

from mind_box.table.payload import LABEL, parse, whole_label

_SHIFTED_DIGITS: Final = dict(zip("!@#$%^&*()", "1234567890", strict=True))
_LAYOUTS: Final = (  # what is read of their keys on a US keyboard, and what stands on these keys there
    (
        "French or Belgian (AZERTY)",
        {**_SHIFTED_DIGITS, ":": "M", ";": "M", ".": ":", "q": "A", "Q": "A", "z": "W", "Z": "W"},
    ),
    ("German (QWERTZ), Spanish, Italian or Nordic", {">": ":", "y": "Z", "Y": "Z", "z": "Y", "Z": "Y"}),
    ("Czech or Slovak", {**_SHIFTED_DIGITS, ">": ":"}),
)
_ANOTHER_COLON: Final = re.compile(r"(MB1)(\W|[^\W\d_])([WR]?[0-9]+)(?:\2([0-9A-F]{2}))?", re.IGNORECASE)
_CARD: Final = re.compile(r"[WR]?[0-9]+", re.IGNORECASE)
_CODE_ID: Final = re.compile(r"\][A-Za-z][0-9A-Za-z](.+)")
"""An AIM identifier, which says of what kind a barcode is."""
_WITH_CHECK: Final = re.compile(r"MB1:[WR]?[0-9]+:[0-9A-F]{2}", re.IGNORECASE)

AROUND: Final = (
    "something stands before or behind the label's text: switch the scanner's prefix, suffix and code ID (AIM ID) off, "
    "but for the line end (docs/scanners.md)"
)


def hint(text: str, typed: bool) -> str:
    """What is wrong with the scanner that sends such a text, and the cure; empty where nothing can be said.

    ``typed``: it is a keyboard.
    """
    if parse(text) is not None:
        return ""
    return _around(text) or _foreign(text, typed)


def _around(text: str) -> str:
    with_check = _WITH_CHECK.search(text)
    code_id = _CODE_ID.fullmatch(text)
    sure = with_check is not None and with_check[0] != text and bool(whole_label(with_check[0]))
    return AROUND if sure or (code_id is not None and parse(code_id[1]) is not None) else ""


def _foreign(text: str, typed: bool) -> str:
    """The colon of a label tells the layout. A bare number tells only one that has its digits behind Shift."""
    for name, keys in _LAYOUTS if typed else ():
        meant = "".join(keys.get(char, char) for char in text)
        if meant != text and meant.upper().startswith(LABEL):
            break
        if _CARD.fullmatch(meant) and not any(char.isdigit() for char in text):
            name = "French, Belgian or Czech"
            break
    else:
        other = _ANOTHER_COLON.fullmatch(text)
        if other is None or parse(":".join(part for part in (other[1], other[3], other[4]) if part)) is None:
            return ""
        name = "foreign"
    return f"the scanner types as on a {name} keyboard: set its country to USA, or its ALT mode (docs/scanners.md)"
