"""SPI: displays with a data/command pin, over luma's own SPI interface and pins of the box's pin factory."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable
from typing import Any, Protocol

from mind_box.pip import pip


class Output(Protocol):
    """One output pin."""

    def light(self, on: bool) -> None: ...
    def close(self) -> None: ...


OpenOutput = Callable[[int], Output]
"""Makes an output of a header pin (BCM number), low at first; raises what the pin factory raises."""

OpenSpi = Callable[[], Any]
"""Makes an object with the face of ``spidev.SpiDev``."""


def open_spidev() -> Any:
    """The ``spidev`` package's SpiDev. Raises ``ImportError`` where it is not installed."""
    import spidev

    return spidev.SpiDev()


Place = tuple[int, int, int, int]
"""Where a display hangs: SPI port and chip select, data/command pin and reset pin (BCM numbers)."""


class SpiBus:
    """One SPI controller: the displays' chip selects, and the pins that several of them may share.

    A reset pin is pulsed when it is opened, and stays open while a display works with it: a later pulse would wipe
    every display that shares the pin, and the initialisation in software does the same.
    """

    def __init__(self, open_output: OpenOutput, open_spi: OpenSpi = open_spidev) -> None:
        self._open_output = open_output
        self._open_spi = open_spi
        self._outputs: dict[int, Output] = {}
        self._ways: dict[Place, Any] = {}

    def way(self, place: Place) -> Any:
        """luma's interface to one display; opened when first asked for. Raises ``OSError`` and luma's errors."""
        from luma.core.interface.serial import spi

        if place not in self._ways:
            port, device, dc, reset = place
            if reset not in self._outputs:
                pin = self._output(reset)
                pin.light(False)  # 3 us are enough (SSD1306 data sheet 8.9); a Python call takes that long
                pin.light(True)
            self._output(dc)
            self._ways[place] = spi(
                spi=self._open_spi(), gpio=_Pins(self._outputs), port=port, device=device, gpio_DC=dc, gpio_RST=None
            )
        return self._ways[place]

    def _output(self, pin: int) -> Output:
        if pin not in self._outputs:
            self._outputs[pin] = self._open_output(pin)
        return self._outputs[pin]

    def failed(self, place: Place) -> None:
        """Lets go of a display, which is opened anew when it is next asked for; not of a pin that others work with."""
        way = self._ways.pop(place, None)
        if way is not None:
            with contextlib.suppress(Exception):  # what is broken need not close without an error
                way.cleanup()
        used = {pin for other in self._ways for pin in other[2:]}
        for pin in self._outputs.keys() & set(place[2:]) - used:
            with contextlib.suppress(Exception):
                self._outputs.pop(pin).close()

    def close(self) -> None:
        """Lets go of everything; the next display opens it again."""
        for place in list(self._ways):
            self.failed(place)


class _Pins:
    """The part of RPi.GPIO's face that luma uses, on pins of any factory: RPi.GPIO itself does not run on a Pi 5."""

    LOW, HIGH, OUT = False, True, 0

    def __init__(self, outputs: dict[int, Output]) -> None:
        self._outputs = outputs

    def setup(self, pin: int, mode: int) -> None:
        """The pins are outputs already."""

    def output(self, pin: int, level: bool) -> None:
        self._outputs[pin].light(level)

    def cleanup(self, pins: list[int]) -> None:
        """They are the bus's to close."""


class SpiInterface:
    """One display on the SPI bus, as luma wants its serial interface. There is nothing to read back."""

    def __init__(self, bus: SpiBus, name: str, dc: int, reset: int) -> None:
        port, _, device = name.removeprefix("spi-").partition(".")
        self._bus = bus
        self._place: Place = (int(port), int(device), dc, reset)

    def command(self, *cmd: int) -> None:
        """Sends command bytes."""
        self._try(lambda way: way.command(*cmd))

    def data(self, data: bytes) -> None:
        """Sends picture bytes."""
        self._try(lambda way: way.data(list(data)))

    def cleanup(self) -> None:
        """luma calls this at exit; the bus is the worker's to close."""

    def _try(self, send: Callable[[Any], None]) -> None:
        try:
            send(self._bus.way(self._place))
        except Exception:
            self._bus.failed(self._place)
            raise

    def explain(self, error: Exception) -> str:
        """What an error means and what to do about it, in one line."""
        port, device = self._place[:2]
        path = f"/dev/spidev{port}.{device}"
        number = error.errno if isinstance(error, OSError) else None
        if isinstance(error, ImportError):
            cure = f"sudo apt install python3-spidev, or {pip('install', 'spidev')}"
            return f"the Python package spidev is not installed: {cure}"
        if number == errno.ENOENT or type(error).__name__ == "DeviceNotFoundError":
            return f"there is no {path}: write dtparam=spi=on into /boot/firmware/config.txt and start the Pi again"
        if number in (errno.EACCES, errno.EPERM):
            return f"may not open {path}: add the service's user to the group spi"
        return f"{path}: {str(error) or type(error).__name__}"
