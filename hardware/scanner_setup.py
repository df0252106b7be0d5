"""Sets a GM65, GM60, GM805 or Waveshare scanner up over its serial line: `python hardware/scanner_setup.py DEVICE`.

These modules share one protocol: registers ("zone bits") that are read, written and saved, each frame with a CRC-16
(XMODEM). Written from the makers' manuals and tried on a model of them only, never yet on a real module.
docs/scanners.md has the same settings as codes to scan, which every module understands.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Protocol

READ, WRITE, SAVE = 0x07, 0x08, 0x09
MODE, INTERVAL, LIMIT, SAME_CODE, QR = 0x0000, 0x0005, 0x0006, 0x0013, 0x003F
BAUDS = (9600, 115200, 57600)


class Port(Protocol):
    """What is needed of a ``serial.Serial`` with a timeout."""

    def write(self, data: bytes, /) -> object: ...

    def read(self, size: int = 1, /) -> bytes: ...

    def reset_input_buffer(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Wish:
    """One register and what it shall hold in the bits that matter."""

    register: int
    mask: int
    value: int
    why: str


WISHES = (
    Wish(MODE, 0b0111_1111, 0b0000_1110, "continuous reading, light always on, aimer and beeper off"),
    Wish(INTERVAL, 0xFF, 1, "0.1 s between two reads"),
    Wish(LIMIT, 0xFF, 0, "no end to one read"),
    Wish(SAME_CODE, 0b1000_0000, 0, "the same code again without delay: the box itself sees that a card rests"),
    Wish(QR, 0x01, 0x01, "reads QR codes"),
)


class Refused(Exception):
    """The scanner did not answer, or not with yes."""


def crc16(data: bytes) -> int:
    """CRC-16/XMODEM: polynomial 0x1021, start 0 (0x31C3 for b"123456789")."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc


def frame(kind: int, register: int, value: int) -> bytes:
    """A request: read (value is the number of bytes), write or save."""
    body = bytes((kind, 1, register >> 8, register & 0xFF, value))
    return b"\x7e\x00" + body + crc16(body).to_bytes(2, "big")


class Scanner:
    """The registers of one module."""

    def __init__(self, port: Port) -> None:
        self._port = port

    def read(self, register: int) -> int:
        """A register. Raises ``Refused``."""
        return self._call(frame(READ, register, 1))

    def write(self, register: int, value: int) -> None:
        """Sets a register until the power goes. Raises ``Refused``."""
        self._call(frame(WRITE, register, value))

    def save(self) -> None:
        """Keeps all registers for good. Raises ``Refused``."""
        self._call(frame(SAVE, 0, 0))

    def _call(self, request: bytes) -> int:
        self._port.reset_input_buffer()
        self._port.write(request)
        answer = self._port.read(7)
        if len(answer) < 7:
            raise Refused(
                f"no answer to {request.hex(' ')}: is it a serial port of a GM65 or its kin, at this baud rate?"
            )
        head, value, check = answer[:4], answer[4], answer[5:]
        if head != b"\x02\x00\x00\x01" or check not in (crc16(answer[2:5]).to_bytes(2, "big"), b"\x33\x31"):
            raise Refused(f"{answer.hex(' ')} is no answer to {request.hex(' ')}")
        return value


def set_up(scanner: Scanner, only_show: bool = False) -> list[str]:
    """Makes each register as wished; returns what was found and done. Raises ``Refused``."""
    told = []
    changed = False
    for wish in WISHES:
        before = scanner.read(wish.register)
        after = before & ~wish.mask & 0xFF | wish.value
        if before == after:
            told.append(f"0x{wish.register:04x} = 0x{before:02x}  right: {wish.why}")
            continue
        told.append(f"0x{wish.register:04x} = 0x{before:02x}  -> 0x{after:02x}: {wish.why}")
        if not only_show:
            scanner.write(wish.register, after)
            if scanner.read(wish.register) != after:
                raise Refused(
                    f"register 0x{wish.register:04x} stayed 0x{before:02x}: set it with the code in the manual"
                )
            changed = True
    if changed:
        scanner.save()
        told.append("saved")
    return told


def main() -> int:
    """Tries the usual speeds. Returns 0, or 1 with the reason on stderr."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", help="e.g. /dev/mind-box-scanner; the box must not be running")
    parser.add_argument("--show", action="store_true", help="change nothing")
    args = parser.parse_args()
    import serial

    reason: Exception = Refused("never tried")
    for baud in BAUDS:
        try:
            with serial.Serial(args.device, baud, timeout=0.5, exclusive=True) as port:
                print("\n".join([f"found at {baud} baud", *set_up(Scanner(port), args.show)]))
                return 0
        except Refused as e:
            reason = e
        except (serial.SerialException, OSError) as e:
            reason = e
            break
    print(f"{args.device}: {reason}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
