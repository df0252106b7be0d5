"""The maker's pages say what the constants say."""

import re
from pathlib import Path

import bom
import diagram
import mounts
import perfboard
import pytest
from layout import Layout

from mind_box.devices.gpio.kernel_pwm import OVERLAYS
from mind_box.doctor.boot import start_lamp
from mind_box.hardware import parts
from mind_box.hardware.boards import BOARDS
from mind_box.hardware.checks import check, sums, supply_ma
from mind_box.hardware.header import I2C, PHYSICAL, PULLED_UP, UART
from mind_box.hardware.wiring import ohms, wires
from mind_box.settings.loading import load, parse
from mind_box.settings.schema import Config

ROOT = Path(__file__).parents[2]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def build(name: str) -> Config:
    return load(ROOT / f"hardware/{name}.toml")


def test_schematic_page_has_today_s_values() -> None:
    text = page("hardware/schematic.md")
    for value in (parts.LAMPS["life"].ohms, parts.PULL_UP_OHMS, parts.SERIES_OHMS, parts.PIEZO_OHMS, parts.PI_I2C_OHMS):
        assert ohms(value) in text
    assert f"{parts.FILTER_NF} nF" in text
    assert len({lamp.ohms for lamp in parts.LAMPS.values()}) == 1, "the page names one resistor for all lamps"
    for lamp in parts.LAMPS.values():
        assert re.search(
            rf"\| {lamp.colour} \(.*\) \| {lamp.volts:.2f} V \| {lamp.ma:.1f} mA \| {lamp.worst_ma:.1f} mA "
            rf"\| {lamp.least_mcd:.0f} mcd \|",
            text,
        )
    assert f"AlInGaP, diffused, {parts.MCD:g} mcd at 20 mA" in text and parts.PIEZO in text
    assert f"{parts.SCREEN_MA['ssd1309']:g} mA (2.42 inch)" in text
    assert OVERLAYS[18] in text and f"gpio={start_lamp(Config())}=op,dh" in text
    total = sums(build("standard"))
    assert f"Lit together, all {total.lamps} lamps take 24 mA, at worst {total.gpio_ma:.0f} mA." in text
    for board in BOARDS.values():
        assert f"| {board.title} | {board.pin_ma:g} mA | {board.total_ma:g} mA | {board.rail_ma:g} mA |" in text
    assert f"| MCP23017 | {parts.EXPANDER_PIN_MA:g} mA | {parts.EXPANDER_TOTAL_MA:g} mA |" in text
    for number, name in ((3, "pi3"), (4, "pi4"), (5, "pi5")):
        need = supply_ma(build("standard"), BOARDS[name]) / 1000
        assert f"{need:.1f} A with a Pi {number}" in text
        assert supply_ma(build("full"), BOARDS[name]) / 1000 - need == pytest.approx(0.05, abs=0.01)
    assert f"are {total.rail_ma:.0f} of the {BOARDS['pi4'].rail_ma:g} mA that 3V3 gives" in text
    assert f"The header has {len(PHYSICAL) - 2 - len(UART)} pins to use" in text


def test_building_page_has_today_s_sizes_and_prices() -> None:
    text = page("hardware/BUILD.md")
    for name in ("standard", "full"):
        assert f"{bom.total(build(name)):.0f} EUR ([list](bom-{name}.csv))" in text
        plan = Layout(build(name))
    assert f"{mounts.BUTTON.hole:g} mm (buttons) and {mounts.LED.hole:g} mm (LED clips)" in text
    assert f"The lens stands {plan.shape.lens[1]:g} mm above the lid and looks down {plan.shape.aim:g} degrees" in text
    columns, rows = perfboard.COLUMNS, len(perfboard.ROWS)
    assert f"{columns} x {rows} holes" in text
    assert f"{parts.LABEL_FROM_EDGE:g} mm from the short edge" in text
    assert not build("full").box.sound and "off until somebody chooses *sound* in the menu" in text


def test_building_page_names_every_plug_of_both_builds() -> None:
    text = page("hardware/BUILD.md")
    for name in ("standard", "full"):
        assert f"pins-{name}.md#plugs-on-the-perfboard" in text and f"wiring-{name}.png)" in text
        for plug in diagram.plugs(build(name), wires(build(name))):
            called = re.sub(r"SEAT_\d", "each SEAT", plug.name)
            assert re.search(rf"\b{called} {len(plug.rows)}\b", text), called
    for plug in diagram.plugs(build("seats"), wires(build("seats"))):
        if "SCREEN" in plug.name:
            assert [line for line, _, _ in plug.rows] == ["GND", "3V3"]
            assert "two more pins for each screen, GND and 3V3" in text
        elif "MUX" in plug.name:
            assert f"{plug.name} {len(plug.rows)} pins" in text


def test_building_page_measures_the_ribbon_at_its_free_end() -> None:
    """What a ribbon the wrong way round would connect is told, pin by pin."""
    text = page("hardware/BUILD.md")
    pins = [1, *perfboard.GROUNDS]
    turned = ", ".join(str(41 - pin) for pin in pins)
    assert f"| {turned} (what {', '.join(map(str, pins))} would be the wrong way round) |" in text
    assert f"| {', '.join(map(str, perfboard.GROUNDS))} | the GND pin of LIVES | closed |" in text


def test_screen_on_spi_as_the_schematic_page_has_it() -> None:
    text = page("hardware/schematic.md")
    move = re.search(r"\(to (\d+) and (\d+)\), .*free pins \((\d+) and (\d+) ", text)
    assert move, "where did the row about SPI go?"
    two, three, dc, reset = move.groups()
    config = parse(
        f'[gpio]\nstar_lamps = [25, {two}, {three}]\n[[screen]]\nbus = "spi-0.0"\ndc_pin = {dc}\nreset_pin = {reset}\n'
    )
    for board in BOARDS.values():
        assert not any(f.refused for f in check(config, board))


def test_symptoms_are_the_program_s_own_words() -> None:
    said = {
        "mind_box/self_test/engine.py": ("nothing came", "down all the time"),
        "mind_box/devices/gpio/gpiod_factory.py": ("is taken by",),
    }
    for source, sentences in said.items():
        for words in sentences:
            assert words in page(source)
            assert words in page("hardware/BUILD.md")
    low, high = min(PULLED_UP - set(I2C)), max(PULLED_UP)
    assert f"it stands on one of GPIO {low} to {high}:" in page("hardware/BUILD.md")


def test_scanner_page_and_command_agree() -> None:
    import scanner_setup

    text = page("docs/scanners.md")
    for wish in scanner_setup.WISHES:
        assert f"| 0x{wish.register:04X} |" in text or f"| 0x{wish.register:04x} |" in text
    assert scanner_setup.frame(scanner_setup.SAVE, 0, 0).hex(" ").upper() in text
    from mind_box.settings.schema import ReaderSettings

    assert f"({ReaderSettings().same_card_seconds:g} s, under `[[reader]]`)" in text
