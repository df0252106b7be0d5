"""The screens' buses, and who answers on them."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator

from mind_box.devices.oled.i2c import I2CInterface, OpenBus, SharedBus, open_bus
from mind_box.doctor.verdict import NOTE, OK, WRONG, Scene, Verdict
from mind_box.settings.schema import ScreenSettings

SLOW = 100_000
"""Hz, what a Pi's bus runs at unless it is told otherwise."""


def check(scene: Scene, open_bus: OpenBus = open_bus) -> Iterator[Verdict]:
    """Each screen; nothing is written to one, and a bus that a running box uses is left alone."""
    if not scene.config.screen:
        yield Verdict("screens", NOTE, "the settings name no screen")
    for screen in scene.config.screen:
        if scene.running:
            yield _of_the_running_box(scene, screen)
        elif screen.bus.startswith("i2c"):
            yield _on_i2c(screen, open_bus)
        elif screen.bus.startswith("spi"):
            yield _on_spi(scene, screen)
        else:
            yield Verdict("screens", NOTE, f"{screen.name}: {screen.bus} is no real bus")
    for bus in sorted({s.bus for s in scene.config.screen if s.bus.startswith("i2c")}):
        yield from _speed(scene, bus)


def _of_the_running_box(scene: Scene, screen: ScreenSettings) -> Verdict:
    if screen.name in scene.faults:
        cure = "journalctl -u mind-box says why; sudo systemctl stop mind-box, then ask again: more is looked at"
        return Verdict("screens", WRONG, f"{screen.name}: the running box misses it", cure)
    return Verdict("screens", OK, f"{screen.name}: the running box draws on it")


def _on_i2c(screen: ScreenSettings, open_bus: OpenBus) -> Verdict:
    shared = SharedBus(screen.bus, open_bus)
    port = I2CInterface(shared, screen.address, screen.mux, screen.channel)
    behind = "" if screen.mux is None else f", channel {screen.channel} of the multiplexer at 0x{screen.mux:02x}"
    try:
        port.aim()
        status = port.status()
    except OSError as e:
        what, _, cure = port.explain(e).partition(": ")
        return Verdict("screens", WRONG, f"{screen.name}: {what}", cure)
    finally:
        shared.close()
    state = "off" if status & 0x40 else "on"
    where = f"0x{screen.address:02x} on {screen.bus}{behind}"
    return Verdict("screens", OK, f"{screen.name}: answers at {where}, its picture is {state}")


def _on_spi(scene: Scene, screen: ScreenSettings) -> Verdict:
    path = scene.root / "dev" / f"spidev{screen.bus.removeprefix('spi-')}"
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError as e:
        cure = {
            errno.ENOENT: "write dtparam=spi=on into /boot/firmware/config.txt and start the Pi again",
            errno.EACCES: f"add {scene.user} to the group spi: sudo usermod -aG spi {scene.user}",
        }.get(e.errno or 0, "see `dmesg`")
        return Verdict("screens", WRONG, f"{screen.name}: {path}: {e.strerror}", cure)
    return Verdict("screens", OK, f"{screen.name}: {path} opens; whether a display listens cannot be asked over SPI")


def _speed(scene: Scene, bus: str) -> Iterator[Verdict]:
    path = scene.root / "sys/class/i2c-adapter" / bus / "of_node/clock-frequency"
    try:
        hertz = struct.unpack(">I", path.read_bytes()[:4])[0]
    except (OSError, struct.error):
        return
    if hertz <= SLOW:
        cure = "dtparam=i2c_arm_baudrate=400000 in /boot/firmware/config.txt (needs short wires)"
        yield Verdict("screens", NOTE, f"{bus} runs at {hertz // 1000} kHz: a whole picture takes 0.1 s", cure)
