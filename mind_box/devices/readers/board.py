"""The box's side of our reader board's line protocol (``firmware/PROTOCOL.md``): each card exactly once.

The board numbers what it has seen and repeats it until it is acknowledged; numbers start anew when the board
does, so they go with a name that it makes up at each start. Cards carry the board's own time, which a clock
exchange turns into ours.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mind_box.devices.nfc.link import PROTOCOL, Lines, line, unquoted
from mind_box.devices.readers.driver import Action, Say, Seen, Send, Silent, Working
from mind_box.devices.readers.pn532 import tag_payload, two_tags
from mind_box.settings.schema import ReaderSettings

_log = logging.getLogger(__name__)

ASK: Final = 1.0
"""Seconds between two questions to a board that does not answer."""
SILENT: Final = 6.0
"""Seconds without a valid line until the board is said to be silent; it gives a sign of life every 2 s."""
CLOCKS: Final = 3
"""Clock exchanges after a start, if they are quick."""
CLOCKS_AT_MOST: Final = 24
"""On a line that delays."""
NARROW: Final = 0.006
"""Seconds between which the board's time must lie to be known well enough."""
CLOCK_AGAIN: Final = 30.0
"""Seconds until the clocks are compared again."""
ROUNDING: Final = 0.002
"""Seconds by which bounds may cross: the board tells whole milliseconds."""
DRIFT: Final = 1e-4
"""Seconds a second by which two crystals may drift apart."""
RESTED: Final = 5000
"""Milliseconds of a board's life in which a card that lay there before is still the same showing."""


class Mark:
    """How far we have taken a board's messages, kept across a restart of the box's program (not of the Pi)."""

    def __init__(self, path: Path | None) -> None:
        """``path``: a file in a directory that may be lost at power-off; None: nothing is kept."""
        self._path = path
        self.boot = ""
        self.seq = 0
        if path is not None:
            try:
                data = json.loads(path.read_bytes())
                self.boot, self.seq = str(data["boot"]), int(data["seq"])
            except (OSError, ValueError, TypeError, KeyError):
                pass  # none yet: the board's own word counts

    def set(self, boot: str, seq: int) -> None:
        """Everything up to ``seq`` is taken."""
        self.boot, self.seq = boot, seq
        if self._path is None:
            return
        temporary = self._path.with_name(self._path.name + ".new")
        try:
            temporary.write_text(json.dumps({"boot": boot, "seq": seq}))
            os.replace(temporary, self._path)
        except OSError as e:
            _log.warning("%s cannot be written (%s): a restart may count a card twice", self._path, e.strerror)
            self._path = None


class Clock:
    """The board's clock against ours, from questions and answers.

    Each exchange says that the board's time lies between our question and its answer's arrival; all of them together
    say it more exactly than the quickest alone, since a line that delays does not delay every way each time.
    """

    def __init__(self) -> None:
        self._bounds: tuple[float, float] | None = None
        """Between which the board's start lies in our time."""
        self._since = 0.0
        """When they were found: they widen as the clocks drift."""
        self._asked: dict[str, float] = {}
        self._token = 0
        self._round = 0
        """Questions asked in this round."""

    def forget(self) -> None:
        """The board restarted: its clock starts anew."""
        self._bounds = None
        self.again()

    def again(self) -> None:
        """Time for another round; what is known serves on."""
        self._asked.clear()
        self._round = 0

    @property
    def left(self) -> bool:
        """Whether more questions are wanted in this round."""
        wide = self._bounds is None or self._bounds[1] - self._bounds[0] > NARROW
        return self._round < (CLOCKS_AT_MOST if wide else CLOCKS)

    def question(self, now: float) -> bytes:
        self._token = (self._token + 1) % 10000
        self._asked = {str(self._token): now}
        self._round += 1
        return line("K", str(self._token))

    def answer(self, token: str, at: int, now: float) -> bool:
        """The board's ``at`` in ms lies between our question and now; false for an answer to no question."""
        asked = self._asked.pop(token, None)
        if asked is None:
            return False
        new = asked - at / 1000, now - at / 1000
        low, high = self._widened(now) if self._bounds else new
        low, high = max(low, new[0]), min(high, new[1])
        self._bounds, self._since = (low, high) if low <= high + ROUNDING else new, now
        return True

    def _widened(self, now: float) -> tuple[float, float]:
        assert self._bounds is not None
        drift = DRIFT * (now - self._since)
        return self._bounds[0] - drift, self._bounds[1] + drift

    def ours(self, at: int, now: float) -> float:
        """When that was in our seconds; now, while the clocks were not compared yet. Never in the future."""
        return now if self._bounds is None else min(now, at / 1000 + sum(self._bounds) / 2)


class BoardDriver:
    """One reader board."""

    def __init__(self, mark: Mark) -> None:
        self._mark = mark
        self._lines = Lines()
        self._clock = Clock()
        self._boot = ""
        self._expected = 0
        self._lying: set[tuple[str, str]] = set()
        """Numbers and texts: there are copies with the same number."""
        self._rested: set[tuple[str, str]] = set()
        """What lay there when the board restarted."""
        self._heard = 0.0
        self._ask_at = 0.0
        self._clock_at: float | None = None
        self._greeted = False
        self._state = ""
        self._why = ""
        """Its own words for what is broken."""

    @property
    def deadline(self) -> float | None:
        times = [self._heard + SILENT if self._state != "dumb" else self._ask_at]
        if not self._greeted:
            times.append(self._ask_at)
        if self._clock_at is not None:
            times.append(self._clock_at)
        return min(times)

    def opened(self, now: float) -> Sequence[Action]:
        self._lines = Lines()
        self._greeted = False
        self._state = ""
        self._heard = now
        self._clock_at = None
        return self._question(now)

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        actions: list[Action] = []
        for fields in self._lines.feed(data):
            try:
                self._message(fields, now, actions)
            except (ValueError, IndexError):
                _log.debug("reader board: %r makes no sense", fields)
        return actions

    def wake(self, now: float) -> Sequence[Action]:
        actions: list[Action] = []
        if self._state != "dumb" and now >= self._heard + SILENT:
            self._say("dumb", actions)
            self._greeted = False
        if (not self._greeted or self._state == "dumb") and now >= self._ask_at:
            actions += self._question(now)
        if self._clock_at is not None and now >= self._clock_at:
            if not self._clock.left:
                self._clock.again()
            self._compare(now, actions)
        return actions

    def _question(self, now: float) -> list[Action]:
        self._ask_at = now + ASK
        return [Send(line("Q"))]

    def _compare(self, now: float, actions: list[Action]) -> None:
        """Asks for the board's time; the next question follows the answer, or comes a second later."""
        actions.append(Send(self._clock.question(now)))
        self._clock_at = now + (ASK if self._clock.left else CLOCK_AGAIN)

    def _message(self, fields: list[str], now: float, actions: list[Action]) -> None:
        kind = fields[0]
        if kind == "H":
            if fields[1] != PROTOCOL:
                self._heard = now
                self._greeted = True
                self._say("stranger", actions)
                return
            known = fields[3] == self._boot
            self._hear(fields[3], now, actions, int(fields[6]))
            if known and not self._greeted:
                self._clock.again()
                self._compare(now, actions)
            self._greeted = True
            self._say(fields[5], actions)
        elif kind == "B":
            if fields[1] != self._boot:
                actions += self._question(now)
                return
            self._hear(fields[1], now, actions)
            self._say(fields[3], actions)
            actions.append(self._taken())  # and so the board knows that somebody listens
        elif kind == "E":
            self._why = unquoted(fields[2]) or ""
        elif kind == "K":
            if fields[1] == self._boot and self._clock.answer(fields[2], int(fields[3]), now):
                self._hear(fields[1], now, actions)
                if self._clock.left:
                    self._compare(now, actions)
        elif kind in ("C", "G", "T"):
            self._hear(fields[1], now, actions, int(fields[3]))
            self._event(kind, fields, now, actions)

    def _hear(self, boot: str, now: float, actions: list[Action], first: int | None = None) -> None:
        """A valid line: which life of the board it is from, and the oldest message that it still keeps."""
        self._heard = now
        if boot != self._boot:
            self._boot = boot
            self._rested |= self._lying
            self._lying.clear()
            self._clock.forget()
            self._compare(now, actions)
            self._expected = self._mark.seq + 1 if self._mark.boot == boot else 0
        if first is not None:
            self._expected = max(self._expected, first)

    def _event(self, kind: str, fields: list[str], now: float, actions: list[Action]) -> None:
        seq, at = int(fields[2]), int(fields[4])
        if seq == self._expected:
            try:
                self._take(kind, fields, at, now, actions)
            except (ValueError, IndexError):  # a whole line that means nothing: it will not get better
                _log.warning("reader board: %r makes no sense", fields)
            self._expected += 1
            self._mark.set(self._boot, seq)
        # What is behind was lost or is on its way again; what is taken is acknowledged, however often it comes.
        actions.append(self._taken())

    def _taken(self) -> Action:
        """Acknowledges everything that was taken."""
        return Send(line("A", self._boot, str(max(0, self._expected - 1))))

    def _take(self, kind: str, fields: list[str], at: int, now: float, actions: list[Action]) -> None:
        uid = fields[5]
        if at > RESTED:
            self._rested.clear()
        if kind == "C":
            text = unquoted(fields[6])
            card = (uid, fields[6])
            new = card not in self._rested
            self._lying.add(card)
            self._rested.discard(card)
            if new:
                actions.append(Seen(tag_payload(bytes.fromhex(uid), text), self._clock.ours(at, now)))
        elif kind == "G":
            self._lying = {card for card in self._lying if card[0] != uid}
        else:
            actions.append(Say(two_tags(bytes.fromhex(uid), bytes.fromhex(fields[6]))))

    def _say(self, state: str, actions: list[Action]) -> None:
        """What the board says of itself, at the edges."""
        if state == self._state or state == "start":
            return
        self._state = state
        if state == "ok":
            actions.append(Working())
        elif state == "silent":
            actions.append(Silent("the reader board is there, but its NFC chip is silent: check the wires between"))
        elif state == "broken":
            cure = "run `mind-box reader update`"
            if self._why.startswith("settings.py"):
                cure = "correct that file on the board, or replace it with `mind-box reader update --settings`"
            actions.append(Silent(f"the reader board is there, but does not run ({self._why}): {cure}"))
        elif state == "stranger":
            actions.append(Silent("the reader board speaks another protocol: run `mind-box reader update`"))
        else:
            actions.append(Silent("the reader board says nothing: unplug it and plug it in again"))


def driver(settings: ReaderSettings, mark: Path | None) -> BoardDriver:  # noqa: ARG001
    """The driver of such a reader; ``mark``: see ``Mark``."""
    return BoardDriver(Mark(mark))
