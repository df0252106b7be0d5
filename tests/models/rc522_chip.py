"""An RC522 without hardware: its registers over SPI, and tags that speak ISO 14443-3 bit by bit.

Written from NXP's datasheet MFRC522; it never met a real chip.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from tests.models.tags import Field, Tag

_COMMAND, _IRQ, _ERROR, _FIFO, _LEVEL, _FRAMING, _COLL = 0x01, 0x04, 0x06, 0x09, 0x0A, 0x0D, 0x0E
_RELOAD_HIGH, _RELOAD_LOW, _TX, _ASK, _VERSION = 0x2C, 0x2D, 0x14, 0x15, 0x37
_TIMER_IRQ, _RX_IRQ = 0x01, 0x20
_COLLISION: Final = 0x08
_LEVELS: Final = (0x93, 0x95, 0x97)


class Rc522Chip:
    """One chip. ``clock`` in seconds."""

    def __init__(self, field: Field, clock: Callable[[], float], missed: float = 0, seed: int = 0) -> None:
        """``missed``: the chance from 0 to 1 that no tag hears a frame."""
        self._field = field
        self._clock = clock
        self._missed = missed
        self._rng = random.Random(seed)
        self._state: dict[int, str] = {}
        """Each tag by its id(): idle, ready, active or halt."""
        self._changes = 0
        self.dead = False
        self.stuck: int | None = None
        """What every byte from the chip is, while its line is held low (0) or high (255)."""
        self.hung = False
        """True: no frame is sent, and none ends."""
        self.restart()

    def restart(self) -> None:
        """Power-up or soft reset: everything is as the datasheet says."""
        self.registers = bytearray(64)
        self.registers[_VERSION] = 0x92
        self.registers[_TX] = 0x80
        self._fifo = bytearray()
        self._irq_at: tuple[float, int] | None = None
        self._address: int | None = None

    def select(self, low: bool) -> None:  # noqa: ARG002 - each edge ends a transfer
        """The chip select line."""
        self._address = None

    def transfer(self, data: bytes) -> bytes:
        """Bytes both ways: first an address, then values."""
        if self.stuck is not None:
            return bytes((self.stuck,)) * len(data)
        return bytes(0 if self.dead else self._byte(byte) for byte in data)

    def _byte(self, byte: int) -> int:
        if self._address is None:
            self._address = byte
            return 0
        register = self._address >> 1 & 0x3F
        if self._address & 0x80:
            return self._get(register)
        self._set(register, byte)
        return 0

    def flip(self, register: int, value: int) -> None:
        """A glitch: the register is another one now."""
        self.registers[register] = value

    def _get(self, register: int) -> int:
        if register == _FIFO:
            return self._fifo.pop(0) if self._fifo else 0
        if register == _LEVEL:
            return len(self._fifo)
        if register == _IRQ and self._irq_at is not None and self._clock() >= self._irq_at[0]:
            self.registers[_IRQ] |= self._irq_at[1]
            self._irq_at = None
        return self.registers[register]

    def _set(self, register: int, value: int) -> None:
        if register == _FIFO:
            self._fifo.append(value)
        elif register == _LEVEL and value & 0x80:
            self._fifo.clear()
        elif register == _IRQ:
            self.registers[_IRQ] &= ~value & 0xFF
        elif register == _COMMAND and value == 0x0F:
            self.restart()
        else:
            self.registers[register] = value
            if register == _FRAMING and value & 0x80 and self.registers[_COMMAND] == 0x0C:
                self._transceive(value & 7)

    def _transceive(self, last_bits: int) -> None:
        if self.hung:
            return
        sent = bytes(self._fifo)
        self._fifo.clear()
        self.registers[_ERROR] = 0
        answers = self._heard(sent, last_bits)
        reload = self.registers[_RELOAD_HIGH] << 8 | self.registers[_RELOAD_LOW]
        if not answers:
            self._irq_at = (self._clock() + reload * 0.000025, _TIMER_IRQ)
            return
        self._receive(answers, self.registers[_FRAMING] >> 4 & 7)
        self._irq_at = (self._clock() + 0.0002 + 0.000085 * (len(sent) + len(self._fifo)), _RX_IRQ)

    def _receive(self, answers: list[str], align: int) -> None:
        """Bits of several tags at once, lowest first: where they differ the chip sees a collision."""
        bits = ""
        for place, column in enumerate(zip(*answers, strict=True), 1):
            if len(set(column)) > 1 and not self.registers[_ERROR] & _COLLISION:
                self.registers[_ERROR] |= _COLLISION
                at = align + place
                self.registers[_COLL] = 0x20 if at > 32 else at & 0x1F
            bits += max(column)
        bits = "0" * align + bits
        bits += "0" * (-len(bits) % 8)
        self._fifo = bytearray(int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8))

    def _heard(self, sent: bytes, last_bits: int) -> list[str]:
        """The answers of all tags to one frame, as bits."""
        with self._field.tags() as tags:
            if self._field.changes != self._changes:
                self._changes = self._field.changes
                self._state = {id(t): self._state.get(id(t), "idle") for t in tags}
            if not self.registers[_TX] & 3 or (self._missed and self._rng.random() < self._missed):
                return []
            answers = [self._tag(tag, sent, last_bits) for tag in tags]
        return [_bits(a) if isinstance(a, bytes) else a for a in answers if a is not None]

    def _tag(self, tag: Tag, sent: bytes, last_bits: int) -> bytes | str | None:
        state = self._state[id(tag)]
        if last_bits == 7 and sent in (b"\x26", b"\x52"):
            if state == "idle" or (state == "halt" and sent == b"\x52"):
                self._state[id(tag)] = "ready0"
                return tag.atqa.to_bytes(2, "little")
            self._state[id(tag)] = "halt" if state == "halt" else "idle"
            return None
        if state.startswith("ready") and sent[:1] and sent[0] in _LEVELS:
            return self._anticollision(tag, int(state[5:]), sent)
        if state == "active":
            if sent == b"\x50\x00" + crc_a(b"\x50\x00"):
                self._state[id(tag)] = "halt"
                return None
            if crc_a(sent[:-2]) == sent[-2:] and (answer := tag.answer(sent[:-2])) is not None:
                return answer + crc_a(answer)
        if state != "halt":
            self._state[id(tag)] = "idle"
        return None

    def _anticollision(self, tag: Tag, level: int, sent: bytes) -> bytes | str | None:
        parts = _parts(tag.uid)
        part = parts[level] if _LEVELS[level] == sent[0] else b""
        if len(sent) == 9 and sent[1] == 0x70:
            if sent[2:7] != part or crc_a(sent[:7]) != sent[7:]:
                self._state[id(tag)] = "idle"
                return None
            last = level + 1 == len(parts)
            self._state[id(tag)] = "active" if last else f"ready{level + 1}"
            sak = bytes((tag.sak if last else 0x04,))
            return sak + crc_a(sak)
        known = (sent[1] >> 4) * 8 + (sent[1] & 7) - 16
        bits = _bits(part)
        return bits[known:] if part and bits[:known] == _bits(sent[2:])[:known] else None


def _parts(uid: bytes) -> list[bytes]:
    """A UID as its cascade levels, each with its check byte."""
    parts = []
    while len(uid) > 4:
        parts.append(b"\x88" + uid[:3])
        uid = uid[3:]
    parts.append(uid)
    return [p + bytes((p[0] ^ p[1] ^ p[2] ^ p[3],)) for p in parts]


def _bits(data: bytes) -> str:
    return "".join(f"{byte:08b}"[::-1] for byte in data)


def crc_a(data: bytes) -> bytes:
    """The two check bytes of ISO 14443-3, bit by bit as the standard draws it."""
    crc = 0x6363
    for byte in data:
        for bit in range(8):
            crc = (crc >> 1) ^ (0x8408 if (crc ^ byte >> bit) & 1 else 0)
    return crc.to_bytes(2, "little")
