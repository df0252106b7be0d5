"""The reader's side of the line protocol: what it has seen goes to the box, again and again until it is taken.

Pure: bytes and time in, bytes out. It runs on CPython too, where most of its tests do.
"""

from mind_box.devices.nfc.link import PROTOCOL, Lines, line, quoted

VERSION = "1.0"

BEAT = 2000
"""ms between two signs of life."""
RESEND = 300
"""ms until what was not acknowledged is sent again."""
RESEND_ALONE = 2000
"""The same while no box has spoken for ``ALONE`` ms."""
ALONE = 5000
AT_ONCE = 4
"""Messages that are sent again at once: a box that reads nothing holds each up for half a second."""
EXPIRE = 30000
"""ms after which a card that no box took is dropped: played so late it would be a surprise."""
MOST = 32
"""Messages kept for the box; the oldest goes first."""
LONGEST_TEXT = 32
"""Letters of a tag's text that are passed on; longer ones are no card's."""
LONGEST_WHY = 100
"""Letters of the words for what is broken."""


class Outbox:
    """Messages with numbers, kept until they are acknowledged."""

    def __init__(self, write, unit: str, boot: str, now: int) -> None:
        """``write`` takes bytes for the box. ``unit`` is the board's serial number, ``boot`` new at each start."""
        self._write = write
        self._unit = unit
        self._boot = boot
        self._lines = Lines()
        self.queue = []  # what no box has taken: (seq, at, kind, fields)
        self._next = 1
        self._sent = now
        self._beat = now
        self._heard = None
        self.chip = "start"
        self._why = ""
        self.update = False
        """True when the box has asked the reader to stop for an update."""
        self._hello(now)

    def attended(self, now: int) -> bool:
        """True while a box listens."""
        return self._heard is not None and now - self._heard < ALONE

    def card(self, uid: bytes, text, at: int, now: int) -> None:
        """A card was shown at ``at``."""
        if text is not None and len(text) > LONGEST_TEXT:
            text = None
        self._add("C", at, now, uid.hex(), quoted(text))

    def gone(self, uid: bytes, now: int) -> None:
        """A card is away."""
        self._add("G", now, now, uid.hex())

    def two(self, first: bytes, second: bytes, now: int) -> None:
        """Two tags lie in the field."""
        self._add("T", now, now, first.hex(), second.hex())

    def state(self, chip: str, now: int) -> None:
        """The chip is ``ok`` or ``silent``: said at once, and with every beat."""
        if chip != self.chip:
            self.chip = chip
            self._sign(now)

    def broken(self, why: str, now: int) -> None:
        """The reader does not run, and why: said with every sign of life."""
        self._why = why[:LONGEST_WHY]
        self.state("broken", now)

    def feed(self, data: bytes, now: int) -> None:
        """Bytes from the box."""
        for fields in self._lines.feed(data):
            self._message(fields, now)

    def tick(self, now: int) -> None:
        """Call it often."""
        while self.queue and now - self.queue[0][1] > EXPIRE:
            self.queue.pop(0)
        if self.queue and now - self._sent >= (RESEND if self.attended(now) else RESEND_ALONE):
            self._sent = now
            for entry in self.queue[:AT_ONCE]:
                self._send(entry)
        if now - self._beat >= BEAT:
            self._sign(now)

    def _add(self, kind: str, at: int, now: int, *fields) -> None:
        if not self.queue:
            self._sent = now
        entry = (self._next, at, kind, fields)
        self._next += 1
        self.queue.append(entry)
        if len(self.queue) > MOST:
            self.queue.pop(0)
        self._send(entry)

    def _send(self, entry) -> None:
        seq, at, kind, fields = entry
        self._write(line(kind, self._boot, str(seq), str(self.queue[0][0]), str(at), *fields))

    def _sign(self, now: int) -> None:
        """A sign of life: the whole hello while nobody listens, a short one then."""
        self._beat = now
        if self.attended(now):
            self._excuse()
            self._write(line("B", self._boot, str(now), self.chip))
        else:
            self._hello(now)

    def _hello(self, now: int) -> None:
        self._excuse()
        first = self.queue[0][0] if self.queue else self._next
        self._write(line("H", PROTOCOL, self._unit, self._boot, VERSION, self.chip, str(first), str(now)))

    def _excuse(self) -> None:
        if self._why:
            self._write(line("E", self._boot, quoted(self._why)))

    def _message(self, fields, now: int) -> None:
        kind = fields[0]
        if kind not in ("Q", "A", "K", "U"):
            return
        self._heard = now
        if kind == "Q":
            self._hello(now)
        elif kind == "K" and len(fields) == 2:
            self._write(line("K", self._boot, fields[1], str(now)))
        elif kind == "A" and len(fields) == 3 and fields[1] == self._boot and fields[2].isdigit():
            taken = int(fields[2])
            self.queue = [entry for entry in self.queue if entry[0] > taken]
        elif kind == "U":
            self.update = True
            self._write(line("U", self._boot))
