"""Which tags lie in the field: a tag is one card from when it comes until it has been away for a time."""

TYPE_CHECKING = False  # MicroPython has no typing, and no room for what is only a type
if TYPE_CHECKING:
    from mind_box.devices.nfc.sink import Sink

_MISSES = 10
"""Polls in a row that a tag must miss before it may be gone."""
_READS = 16
"""Attempts to read a tag's text before it is known by its number alone."""
_READS_AGAIN = 8
"""The same for a tag that was known already."""
_SWAP = 100
"""ms out of sight in which a hand can put another tag there: one with the same number, as copies have."""
_MOST = 8
"""Tags remembered at once."""


class Tag:
    """A tag in the field, or just away."""

    def __init__(self, uid: bytes, kind: int, at: int) -> None:
        self.uid = uid
        self.kind = kind  # its SEL_RES
        self.first = at
        self.seen = at  # when the last poll that found it was
        self.sights = 0  # polls that found it
        self.misses = 0  # polls in a row that did not
        self.reads = _READS
        self.blank = False  # it was read once, and had no text
        self.told = False
        self.doubted = False  # it was told once, and then it may have been another one
        self.words: str | None = None


class Presence:
    """Turns what each poll finds into cards shown and taken away, each once."""

    def __init__(self, sink: "Sink", away: int) -> None:
        """``away``: ms that a tag must have been away before it counts again."""
        self._sink = sink
        self._away = away
        self._pair: tuple[bytes, bytes] | None = None
        self._uid = b""  # the number that was looked for last
        self.tags: list[Tag] = []

    def find(self, uid: bytes, kind: int, now: int) -> Tag | None:
        """The tag that is known by this number, if any; told no more if it may be another one by now."""
        # Phones and some passes make up 08 and three more bytes each time they are asked. Only tags of ISO 14443-4
        # can, as SEL_RES says: on a MIFARE Classic card 08 begins a number like any other.
        if len(uid) == 4 and uid[0] == 0x08 and kind & 0x20:
            uid = b"\x08\x00\x00\x00"
        for tag in self.tags:
            if tag.uid == uid:
                if tag.told and (kind != tag.kind or (kind == 0 and tag.misses and now - tag.seen >= _SWAP)):
                    tag.told = tag.blank = False
                    tag.doubted = True
                    tag.kind = kind
                    tag.first = now
                    tag.sights = 0
                    tag.reads = _READS_AGAIN
                return tag
        self._uid = uid
        return None

    def poll(self, found: list[tuple[bytes, int]], now: int) -> list[Tag]:
        """One poll found exactly these, each with its SEL_RES; returns their tags."""
        seen = []
        for uid, kind in found:
            tag = self.find(uid, kind, now)
            if tag is None:
                tag = Tag(self._uid, kind, now)
                self.tags.append(tag)
                if len(self.tags) > _MOST:
                    self._forget(self.tags[0])
            seen.append(tag)
        for tag in seen:
            for other in self.tags:
                # Both answer at once, or in turn: a tag that has just been read ignores the next call.
                if other is not tag and (other in seen or (0 < tag.misses < _MISSES and other.seen > tag.seen)):
                    self._two(tag.uid, other.uid)
        for tag in seen:
            tag.sights += 1
            tag.misses = 0
            tag.seen = now
        for tag in list(self.tags):
            if tag not in seen:
                self._miss(tag, now)
        return seen

    def take(self, tag: Tag, words: str | None) -> None:
        """The tag's memory was read: this is its text. That it has none is believed the second time."""
        if words is not None:
            self._tell(tag, words)
        elif tag.blank:
            tag.reads = 0
            self.by_number(tag)
        else:
            tag.blank = True

    def by_number(self, tag: Tag) -> None:
        """The tag has no text that one can read. It counts when it was seen twice, lest a misread number be one."""
        if tag.sights > 1:
            self._tell(tag, None)

    def _tell(self, tag: Tag, words: str | None) -> None:
        if tag.told:
            return
        tag.told = True
        if tag.doubted:
            if tag.words == words:
                return
            self._sink.gone(tag.uid)
        tag.words = words
        for other in self.tags:
            # A checksum of 8 bits lets some rubbish by: of two numbers with one text, one may have been misread.
            again = other.sights == 1 or tag.first - other.seen < _SWAP
            if again and words is not None and other is not tag and other.words == words:
                return
        self._sink.card(tag.uid, words, tag.first)

    def _miss(self, tag: Tag, now: int) -> None:
        tag.misses += 1
        if tag.misses >= _MISSES and now - tag.seen >= self._away:
            self._forget(tag)

    def _forget(self, tag: Tag) -> None:
        if not tag.doubted:
            self.by_number(tag)  # taken away before its text could be read: better an unknown card than silence
        self.tags.remove(tag)
        if self._pair is not None and tag.uid in self._pair:
            self._pair = None
        if tag.told or tag.doubted:
            self._sink.gone(tag.uid)

    def _two(self, first: bytes, second: bytes) -> None:
        pair = (first, second) if first < second else (second, first)
        if pair != self._pair:
            self._pair = pair
            self._sink.two(first, second)
