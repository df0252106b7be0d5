"""Which tags lie in the field: a tag is one card from when it comes until it has been away for a time."""

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


class Sink:
    """Whoever is told. Made to be subclassed."""

    def send(self, data: bytes) -> None:
        """These bytes go to the chip."""

    def card(self, uid: bytes, text: str | None, at: int) -> None:
        """A tag was shown at ``at`` ms: 4, 7 or 10 bytes of number, and its text if it has one."""

    def gone(self, uid: bytes) -> None:
        """That tag is away."""

    def two(self, first: bytes, second: bytes) -> None:
        """Two tags lie in the field: their order cannot be known. Said once."""

    def up(self, version: bytes) -> None:
        """The chip answers, with its version."""

    def down(self, why: str) -> None:
        """The chip is silent, or is another one. Said once."""


class Tag:
    """A tag in the field, or just away."""

    def __init__(self, uid: bytes, kind: int, at: int) -> None:
        self.uid = uid
        self.kind = kind  # its SEL_RES
        self.first = at
        self.seen = at
        self.sights = 0  # polls that found it
        self.poll = 0  # the number of the last of these
        self.misses = 0  # polls in a row that did not
        self.missed = at  # when the first of these was
        self.reads = _READS
        self.blank = False  # it was read once, and had no text
        self.told = False
        self.doubted = False  # it was told once, and may be another one by now
        self.words: str | None = None


class Presence:
    """Turns what each poll finds into cards shown and taken away, each once."""

    def __init__(self, sink: Sink, away: int) -> None:
        """``away``: ms that a tag must have been away before it counts again."""
        self._sink = sink
        self._away = away
        self._pair: tuple[bytes, bytes] | None = None
        self._polls = 0
        self.tags: list[Tag] = []

    def unknown(self, uid: bytes, kind: int, now: int) -> bool:
        """Whether a tag that is found now is one whose text is not known, or may be."""
        uid = _lasting(uid, kind)
        for tag in self.tags:
            if tag.uid == uid:
                return not tag.told or _swapped(tag, kind, now)
        return True

    def poll(self, found: list[tuple[bytes, int]], now: int) -> list[Tag]:
        """One poll found exactly these, each with its SEL_RES; returns their tags."""
        self._polls += 1
        seen = [self._tag(uid, kind, now) for uid, kind in found]
        for tag in seen:
            for other in self.tags:
                # Both answer at once, or in turn: a tag that has just been read ignores the next call.
                if other is not tag and (other in seen or (0 < tag.misses < _MISSES and other.poll > tag.poll)):
                    self._two(tag.uid, other.uid)
        for tag in seen:
            tag.sights += 1
            tag.misses = 0
            tag.seen = now
            tag.poll = self._polls
        for tag in list(self.tags):
            if tag not in seen:
                self._miss(tag, now)
        return seen

    def tell(self, tag: Tag, words: str | None) -> None:
        """The tag's memory was read: this is its text. That it has none is believed the second time."""
        if words is None:
            if tag.blank:
                tag.reads = 0
                self.by_number(tag)
            tag.blank = True
        elif not tag.told:
            tag.told = True
            if self._changed(tag, words) and not self._twin(tag, words):
                self._sink.card(tag.uid, words, tag.first)

    def by_number(self, tag: Tag) -> None:
        """The tag has no text that one can read. It counts when it was seen twice, lest a misread number be one."""
        if tag.sights > 1 and not tag.told:
            tag.told = True
            if self._changed(tag, None):
                self._sink.card(tag.uid, None, tag.first)

    def _changed(self, tag: Tag, words: str | None) -> bool:
        """Notes what was read of a tag; false when it is what was told before. What could be told no more is gone."""
        same = tag.doubted and tag.words == words
        if tag.doubted and not same:
            self._sink.gone(tag.uid)
        tag.doubted = False
        tag.words = words
        return not same

    def _twin(self, tag: Tag, words: str) -> bool:
        """Whether this is a tag of the same text that lies there under another number.

        A checksum of 8 bits lets some rubbish by: then one of the two is a number that was misread, and seen once.
        """
        for other in self.tags:
            if other is not tag and other.words == words and (other.sights == 1 or tag.first - other.seen < _SWAP):
                return True
        return False

    def _tag(self, uid: bytes, kind: int, now: int) -> Tag:
        uid = _lasting(uid, kind)
        for tag in self.tags:
            if tag.uid == uid:
                if tag.told and _swapped(tag, kind, now):
                    tag.told = tag.blank = False
                    tag.doubted = True
                    tag.kind = kind
                    tag.first = now
                    tag.sights = 0
                    tag.reads = _READS_AGAIN
                return tag
        tag = Tag(uid, kind, now)
        self.tags.append(tag)
        if len(self.tags) > _MOST:
            self._forget(self.tags[0])
        return tag

    def _miss(self, tag: Tag, now: int) -> None:
        tag.misses += 1
        if tag.misses == 1:
            tag.missed = now
        if tag.misses >= _MISSES and now - tag.missed >= self._away:
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


def _lasting(uid: bytes, kind: int) -> bytes:
    """A number that a tag keeps. Phones and some passes make up 08 and three more bytes each time they are asked.

    Only tags of ISO 14443-4 can (SEL_RES says so): on a MIFARE Classic card 08 begins a number like any other.
    """
    return b"\x08\x00\x00\x00" if len(uid) == 4 and uid[0] == 0x08 and kind & 0x20 else uid


def _swapped(tag: Tag, kind: int, now: int) -> bool:
    """Whether a tag that was told, and is found now, may be another one with the same number."""
    return kind != tag.kind or (kind == 0 and tag.misses > 0 and now - tag.seen >= _SWAP)
