"""Where a ghost's card goes while it is dealt (R39): the words on the table's screens, and on that at its seat."""

from __future__ import annotations

from mind_box.settings.kinds import UnseenAt
from mind_box.show.words import mark

AT_TABLE: dict[UnseenAt | None, str] = {
    "antenna": mark("Face down on the reader"),
    "slot": mark("Unseen into the slot"),
    "hood": mark("Unseen into the hood"),
    None: mark("Unseen to the reader"),
}
AT_SEAT: dict[UnseenAt | None, str] = {
    "antenna": mark("Onto the reader, face down"),
    "slot": mark("To the slot, then face down"),
    "hood": mark("To the hood, then face down"),
    None: mark("To the reader, then face down"),
}
