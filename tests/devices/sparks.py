"""What a spark does to the screens' chips, which answer as before; and how long the glass may be wrong."""

from __future__ import annotations

import random
from collections.abc import Callable

from mind_box.devices.oled.panel import HEALTH
from mind_box.devices.oled.screens import BUSY
from mind_box.virtual.i2c_bus import TCA9548A
from tests.devices.driven import DriverPlayer
from tests.models.model_box import MUX, ModelBox
from tests.models.oled_sparks import REGISTERS, flip, scramble

SPARKS = ("registers flipped", "RAM scrambled", "panel without power", "mux flipped")
BOUND = HEALTH + BUSY + 0.1
"""Seconds of rest after which every glass is right, where nothing else goes wrong."""
MORE = 8.0
"""Seconds more where one message in thirty is lost too: a picture has ten or more, and is tried again after 2 s."""


def strike(box: ModelBox, kind: str, rng: random.Random) -> None:
    """One spark."""
    panel = rng.choice(list(box.panels.values()))
    mux = box.bus.slaves[MUX]
    assert isinstance(mux, TCA9548A)
    if kind == "registers flipped":
        for register in rng.sample(sorted(REGISTERS[type(panel)]), rng.randint(1, 4)):
            flip(panel, register, rng)
    elif kind == "RAM scrambled":
        scramble(panel, rng)
    elif kind == "panel without power":
        panel.power_cycle()
    else:
        mux.mask ^= rng.randint(1, 255)


def wrong(player: DriverPlayer) -> list[str]:
    """The screens with a plugged cable that show something else than the View."""
    return [name for name in player.wrong() if name in player.box.panels and name not in player.box.unplugged]


async def rest(player: DriverPlayer, rests: Callable[[], bool]) -> None:
    """Waits until each glass has been right, ``BOUND`` and ``MORE`` seconds at most; then raises ``AssertionError``.

    Not longer than the table ``rests``: an edge that came late may begin a level.
    """
    still = set(wrong(player))
    await player.sleep(BOUND)
    for _ in range(round(MORE / 0.5)):
        if not rests():
            return
        still &= set(wrong(player))
        if not still:
            return
        await player.sleep(0.5)
    raise AssertionError(f"wrong for {BOUND + MORE} s: {still}")
