"""What is mutated, the tests that have to see it, and the mutants that none can see.

A run takes one area, so that only its tests are warmed up.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

EQUIVALENT = Path(__file__).with_name("equivalent.txt")
LINE = re.compile(r"(?P<file>\S+) `(?P<old>.*)` -> `(?P<new>.*)`: (?P<why>.+)")

Change = tuple[str, str, str]
"""A file below ``mind_box/``, its lines before and after: a mutant's number changes with whatever stands before it."""


class Area(NamedTuple):
    """Sources as patterns below ``mind_box/``, and the tests of what they do below ``tests/``."""

    sources: str
    tests: str


AREAS = {
    "game": Area(
        "game/*.py",
        "game/test_rules.py game/test_law.py game/test_refusals.py game/test_values.py game/test_ended.py "
        "game/test_choices.py journal/test_rows.py table/test_scripts.py",
    ),
    "table": Area("table/*.py", "table box/test_replay.py readers/test_payload.py"),
    "journal": Area(
        "journal/*.py",
        "journal/test_rows.py journal/test_file.py journal/test_journal.py journal/test_archive.py "
        "journal/test_lost.py journal/test_many.py",
    ),
    "referee": Area(
        "referee.py",
        "box/test_referee.py box/test_referee_edges.py box/test_replay.py table/test_scripts.py",
    ),
    "codecs": Area(
        "devices/nfc/frames.py devices/nfc/ndef.py devices/nfc/presence.py "
        "devices/readers/lines.py devices/readers/keyboard.py devices/readers/rdm6300.py devices/readers/tray.py",
        "readers/test_nfc.py readers/test_lines.py readers/test_keyboard.py readers/test_rdm6300.py "
        "readers/test_codec_edges.py readers/test_payload.py readers/test_pauses.py readers/test_pn532.py "
        "readers/test_tray_driver.py readers/test_tray_port.py readers/test_foreign.py",
    ),
    "cards": Area("cards/ndef.py cards/store.py cards/enrolment.py", "readers/test_cards.py"),
    "buttons": Area(
        "devices/gpio/buttons.py",
        "devices/test_gpio_truth.py devices/test_gpio_pins.py devices/test_gpio_pins_lost.py devices/test_gpio_mock.py",
    ),
    "screens": Area("devices/oled/drivers.py", "devices/test_oled.py devices/test_oled_bytes.py"),
    "evening": Area("evening/*.py", "evening"),
}

UNSETTLED = "game/*.py table/*.py journal/*.py referee.py evening/*.py devices/gpio/*.py devices/oled/*.py"
"""Where not every mutant has been tried yet: survivors are told there, and fail nothing. To be made shorter."""


def settled(file: str) -> bool:
    """Whether every mutant of this file below ``mind_box/`` is killed by a test or known to be equivalent."""
    return not any(fnmatch(file, pattern) for pattern in UNSETTLED.split())


def equivalent() -> dict[Change, str]:
    """The mutants that do what the program does, and why.

    Raises:
        ValueError: a line is not of the form.
    """
    found = {}
    for line in EQUIVALENT.read_text().splitlines():
        if line and not line.startswith("#"):
            match = LINE.fullmatch(line)
            if match is None:
                raise ValueError(f"{EQUIVALENT}: each line is FILE `OLD` -> `NEW`: WHY, not {line!r}")
            found[match["file"], match["old"], match["new"]] = match["why"]
    return found
