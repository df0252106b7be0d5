"""Fixtures of the tests of drivers, and no pin left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpiozero import Device
from gpiozero.pins.local import LocalPiFactory

from mind_box.settings.schema import ScreenSettings
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip
from tests.devices.aids import Bench, HandClock, Inbox


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def chip() -> SSD1306Chip:
    return SSD1306Chip()


@pytest.fixture
def bench(inbox: Inbox, clock: HandClock, chip: SSD1306Chip) -> Bench:
    """One table screen, which is ``chip``."""
    return Bench(inbox, clock, [ScreenSettings()], ModelBus({0x3C: chip}))


@pytest.fixture(autouse=True)
def no_pins_left() -> Iterator[None]:
    """gpiozero keeps pins and reservations in the class: a test that leaves some would break the next."""
    yield
    Device.pin_factory = None
    LocalPiFactory.pins.clear()
    LocalPiFactory._reservations.clear()  # noqa: SLF001 - gpiozero lets go of them no other way
