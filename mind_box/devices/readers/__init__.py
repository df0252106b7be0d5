"""Card readers: lines on a serial port, keyboards, RFID and NFC, all behind one supervised port."""

from mind_box.devices.readers.opening import open_reader

__all__ = ["open_reader"]
