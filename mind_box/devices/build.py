"""All real ports of a box, as the settings name them."""

from __future__ import annotations

import asyncio
import logging

from mind_box.devices.ports import Devices
from mind_box.settings.schema import Config, pin_cautions
from mind_box.table.inputs import Post

log = logging.getLogger(__name__)


def open_devices(config: Config, post: Post, loop: asyncio.AbstractEventLoop) -> Devices:
    """Opens everything; call it in the loop's thread. What is absent is posted as ``DeviceLost`` and tried again."""
    from mind_box.devices.gpio.pins import open_pins
    from mind_box.devices.oled.screens import open_screens
    from mind_box.devices.readers import open_reader

    for caution in pin_cautions(config):
        log.warning("%s", caution)
    buttons, lamps = open_pins(config.gpio, config.box.seats, post, loop)
    sound = None
    if config.gpio.buzzer is not None:
        from mind_box.devices.gpio.sound import open_sound

        sound = open_sound(config.gpio.buzzer, loop)
    screens = open_screens(config.screen, post)
    readers = [
        open_reader(settings, post, loop, "reader" if n == 1 else f"reader {n}", run_dir=config.box.run_dir)
        for n, settings in enumerate(config.reader, 1)
    ]
    return Devices(buttons, lamps, screens, readers, sound)
