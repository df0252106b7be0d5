"""Whom the watch over the tags tells. The board has its own (``firmware/card_reader/reader.py``)."""


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
