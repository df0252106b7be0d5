"""The header's GPIO chip, the right to open it, and who else holds a line of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from mind_box.devices.gpio.header_chip import Chip, NoChip, header_chip, label_of, named_chip
from mind_box.devices.gpio.pin_factory import CONSUMER
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.settings.schema import EXPANDER_PINS, HEADER_PINS, cautions, pin_name, pin_uses

Users = Callable[[Path, Iterable[int]], Mapping[int, str]]
"""Who holds which of these lines of a chip."""


def users_of(path: Path, lines: Iterable[int]) -> dict[int, str]:
    """From the kernel. Raises ``OSError``."""
    import gpiod

    held = {}
    with gpiod.Chip(str(path)) as chip:
        for line in lines:
            info = chip.get_line_info(line)
            if info.used:
                held[line] = info.consumer or "the kernel"
    return held


def check(scene: Scene, label: Callable[[Path], str] = label_of, users: Users = users_of) -> Iterator[Verdict]:
    """The chip and each pin that the settings use."""
    gpio = scene.config.gpio
    if gpio.factory == "mock":
        yield Verdict("pins", NOTE, 'gpio.factory = "mock": no pin is driven', 'gpio.factory = "auto"')
        return
    for caution in cautions(scene.config):
        what, _, cure = caution.partition(". ")
        yield Verdict("pins", NOTE, what, cure)
    if scene.running:
        yield Verdict("pins", OK, f"the running box uses {scene.running['pins']}")
    for what in ("buttons", "lamps"):
        if what in scene.faults:
            yield Verdict("pins", WRONG, f"the running box misses its {what}", "see journalctl -u mind-box, and below")
    try:
        chip = named_chip(gpio.chip, "gpio.chip", scene.root, label) if gpio.chip else header_chip(scene.root, label)
        expander = named_chip(gpio.expander, "gpio.expander", scene.root, label) if gpio.expander else None
    except NoChip as e:
        what, _, cure = str(e).partition(": ")
        yield Verdict("pins", WRONG, what, cure)
        return
    except ImportError:
        return  # said with the packages
    uses = [(name, pin) for name, pin in pin_uses(scene.config) if " " not in name]  # a bus is the kernel's
    yield from _lines(chip, [(n, p) for n, p in uses if p in HEADER_PINS], 0, users)
    if expander is not None:
        yield from _lines(expander, [(n, p) for n, p in uses if p in EXPANDER_PINS], EXPANDER_PINS.start, users)


def _lines(chip: Chip, uses: list[tuple[str, int]], offset: int, users: Users) -> Iterator[Verdict]:
    try:
        held = users(chip.path, [pin - offset for _, pin in uses])
    except OSError as e:
        yield Verdict("pins", WRONG, f"{chip.path} ({chip.label}): its lines cannot be looked at: {e.strerror or e}")
        return
    taken = [(name, pin, held[pin - offset]) for name, pin in uses if held.get(pin - offset, CONSUMER) != CONSUMER]
    for name, pin, user in taken:
        cure = f"stop what uses it (gpioinfo names it; a dtoverlay in config.txt?), or give {name} another pin"
        yield Verdict("pins", WRONG, f"{pin_name(pin)} ({name}) is taken by {user!r}", cure)
    if not taken:
        named = f"{chip.path} ({chip.label or 'its label is not known'})"
        yield Verdict("pins", OK, f"{named}: {len(uses)} lines, none taken")
