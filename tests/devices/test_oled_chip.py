"""The chip models against the data sheets, and against luma's own drivers, which draw on real chips."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from luma.core.interface.serial import i2c
from luma.oled.device import sh1106, ssd1306, ssd1309

from mind_box.devices.oled.i2c import CaptureBus
from mind_box.virtual.i2c_bus import TCA9548A, ModelBus
from mind_box.virtual.oled_chip import ANALOG, OledChip, SH1106Chip, SSD1306Chip, SSD1309Chip
from tests.devices.aids import picture, same
from tests.models.capture import play
from tests.models.oled_sparks import REGISTERS, flip, registers

KINDS = [
    pytest.param(ssd1306, SSD1306Chip, 64, id="ssd1306"),
    pytest.param(ssd1309, SSD1309Chip, 64, id="ssd1309"),
    pytest.param(ssd1306, SSD1306Chip, 32, id="ssd1306-32"),
    pytest.param(sh1106, SH1106Chip, 64, id="sh1106"),
    pytest.param(sh1106, SH1106Chip, 32, id="sh1106-32"),
]


@pytest.mark.parametrize(("driver", "chip", "height"), KINDS)
@pytest.mark.parametrize("rotate", [0, 2])
def test_lumas_own_driver_draws_the_right_picture(
    driver: Any, chip: type[SSD1306Chip | SH1106Chip], height: int, rotate: int
) -> None:
    model = chip(height)
    device = driver(i2c(bus=ModelBus({0x3C: model})), height=height, rotate=rotate)
    device.persist = True
    image = picture("luma", (128, height))
    device.display(image)
    assert same(model.picture(), image.rotate(180) if rotate else image)
    device.hide()
    assert not model.picture().getbbox()


def test_an_ssd1306_driver_on_an_sh1106_is_torn() -> None:
    """The real difference: an SH1106 knows no windows and does not go on to the next page by itself."""
    model = SH1106Chip()
    device = ssd1306(i2c(bus=ModelBus({0x3C: model})))
    device.persist = True
    image = picture("luma")
    device.display(image)
    assert not same(model.picture(), image)
    assert (0x20,) in model.unknown


def lit_chip(chip: OledChip) -> OledChip:
    chip.write(b"\x00\x8d\x14\xa1\xc8\xa6\xa4\xaf" if isinstance(chip, SSD1306Chip) else b"\x00\xa1\xc8\xa6\xa4\xaf")
    return chip


@pytest.mark.parametrize("chip", [SSD1306Chip, SH1106Chip])
def test_ram_is_random_after_power_up_and_the_display_off(chip: type[SSD1306Chip | SH1106Chip]) -> None:
    model = chip(seed=3)
    assert not model.picture().getbbox()
    assert model.read(1)[0] & 0x40
    first = bytes(lit_chip(model).ram)
    assert model.picture().getbbox()
    assert not model.read(1)[0] & 0x40
    model.power_cycle()
    assert bytes(model.ram) != first
    assert not model.picture().getbbox()


def test_an_ssd1306_without_its_charge_pump_stays_dark() -> None:
    model = SSD1306Chip()
    model.write(b"\x00\xaf")
    assert not model.picture().getbbox()
    assert SH1106Chip().powered()  # its converter is on after reset


def test_ssd1306_addressing_modes() -> None:
    model = SSD1306Chip()
    model.ram[:] = bytes(1024)
    model.write(b"\x00\x20\x00\x21\x7e\x7f\x22\x01\x02")
    model.write(b"\x40\x01\x02\x03\x04\x05")  # wraps from the window's end to its start
    assert model.ram[128 + 126 : 256] == b"\x05\x02"
    assert model.ram[256 + 126 : 384] == b"\x03\x04"
    model.write(b"\x00\x20\x01\x21\x00\x01\x22\x00\x01")
    model.write(b"\x40\x0a\x0b\x0c\x0d")
    assert (model.ram[0], model.ram[128], model.ram[1], model.ram[129]) == (0x0A, 0x0B, 0x0C, 0x0D)
    model.write(b"\x00\x20\x02\xb3\x0f\x17")
    model.write(b"\x40\x11\x12")  # page mode: column 127, then back to 0 of the same page
    assert (model.ram[3 * 128 + 127], model.ram[3 * 128]) == (0x11, 0x12)
    assert not model.unknown


def test_sh1106_columns_do_not_wrap() -> None:
    model = SH1106Chip()
    model.ram[:] = bytes(132 * 8)
    model.write(b"\x00\xb1\x02\x18")  # column 130
    model.write(b"\x40\x01\x02\x03\x04")
    assert model.ram[132 + 130 : 264] == b"\x01\x02"
    assert not any(model.ram[:132])
    assert not any(model.ram[264:])


def test_sh1106_read_modify_write_brings_the_column_back() -> None:
    model = SH1106Chip()
    model.write(b"\x00\xb0\x05\x10\xe0")
    model.write(b"\x40\x01\x02")
    model.write(b"\x00\xee")
    assert model.col == 5


def test_control_bytes_one_by_one_do_the_same() -> None:
    """Co = 1: each command byte behind a control byte of its own, then data to the end (data sheet 8.1.5.2)."""
    model = SSD1306Chip()
    model.write(bytes([0x80, 0x20, 0x80, 0x00, 0xC0, 0x55, 0x40, 0x66, 0x77]))
    assert model.mode == 0
    assert model.data_bytes == 3


def test_a_command_waits_for_its_arguments_across_messages() -> None:
    model = SSD1306Chip()
    model.write(b"\x00\x81")
    model.write(b"\x00\xae")  # taken as the contrast
    assert model.contrast == 0xAE
    model.write(b"\x00\xe3")
    assert not model.unknown


def test_what_the_eye_sees_follows_the_registers() -> None:
    model = lit_chip(SSD1306Chip())
    assert isinstance(model, SSD1306Chip)
    model.ram[:] = bytes(1024)
    model.ram[0] = 1
    assert model.row(0)[0]
    model.write(b"\x00\xa0")
    assert model.row(0)[127]
    model.write(b"\x00\xc0")
    assert model.row(63)[127]
    model.write(b"\x00\xa1\xc8\x41")  # start line 1: everything one up
    assert model.row(63)[0]
    model.write(b"\x00\x40\xd3\x01")
    assert model.row(63)[0]
    model.write(b"\x00\xd3\x00\xa7")
    assert not model.row(0)[0]
    assert model.row(1)[1]
    model.write(b"\x00\xa5")
    assert model.row(0)[0]
    model.write(b"\x00\xa4\xa6\xa8\x1f")  # multiplex 32: the lower half is not driven
    model.ram[7 * 128] = 0xFF
    assert not model.row(63)[0]


def test_the_multiplexer_leads_to_open_channels_only() -> None:
    a, b = SSD1306Chip(), SSD1306Chip()
    mux = TCA9548A()
    mux.channels[0][0x3C] = a
    mux.channels[7][0x3C] = b
    bus = ModelBus({0x70: mux})
    with pytest.raises(OSError, match="121"):
        bus.write(0x3C, b"\x00\xae")
    bus.write(0x70, b"\x80")
    bus.write(0x3C, b"\x00\x81\x10")
    assert (a.contrast, b.contrast) == (0x7F, 0x10)
    bus.write(0x70, b"\x81")
    bus.write(0x3C, b"\x00\x81\x20")
    assert (a.contrast, b.contrast) == (0x20, 0x20)
    assert bus.read(0x70, 1) == b"\x81"
    mux.power_cycle()
    with pytest.raises(OSError, match="121"):
        bus.read(0x3C, 1)


def test_the_bus_counts_what_is_on_the_wire() -> None:
    bus = ModelBus({0x3C: SSD1306Chip()})
    bus.write(0x3C, b"\x00\xae")
    bus.read(0x3C, 1)
    assert (bus.messages, bus.bytes) == (2, 5)
    with pytest.raises(ValueError, match="32"):
        bus.write_i2c_block_data(0x3C, 0x40, [0] * 33)


def test_a_capture_can_be_played_to_a_chip(tmp_path: Path) -> None:
    path = tmp_path / "bus"
    capture = CaptureBus(str(path))
    capture.write(0x3C, b"\x00\x81\x33")
    with pytest.raises(OSError, match="read"):
        capture.read(0x3C, 1)
    assert path.read_text() == "3c 008133\n"
    capture.close()
    model = SSD1306Chip()
    play(path.read_text(), ModelBus({0x3C: model}))
    assert model.contrast == 0x33


@pytest.mark.parametrize(
    ("kind", "height"),
    [(SSD1306Chip, 64), (SSD1306Chip, 32), (SSD1309Chip, 64), (SH1106Chip, 64), (SH1106Chip, 32)],
)
def test_what_a_spark_flips_is_seen(kind: type[OledChip], height: int) -> None:
    """Every register but those of voltages and clocks decides what the glass shows, or where data go."""
    rng = random.Random(1)
    unseen = {"contrast", "locked", *ANALOG.values()}  # what a locked one shows stays as it is
    unseen -= {"vcomh"} if kind is SSD1309Chip else set()
    for register in REGISTERS[kind]:
        model = kind(height)
        device = {SSD1306Chip: ssd1306, SSD1309Chip: ssd1309, SH1106Chip: sh1106}[kind](
            i2c(bus=ModelBus({0x3C: model})), height=height
        )
        device.persist = True
        device.display(picture("right", (128, height)))
        before = registers(model)
        flip(model, register, rng)
        assert {name for name, value in registers(model).items() if value != before[name]} == {register}
        if register == "mode":
            device.display(picture("right", (128, height)))
        elif register == "multiplex":
            model.multiplex = 15
        assert same(model.picture(), picture("right", (128, height))) == (register in unseen), register


def test_a_scroll_leaves_the_ram_moved() -> None:
    """SSD1306 data sheet, table 9: after 2Eh the RAM needs to be rewritten."""
    model = lit_chip(SSD1306Chip())
    still = model.picture()
    model.write(b"\x00\x2f")
    moving = model.picture()
    assert not same(moving, still)
    model.write(b"\x00\x2e")
    assert same(model.picture(), moving)
    assert not model.unknown


def test_a_stuck_multiplexer_acknowledges_and_does_nothing() -> None:
    mux = TCA9548A()
    mux.write(b"\x04")
    mux.stuck = True
    mux.write(b"\x01")
    assert mux.read(1) == b"\x04"
