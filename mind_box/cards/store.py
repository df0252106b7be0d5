"""Which tag is which card: a small file that a pulled plug cannot hurt."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

from mind_box.files import replacing
from mind_box.game.cards import Card
from mind_box.table.payload import identity, parse

_log = logging.getLogger(__name__)

NAME = "cards.json"
VERSION = 1

_SET_ASIDE = (
    "%s cannot be understood (%s): it was set aside as %s. Enrol the cards again, or correct that file and put it back"
)


class NewerCards(Exception):
    """The file was written by a later version of this program; it is left untouched. ``str()`` says what to do."""


def enrolled(state_dir: str | Path) -> dict[str, Card]:
    """The enrolled tags; none, and logged, where they cannot be read."""
    try:
        return CardStore(state_dir).load()
    except (OSError, NewerCards) as e:
        _log.error("the enrolled tags cannot be read, so they are unknown cards: %s", e)
        return {}


class CardStore:
    """``<state_dir>/cards.json``: identities, as ``payload.identity`` writes them, and their cards."""

    def __init__(self, state_dir: str | Path) -> None:
        self.path = Path(state_dir) / NAME

    def load(self) -> dict[str, Card]:
        """The enrolled tags; empty when there are none.

        A file that cannot be understood is set aside as ``cards.json.broken``, logged, and counts as none. Raises
        ``OSError`` when it is there but cannot be read, and ``NewerCards``.
        """
        try:
            return self.read()
        except ValueError as e:
            aside = self._free_name()
            os.replace(self.path, aside)
            _log.error(_SET_ASIDE, self.path, e, aside.name)
            return {}

    def read(self) -> dict[str, Card]:
        """As ``load``, but raises ``ValueError`` for a file that cannot be understood, and leaves it where it is."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        if not data.strip(b"\0 \t\r\n"):
            raise ValueError("it is empty, as a power cut leaves a file")
        try:
            return self._checked(json.loads(data))
        except RecursionError as e:
            raise ValueError(str(e)) from e

    def save(self, cards: dict[str, Card]) -> None:
        """Replaces the file: after a power cut it is the old one or the new one, never half of it.

        Raises ``OSError`` when it cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"version": VERSION, "cards": cards}, indent=1) + "\n"
        with replacing(self.path) as file:
            file.write(text)

    def _free_name(self) -> Path:
        aside = self.path.with_name(NAME + ".broken")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{NAME}.broken-{number}")
        return aside

    def _checked(self, data: Any) -> dict[str, Card]:
        """The cards of a file. Raises ``ValueError`` with what is wrong, and ``NewerCards``."""
        version = data.get("version") if isinstance(data, dict) else None
        if isinstance(version, int) and version > VERSION:
            raise NewerCards(
                f"{self.path} is of a later mind-box (version {version}): install that one again, or move the file "
                "away and enrol the cards anew"
            )
        if version != VERSION or not isinstance(data.get("cards"), dict):
            raise ValueError('it is not {"version": 1, "cards": {...}}')
        cards: dict[str, Card] = {}
        for name, card in data["cards"].items():
            if card is None or parse(str(card)) != card:
                raise ValueError(f"{card!r} of {name!r} is no card")
            cards[identity(name)] = card
        return cards
