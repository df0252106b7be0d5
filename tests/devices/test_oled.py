"""Dirty windows: the right picture with the fewest bytes, on the models of both chips."""

from __future__ import annotations

import random
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from luma.core.interface.serial import i2c
from luma.oled.device import sh1106, ssd1306
from PIL import Image

from mind_box.devices.oled.drivers import WIDTH, DirtySH1106, DirtySSD1306, bands, differing, pack, runs, windows
from mind_box.devices.oled.i2c import I2CInterface, SharedBus
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import SH1106Chip, SSD1306Chip, SSD1309Chip
from tests.devices.aids import picture, same

Driver = type[DirtySSD1306 | DirtySH1106]
Chip = type[SSD1306Chip | SH1106Chip]
PAIRS = [
    pytest.param(DirtySSD1306, SSD1306Chip, id="ssd1306"),
    pytest.param(DirtySSD1306, SSD1309Chip, id="ssd1309"),
    pytest.param(DirtySH1106, SH1106Chip, id="sh1106"),
]


def on(bus: ModelBus) -> I2CInterface:
    return I2CInterface(SharedBus("i2c-1", lambda _: bus), 0x3C)


def noise(seed: int, height: int = 64) -> Image.Image:
    return Image.frombytes("1", (128, height), random.Random(seed).randbytes(16 * height))


@pytest.mark.parametrize("height", [32, 64])
def test_pack_puts_each_pixel_where_the_controller_wants_it(height: int) -> None:
    image = noise(1, height)
    packed = pack(image)
    for y in range(height):
        for x in range(WIDTH):
            assert bool(packed[y // 8 * WIDTH + x] >> y % 8 & 1) == bool(image.getpixel((x, y)))
    for quarters in (1, 2, 3):
        assert pack(image.rotate(90 * quarters, expand=True), quarters) == packed


@pytest.mark.parametrize(("driver", "chip"), PAIRS)
@pytest.mark.parametrize("height", [32, 64])
@pytest.mark.parametrize("rotate", [0, 1, 2, 3])
def test_every_picture_of_a_row_arrives(driver: Driver, chip: Chip, height: int, rotate: int) -> None:
    model = chip(height)
    device = driver(on(ModelBus({0x3C: model})), height=height, rotate=rotate)
    device.persist = True
    for seed in range(20):
        image = noise(seed, height) if seed % 5 == 0 else picture(f"card {seed * 7}", (128, height))
        device.display(image.rotate(90 * rotate, expand=True))
        assert same(model.picture(), image)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 127), st.integers(0, 63), st.integers(1, 40), st.integers(1, 20)), max_size=8))
def test_any_change_arrives(boxes: list[tuple[int, int, int, int]]) -> None:
    chips = SSD1306Chip(), SH1106Chip()
    kinds: tuple[Driver, Driver] = DirtySSD1306, DirtySH1106
    devices: list[DirtySSD1306 | DirtySH1106] = [
        kind(on(ModelBus({0x3C: chip})), 64) for kind, chip in zip(kinds, chips, strict=True)
    ]
    image = picture("start")
    for x, y, w, h in boxes:
        image.paste(not image.getpixel((x, y)), (x, y, x + w, y + h))
        for device, chip in zip(devices, chips, strict=True):
            device.persist = True
            device.display(image)
            assert chip.ram != bytearray(len(chip.ram))
            assert same(chip.picture(), image)


@pytest.mark.parametrize(("driver", "chip"), PAIRS)
def test_an_unchanged_picture_costs_nothing(driver: Driver, chip: Chip) -> None:
    bus = ModelBus({0x3C: chip()})
    device = driver(on(bus))
    device.persist = True
    device.display(picture("42"))
    before = bus.bytes
    device.display(picture("42"))
    assert bus.bytes == before


@pytest.mark.parametrize(
    ("driver", "chip", "stock"), [(DirtySSD1306, SSD1306Chip, ssd1306), (DirtySH1106, SH1106Chip, sh1106)]
)
def test_luma_oled_224_a_counter_costs_a_twentieth(driver: Driver, chip: Chip, stock: Any) -> None:
    """luma.oled#224 #210, go-i2c-oled#3: 1,034 bytes and more for each picture are slow at 100 kHz."""
    a, b = picture("counter 12"), picture("counter 13")
    costs = []
    for ours in (True, False):
        bus = ModelBus({0x3C: chip()})
        device = driver(on(bus)) if ours else stock(i2c(bus=bus))
        device.persist = True
        device.display(a)
        before = bus.bytes
        device.display(b)
        costs.append(bus.bytes - before)
    assert costs[0] * 20 <= costs[1]


def test_data_goes_out_in_one_message_on_a_bus_that_luma_is_handed() -> None:
    bus = ModelBus({0x3C: SSD1306Chip()})
    device = DirtySSD1306(on(bus))
    device.persist = True
    before = bus.messages
    device.forget()
    device.display(noise(2))
    assert bus.messages - before == 2  # the window, and its 1,024 bytes


@pytest.mark.parametrize("column", [0, 2, 4])
def test_u8g2_225_the_first_column_is_a_setting(column: int) -> None:
    """u8g2#225, ThingPulse#416: an SH1106 has 132 columns; some panels start at 0, most at 2."""
    model = SH1106Chip(column=column)
    device = DirtySH1106(on(ModelBus({0x3C: model})), column=column)
    device.persist = True
    device.display(picture("edge"))
    assert same(model.picture(), picture("edge"))
    device.display(noise(5))
    assert same(model.picture(), noise(5))


@pytest.mark.parametrize("driver", [DirtySSD1306, DirtySH1106])
@pytest.mark.parametrize("image", [Image.new("L", (128, 64)), Image.new("1", (64, 128))])
def test_a_picture_that_does_not_fit_is_refused(driver: Driver, image: Image.Image) -> None:
    device = driver(on(ModelBus({0x3C: SSD1306Chip()})))
    device.persist = True
    with pytest.raises(ValueError, match="the screen"):
        device.display(image)


def test_after_an_error_the_whole_picture_is_sent() -> None:
    model = SSD1306Chip()
    bus = ModelBus({0x3C: model})
    device = DirtySSD1306(on(bus))
    device.persist = True
    device.display(picture("1"))

    def broken(*_: object) -> None:
        raise OSError(121, "Remote I/O error")

    bus.trouble = broken
    with pytest.raises(OSError, match="121"):
        device.display(picture("2"))
    bus.trouble = None
    model.power_cycle()
    device.display(picture("1"))  # not "unchanged": the glass is unknown
    assert model.data_bytes == 1024


def test_pillow_7523_no_getdata() -> None:
    """Pillow#7523, luma.oled#404: ``getdata`` goes in Pillow 14; luma's display() calls it, ours must not."""

    class Picture(Image.Image):
        def getdata(self, *_: object) -> NoReturn:
            raise AssertionError("getdata was called")

    image = Picture()
    image.__dict__.update(picture("42").__dict__)
    model = SSD1306Chip()
    device = DirtySSD1306(on(ModelBus({0x3C: model})))
    device.persist = True
    device.display(image)
    assert same(model.picture(), picture("42"))


def test_runs_and_windows_are_exact() -> None:
    old = bytes(4 * WIDTH)
    new = bytearray(old)
    for place in (10, 12, 40, WIDTH + 11, 3 * WIDTH + 127):
        new[place] = 1
    pages = differing(old, bytes(new))
    assert runs(pages) == [(10, 12, 0, 0), (40, 40, 0, 0), (11, 11, 1, 1), (127, 127, 3, 3)]
    tall = [(10, 12, 0, 1), (40, 40, 0, 1), (127, 127, 3, 3)]
    assert bands(pages)[0] == 3 + 7 + 2 * 3 + 7 + 2 + 3 + 7 + 1
    assert windows(pages) == tall
    for x in range(60, 100):
        new[2 * WIDTH + x] = new[3 * WIDTH + x] = 1
    left, right = [(10, 12, 0, 1), (40, 40, 0, 1)], [(60, 99, 2, 3), (127, 127, 2, 3)]
    assert windows(differing(old, bytes(new))) == left + right
    assert runs(differing(old, old)) == windows(differing(old, old)) == []
