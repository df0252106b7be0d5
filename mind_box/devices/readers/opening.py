"""From ``[[reader]]`` to a running reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from mind_box.devices.ports import Reader
from mind_box.devices.readers.driver import Driver
from mind_box.devices.readers.port import Port
from mind_box.devices.readers.transport import SerialTransport, Transport
from mind_box.settings.schema import ReaderSettings
from mind_box.table.inputs import Post


def open_reader(
    settings: ReaderSettings,
    post: Post,
    loop: asyncio.AbstractEventLoop,
    name: str = "reader",
    run_dir: str | Path | None = None,
) -> Reader:
    """Opens a reader of any kind; call it from the loop's thread.

    Never fails for hardware that is absent: that is posted as ``DeviceLost`` under ``name``, and the reader is
    found when its file appears, at the latest within 2 s of being plugged in.

    ``run_dir`` is a directory that may be lost at power-off; there a reader board's driver keeps how far it has
    taken the board's messages, so that a restart of this program counts none twice. A message is acknowledged to
    the board right after ``post`` returned: a ``post`` that has the card on disk by then loses none either.
    """
    mark = None if run_dir is None else Path(run_dir) / f"{name.replace(' ', '-')}.json"
    opener, driver = _parts(settings, mark)
    return Port(name, opener, driver, post, loop, loop.time, settings.device)


def _parts(settings: ReaderSettings, mark: Path | None) -> tuple[Callable[[], Transport], Driver]:
    """How the device is opened, and its driver. Only the kinds that the box has are imported."""

    def serial_port() -> Transport:
        return SerialTransport(settings.device, settings.speed)

    seconds = settings.same_card_seconds
    match settings.kind:
        case "hid":
            from mind_box.devices.readers.keyboard import KeyboardTransport
            from mind_box.devices.readers.lines import LineDriver

            return lambda: KeyboardTransport(settings.device), LineDriver(seconds, typed=True)
        case "pn532":
            from mind_box.devices.readers.pn532 import Pn532Driver

            return serial_port, Pn532Driver(seconds)
        case "rdm6300":
            from mind_box.devices.readers.rdm6300 import RdmDriver

            return serial_port, RdmDriver(seconds)
        case "firmware":
            from mind_box.devices.readers.board import BoardDriver, Mark

            return serial_port, BoardDriver(Mark(mark))
        case _:
            from mind_box.devices.readers.lines import LineDriver

            return serial_port, LineDriver(seconds)
