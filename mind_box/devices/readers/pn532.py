"""A PN532 on a serial line of the Pi itself (its HSU mode, 115200 baud)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mind_box.devices.nfc.frames import WAKE
from mind_box.devices.nfc.sink import Sink
from mind_box.devices.nfc.watch import Watch
from mind_box.devices.readers.driver import Action, Say, Seen, Send, Silent, Working
from mind_box.settings.schema import ReaderSettings
from mind_box.table.payload import parse


def tag_payload(uid: bytes, text: str | None) -> str:
    """What a tag says: its text if that names a card, else its number as ``04:A1:B2:C3:D4:E5:F6``."""
    if text is not None and parse(text) is not None:
        return text
    return uid.hex(":").upper()


def two_tags(first: bytes, second: bytes) -> str:
    """What is said of two tags in the field."""
    return (
        f"two tags lie on the reader ({first.hex(':').upper()} and {second.hex(':').upper()}): "
        "their order cannot be known. Show one card at a time, away from the pile"
    )


class Pn532Driver(Sink):
    """The conversation with the chip, in the reader's terms."""

    def __init__(self, same_card_seconds: float) -> None:
        self._watch = Watch(self, away=round(same_card_seconds * 1000), wake=WAKE)
        self._actions: list[Action] = []

    @property
    def deadline(self) -> float | None:
        return self._watch.deadline / 1000

    def opened(self, now: float) -> Sequence[Action]:
        self._watch.start(_ms(now))
        return self._taken()

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        self._watch.feed(data, _ms(now))
        return self._taken()

    def wake(self, now: float) -> Sequence[Action]:
        self._watch.tick(_ms(now))
        return self._taken()

    def _taken(self) -> Sequence[Action]:
        actions, self._actions = self._actions, []
        return actions

    def send(self, data: bytes) -> None:
        self._actions.append(Send(data))

    def card(self, uid: bytes, text: str | None, at: int) -> None:
        self._actions.append(Seen(tag_payload(uid, text), at / 1000))

    def two(self, first: bytes, second: bytes) -> None:
        self._actions.append(Say(two_tags(first, second)))

    def up(self, version: bytes) -> None:  # noqa: ARG002 - that it answers is enough
        self._actions.append(Working())

    def down(self, why: str) -> None:
        self._actions.append(Silent(why))


def _ms(seconds: float) -> int:
    """Whole milliseconds, rounded so that a deadline in ms has come when its moment in seconds has."""
    return int(seconds * 1000 + 0.5)


def driver(settings: ReaderSettings, mark: Path | None) -> Pn532Driver:  # noqa: ARG001
    """The driver of such a reader."""
    return Pn532Driver(settings.same_card_seconds)
