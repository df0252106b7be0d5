"""The text on a tag: NFC Forum Type 2 memory (NTAG21x, Ultralight) holding an NDEF message with a Text record."""

USER_PAGE = 4
"""The first page of four bytes that holds data."""
LONGEST = 160
"""Bytes of a tag's data that are looked at: an NTAG213 has 144."""

_NULL = 0x00
_NDEF = 0x03
_END = 0xFE


def missing(memory: bytes) -> int:
    """How many more bytes of the tag's data are needed to know its text; 0 when it can be told.

    ``memory`` is what was read so far from page 4 on.
    """
    start, length = _message(memory)
    return max(0, min(start + length, LONGEST) - len(memory))


def text(memory: bytes) -> str | None:
    """The text of the first Text record, or None when the tag carries none. Never raises, whatever it reads."""
    start, length = _message(memory)
    if len(memory) < start + length:
        return None
    return _record(memory[start : start + length])


def encode(words: str, language: str = "en") -> bytes:
    """A tag's data from page 4 on that holds this text (at most 240 bytes of UTF-8)."""
    body = words.encode()
    lang = language.encode()
    record = bytes((0xD1, 1, 1 + len(lang) + len(body))) + b"T" + bytes((len(lang),)) + lang + body
    return bytes((_NDEF, len(record))) + record + bytes((_END,))


def _message(memory: bytes) -> tuple[int, int]:
    """Where the NDEF message begins, and its length; nought and nought if there is none. More may be needed to tell."""
    at = 0
    while at < len(memory):
        tag = memory[at]
        if tag == _NULL:
            at += 1
            continue
        if tag == _END:
            return 0, 0
        if at + 2 > len(memory):
            break
        length, head = memory[at + 1], 2
        if length == 0xFF:
            if at + 4 > len(memory):
                break
            length, head = memory[at + 2] << 8 | memory[at + 3], 4
        if tag == _NDEF:
            return at + head, length
        at += head + length
    if at >= LONGEST:
        return 0, 0
    return max(at, len(memory)), 4  # the next block lies further on: read on


def _record(message: bytes) -> str | None:
    """The text of the first Text record of a message."""
    at = 0
    while at + 3 <= len(message):
        flags, type_length = message[at], message[at + 1]
        at += 2
        if flags & 0x10:  # short record
            length = message[at]
            at += 1
        else:
            length = int.from_bytes(message[at : at + 4], "big")
            at += 4
        id_length = 0
        if flags & 0x08:
            if at >= len(message):
                return None
            id_length = message[at]
            at += 1
        kind = message[at : at + type_length]
        body = message[at + type_length + id_length : at + type_length + id_length + length]
        if len(body) < length:
            return None
        if flags & 0x27 == 0x01 and kind == b"T" and body:  # well-known type, in one piece
            return _words(body)
        if flags & 0x40:  # the last record
            return None
        at += type_length + id_length + length
    return None


def _words(body: bytes) -> str | None:
    words = body[1 + (body[0] & 0x3F) :]
    if body[0] & 0x80:  # UTF-16, which no label of ours uses: only its plain letters are understood
        if words[:2] == b"\xff\xfe":
            words = bytes(words[i ^ 1] for i in range(len(words) & ~1))
        if words[:2] == b"\xfe\xff":
            words = words[2:]
        if len(words) % 2 or any(words[i] for i in range(0, len(words), 2)):
            return None
        return "".join([chr(words[i]) for i in range(1, len(words), 2)])
    try:
        return words.decode()
    except UnicodeError:
        return None
