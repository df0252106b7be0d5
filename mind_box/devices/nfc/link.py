"""The line protocol between our reader board and the box (``firmware/PROTOCOL.md``): fields to bytes and back.

A line is ``$``, fields with a blank between them, ``*``, the CRC-32 of the bytes in between as eight hex digits,
and a line end. All of it is printable ASCII.
"""

import binascii

LONGEST = 512
"""Bytes of the longest line; a longer one is dropped."""
PROTOCOL = "1"

_PLAIN = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz:._+/-"


def line(*fields: str) -> bytes:
    """The bytes of one message. Fields hold no blank and nothing but printable ASCII: see ``quoted``."""
    body = " ".join(fields).encode()
    return b"$" + body + b"*%08X\n" % (binascii.crc32(body) & 0xFFFFFFFF)


def quoted(text: str | None) -> str:
    """Any text as one field; None is ``-``, and what is not a plain character of a label is %XX of its UTF-8."""
    if text is None:
        return "-"
    if text == "-":
        return "%2D"
    out = ""
    for byte in text.encode():
        out += chr(byte) if byte in _PLAIN else f"%{byte:02X}"
    return out or "%"


def unquoted(field: str) -> str | None:
    """The text of a field. Raises ``ValueError`` for what ``quoted`` never writes."""
    if field == "-":
        return None
    if field == "%":
        return ""
    parts = field.split("%")
    data = parts[0].encode()
    for part in parts[1:]:
        data += binascii.unhexlify(part[:2]) + part[2:].encode()
    return data.decode()


class Lines:
    """Finds messages in a stream of bytes; whatever is none is dropped. Holds at most one line."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> list[list[str]]:
        """The messages that these bytes complete, each a list of fields."""
        found = []
        b = (self._buffer + data).replace(b"\r", b"\n").split(b"\n")
        self._buffer = b.pop()
        if len(self._buffer) > LONGEST:
            self._buffer = self._buffer[:1]  # too long for a line: what is left makes no message
        for part in b:
            fields = _fields(part)
            if fields:
                found.append(fields)
        return found


def _fields(part: bytes) -> list[str] | None:
    """The fields of a line without its end; None for rubbish."""
    start = part.rfind(b"$")  # rubbish may stand in front, even the beginning of another line
    if start < 0 or len(part) - start > LONGEST or part[-9:-8] != b"*":
        return None
    body = part[start + 1 : -9]
    if b"%08X" % (binascii.crc32(body) & 0xFFFFFFFF) != part[-8:] or not body:
        return None
    for byte in body:
        if not 0x20 <= byte < 0x7F:
            return None
    return body.decode().split(" ")
