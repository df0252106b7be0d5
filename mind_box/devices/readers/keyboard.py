"""Scanners that pretend to be keyboards: the kernel's input events, grabbed, back to the bytes of a line.

Read straight from /dev/input/event*: one ioctl and a struct, where the evdev package would need a compiler on
the Pi. The device is grabbed, or a barcode would also be typed into the console.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
from fcntl import ioctl
from typing import Final

from mind_box.devices.readers.transport import Gone, OpenFile

EVIOCGRAB: Final = 0x40044590
EVENT: Final = struct.Struct("@llHHi")
"""``struct input_event``: seconds, microseconds, type, code, value."""

_EV_SYN, _EV_KEY = 0, 1
_SYN_DROPPED = 3
_SHIFTS: Final = (42, 54)
_CTRLS: Final = (29, 97)
_ALTS: Final = (56, 100)
_LOCKS: Final = (58, 69, 70)
_ENDS: Final = (b"\r", b"\t", b"\n")
_KEYPAD: Final = range(71, 83)
_UP, _DOWN = 0, 1

_ROWS: Final = (  # first key code, plain, with Shift: the US layout, which scanners are built for
    (2, "1234567890-=", "!@#$%^&*()_+"),
    (15, "\t", "\t"),
    (16, "qwertyuiop[]\r", "QWERTYUIOP{}\r"),
    (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    (55, "*", "*"),
    (57, " ", " "),
    (71, "789-456+1230.", "789-456+1230."),  # the keypad, which Shift does not change here
    (96, "\r", "\r"),
    (98, "/", "/"),
    (117, "=", "="),
)
_PLAIN: Final = {first + i: c for first, row, _ in _ROWS for i, c in enumerate(row)}
_SHIFTED: Final = {first + i: c for first, _, row in _ROWS for i, c in enumerate(row)}


class Keys:
    """Turns key events into bytes. Holds nothing but which Shift, Ctrl and Alt keys are down, and a number.

    That number is of a scanner's ALT mode, for any keyboard layout: it types ``7`` as Alt and, on the keypad, 055.
    A key whose release was never told spoils one code at most: what is held is forgotten at each end of a code. Caps
    Lock and Num Lock are nothing: case means nothing in a code, and the keypad types digits.
    """

    def __init__(self) -> None:
        self._held: set[int] = set()
        self._number: int | None = None

    def event(self, kind: int, code: int, value: int) -> bytes:
        """The bytes that an event types, or none. Repeats of a held key are no typing."""
        if kind == _EV_SYN and code == _SYN_DROPPED:
            self._let_go()
            return b"\x00"  # the kernel lost events: whatever code is under way is damaged
        typed = self._key(code, value) if kind == _EV_KEY and code not in _LOCKS else b""
        if typed[-1:] in _ENDS:
            self._let_go()
        return typed

    def _let_go(self) -> None:
        self._held.clear()
        self._number = None

    def _key(self, code: int, value: int) -> bytes:
        if code in _SHIFTS or code in _CTRLS or code in _ALTS:
            if value != _UP:
                if code in _ALTS and value == _DOWN:  # a character begins; what the other Alt began is over
                    self._held.difference_update(_ALTS)
                    self._number = None
                self._held.add(code)
                return b""
            self._held.discard(code)
            return b"" if self._alt() else self._numbered()
        if value != _DOWN:
            return b""
        shifted = any(s in self._held for s in _SHIFTS)
        char = (_SHIFTED if shifted else _PLAIN).get(code, "")
        if self._alt():
            if (
                code not in _KEYPAD or not char.isdigit()
            ):  # another layout's letter spoils the code; Enter still ends it
                return b"\x00" + (char.encode() if char.encode() in _ENDS else b"")
            self._number = min((self._number or 0) * 10 + int(char), 999)
            return b""
        if char and any(c in self._held for c in _CTRLS):  # some end a code with Ctrl-M or Ctrl-J
            return bytes((ord(char) & 0x1F,))
        return char.encode()

    def _alt(self) -> bool:
        return any(a in self._held for a in _ALTS)

    def _numbered(self) -> bytes:
        """The character whose number was typed while Alt was down; beyond ASCII the number says no more which."""
        number, self._number = self._number, None
        return b"" if number is None else bytes((number if number < 128 else 0,))


class KeyboardTransport(OpenFile):
    """A grabbed input device that reads like a serial scanner."""

    def __init__(self, path: str) -> None:
        """Raises ``Gone`` when the device is absent, not allowed, or grabbed by another program."""
        try:
            # O_NOCTTY: a terminal that was named by mistake would become the service's own, and end it when unplugged.
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as e:
            raise Gone(_why(path, e)) from e
        try:
            ioctl(fd, EVIOCGRAB, 1)
        except OSError as e:
            os.close(fd)
            raise Gone(_why(path, e)) from e
        super().__init__(path, fd)
        self._keys = Keys()
        self._rest = b""

    def read(self) -> bytes:
        data = self._rest + super().read()
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        return b"".join(self._keys.event(*event[2:]) for event in EVENT.iter_unpack(data[:whole]))

    def write(self, data: bytes) -> None:
        """A scanner is not spoken to."""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._fd)  # which also ends the grab


def _why(path: str, error: OSError) -> str:
    if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return f"{path} is not there: plug the scanner in, or set reader.device to its name in /dev/input/by-id"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"{path} may not be opened: add the user to the group input (sudo usermod -aG input USER)"
    if error.errno == errno.EBUSY:
        return f"{path} is grabbed by another program: stop it (`fuser {path}` names it)"
    if error.errno in (errno.ENOTTY, errno.EINVAL):
        return f"{path} is no input device: set reader.device to the scanner's name in /dev/input/by-id"
    return f"{path} cannot be opened: {error.strerror}"
