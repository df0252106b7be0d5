"""docs/python.md: its examples run as they stand, over the models of the chips."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from collections.abc import Callable
from functools import partial

import pytest
import serial
import smbus2
from luma.core.interface.serial import i2c
from luma.core.render import canvas
from luma.oled.device import ssd1306
from PIL import Image

from mind_box.devices.gpio import gpiod_factory
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SSD1306Chip
from tests.models.gpio_chip import ModelChip, ModelGpio
from tests.models.pn532_chip import Pn532Chip
from tests.models.tags import Field, Ntag
from tests.papers.pages import page

EXAMPLES = dict(
    zip(
        ("pins", "screen", "tags", "frames"),
        re.findall(r"```python\n(.*?)```", page("docs/python.md"), re.S),
        strict=True,
    )
)


def run(name: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(EXAMPLES[name], f"docs/python.md: {name}", "exec"), names)
    return names


async def test_a_button_lights_a_lamp(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = ModelChip("/dev/gpiochip0")
    model = partial(gpiod_factory.GpiodFactory, chip.path, open_chip=ModelGpio(chip).open)
    monkeypatch.setattr(gpiod_factory, "GpiodFactory", model)
    monkeypatch.setattr(signal, "pause", lambda: None)
    names = run("pins")
    for down in (True, False):
        chip.drive(5, not down)
        for _ in range(3):
            await asyncio.sleep(0)
        assert chip.lines[12].output is down
    names["pins"].close()  # type: ignore[attr-defined]


class KernelBus(ModelBus):
    """With the call that luma uses on a bus that it opened itself."""

    def i2c_rdwr(self, *messages: smbus2.i2c_msg) -> None:
        for message in messages:
            self.write(message.addr, bytes(message))


def test_a_counter_costs_a_fraction_of_lumas_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(show: Callable[[], object]) -> tuple[int, Image.Image]:
        panel = SSD1306Chip()
        bus = KernelBus({0x3C: panel})
        monkeypatch.setattr(smbus2, "SMBus", lambda _port: bus)
        show()
        return bus.bytes, panel.picture()

    def lumas() -> None:
        screen = ssd1306(i2c(port=1, address=0x3C))
        screen.persist = True
        for n in range(10):
            with canvas(screen) as draw:
                draw.text((56, 26), f"{n}", fill="white")

    ours, picture = counted(lambda: run("screen"))
    theirs, same = counted(lumas)
    assert picture.tobytes() == same.tobytes()
    assert same.getbbox() is not None, "the panel is dark"
    assert theirs > 10_000 and ours < theirs / 5


def test_a_tag_on_a_serial_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    field = Field()
    chip = Pn532Chip(field)
    clock = [100.0]

    class Line:
        """A serial port with the chip at its other end; reading takes its 50 ms."""

        def __init__(self, device: str, baud: int, timeout: float) -> None:
            assert (device, baud) == ("/dev/ttyAMA0", 115200)
            self.timeout = timeout

        def write(self, data: bytes) -> None:
            chip.feed(bytes(data), clock[0])

        def read(self, _most: int) -> bytes:
            clock[0] += self.timeout
            if clock[0] > 102 and not len(field):
                field.put(Ntag(bytes.fromhex("04a1b2c3d4e5f6"), "MB1:042"))
            assert clock[0] < 120, "no tag in 20 s"
            return chip.take(clock[0])

    monkeypatch.setattr(serial, "Serial", Line)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    run("tags")
    assert capsys.readouterr().out == "MB1:042\n"


def test_frames_in_a_stream() -> None:
    run("frames")


def test_each_part_stands_alone() -> None:
    """About ten lines of each example are its own; what it imports of the box is devices only."""
    for name, text in EXAMPLES.items():
        rooms = set(re.findall(r"from mind_box\.(\w+)", text))
        assert rooms == {"devices"}, name
        own = [line for line in text.splitlines() if line.strip() and not line.startswith(("from", "import"))]
        assert len(own) <= 15, name
