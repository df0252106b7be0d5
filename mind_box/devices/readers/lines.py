"""Scanners that send lines, on a serial port or as a keyboard: bytes in, payloads out.

Most end a code with CR, LF, CRLF, ETX or TAB; behind an ETX there may be a check sum and another end. Some serial ones
send nothing at all: then silence ends it, unless the port has shown line ends, or the text is a label without its
check. A keyboard's code never ends by silence.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mind_box.devices.readers.driver import Action, Misset, Resting, Say, Seen, Working
from mind_box.devices.readers.foreign import hint
from mind_box.devices.readers.port import SETTLE
from mind_box.settings.kinds import READERS
from mind_box.settings.schema import ReaderSettings
from mind_box.table.payload import LABEL, label_begins, label_ends, whole_label

SILENCE: Final = 0.08
"""Seconds without a byte that end a code. At 9600 baud a byte takes 0.001, a USB adapter holds it up to 0.016."""
PAUSE: Final = 1.0
"""Seconds without a byte after which a serial code that has no end is given up."""
KEYS: Final = 2.0
"""The same for a keyboard: over Bluetooth, or on a loaded machine, a second may lie between two keys."""
TYPING: Final = 20.0
"""Seconds after which a keyboard's code is given up even if keys come and come: one that never sends Enter."""
LONGEST: Final = 256
"""Bytes of the longest code; a QR version 1 holds 25."""
CHANGED: Final = 3
"""Codes without an end, one after the other, from a port that had shown line ends: it sends none any more."""

NO_CODE: Final = (
    "bytes come that make no code: check reader.baud, and that the scanner sends 8N1, plain text and a line end "
    "(a keyboard: country USA)"
)
CUT: Final = (
    "a code came in pieces and was dropped, because a part of it may be missing: show the card again; if this "
    "comes often, check the cable (labels with their check, MB1:042:F2, are put together again)"
)
UNDER_WAY: Final = "a code was under way when the reader was opened, so it was dropped: show the card again"
NO_END: Final = (
    "a code came without a line end and was dropped, because it may have been cut: set the scanner's suffix to CR "
    "(docs/scanners.md)"
)
NO_ENTER: Final = (
    "the scanner types a code without Enter or Tab behind it, so it was dropped: set its suffix to Enter (CR) "
    "(docs/scanners.md)"
)

FRAME: Final = "frame"
"""From STX to ETX."""
CODE: Final = "code"
"""With an ETX as its end, and no STX."""

_STX, _ETX = 0x02, 0x03
_ENDS = frozenset((0x09, 0x0A, 0x0D, _ETX))


class LineFramer:
    """Cuts a stream of bytes into payloads. Holds at most ``LONGEST`` bytes, whatever comes.

    A code of which a part is damaged or may be missing is no code, and goes up to the next end. Only a label with its
    check is one whatever stood before it. What a module answers to a command is taken out wherever it stands.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self.answer = bytearray()
        """What has begun like a module's answer: at first an STX or ETX like any other."""
        self.framed = False
        """After an STX whose ETX has not come."""
        self.behind = ""
        """What the last code was, if it ended with an ETX: what comes up to another end is its check sum, no code."""
        self.doubt = ""
        """Why the code under way may lack a part; empty: it is whole so far."""
        self.broken = False
        """Whether there was a pause, after which only its end may come."""
        self.printed = False
        """Whether anything of it was no control character, even if it was dropped."""
        self.ends = 0
        """Line ends seen so far, those of rubbish left out."""
        self.dropped = 0
        """Codes dropped so far."""
        self.why = ""
        """Why the last of them was."""

    @property
    def pending(self) -> bool:
        """True while a code has begun and its end is not there yet."""
        return bool(self._pending or self.answer or self.doubt)

    @property
    def damaged(self) -> bool:
        """True while there is something in it that no code holds."""
        return self.doubt == NO_CODE or "\ufffd" in self.text

    @property
    def text(self) -> str:
        """What there is of it."""
        return self._pending.decode("utf-8", "replace").strip()

    def feed(self, data: bytes) -> Iterator[str]:
        """The payloads that these bytes complete."""
        for byte in data:
            yield from self._byte(byte)

    def settle(self) -> Iterator[str]:
        """Silence: an STX or ETX that came last is not the beginning of an answer."""
        if len(self.answer) == 1:
            yield from self._no_answer()

    def end(self) -> Iterator[str]:
        """The code ends here: its payload, if it is whole."""
        text, doubt = self.text, NO_CODE if self.damaged or self.doubt == NO_END else self.doubt
        if doubt == UNDER_WAY and text.upper().startswith(LABEL):
            doubt = ""  # it shows its beginning itself
        label = whole_label(text)
        if doubt and not label and (text or doubt == NO_CODE):
            self.drop(doubt)
        self._forget()
        if label and (doubt or label_begins(text)):  # one that was cut may stand before it
            yield label
        elif text and not doubt:
            yield text

    def check_sum(self) -> Iterator[str]:
        """What was sent behind an ETX ends here: no code, but for a label with its check."""
        label = whole_label(self.text)
        self._forget()
        if label:
            yield label

    def drop(self, why: str) -> None:
        """Gives up the code under way."""
        self.count(why)
        self._forget()

    def count(self, why: str) -> None:
        """A code was dropped."""
        self.dropped += 1
        self.why = why

    def reset(self) -> None:
        """Forgets a code that has begun."""
        if (self.text or self.doubt in (NO_CODE, NO_END)) and self.behind != FRAME:
            self.drop(CUT)
        self._forget()

    def _forget(self) -> None:
        self._pending.clear()
        self.answer.clear()
        self.framed = False
        self.doubt = ""
        self.broken = self.printed = False

    def _byte(self, byte: int) -> Iterator[str]:
        if not self.answer and byte != _STX and (byte != _ETX or self.framed):
            yield from self._plain(byte)
            return
        self.answer.append(byte)
        whole = _is_answer(self.answer)
        if whole:
            self.answer.clear()
        elif whole is False:
            yield from self._no_answer()

    def _no_answer(self) -> Iterator[str]:
        first, *rest = self.answer
        self.answer.clear()
        yield from self._plain(first)
        for byte in rest:
            yield from self._byte(byte)

    def _plain(self, byte: int) -> Iterator[str]:
        if byte in _ENDS:
            self.ends += self.doubt != NO_CODE
            behind, self.behind = self.behind, "" if byte != _ETX else FRAME if self.framed else CODE
            yield from self.check_sum() if behind == FRAME or (behind and byte != _ETX) else self.end()
        elif byte == _STX:  # a frame begins here: what came before it lost its end
            self.reset()
            self.framed, self.behind = True, ""
        elif byte < 0x20 and self.behind:
            return
        elif byte < 0x20 or byte == 0x7F or len(self._pending) >= LONGEST:
            self.doubt = NO_END if 0x20 <= byte != 0x7F and not self.damaged else NO_CODE
            self._pending.clear()
        else:
            if self.broken:
                self.doubt = self.doubt or CUT
            self._pending.append(byte)
            self.printed = True


def _is_answer(data: bytearray) -> bool | None:
    """Whether this is what a GM65 or its kin answers to a command; None: it may become that.

    02 (03: "I am there"), 00 00, a length, so many bytes, and their CRC-16/XMODEM or what the manuals print for it.
    """
    if any(data[1:3]):
        return False
    if len(data) < 4 or len(data) < 6 + data[3]:
        return None
    return data[-2:] == b"\x33\x31" or binascii.crc_hqx(data[2:-2], 0) == int.from_bytes(data[-2:])


def _label_over(text: str) -> bool:
    """Whether a label has all of its check, right or wrong; or labels do that follow each other without an end."""
    return label_ends(text) or bool(whole_label(text))


class LineDriver:
    """A scanner that sends lines. It cannot be asked whether it is there: an open port is a working reader.

    What it has shown of its line ends is kept when the port is opened again: a scanner is not set anew by losing its
    cable, and then is when codes are cut.
    """

    def __init__(self, same_card_seconds: float, typed: bool = False) -> None:
        """``typed``: the scanner is a keyboard."""
        self._typed = typed
        self._framer = LineFramer()
        self._resting = Resting(same_card_seconds)
        self._opened = False
        """Whether the port was open before: codes are cut where it is lost in mid-game, hardly at the box's start."""
        self._begun = self._last = 0.0
        """When the first and the last byte of the code under way came."""
        self._paused = False
        """Silence has come since the last byte, and has ended nothing."""
        self._doubt: tuple[float, str] | None = None
        """A code that begins before this may be the rest of one: until when, and what is said of it."""
        self._loose_until = 0.0
        """A line end that comes before this shows that the code which silence has ended was cut."""
        self.has_ends = False
        """Whether the port has shown line ends, and not stopped."""
        self._unended = 0
        """Codes in a row that were given up for want of an end."""
        self._strange = 0
        """Codes in a row that are of a scanner which is set wrongly."""
        self._misset = False
        self._said: set[str] = set()
        """What was said since the last good code."""

    @property
    def deadline(self) -> float | None:
        if not self._framer.pending:
            return None
        if self._typed:
            return min(self._last + KEYS, self._begun + TYPING)
        return self._last + (PAUSE if self._paused else SILENCE)

    def opened(self, now: float) -> Sequence[Action]:
        doubtful = (
            SETTLE if self._framer.pending else SILENCE
        )  # nobody shows a card before the reader is said to be back
        self._framer.reset()
        self._last = now
        if self._opened:
            self._doubt = (now + doubtful, UNDER_WAY)
        self._opened = True
        return (Working(),)

    def received(self, data: bytes, now: float) -> Sequence[Action]:
        if now - self._last > (KEYS if self._typed else PAUSE):
            self._framer.behind = ""
        self._last, self._paused = now, False
        if not self._framer.pending:
            self._begun = now
            self._framer.doubt = self._doubt[1] if self._doubt and now < self._doubt[0] else ""
        ends, dropped = self._framer.ends, self._framer.dropped
        codes = list(self._framer.feed(data))
        if self._framer.ends > ends:
            if not self.has_ends and now < self._loose_until and codes and not whole_label(codes[0]):
                del codes[0]
                self._framer.count(CUT)
            self._shown_end()
        return [*self._seen(codes), *self._said_of(dropped)]

    def wake(self, now: float) -> Sequence[Action]:
        if self.deadline is None or now < self.deadline:
            return ()
        ends, dropped = self._framer.ends, self._framer.dropped
        codes = list(self._framer.settle())
        if self._framer.ends > ends:
            self._shown_end()
        if self._framer.pending:
            codes += self._silence(now)
        return [*self._seen(codes), *self._said_of(dropped)]

    def _shown_end(self) -> None:
        self.has_ends, self._doubt = True, None

    def _silence(self, now: float) -> Iterator[str]:
        """What silence makes of the code under way."""
        framer, text = self._framer, self._framer.text
        if framer.behind == FRAME:
            if self._typed or self._paused:
                framer.reset()
            self._paused = True
        elif self._typed or self._paused:
            if text or framer.damaged or framer.doubt == NO_END:
                self._doubt = (now + (KEYS if self._typed else PAUSE), CUT)  # what comes next may be its rest
                framer.drop(NO_CODE if framer.damaged else NO_END)
            else:  # blanks, or an answer of which a part is missing
                framer.reset()
        elif framer.damaged:
            if framer.printed:
                self._doubt = (now + PAUSE, CUT)
            yield from framer.end()
        elif self.has_ends or framer.framed or framer.answer or (text and label_begins(text) and not _label_over(text)):
            self._paused = True
            framer.broken = bool(text)
        else:
            self._loose_until = 0.0 if whole_label(text) else now + PAUSE
            yield from framer.end()

    def _seen(self, codes: Sequence[str]) -> list[Action]:
        actions: list[Action] = [Seen(p, self._last) for p in codes if self._resting.is_new(p, self._last)]
        for code in codes:
            why = hint(code, self._typed)
            self._strange = self._strange + 1 if why else 0
            if why:
                actions += self._say(why)
            elif code.isascii():  # as every card is; rubbish may happen to be UTF-8
                self._said.clear()
        if codes:
            self._unended = 0
            if self._strange > 1 and not self._misset:
                self._misset = True
                actions.append(Misset(why))
            elif self._misset and not self._strange:
                self._misset = False
                actions.append(Misset(""))
        return actions

    def _said_of(self, dropped: int) -> list[Action]:
        """What is to be said of the codes dropped since there were so many."""
        why = self._framer.why
        if self._framer.dropped == dropped:
            return []
        if why != NO_END:
            return [] if NO_CODE in self._said else self._say(why)
        self._unended += 1
        why = NO_ENTER if self._typed else NO_END
        actions = self._say(why)
        if not self._misset and (self._unended > 1 or (self._typed and not self.has_ends)):
            self._misset = True
            actions.append(Misset(why))
        if self._unended >= CHANGED:
            self.has_ends = False
        return actions

    def _say(self, text: str) -> list[Action]:
        said = text in self._said
        self._said.add(text)
        return [] if said else [Say(text)]


def driver(settings: ReaderSettings, mark: Path | None) -> LineDriver:  # noqa: ARG001
    """The driver of such a reader."""
    return LineDriver(settings.same_card_seconds, typed=READERS[settings.kind].keyboard)
