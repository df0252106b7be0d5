"""A PN532 on SPI: switches off, on. The chip wants the lowest bit first, the board sends the highest."""

from machine import SPI, Pin

from mind_box.devices.nfc.frames import size

_WRITE = 0x01
_STATUS = 0x02
_READ = 0x03
_HEAD = 8
"""Bytes of a frame that are read to learn its length."""


def turned(data) -> bytes:
    """Each byte with its bits in the other order."""
    out = bytearray(len(data))
    for i, byte in enumerate(data):
        byte = (byte & 0x0F) << 4 | byte >> 4
        byte = (byte & 0x33) << 2 | (byte & 0xCC) >> 2
        out[i] = (byte & 0x55) << 1 | (byte & 0xAA) >> 1
    return bytes(out)


class Bus:
    """Bytes to and from the chip."""

    wake = b""  # chip select going low wakes it; the frame that does may be lost, and is repeated

    def __init__(self, settings) -> None:
        self._cs = Pin(settings.SPI_CS, Pin.OUT, value=1)
        self._spi = SPI(
            settings.SPI_ID,
            baudrate=1000000,
            polarity=0,
            phase=0,
            sck=Pin(settings.SPI_SCK),
            mosi=Pin(settings.SPI_MOSI),
            miso=Pin(settings.SPI_MISO),
        )

    def write(self, data: bytes) -> None:
        self._cs.value(0)
        self._spi.write(turned(bytes((_WRITE,)) + data))
        self._cs.value(1)

    def read(self) -> bytes:
        """The next frame if the chip is ready, by its length field."""
        self._cs.value(0)
        self._spi.write(turned(bytes((_STATUS,))))
        ready = self._spi.read(1)
        self._cs.value(1)
        if not turned(ready)[0] & 1:
            return b""
        self._cs.value(0)
        self._spi.write(turned(bytes((_READ,))))
        data = turned(self._spi.read(_HEAD))
        missing = size(data) - len(data)
        if missing > 0:
            data += turned(self._spi.read(missing))
        self._cs.value(1)
        return data
