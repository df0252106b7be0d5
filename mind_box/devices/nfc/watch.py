"""Watches a PN532 for tags: bytes and time in, bytes and cards out, whatever bus lies between.

While nobody is there the chip itself looks for a tag and says nothing; once one was found the field is looked
at every ``POLL`` ms until the tag has been away. A tag is gone only after several missed polls: a tag that
was just read misses every other one, and a card at the edge of the field many.

That a chip answers does not mean that it looks for tags. It works once it took the call for tags; its set-up is
written again from time to time, and when a tag is missed: what was lost may be the field.
"""

from mind_box.devices.nfc.frames import ACK, ERROR, Decoder, command
from mind_box.devices.nfc.ndef import USER_PAGE, missing, text
from mind_box.devices.nfc.presence import Presence, Tag

TYPE_CHECKING = False  # as in presence.py
if TYPE_CHECKING:
    from mind_box.devices.nfc.sink import Sink

POLL = 50
"""Milliseconds between two looks at a field that has a tag in it, if nothing else is said."""
_ACK_WITHIN = 100
"""The chip takes a command within 15 ms; USB adapters hold bytes back up to 16 ms each way."""
_ANSWER_WITHIN = 150
"""The slowest command here, two tags of ten bytes, takes about 60 ms."""
_PATIENCE = 3500
"""How long the chip may look for a tag by itself before it is asked whether it still lives."""
_DOUBT = 300
"""The same on a line that damaged a frame during the last ``_DOUBT_FOR`` ms: an answer may have been lost."""
_DOUBT_FOR = 30000
_QUIET = 30
"""Silence in the middle of a frame that means the rest is lost."""
_TRIES = 3
"""How often a command is given until the chip is woken and set up anew."""
_WAKES = 5
"""How often it is woken until it is said to be silent."""
_IDLE = 3000
"""How long a chip that worked may fail, however often it is set up, until that is said: a bad line does it too."""
_REWRITE = 14000
"""How long a set-up that nobody looked at is believed."""
_MISSED = 5
"""Each so many polls in a row that a tag misses the set-up is written again."""
_HASTE = 1000
"""The least between two set-ups of a chip that gives up looking though it was told not to."""
_PAUSE = 500
"""Between two attempts to find a silent chip."""
_SAM = 0x14
_VERSION = 0x02
_RF = 0x32
_LIST = 0x4A
_EXCHANGE = 0x40
_READ = 0x30
_FOREVER = 0xFF
_FIELD_ON = b"\x01\x01"


class Watch:
    """The conversation with one PN532."""

    def __init__(self, sink: "Sink", away: int = 1000, wake: bytes = b"", poll: int = POLL) -> None:
        """``away``: ms that a tag must have been away before it counts again. ``wake``: what wakes the chip.

        ``poll``: ms between two looks while a tag is there.
        """
        self._sink = sink
        self._poll = poll
        self._presence = Presence(sink, away)
        self._wake = wake
        self._decoder = Decoder()
        self._up: bool | None = None
        self._code = 0  # the command under way; 0: none, waiting for _due
        self._params = b""
        self._acked = False
        self._within = 0
        self._tries = 0
        self._doubt = 0  # until when the line is not trusted
        self._due = 0
        self._quiet = 0  # when a frame that has begun counts as cut; 0: none has
        self._retries = 0  # how often the chip tries to activate a tag, as it was last told
        self._most = 2  # tags that it is asked for
        self._version = b""  # empty: it was not set up, or has lost that as far as one knows
        self._written = 0  # when it was set up
        self._mute = False  # the last call for tags was taken, and not answered
        self._rounds = 1  # how often it was set up since it last took the call for tags
        self._worked = 0  # when that was
        self._reading: Tag | None = None
        self._target = 0
        self._memory = b""

    @property
    def deadline(self) -> int:
        """When ``tick`` must be called, in ms."""
        return min(self._due, self._quiet) if self._quiet else self._due

    def start(self, now: int) -> None:
        """The bus was opened: wakes the chip and sets it up. Tags that were known stay known."""
        self._up = None
        self._most = 2
        self._decoder.reset()
        self._quiet = 0
        self._doubt = now + _DOUBT_FOR
        self._rounds = 1
        self._worked = now
        self._version = b""
        self._set_up(now)

    def feed(self, data: bytes, now: int) -> None:
        """Bytes from the chip, cut anywhere."""
        frames = self._decoder.feed(data)
        for frame in frames:
            self._frame(frame, now)
        # Bytes that make no frame are the rest of a damaged one. Zeros are: frames are padded with them.
        damaged = not frames and data.strip(b"\x00")
        self._quiet = now + _QUIET if damaged or self._decoder.pending else 0

    def tick(self, now: int) -> None:
        """Time has passed; early is harmless."""
        if self._quiet and now >= self._quiet:
            self._quiet = 0
            frames = self._decoder.give_up()
            for frame in frames:
                self._frame(frame, now)
            if self._decoder.pending:
                self._quiet = now + _QUIET
            elif not frames and self._code and self._acked:
                self._again(now)  # the answer came in pieces that make none: ask for it again
        if now < self._due:
            return
        if not self._code:
            self._next(now)
        elif self._code == _LIST and self._acked:
            self._unanswered(now)
        else:
            self._again(now)

    # -- commands

    def _ask(self, code: int, params: bytes, within: int, now: int) -> None:
        self._code, self._params, self._within = code, params, within
        self._tries = _WAKES if code == _SAM else _TRIES
        if self._up is False:  # it is asked every now and then anyway
            self._tries = 2 if code == _SAM else 1
        self._give(now)

    def _give(self, now: int) -> None:
        self._tries -= 1
        self._acked = False
        self._due = now + _ACK_WITHIN
        frame = command(self._code, self._params)
        self._sink.send(self._wake + frame if self._code == _SAM else frame)

    def _again(self, now: int) -> None:
        """The command failed: once more, or the chip is silent."""
        self._decoder.reset()
        self._quiet = 0
        self._doubt = now + _DOUBT_FOR
        if self._code == _EXCHANGE and self._acked:
            self._unread(now)  # a late answer could be taken for the next block: start the reading anew
            return
        if self._tries:
            if self._code != _SAM:
                self._sink.send(ACK)
            self._give(now)
            return
        # It failed for good. The chip may have slept or restarted: wake it and set it up.
        self._rounds += 1
        if self._rounds > 1 and self._code == _LIST and self._retries != _FOREVER:
            self._most = 1
        if self._up is not False and now - self._worked < _IDLE and (self._up or self._code != _SAM):
            self._version = b""
            self._set_up(now)
        elif self._code == _SAM:
            self._down("the PN532 does not answer: check its wiring, its power and its bus switches", now)
        else:
            self._down("the PN532 answers, but does not look for tags: take its power away and give it back", now)
            self._due += _PAUSE

    def _down(self, why: str, now: int) -> None:
        self._code = 0
        self._version = b""
        self._rounds = 1
        self._due = now + _PAUSE
        if self._up is not False:
            self._up = False
            self._sink.down(why)

    def _frame(self, frame: bytes, now: int) -> None:
        if not self._code:
            return
        if not frame:
            if not self._acked:
                self._acked = True
                self._due = now + (_ANSWER_WITHIN if self._rounds else self._within)
        elif frame == ERROR:  # it came whole, and is not understood
            if self._code == _LIST and self._params[0] > 1:
                self._most = 1
                self._look(now)
            elif self._params == _FIELD_ON:
                self._next(now)  # the call for tags switches it on as well
            else:
                self._again(now)
        elif len(frame) >= 2 and frame[0] == 0xD5 and frame[1] == self._code + 1:
            self._answer(self._code, frame[2:], now)

    def _answer(self, code: int, data: bytes, now: int) -> None:
        if code == _LIST:
            found = targets(data)
            if found is None:
                self._again(now)
                return
            self._code = 0
            self._listed(found, now)
            return
        self._code = 0
        self._due = now
        if code == _SAM:
            if self._version:
                self._ask(_RF, _FIELD_ON, _ANSWER_WITHIN, now)
            else:
                self._ask(_VERSION, b"", _ANSWER_WITHIN, now)
        elif code == _VERSION:
            self._is(data, now)
        elif code == _RF:
            if self._params == _FIELD_ON:
                self._next(now)
            else:
                self._look(now)
        elif code == _EXCHANGE:
            self._block(data, now)

    def _is(self, data: bytes, now: int) -> None:
        if self._reading is not None:  # asked after a failed read, to have old answers behind us
            self._reading = None
            self._next(now)
            return
        if len(data) != 4 or data[0] != 0x32:
            self._down("the chip is no PN532: the reader board must carry one", now)
            return
        self._version = data
        self._retries = 0
        if self._up is None:
            self._next(now)
        else:
            self._ask(_RF, _FIELD_ON, _ANSWER_WITHIN, now)

    # -- set-up

    def _set_up(self, now: int) -> None:
        """Wakes the chip and writes its set-up: from scratch, or again in passing."""
        self._written = now
        if not self._version:
            self._reading = None
        self._ask(_SAM, b"\x01\x14\x01", _ANSWER_WITHIN, now)

    def _works(self, now: int) -> None:
        self._rounds = 0
        self._worked = now
        if not self._up:
            self._up = True
            self._sink.up(self._version)

    # -- the field

    def _next(self, now: int) -> None:
        """What comes now: set up the chip, look once, or let the chip look by itself."""
        if not self._version or now - self._written >= _REWRITE:
            self._set_up(now)
            return
        retries = 1 if self._presence.tags else _FOREVER
        if retries != self._retries:
            self._retries = retries
            self._ask(_RF, bytes((0x05, 0xFF, 0x01, retries)), _ANSWER_WITHIN, now)
        else:
            self._look(now)

    def _look(self, now: int) -> None:
        if self._retries == _FOREVER:
            self._ask(_LIST, b"\x01\x00", _DOUBT if now < self._doubt else _PATIENCE, now)
        else:
            self._ask(_LIST, bytes((self._most, 0)), _ANSWER_WITHIN, now)

    def _unanswered(self, now: int) -> None:
        """The chip took the call for tags, and found none so far."""
        if self._retries != _FOREVER:  # it should have said so: an answer was lost, or what it was told is
            self._doubt = now + _DOUBT_FOR
            self._retries = 0
            if self._mute:  # twice in a row: it looks for ever, and there is nothing
                self._polled([], now)
            self._mute = True
        elif self._rounds:  # it took it: that will do
            self._works(now)
            self._due = now + self._within
            return
        self._works(now)
        self._sink.send(ACK)  # stop looking, and see that the chip still answers
        self._next(now)

    def _listed(self, found: list[tuple[int, bytes, int]], now: int) -> None:
        self._works(now)
        self._mute = False
        seen = self._polled([(uid, kind) for _, uid, kind in found], now)
        for i, tag in enumerate(seen):
            if tag.told:
                continue
            if tag.kind == 0 and tag.reads:  # NTAG and Ultralight: they have text
                tag.reads -= 1
                self._reading, self._target, self._memory = tag, found[i][0], b""
                self._read(now)
                return
            self._presence.by_number(tag)
        self._due = now if [tag for tag in seen if not tag.told] else now + self._poll
        if not found and self._retries == _FOREVER and now - self._written >= _HASTE:
            self._retries = 0  # it was told to look until it finds one
            self._written = now - _REWRITE

    def _polled(self, found: list[tuple[bytes, int]], now: int) -> list[Tag]:
        seen = self._presence.poll(found, now)
        if not found and [tag for tag in self._presence.tags if tag.misses and not tag.misses % _MISSED]:
            self._written = now - _REWRITE  # a set-up that was lost looks like a tag that was taken away
        return seen

    # -- a tag's text

    def _read(self, now: int) -> None:
        page = USER_PAGE + len(self._memory) // 4
        self._ask(_EXCHANGE, bytes((self._target, _READ, page)), _ANSWER_WITHIN, now)

    def _block(self, data: bytes, now: int) -> None:
        tag = self._reading
        if tag is None or len(data) != 17 or data[0] & 0x3F:
            self._unread(now)
            return
        self._memory += data[1:]
        if missing(self._memory):
            self._read(now)
            return
        self._reading = None
        self._presence.take(tag, text(self._memory))
        self._due = now  # look again at once: a second card may lie there, or the next may be coming

    def _unread(self, now: int) -> None:
        """The tag did not give its text. The version is asked for only to have every late answer behind us."""
        self._sink.send(ACK)
        self._ask(_VERSION, b"", _ANSWER_WITHIN, now)


def targets(data: bytes) -> list[tuple[int, bytes, int]] | None:
    """The tags in an answer to InListPassiveTarget, as (target number, UID, SEL_RES); None if it makes no sense."""
    if not data or data[0] > 2:
        return None
    found = []
    at = 1
    for _ in range(data[0]):
        if len(data) < at + 5:
            return None
        kind, length = data[at + 3], data[at + 4]
        uid = bytes(data[at + 5 : at + 5 + length])
        if length not in (4, 7, 8, 10, 12) or len(uid) != length:
            return None
        if length in (8, 12):  # some chips leave the 88 in that only says that more of the number follows
            if uid[0] != 0x88:
                return None
            uid = uid[1:4] + (uid[4:] if length == 8 else uid[5:])
        found.append((data[at], uid, kind))
        at += 5 + length
        if kind & 0x20 and at < len(data):  # ISO 14443-4: its ATS follows, with a length that counts itself
            at += max(1, data[at])
    return found if at == len(data) else None  # a byte of nought that is lost in it does not change the checksum
