"""A pile of cards on a tray and the scanner over it: bytes, with the manners that such modules have."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from mind_box.game.cards import Card
from mind_box.table.payload import TRAY, encode

PERIOD = 0.1
"""Seconds between two pictures, as docs/scanners.md wants it set."""


@dataclass(frozen=True)
class Manners:
    """Chances, per picture."""

    lost: float = 0.0
    """Nothing is read, though a card lies there."""
    garbled: float = 0.0
    """The label comes with a digit changed."""
    askew: float = 0.0
    """The card below is seen too, and both codes come of one picture."""
    double: float = 0.0
    """The same code comes twice."""


KIND = Manners()
WORST = Manners(lost=0.3, garbled=0.1, askew=0.1, double=0.2)


class PileScanner:
    """``pile`` is what lies there, the bottom first; ``hidden``: a hand is over it, or the pile lies face down;
    ``floor``: a label is on the tray's floor."""

    def __init__(self, manners: Manners = KIND, seed: int = 0, floor: bool = False) -> None:
        self.pile: list[Card] = []
        self.hidden = False
        self.floor = floor
        self._manners = manners
        self._random = random.Random(seed)

    def picture(self) -> bytes:
        """What the scanner sends of one picture."""
        chance, manners = self._random.random, self._manners
        if self.hidden or chance() < manners.lost or not (self.pile or self.floor):
            return b""
        if not self.pile:
            return TRAY.encode() + b"\r\n"
        seen: Sequence[Card] = self.pile[-1:]
        if chance() < manners.askew:
            seen = self.pile[-2:] if chance() < 0.5 else self.pile[-2:][::-1]
        codes = [encode(card) for card in seen for _ in range(2 if chance() < manners.double else 1)]
        return b"".join(self._sent(code) for code in codes)

    def _sent(self, code: str) -> bytes:
        if self._random.random() < self._manners.garbled:
            place = self._random.randrange(4, 7)
            code = code[:place] + str((int(code[place]) + self._random.randrange(1, 10)) % 10) + code[place + 1 :]
        return code.encode() + b"\r\n"
