"""What a reader's text means: a payload in, a card out, or None where nobody can tell (docs/table.md).

The text may come from a barcode, a tag or a wire, so it is taken for anything until it has been read here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mind_box.game.cards import Card

BLANKS: Final = " \t\r\n\v\f\x02\x03"
"""Stripped from both ends: blanks, line ends, and the STX/ETX that some scanners put around a code."""
HUGE: Final = 10**18
"""Every number with more than 18 digits is this one: no deck has it, and it fits wherever a card is stored."""

LABEL: Final = "MB1:"
"""What the text of our own labels begins with."""

TRAY: Final = "MB1:TRAY"
"""The label on the floor of a tray, which is seen when nothing lies there. It is no card, wherever it is read."""

_CARD = r"([WR]?)([0-9]+)"
_LABEL = r"(MB1:([^:]+))(?::([0-9A-F]{2}))?"
_HEX_PAIRS = r"[0-9A-F]{2}(?:[ :-]?[0-9A-F]{2})+"


def parse(payload: str, enrolled: Mapping[str, Card] | None = None) -> Card | None:
    """The card that a payload names, or None.

    ``enrolled`` maps identities, as ``identity()`` writes them, to cards, and is asked first. A card is returned
    whether a deck has it or not (0, 101, ``W51``): that is the game's to say. Never raises.
    """
    if enrolled:
        card = enrolled.get(identity(payload))
        if card is not None:
            return card
    text = _ascii_upper(payload.strip(BLANKS))
    if not text.startswith(LABEL):
        return _card(text)
    label = re.fullmatch(_LABEL, text)
    if label is None or (label[3] is not None and int(label[3], 16) != crc8(label[1])):
        return None
    return _card(label[2])


def is_tray(payload: str) -> bool:
    """Whether this is the label on the floor of a tray."""
    return _ascii_upper(payload.strip(BLANKS)) == TRAY


def label_begins(text: str) -> bool:
    """Whether this text is a label, or may be the first part of one."""
    return LABEL.startswith(_ascii_upper(text[: len(LABEL)]))


def label_ends(text: str) -> bool:
    """Whether this is a label with all of a check, right or wrong; the tray's own is all there without one."""
    if _ascii_upper(text) == TRAY:
        return True
    match = re.fullmatch(_LABEL, _ascii_upper(text))
    return match is not None and match[3] is not None


def whole_label(text: str) -> str:
    """The label with its check, or the tray's, that this text ends with; empty where there is none. Only such a text
    cannot be cut."""
    label = text[max(0, _ascii_upper(text).rfind(LABEL)) :]
    return label if is_tray(label) or (label_ends(label) and parse(label) is not None) else ""


def identity(payload: str) -> str:
    """The one way to write a tag's identity: capitals, no blanks around it, hex pairs without separators.

    ``04:a1:b2:c3``, ``04-A1-B2-C3`` and ``04a1b2c3`` are the same tag.
    """
    text = _ascii_upper(payload.strip(BLANKS))
    if re.fullmatch(_HEX_PAIRS, text):
        text = re.sub("[ :-]", "", text)
    return text


def encode(card: Card, check: bool = True) -> str:
    """What a label or a tag of this card holds: ``MB1:042:XX``, or ``MB1:042`` without the check.

    Raises ``ValueError`` for something that is no card.
    """
    named = re.fullmatch(_CARD, str(card))
    if named is None or isinstance(card, bool):
        raise ValueError(f"{card!r} is no card: a number, or W or R with a number")
    text = f"MB1:{named[1]}{named[2].zfill(2 if named[1] else 3)}"
    return f"{text}:{crc8(text):02X}" if check else text


def crc8(text: str) -> int:
    """CRC-8 of the UTF-8 bytes: polynomial 0x07, start 0, neither reflected nor inverted (0xF4 for "123456789")."""
    crc = 0
    for byte in text.encode(errors="surrogatepass"):
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1) ^ (0x107 if crc & 0x80 else 0)
    return crc


def _card(text: str) -> Card | None:
    """A card from capitals; ASCII digits only, any number of leading zeros."""
    named = re.fullmatch(_CARD, text)
    if named is None:
        return None
    digits = named[2].lstrip("0") or "0"
    number = int(digits) if len(digits) <= 18 else HUGE
    return f"{named[1]}{number}" if named[1] else number


def _ascii_upper(text: str) -> str:
    """Capitals of ASCII letters only: ``str.upper`` would make SS of a sharp s."""
    return "".join(c.upper() if "a" <= c <= "z" else c for c in text)
