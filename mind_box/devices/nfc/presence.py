"""Which tags lie in the field: a tag is one card from when it comes until it has been away for a time."""

_MISSES = 10
"""Polls in a row that a tag must miss before it may be gone."""
_READS = 16
"""Attempts to read a tag's text before it is known by its number alone."""
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

    def __init__(self, uid: bytes, at: int) -> None:
        self.uid = uid
        self.first = at
        self.sights = 0  # polls that found it
        self.poll = 0  # the number of the last of these
        self.misses = 0  # polls in a row that did not
        self.missed = at  # when the first of these was
        self.reads = _READS
        self.blank = False  # it was read once, and had no text
        self.told = False
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

    def poll(self, uids: list[bytes], now: int) -> list[Tag]:
        """One poll found exactly these; returns their tags."""
        self._polls += 1
        seen = [self._tag(uid, now) for uid in uids]
        for tag in seen:
            for other in self.tags:
                # Both answer at once, or in turn: a tag that has just been read ignores the next call.
                if other is not tag and (other in seen or (0 < tag.misses < _MISSES and other.poll > tag.poll)):
                    self._two(tag.uid, other.uid)
        for tag in seen:
            tag.sights += 1
            tag.misses = 0
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
            known = [t for t in self.tags if t.words == words]
            tag.words = words
            if not known:  # else the number was misread: its checksum of 8 bits lets some rubbish by
                self._sink.card(tag.uid, words, tag.first)

    def by_number(self, tag: Tag) -> None:
        """The tag has no text that one can read. It counts when it was seen twice, lest a misread number be one."""
        if tag.sights > 1 and not tag.told:
            tag.told = True
            self._sink.card(tag.uid, None, tag.first)

    def _tag(self, uid: bytes, now: int) -> Tag:
        if len(uid) == 4 and uid[0] == 0x08:  # phones and some passes: a new random number each time
            uid = b"\x08\x00\x00\x00"
        for tag in self.tags:
            if tag.uid == uid:
                return tag
        tag = Tag(uid, now)
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
        self.by_number(tag)  # taken away before its text could be read: better an unknown card than silence
        self.tags.remove(tag)
        if self._pair is not None and tag.uid in self._pair:
            self._pair = None
        if tag.told:
            self._sink.gone(tag.uid)

    def _two(self, first: bytes, second: bytes) -> None:
        pair = (first, second) if first < second else (second, first)
        if pair != self._pair:
            self._pair = pair
            self._sink.two(first, second)
