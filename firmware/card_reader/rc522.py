"""An RC522 (MFRC522) on SPI: a cheaper chip that does less by itself (NXP datasheet MFRC522, ISO 14443-3)."""

import time

from machine import SPI, Pin

from mind_box.devices.nfc.ndef import USER_PAGE, missing, text
from mind_box.devices.nfc.presence import Presence

_COMMAND = 0x01
_IRQ = 0x04
_ERROR = 0x06
_FIFO = 0x09
_LEVEL = 0x0A
_FRAMING = 0x0D
_COLL = 0x0E
_MODE = 0x11
_TX = 0x14
_ASK = 0x15
_TIMER = 0x2A
_PRESCALE = 0x2B
_RELOAD_HIGH = 0x2C
_RELOAD_LOW = 0x2D
_VERSION = 0x37
_IDLE = 0x00
_TRANSCEIVE = 0x0C
_RESET = 0x0F
_COLLISION = 0x08
VERSIONS = (0x88, 0x90, 0x91, 0x92, 0xB2)
"""What the chip and its clones say they are."""

_POLL = 30
"""ms between two looks at the field."""
_CHECK = 300
"""ms between two looks whether the chip still is what it was set up to be."""
_REWRITE = 14000
"""ms after which it is set up anew, if no tag is there: not all that a glitch may change can be compared."""
_MISSED = 5
"""The same after each so many polls in a row that a tag misses."""
_HUNG = 4
"""Frames in a row that the chip neither sent nor gave up: it does not work, whatever its registers say."""
_SET_UP = (
    (_TIMER, 0x80),  # the chip gives up on an answer after 5 ms, a tag takes 0.1
    (_PRESCALE, 0xA9),
    (_RELOAD_HIGH, 0),
    (_RELOAD_LOW, 200),
    (_ASK, 0x40),
    (_MODE, 0x3D),
)


def crc_a(data: bytes) -> bytes:
    """The two check bytes of ISO 14443-3."""
    crc = 0x6363
    for byte in data:
        byte ^= crc & 0xFF
        byte = (byte ^ byte << 4) & 0xFF
        crc = (crc >> 8) ^ byte << 8 ^ byte << 3 ^ byte >> 4
    return bytes((crc & 0xFF, crc >> 8))


_HALT = b"\x50\x00" + crc_a(b"\x50\x00")


class Chip:
    """Looks for tags whenever it is stepped. Each look takes 1 to 15 ms."""

    def __init__(self, settings, sink) -> None:
        self._sink = sink
        self._presence = Presence(sink, settings.AWAY)
        self._cs = Pin(settings.SPI_CS, Pin.OUT, value=1)
        self._reset = Pin(settings.RC522_RESET, Pin.OUT, value=1)
        self._spi = SPI(
            settings.SPI_ID,
            baudrate=1000000,
            polarity=0,
            phase=0,
            sck=Pin(settings.SPI_SCK),
            mosi=Pin(settings.SPI_MOSI),
            miso=Pin(settings.SPI_MISO),
        )
        self._up = None
        self._due = 0
        self._check = 0
        self._written = 0
        self._as_written = b""
        self._hung = 0

    def step(self, now: int) -> None:
        """One look at the field, when it is time."""
        if now < self._due:
            return
        self._due = now + _POLL
        if now >= self._check:
            self._check = now + _CHECK
            if not self._alive(now):
                return
        if self._up:
            self._poll(now)

    def _alive(self, now: int) -> bool:
        """Sets the chip up if it is new, was restarted or changed behind our back, or is due."""
        if self._up and self._hung < _HUNG and now - self._written < _REWRITE and self._set_up() == self._as_written:
            return True
        self._set(_COMMAND, _RESET)
        time.sleep_ms(2)
        for register, value in _SET_UP:
            self._set(register, value)
        self._set(_TX, self._get(_TX) | 0x03)
        self._written = now
        self._as_written = self._set_up()  # a clone may keep less of it than was written
        self._hung = 0
        right = self._get(_VERSION) in VERSIONS and self._get(_ASK) == 0x40 and self._get(_TX) & 0x03 == 0x03
        if right:
            self._talk(_HALT)  # nobody answers that: the chip must say so
        if not right or self._hung:
            if self._up is not False:
                self._up = False
                self._sink.down("the RC522 does not answer: check its wiring and its power")
            return False
        if not self._up:
            self._up = True
            self._sink.up(bytes((self._get(_VERSION),)))
        return True

    def _set_up(self) -> bytes:
        """What tells whether the chip is as it was set up to be."""
        return bytes([self._get(register) for register, _ in _SET_UP] + [self._get(_TX), self._get(_VERSION)])

    def _poll(self, now: int) -> None:
        """Wakes all tags, takes them one by one, lets each sleep when it is read."""
        found = []
        memories = {}
        call = 0x52  # WUPA: those that sleep too
        while len(found) < 2 and self._talk(bytes((call,)), 7) is not None:
            call = 0x26  # REQA: only those that were not taken yet
            tag = self._select()
            if tag is None:
                break
            uid, kind = tag
            found.append(tag)
            known = self._presence.find(uid, kind, now)
            if kind == 0 and not (known and known.told):
                memories[uid] = self._memory()
            self._talk(_HALT)  # no answer is the answer
        for tag in self._presence.poll(found, now):
            if tag.told:
                continue
            memory = memories.get(tag.uid, b"")
            if memory is None and tag.reads:
                tag.reads -= 1
            else:
                self._presence.take(tag, text(memory) if memory else None)
        if not found and [tag for tag in self._presence.tags if not tag.misses % _MISSED]:
            self._written = self._check = now - _REWRITE  # a field that is lost looks like a tag that was taken away

    def _memory(self):
        """What text() needs of a tag; None if it cannot be read now."""
        memory = b""
        while True:
            command = bytes((0x30, USER_PAGE + len(memory) // 4))
            answer = self._talk(command + crc_a(command))
            if answer is None or len(answer) != 18 or crc_a(answer[:16]) != answer[16:]:
                return None
            memory += answer[:16]
            if not missing(memory):
                return memory

    def _select(self):
        """One tag out of those that answer: its number and kind (SAK), or None."""
        uid = b""
        for level in (0x93, 0x95, 0x97):
            part = self._part(level)
            if part is None:
                return None
            command = bytes((level, 0x70)) + part
            sak = self._talk(command + crc_a(command))
            if sak is None or len(sak) != 3 or crc_a(sak[:1]) != sak[1:]:
                return None
            if not sak[0] & 0x04:
                return uid + part[:4], sak[0]
            uid += part[1:4]  # the first byte only says that more follows
        return None

    def _part(self, level: int):
        """Four bytes of a number and their check, bit by bit where several tags speak at once; or None."""
        known = bytearray(5)
        bits = 0
        for _ in range(32):
            whole, rest = bits // 8, bits % 8
            command = bytes((level, 0x20 + whole * 16 + rest)) + bytes(known[: whole + (1 if rest else 0)])
            answer = self._talk(command, rest, rest)
            if answer is None:
                return None
            collided = self._get(_ERROR) & _COLLISION
            if len(answer) > 5 - whole or (not collided and len(answer) < 5 - whole):
                return None
            for i, byte in enumerate(answer):
                keep = (1 << rest) - 1 if i == 0 else 0
                known[whole + i] = known[whole + i] & keep | byte & ~keep & 0xFF
            if not collided:
                part = bytes(known)
                return part if not part[0] ^ part[1] ^ part[2] ^ part[3] ^ part[4] else None
            where = self._get(_COLL)
            if where & 0x20:
                return None
            place = (where & 0x1F) or 32  # counted from 1, from the first bit of this answer's first byte
            bits = whole * 8 + place
            known[(bits - 1) // 8] |= 1 << (bits - 1) % 8  # of two bits that collide, follow the one
        return None

    def _talk(self, data: bytes, last_bits: int = 0, align: int = 0):
        """Sends to the tags and returns what they answer, or None."""
        self._set(_COMMAND, _IDLE)
        self._set(_IRQ, 0x7F)
        self._set(_LEVEL, 0x80)
        for byte in data:
            self._set(_FIFO, byte)
        self._set(_COMMAND, _TRANSCEIVE)
        self._set(_FRAMING, 0x80 | align << 4 | last_bits)
        for _ in range(200):  # the chip's timer ends it after 5 ms; this, if even that is broken
            flags = self._get(_IRQ)
            if flags & 0x31:
                break
        else:
            self._hung += 1
            return None
        self._hung = 0
        if not flags & 0x30 or self._get(_ERROR) & 0x13:
            return None
        return bytes([self._get(_FIFO) for _ in range(min(64, self._get(_LEVEL)))])

    def _set(self, register: int, value: int) -> None:
        self._cs.value(0)
        self._spi.write(bytes((register << 1, value)))
        self._cs.value(1)

    def _get(self, register: int) -> int:
        self._cs.value(0)
        self._spi.write(bytes((register << 1 | 0x80,)))
        value = self._spi.read(1)[0]
        self._cs.value(1)
        return value
