"""Key events as a scanner's keyboard sends them."""

from __future__ import annotations

from collections.abc import Iterable

from mind_box.devices.readers.keyboard import EVENT

# As the kernel numbers them (linux/input-event-codes.h), written out here once more so that a slip shows.
CODES = {
    **dict(zip("1234567890", range(2, 12), strict=True)), "-": 12, "=": 13, "\t": 15, "q": 16, "w": 17, "e": 18,
    "r": 19, "t": 20, "y": 21, "u": 22, "i": 23, "o": 24, "p": 25, "[": 26, "]": 27, "\r": 28, "a": 30, "s": 31,
    "d": 32,
    "f": 33, "g": 34, "h": 35, "j": 36, "k": 37, "l": 38, ";": 39, "'": 40, "`": 41, "\\": 43, "z": 44, "x": 45,
    "c": 46, "v": 47, "b": 48, "n": 49, "m": 50, ",": 51, ".": 52, "/": 53, " ": 57,
}  # fmt: skip
SHIFTED = dict(zip('!@#$%^&*()_+{}:"~|<>?', "1234567890-=[];'`\\,./", strict=True))
KEYPAD = {**dict(zip("789456123", (71, 72, 73, 75, 76, 77, 79, 80, 81), strict=True)), "0": 82, "\r": 96}
LEFT_SHIFT, RIGHT_SHIFT, LEFT_CTRL, LEFT_ALT, RIGHT_ALT = 42, 54, 29, 56, 100
DOWN, UP, REPEAT = 1, 0, 2


def tap(code: int) -> list[tuple[int, int, int]]:
    return [(1, code, DOWN), (0, 0, 0), (1, code, UP), (0, 0, 0)]


def typed(text: str, shift: int = LEFT_SHIFT) -> list[tuple[int, int, int]]:
    """The key events with which a scanner types a text."""
    events: list[tuple[int, int, int]] = []
    for char in text:
        plain = SHIFTED.get(char, char.lower())
        held = char != plain
        events += [(1, shift, DOWN)] if held else []
        events += tap(CODES[plain])
        events += [(1, shift, UP)] if held else []
    return events


def packed(events: Iterable[tuple[int, int, int]]) -> bytes:
    return b"".join(EVENT.pack(1, 2, *event) for event in events)


def by_number(text: str, digits: int = 3) -> list[tuple[int, int, int]]:
    """The key events with which a scanner in ALT mode types a text."""
    events: list[tuple[int, int, int]] = []
    for char in text:
        number = [e for digit in str(ord(char)).zfill(digits) for e in tap(KEYPAD[digit])]
        events += [(1, LEFT_ALT, DOWN), *number, (1, LEFT_ALT, UP)]
    return events


def stuck(*keys: int) -> list[tuple[int, int, int]]:
    return [event for key in keys for event in ((1, key, DOWN), (0, 0, 0))]
