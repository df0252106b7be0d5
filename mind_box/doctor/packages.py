"""Python and its packages: what pip takes without a word when it finds no wheel, and what cannot work on this board."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import metadata

from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.pip import install_again, pip

Version = Callable[[str], str | None]
"""The installed version of a distribution; None: not installed."""


def installed(name: str) -> str | None:
    """From the packages' metadata: nothing is imported (lgpio makes a FIFO when it is)."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def check(scene: Scene, version: Version = installed) -> Iterator[Verdict]:
    """Every package that this box's settings need."""
    factory = scene.config.gpio.factory
    python = ".".join(map(str, sys.version_info[:3]))
    missing = [name for name in ("gpiozero", "luma.oled", "pillow", "pyserial") if version(name) is None]
    if missing:
        yield _wrong(f"missing: {', '.join(missing)}", install_again())
    else:
        libraries = f"gpiozero {version('gpiozero')}, luma.oled {version('luma.oled')}"
        yield Verdict("python", OK, f"Python {python}, {libraries}")
    if factory in ("auto", "gpiod"):
        yield from _gpiod(version("gpiod"), factory)
    yield from _lgpio(version("lgpio"), factory)
    yield from _rpigpio(version("RPi.GPIO"), factory, scene.board)
    if any(s.bus.startswith("spi") for s in scene.config.screen) and version("spidev") is None:
        yield _wrong("spidev is not installed, and a screen is on SPI", "sudo apt install python3-spidev")


def _wrong(what: str, cure: str) -> Verdict:
    return Verdict("python", WRONG, what, cure)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _gpiod(version: str | None, factory: str) -> Iterator[Verdict]:
    cure = f"{pip('install', 'gpiod>=2.1')} (on 32 bits it is built: sudo apt install gcc python3-dev)"
    if version is None:
        yield _wrong("gpiod is not installed: no access to the pins by libgpiod", cure)
    elif _numbers(version) < (2, 1):
        yield _wrong(f"gpiod {version} has the old interface, which gpio.factory = {factory!r} cannot use", cure)
    else:
        yield Verdict("python", OK, f"gpiod {version}")


def _lgpio(version: str | None, factory: str) -> Iterator[Verdict]:
    cure = 'sudo apt install python3-lgpio (Raspberry Pi OS has it), or gpio.factory = "gpiod"'
    if version is not None and _numbers(version) < (0, 2):
        state = WRONG if factory == "lgpio" else NOTE
        what = f"lgpio {version} is an empty stub, which pip takes where it finds no wheel"
        yield Verdict("python", state, what, f"{pip('uninstall', 'lgpio')}; {cure}")
    elif version is None and factory == "lgpio":
        yield _wrong('lgpio is not installed, but gpio.factory = "lgpio"', cure)


def _rpigpio(version: str | None, factory: str, board: str) -> Iterator[Verdict]:
    pi5 = any(name in board for name in ("Raspberry Pi 5", "Compute Module 5"))
    if factory == "rpigpio" and pi5:
        yield _wrong(f'{board}: RPi.GPIO cannot drive its pins, but gpio.factory = "rpigpio"', 'gpio.factory = "gpiod"')
    elif factory == "rpigpio" and version is None:
        cure = 'sudo apt install python3-rpi.gpio, or gpio.factory = "auto"'
        yield _wrong('RPi.GPIO is not installed, but gpio.factory = "rpigpio"', cure)
    elif version is not None and pi5:
        what = f"RPi.GPIO {version} is installed and cannot work on a {board}"
        yield Verdict("python", NOTE, what, "the box does not use it; other programs want python3-rpi-lgpio instead")
