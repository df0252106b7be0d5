"""Which GPIO chip is the Raspberry Pi's header: found by what it is, never by its number.

A Pi 5's header has been chip 4, then 0, and 11 to 15 under other kernels. What stays is the controller: its
label, and its device-tree name.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mind_box.game.values import dataclass

LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""Pi 5, 500 and CM5; Pi 4, 400 and CM4; all the others."""
COMPATIBLES = ("raspberrypi,rp1-gpio", "brcm,bcm2711-gpio", "brcm,bcm2835-gpio")
"""The same, as the device tree calls them."""


class NoChip(Exception):
    """There is no such GPIO chip, or none that may be opened. ``str()`` names what there is, and the cure."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A GPIO character device."""

    path: Path
    label: str
    """What the driver calls itself; empty if the device may not be opened."""
    compatibles: tuple[str, ...]
    """Its names in the device tree, the most exact first; empty without one."""
    error: OSError | None = None
    """Why it could not be asked for its label."""

    @property
    def number(self) -> int:
        """N of gpiochipN: what lgpio wants to be told."""
        return int(os.path.realpath(self.path).rpartition("gpiochip")[2])


def label_of(path: Path) -> str:
    """The label of a GPIO character device, from the kernel. Raises ``OSError``."""
    import gpiod

    with gpiod.Chip(str(path)) as chip:
        return chip.get_info().label


def chips(root: Path = Path("/"), label: Callable[[Path], str] = label_of) -> list[Chip]:
    """All GPIO chips below ``root``, each once: a Pi 5 may have links from old numbers to new ones."""
    found: dict[str, Chip] = {}
    devices = sorted((root / "dev").glob("gpiochip*"), key=lambda p: (len(p.name), p.name))
    for path in sorted(devices, key=Path.is_symlink):
        real = os.path.realpath(path)
        if real in found:
            continue
        name, error = "", None
        try:
            name = label(path)
        except OSError as e:
            error = e
        found[real] = Chip(path, name, _compatibles(root, Path(real).name), error)
    return list(found.values())


def _compatibles(root: Path, name: str) -> tuple[str, ...]:
    """The node of a chip hangs on the chip or on its parent, depending on the kernel."""
    device = root / "sys/bus/gpio/devices" / name
    for node in (device / "of_node", device / "device/of_node", device / "../of_node"):
        try:
            raw = (node / "compatible").read_bytes()
        except OSError:
            continue
        return tuple(raw.decode("ascii", "replace").rstrip("\0").split("\0"))
    return ()


def header_chip(root: Path = Path("/"), label: Callable[[Path], str] = label_of) -> Chip:
    """The chip whose lines 0 to 27 are GPIO 0 to 27 of the header. Raises ``NoChip``."""
    there = chips(root, label)
    found = [chip for wanted in LABELS for chip in there if chip.label == wanted]
    found += [chip for wanted in COMPATIBLES for chip in there if wanted in chip.compatibles]
    if not found:
        raise NoChip(_nothing(there, f"the header's GPIO chip ({', '.join(LABELS)})", "gpio.chip"))
    return _usable(found[0])


def named_chip(name: str, setting: str, root: Path = Path("/"), label: Callable[[Path], str] = label_of) -> Chip:
    """The chip with this path, or else this label; ``setting`` is where the name came from. Raises ``NoChip``."""
    there = chips(root, label)
    wanted = os.path.realpath(name) if name.startswith("/") else None
    for chip in there:
        if name == chip.label or (wanted is not None and wanted == os.path.realpath(chip.path)):
            return _usable(chip)
    raise NoChip(_nothing(there, f"the GPIO chip {name!r}", setting))


def _usable(chip: Chip) -> Chip:
    if isinstance(chip.error, PermissionError):
        raise NoChip(f"may not open {chip.path}: add the service's user to the group gpio")
    if chip.error is not None:
        raise NoChip(f"{chip.path} cannot be opened: {chip.error.strerror or chip.error}")
    return chip


def _nothing(there: list[Chip], what: str, setting: str) -> str:
    if not there:
        cure = "this takes a Raspberry Pi with kernel 5.10 or newer"
        return f"{what} is not there: there is no /dev/gpiochip* at all; {cure}"
    known = ", ".join(f"{c.path.name} {c.label or '(may not be opened)'}" for c in there)
    return f"{what} is not there; there are: {known}. Name the right one in {setting}"
