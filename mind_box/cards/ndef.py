"""What to write on NFC tags, one line a card: an NDEF text record with the card's payload."""

from __future__ import annotations

import csv
import io
import json

from mind_box.devices.nfc import ndef as tags
from mind_box.game.cards import Card
from mind_box.table.payload import encode


def message(payload: str) -> bytes:
    """One well-known text record, UTF-8, language en (NFC Forum: NDEF 1.0, Text RTD 1.0)."""
    return tags.encode(payload)[2:-1]


def memory(payload: str) -> bytes:
    """A Type 2 tag's user memory from page 4 on: NDEF TLV and terminator, filled to whole pages of 4 bytes."""
    tlv = tags.encode(payload)
    return tlv + bytes(-len(tlv) % 4)


def pages(payload: str) -> dict[int, str]:
    """Page number to its 4 bytes in hex, as tag writers want them."""
    data = memory(payload)
    return {tags.USER_PAGE + i // 4: data[i : i + 4].hex().upper() for i in range(0, len(data), 4)}


def as_csv(cards: tuple[Card, ...]) -> str:
    """Card, payload text, NDEF message in hex, and the pages from 4 on in hex."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("card", "text", "ndef", "pages from 4"))
    for card in cards:
        text = encode(card)
        writer.writerow((card, text, message(text).hex().upper(), " ".join(pages(text).values())))
    return out.getvalue()


def as_json(cards: tuple[Card, ...]) -> str:
    """The same as a list of objects."""
    rows = [
        {"card": c, "text": encode(c), "ndef": message(encode(c)).hex().upper(), "pages": pages(encode(c))}
        for c in cards
    ]
    return json.dumps(rows, indent=1) + "\n"
