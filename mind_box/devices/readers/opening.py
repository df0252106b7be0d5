"""From ``[[reader]]`` to a running reader."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

from mind_box.devices.ports import Reader
from mind_box.devices.readers.driver import Driver
from mind_box.devices.readers.port import Port
from mind_box.devices.readers.transport import SerialTransport, Transport
from mind_box.settings.kinds import READERS
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
    # Unlike importlib's, this import is seen by ``-X importtime``, which shows what a start costs.
    module = __import__(f"mind_box.devices.readers.{READERS[settings.kind].driver}", fromlist=["driver"])
    tray = settings.place == "tray"
    driver: Driver = module.driver(replace(settings, same_card_seconds=0.0) if tray else settings, mark)
    if tray:
        from mind_box.devices.readers.tray import TrayDriver

        driver = TrayDriver(driver, settings.same_card_seconds)
    return Port(name, partial(open_device, settings), driver, post, loop, loop.time, settings.device, tray)


def open_device(settings: ReaderSettings) -> Transport:
    """Opens the reader's device. Raises ``Gone``."""
    if READERS[settings.kind].keyboard:
        from mind_box.devices.readers.keyboard import KeyboardTransport

        return KeyboardTransport(settings.device)
    return SerialTransport(settings.device, settings.speed)
