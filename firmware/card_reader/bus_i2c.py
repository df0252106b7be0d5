"""A PN532 on I2C: switches on, off."""

from machine import I2C, Pin

from mind_box.devices.nfc.frames import ACK, NACK, size

_ADDRESS = 0x24
_FIRST = 40
"""Bytes of an answer that are read at first: enough for all but two long tags."""


class Bus:
    """Bytes to and from the chip. A transfer that fails is no byte: the watch asks again."""

    wake = b""

    def __init__(self, settings) -> None:
        self._i2c = I2C(settings.I2C_ID, sda=Pin(settings.I2C_SDA), scl=Pin(settings.I2C_SCL), freq=settings.I2C_FREQ)
        self._acked = True
        self._more = 0

    def write(self, data: bytes) -> None:
        try:
            self._i2c.writeto(_ADDRESS, data)
        except OSError:
            return
        self._acked = data == ACK  # an ACK of ours is not answered
        self._more = 0

    def read(self) -> bytes:
        """The next frame if the chip is ready, by its length field: a longer answer is asked for again, whole."""
        try:
            if not self._i2c.readfrom(_ADDRESS, 1)[0] & 1:
                return b""
            if not self._acked:
                self._acked = True
                return self._i2c.readfrom(_ADDRESS, 1 + len(ACK))[1:]
            data = self._i2c.readfrom(_ADDRESS, 1 + (self._more or _FIRST))[1:]
            if not self._more and size(data) > len(data):
                self._more = size(data)
                self._i2c.writeto(_ADDRESS, NACK)
                return b""
            self._more = 0
            return data[: size(data)]
        except OSError:
            return b""
