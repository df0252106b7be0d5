"""The settings of a virtual box."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mind_box.game.figures import MAX_LIVES, MAX_STARS
from mind_box.settings.schema import (
    EXPANDER_PINS,
    HEADER_PINS,
    Config,
    GpioSettings,
    ReaderSettings,
    ScreenSettings,
)
from mind_box.virtual.scripts.box import READER


def virtual_settings(config: Config, directory: Path, run: Path) -> Config:
    """The same box with virtual devices: one reader, every screen on I2C; its disk is ``directory``, and what only
    lives as long as it runs is in ``run``."""
    screens = tuple(
        replace(s, bus=f"i2c-{90 + i}", mux=None) if s.bus.startswith("spi") else s for i, s in enumerate(config.screen)
    )
    first = config.reader[0] if config.reader else ReaderSettings()
    reader = ReaderSettings(
        kind="serial", device=str(run / READER), place=first.place, same_card_seconds=first.same_card_seconds
    )
    box = replace(config.box, state_dir=str(directory), run_dir=str(run), power_off=())
    return replace(config, box=box, screen=screens, reader=(reader,))


def virtual_box(seats: int) -> Config:
    """The settings of a box with so many seats and a screen at each."""
    expander = 1 + 2 * seats + 8 > len(HEADER_PINS[2:])  # buttons and lamps fill the header: lamps on an expander
    pins = iter(HEADER_PINS[2:])
    lamps = iter(EXPANDER_PINS) if expander else pins
    gpio = GpioSettings(
        expander="mcp23017" if expander else "",
        star_button=next(pins),
        seat_buttons=tuple(next(pins) for _ in range(seats)),
        seat_lamps=tuple(next(lamps) for _ in range(seats)),
        life_lamps=tuple(next(lamps) for _ in range(MAX_LIVES)),
        star_lamps=tuple(next(lamps) for _ in range(MAX_STARS)),
    )
    screens = [ScreenSettings(bus="i2c-10")]
    screens += [ScreenSettings(seat=n, height=32, bus="i2c-11", mux=0x70, channel=n - 1) for n in range(1, seats + 1)]
    config = Config(gpio=gpio, screen=tuple(screens))
    return replace(config, box=replace(config.box, seats=seats))
