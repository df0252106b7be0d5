"""Whatever settings are accepted can be drawn, listed and checked: no build falls through."""

import importlib
import json
from dataclasses import fields

import bom
import diagram
import schematic
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mind_box.hardware import pins
from mind_box.hardware.boards import BOARDS
from mind_box.hardware.wiring import wires
from mind_box.settings.loading import ConfigError, parse
from mind_box.settings.schema import Config, ReaderSettings, ScreenSettings

HEADER = range(2, 28)


def any_of(section: type, name: str) -> st.SearchStrategy:
    """What a setting may be."""
    return st.sampled_from(next(f for f in fields(section) if f.name == name).metadata["choices"])


@st.composite
def configs(draw: st.DrawFn) -> Config | None:
    """Mostly settings that are accepted; None for those that are not."""
    seats = draw(st.integers(2, 8))
    lines, taken = [], {2, 3}
    for seat in draw(st.lists(st.integers(0, seats), unique=True, max_size=4)):
        bus = draw(st.sampled_from(["i2c-1", "i2c-1", "i2c-3", "spi-0.0", "spi-0.1"]))
        taken |= {7, 8, 9, 10, 11, 23, 24} if bus.startswith("spi") else set()
        mux = f"\nmux = {draw(st.sampled_from([0x70, 0x73]))}" if bus.startswith("i2c") and draw(st.booleans()) else ""
        where = f"seat = {seat}\n" if seat else ""
        lines.append(
            f'[[screen]]\n{where}bus = "{bus}"{mux}\nchannel = {seat % 8}\naddress = {0x3C + seat}\n'
            f'driver = "{draw(any_of(ScreenSettings, "driver"))}"\nheight = {draw(any_of(ScreenSettings, "height"))}'
        )
    for i, kind in enumerate(draw(st.lists(any_of(ReaderSettings, "kind"), max_size=3))):
        device = f"/dev/reader{i}" if i else draw(st.sampled_from(["/dev/reader", "/dev/serial0"]))
        taken |= {14, 15} if device == "/dev/serial0" else set()
        lines.append(f'[[reader]]\nkind = "{kind}"\ndevice = "{device}"')
    header = draw(st.permutations([p for p in HEADER if p not in taken]))
    expander = draw(st.permutations(range(100, 116)))
    on_expander = draw(st.booleans()) or 2 * seats + 9 > len(header)
    buttons, star, rest = header[:seats], header[seats], header[seats + 1 :]
    lamps = list(expander if on_expander else rest)[: seats + 8]
    gpio = [f"[box]\nseats = {seats}\n[gpio]\nstar_button = {star}\nseat_buttons = {buttons}"]
    gpio += [
        f"seat_lamps = {lamps[:seats]}\nlife_lamps = {lamps[seats : seats + 5]}\nstar_lamps = {lamps[seats + 5 :]}"
    ]
    gpio += ['expander = "mcp23017"'] if on_expander else []
    try:
        return parse("\n".join([*gpio, *lines]))
    except ConfigError:
        return None


@settings(max_examples=60, deadline=None)
@given(configs())
def test_every_accepted_build_is_drawn_and_counted(config: Config | None) -> None:
    if config is None:
        return
    boards = tuple(BOARDS.values())
    used = wires(config)
    text = pins.text(config, boards)
    assert all(w.what in text for w in used)
    assert len(json.loads(pins.as_json(config, boards))["wires"]) == len(used)
    assert pins.markdown(config, boards).count("\n| ") >= len(used)
    data = yaml.safe_load(diagram.source(config, "any"))
    labels = [label for c in data["connectors"].values() for label in c["pinlabels"]]
    assert {w.line for w in used if "MISO" not in w.what} <= set(labels)
    for connection in data["connections"]:
        for end in connection:
            for name, numbers in end.items():
                known = data["connectors"].get(name) or data["cables"][name]
                known_pins = known.get("pins") or range(1, len(known.get("pinlabels") or known["colors"]) + 1)
                assert set(numbers) <= set(known_pins)
    assert bom.as_csv(config).count("\n") == len(bom.bill(config)) + 2
    assert schematic.svg(config, "any").endswith("</svg>\n")


def test_workshop_modules_do_no_work_when_imported() -> None:
    for name in ("layout", "enclosure", "fitting", "schematic", "scanner_setup", "render", "shots"):
        assert importlib.import_module(name).__doc__
