"""A serial code carries the moment of its last byte (R34)."""

from __future__ import annotations

from mind_box.devices.readers import open_reader
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import Scan
from tests.readers.cables import Plug
from tests.readers.conftest import Inbox, VirtualLoop

ONE_BYTE = 10 / 9600


def test_a_serial_code_is_within_a_byte_of_its_last_one(loop: VirtualLoop, plug: Plug, inbox: Inbox) -> None:
    plug.plug()
    reader = open_reader(ReaderSettings(device=str(plug.link)), inbox.append, loop)
    loop.run(5)
    arrived = []
    for card in range(1, 30):
        for byte in f"MB1:{card:03d}\r".encode():
            plug.send(bytes([byte]))
            arrived_at = loop.now
            loop.run(ONE_BYTE)
        arrived.append(arrived_at)
        loop.run(1.7)
    reader.close()
    scans = [event.at for event in inbox if isinstance(event, Scan)]
    assert len(scans) == len(arrived)
    assert max(abs(at - true) for at, true in zip(scans, arrived, strict=True)) <= ONE_BYTE
