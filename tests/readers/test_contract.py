"""What ports.py promises of every reader, held against every kind of them."""

from __future__ import annotations

import logging
import random

import pytest

from mind_box.devices.readers import open_reader
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import DeviceLost
from mind_box.table.payload import parse
from tests.readers.cables import Plug
from tests.readers.conftest import Inbox, VirtualLoop

KINDS = ("serial", "hid", "pn532", "rdm6300", "firmware")
ON_A_LINE = ("serial", "pn532", "rdm6300", "firmware")


def test_these_are_all_kinds() -> None:
    choices = ReaderSettings.__dataclass_fields__["kind"].metadata["choices"]
    assert set(choices) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_absent_hardware_is_one_loss_under_the_name_that_was_given(
    kind: str, loop: VirtualLoop, inbox: Inbox, plug: Plug, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    reader = open_reader(ReaderSettings(kind=kind, device=str(plug.link)), inbox.append, loop, "reader 2")
    loop.run(30)
    assert inbox.kinds() == ["DeviceLost"]
    assert isinstance(inbox[0], DeviceLost)
    assert inbox[0].device == "reader 2"
    assert str(plug.link) in inbox[0].why
    assert len(caplog.records) == 1
    reader.close()
    reader.close()
    loop.run(5)
    assert len(inbox) == 1


@pytest.mark.parametrize("kind", ON_A_LINE)
def test_rubbish_for_a_minute_is_no_card_and_no_crash(
    kind: str, loop: VirtualLoop, inbox: Inbox, plug: Plug, caplog: pytest.LogCaptureFixture
) -> None:
    plug.plug()
    rng = random.Random(7)
    reader = open_reader(ReaderSettings(kind=kind, device=str(plug.link)), inbox.append, loop)
    for _ in range(600):
        plug.send(bytes(rng.randrange(128, 256) for _ in range(rng.randint(1, 60))))
        loop.run(0.1)
        plug.sent()
    assert [p for p in inbox.payloads if parse(p) is not None] == []
    assert "went wrong" not in caplog.text
    assert len(caplog.records) <= 1, caplog.text
    reader.close()


@pytest.mark.parametrize("kind", ["pn532", "firmware"])
def test_a_device_that_is_open_but_never_answers_is_lost_within_seconds(
    kind: str, loop: VirtualLoop, inbox: Inbox, plug: Plug
) -> None:
    plug.plug()
    reader = open_reader(ReaderSettings(kind=kind, device=str(plug.link)), inbox.append, loop)
    loop.run(8)
    assert inbox.kinds() == ["DeviceLost"]
    before = loop.wake_ups
    loop.run(60)
    assert (loop.wake_ups - before) / 60 < 15
    reader.close()


@pytest.mark.parametrize("kind", ON_A_LINE)
def test_closing_lets_go_of_the_device(kind: str, loop: VirtualLoop, inbox: Inbox, plug: Plug) -> None:
    plug.plug()
    settings = ReaderSettings(kind=kind, device=str(plug.link))
    for _ in range(3):
        reader = open_reader(settings, inbox.append, loop)
        loop.run(0.1)
        reader.close()
    assert inbox == []
