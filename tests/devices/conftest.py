"""Fixtures of the tests of drivers, and no pin left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpiozero import Device
from gpiozero.pins.local import LocalPiFactory

from tests.devices.aids import HandClock, Inbox


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(autouse=True)
def no_pins_left() -> Iterator[None]:
    """gpiozero keeps pins and reservations in the class: a test that leaves some would break the next."""
    yield
    Device.pin_factory = None
    LocalPiFactory.pins.clear()
    LocalPiFactory._reservations.clear()
