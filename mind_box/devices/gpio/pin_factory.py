"""Which gpiozero pin factory is used: ours on libgpiod, lgpio, RPi.GPIO or a mock; said in the log, never guessed."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Callable
from typing import Any

from mind_box.devices.gpio.header_chip import NoChip, header_chip, named_chip
from mind_box.pip import pip
from mind_box.settings.schema import GpioSettings

log = logging.getLogger(__name__)

CONSUMER = "mind-box"
AUTO = ("gpiod", "lgpio", "rpigpio")
GPIO_MEMORY = ("/dev/gpiomem", "/dev/mem")
"""What RPi.GPIO drives the pins through; the second is root's."""
OnLost = Callable[[OSError], None]


class NoFactory(Exception):
    """No pin factory works. ``str()`` says of each why, and what to do."""


def choose(settings: GpioSettings, loop: asyncio.AbstractEventLoop, on_lost: OnLost) -> tuple[Any, str]:
    """Makes the pin factory that ``gpio.factory`` names, and says which it is. Raises ``NoFactory``.

    ``auto`` takes the first that works of gpiod, lgpio and RPi.GPIO; the log tells which, and why not the ones
    before it. ``on_lost`` is called when the chip goes away under a factory that can tell (gpiod).
    """
    names = AUTO if settings.factory == "auto" else (settings.factory,)
    reasons: list[str] = []
    for name in names:
        try:
            factory, what = _MAKERS[name](settings, loop, on_lost)
        except Exception as e:
            reasons.append(f"{name}: {str(e) or type(e).__name__}")
            continue
        for reason in reasons:
            log.warning("GPIO: not used: %s", reason)
        log.info("GPIO: using %s", what)
        return factory, name
    raise NoFactory("; ".join(dict.fromkeys(reasons)))


Choose = Callable[[GpioSettings, asyncio.AbstractEventLoop, OnLost], tuple[Any, str]]


def _chip(settings: GpioSettings) -> Any:
    return named_chip(settings.chip, "gpio.chip") if settings.chip else header_chip()


def _gpiod(settings: GpioSettings, loop: asyncio.AbstractEventLoop, on_lost: OnLost) -> tuple[Any, str]:
    try:
        import gpiod
    except ImportError:
        raise NoFactory(f"the Python package gpiod is not installed; {pip('install', 'gpiod>=2.1')}") from None
    if not hasattr(gpiod, "LineSettings"):
        raise NoFactory(f"the Python package gpiod is version 1 (apt's); {pip('install', 'gpiod>=2.1')}")
    from mind_box.devices.gpio.gpiod_factory import GpiodFactory

    factory = GpiodFactory(str(_chip(settings).path), consumer=CONSUMER, loop=loop, on_lost=on_lost)
    return factory, f"libgpiod (gpiod {gpiod.__version__}) on {factory.chip}"


def _lgpio(settings: GpioSettings, loop: asyncio.AbstractEventLoop, on_lost: OnLost) -> tuple[Any, str]:  # noqa: ARG001
    if "LG_WD" not in os.environ and not os.access(os.getcwd(), os.W_OK):
        # lgpio makes a FIFO in its working directory at import; on a read-only one the import fails.
        os.environ["LG_WD"] = os.environ.get("RUNTIME_DIRECTORY", tempfile.gettempdir()).split(":")[0]
    try:
        import lgpio
    except ImportError:
        raise NoFactory("the Python package lgpio is not installed; apt install python3-lgpio") from None
    if not hasattr(lgpio, "gpiochip_open"):
        raise NoFactory("the Python package lgpio is the empty stub 0.0.0.2; apt install python3-lgpio") from None
    from gpiozero.pins.lgpio import LGPIOFactory

    # gpiozero would guess the chip's number from the board's revision, and has guessed wrong.
    chip = _chip(settings)
    return LGPIOFactory(chip=chip.number), f"lgpio on {chip.path} ({chip.label})"


def _rpigpio(settings: GpioSettings, loop: asyncio.AbstractEventLoop, on_lost: OnLost) -> tuple[Any, str]:  # noqa: ARG001
    try:
        label = header_chip().label
    except NoChip:
        label = ""  # a kernel so old that it has no character device: RPi.GPIO's case
    if label == "pinctrl-rp1":
        raise NoFactory('RPi.GPIO cannot drive a Pi 5; use gpio.factory = "gpiod"')
    try:
        from gpiozero.pins.rpigpio import RPiGPIOFactory
    except ImportError:
        raise NoFactory(f"the Python package RPi.GPIO is not installed; {pip('install', 'RPi.GPIO')}") from None
    # It is made without a look at the pins. A header that only comes up later must not be left to it for ever.
    if not any(os.access(path, os.R_OK | os.W_OK) for path in GPIO_MEMORY):
        raise NoFactory(
            f"RPi.GPIO needs {' or '.join(GPIO_MEMORY)}, and neither may be opened: "
            "add the service's user to the group gpio; on other boards than a Pi 1 to 4 it cannot work"
        )
    return RPiGPIOFactory(), "RPi.GPIO"


def _mock(settings: GpioSettings, loop: asyncio.AbstractEventLoop, on_lost: OnLost) -> tuple[Any, str]:  # noqa: ARG001
    from mind_box.devices.gpio.mock_pins import BoxMockFactory

    factory = BoxMockFactory(loop)
    return factory, factory.description


_MAKERS = {"gpiod": _gpiod, "lgpio": _lgpio, "rpigpio": _rpigpio, "mock": _mock}
