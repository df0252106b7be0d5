"""A reader over the pile, from its settings through the real port: changes and silence are posted, and no more."""

from __future__ import annotations

import pytest

from mind_box.devices.readers import open_reader
from mind_box.devices.readers.tray import EMPTY
from mind_box.settings.loading import ConfigError, parse
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import Scan, TrayEmpty
from tests.readers.cables import Plug
from tests.readers.conftest import Inbox, VirtualLoop


def test_a_pile_is_posted_by_its_changes_and_by_its_end(loop: VirtualLoop, plug: Plug, inbox: Inbox) -> None:
    plug.plug()
    settings = ReaderSettings(device=str(plug.link), place="tray")
    reader = open_reader(settings, inbox.append, loop)
    empty = EMPTY * settings.same_card_seconds
    loop.run(empty + 0.1)
    for label in (b"MB1:042:F2", b"43"):
        for _ in range(50):
            plug.send(label + b"\r")
            loop.run(0.1)
    loop.run(10 * empty)
    assert [(type(event), getattr(event, "payload", "")) for event in inbox] == [
        (TrayEmpty, ""), (Scan, "MB1:042:F2"), (Scan, "43"), (TrayEmpty, ""),
    ]  # fmt: skip
    assert all(event.tray for event in inbox if isinstance(event, Scan))
    reader.close()


def test_an_unplugged_reader_sees_no_empty_tray(loop: VirtualLoop, plug: Plug, inbox: Inbox) -> None:
    plug.plug()
    settings = ReaderSettings(device=str(plug.link), place="tray")
    reader = open_reader(settings, inbox.append, loop)
    plug.send(b"42\r")
    loop.run(0.5)
    plug.unplug()
    loop.run(60)
    assert inbox.kinds() == ["Scan", "DeviceLost"]
    plug.plug()
    plug.send(b"42\r")
    loop.run(2)
    assert "TrayEmpty" not in inbox.kinds()
    reader.close()


def test_only_a_scanner_can_look_at_a_pile() -> None:
    assert parse('[[reader]]\nplace = "tray"').reader[0].place == "tray"
    assert parse('[[reader]]\nkind = "hid"').reader[0].place == "slot"
    with pytest.raises(ConfigError, match=r"line 3: reader\.place"):
        parse('[[reader]]\nkind = "pn532"\nplace = "tray"')
