"""A PN532 on a serial line (HSU): switches off, off."""

from machine import UART, Pin

from mind_box.devices.nfc.frames import WAKE


class Bus:
    """Bytes to and from the chip. Nothing here waits or raises."""

    wake = WAKE

    def __init__(self, settings) -> None:
        self._uart = UART(
            settings.UART_ID, baudrate=115200, tx=Pin(settings.UART_TX), rx=Pin(settings.UART_RX), rxbuf=512
        )

    def write(self, data: bytes) -> None:
        self._uart.write(data)

    def read(self) -> bytes:
        """What has come since the last call."""
        count = self._uart.any()
        return (self._uart.read(count) or b"") if count else b""
