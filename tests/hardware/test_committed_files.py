"""What is committed in hardware/ is what the settings make: tables, diagram sources, parts lists, schematics."""

import importlib.util
from pathlib import Path
from types import ModuleType

import bom
import diagram
import pytest
import yaml

from mind_box.hardware import parts
from mind_box.hardware.header import PHYSICAL
from mind_box.hardware.wiring import lamp_kind, wires
from mind_box.settings.loading import load, parse
from mind_box.settings.schema import Config, ReaderSettings

HARDWARE = Path(__file__).parents[2] / "hardware"
BUILDS = ("standard", "full")


def workshop() -> ModuleType:
    spec = importlib.util.spec_from_file_location("workshop_build", HARDWARE / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("build", BUILDS)
def test_no_difference_to_the_settings(build: str) -> None:
    for name, content in workshop().texts(build).items():
        committed = (HARDWARE / name).read_text(encoding="utf-8")
        assert committed == content, f"hardware/{name} is stale: run `make hardware` and commit"


def test_figures_of_what_people_see_are_those_of_the_plan() -> None:
    committed = (HARDWARE / "sight.md").read_text(encoding="utf-8")
    assert committed == workshop().sight_page(), "hardware/sight.md is stale: run `make hardware` and commit"


def ends(d: diagram.Diagram) -> dict[int, set[tuple[str, str]]]:
    """Pin of the Pi's header to the parts and the names of their pins it ends at, followed through the perfboard."""
    out: dict[int, set[tuple[str, str]]] = {}

    def follow(name: str, pin: int, seen: frozenset[str]) -> set[tuple[str, str]]:
        label = d.connectors[name]["pinlabels"][pin - 1]
        found = {(name, label)}
        for left, _, right in d.connections:
            (here, pins), (there, others) = next(iter(left.items())), next(iter(right.items()))
            if here == name and pin in pins and there not in seen:
                found |= follow(there, others[pins.index(pin)], seen | {there})
        return found

    left, _, right = d.connections[0]
    for pin, row in zip(left["PI"], right["BOARD"], strict=True):
        out[pin] = follow("BOARD", row, frozenset({"PI", "BOARD"}))
    return out


EIGHT = (
    '[box]\nseats = 8\n[gpio]\nexpander = "mcp23017"\nseat_buttons = [5, 6, 13, 19, 12, 16, 20, 21]\n'
    "seat_lamps = [100, 101, 102, 103, 104, 105, 106, 107]\nlife_lamps = [108, 109, 110, 111, 112]\n"
    "star_lamps = [113, 114, 115]\n"
)


@pytest.mark.parametrize(
    "config",
    [*(load(HARDWARE / f"{b}.toml") for b in (*BUILDS, "seats")), parse(EIGHT)],
    ids=[*BUILDS, "seats", "eight"],
)
def test_every_wire_of_the_diagram_ends_where_the_settings_say(config: Config) -> None:
    d = diagram.draw(config, "test")
    reached = ends(d)
    for w in wires(config):
        if not w.on_header:
            row = d.connectors["EXPANDER"]["pinlabels"].index(w.line) + 1
            ends_at = [c for c in d.connections if c[0].get("EXPANDER") and row in c[0]["EXPANDER"]]
            assert len(ends_at) == 1
            continue
        places = reached[PHYSICAL[w.pin]] - {("BOARD", w.line)}
        names = " ".join(f"{part} {label}" for part, label in places)
        if w.what.startswith("seat"):
            assert names == f"SEAT_{w.what.split()[1]} {'button' if w.kind == 'button' else 'lamp, long leg'}"
        elif w.kind == "lamp":
            assert names == f"{'LIVES' if 'life' in w.what else 'STARS'} {w.what}"
        elif w.kind == "button":
            assert names == "STAR star button"
        elif w.kind == "buzzer":
            assert names == "PIEZO +"
        else:
            assert {label for _, label in places} == {w.what.split()[1]}


def test_every_part_has_a_ground() -> None:
    for build in BUILDS:
        d = diagram.draw(load(HARDWARE / f"{build}.toml"), "test")
        for name, connector in d.connectors.items():
            if name not in ("PI_USB",) and "USB" not in connector["pinlabels"]:
                assert "GND" in connector["pinlabels"], name


def test_a_multiplexer_has_as_many_pins_as_its_breakout() -> None:
    """One GND, one VIN: five screens find theirs on the perfboard."""
    d = diagram.draw(load(HARDWARE / "seats.toml"), "test")
    labels = d.connectors["MUX_70"]["pinlabels"]
    assert len(labels) == len(set(labels)) == 4 + 2 * 5
    for name, connector in d.connectors.items():
        if "SCREEN" in name:
            assert sorted(connector["pinlabels"]) == ["GND", "SCL", "SDA", "VCC"]
            ends = [e for c in d.connections for e in c if name in e]
            assert sorted(pin for e in ends for pin in e[name]) == [1, 2, 3, 4]


@pytest.mark.parametrize("build", BUILDS)
def test_source_is_yaml_and_complete(build: str) -> None:
    data = yaml.safe_load((HARDWARE / f"wiring-{build}.yml").read_text(encoding="utf-8"))
    config = load(HARDWARE / f"{build}.toml")
    assert set(data["connectors"]["PI"]["pins"]) == {1, 14, *(w.physical for w in wires(config))}
    for connection in data["connections"]:
        (_, left), (cable, numbers), (right, pins) = (next(iter(end.items())) for end in connection)
        assert len(left) == len(numbers) == len(pins)
        assert max(numbers) <= len(data["cables"][cable]["colors"])
        assert right in data["connectors"]


def test_reader_board_is_wired_as_its_firmware_is_set() -> None:
    settings: dict[str, object] = {}
    exec((HARDWARE.parent / "firmware/card_reader/settings.py").read_text(encoding="utf-8"), settings)
    wired = {pico: pn532 for pico, pn532, _ in diagram.PN532_WIRES}
    assert settings["BUS"] == "uart"
    assert "UART" in diagram.PN532_MODE
    assert wired[f"GP{settings['UART_TX']}"].startswith("RXD")
    assert wired[f"GP{settings['UART_RX']}"].startswith("TXD")


@pytest.mark.parametrize("build", BUILDS)
def test_parts_list_counts_what_is_wired(build: str) -> None:
    config = load(HARDWARE / f"{build}.toml")
    lines = {line.part: line for line in bom.bill(config)}
    used = wires(config)
    assert lines["button-seat"].quantity + lines["button-star"].quantity == sum(w.kind == "button" for w in used)
    lamps = [w for w in used if w.kind == "lamp"]
    for kind in parts.LAMPS:
        assert lines[f"led-{kind}"].quantity == sum(lamp_kind(w.setting) == kind for w in lamps)
    assert lines["led-clip"].quantity == lines["r680"].quantity == len(lamps)
    assert lines["r1000"].quantity == lines["r10000"].quantity == lines["c100n"].quantity == 5
    assert sum(line.quantity for part, line in lines.items() if part.startswith("oled")) == len(config.screen)
    assert ("piezo" in lines) == ("r220" in lines) == ("rp2040" in lines) == (build == "full")
    assert "mux" not in lines and "mux" in {line.part for line in bom.bill(load(HARDWARE / "seats.toml"))}
    assert ("scanner" in lines) == (build == "standard")
    assert len(lines) == len(bom.bill(config)), "a part stands twice in the list"


@pytest.mark.parametrize(
    ("kind", "bought"),
    [
        ("serial", {"scanner", "label-sheet", "usb-cable"}),
        ("hid", {"scanner", "label-sheet", "usb-cable"}),
        ("pn532", {"pn532", "tags", "usb-serial", "usb-cable"}),
        ("rdm6300", {"rdm6300", "tags", "usb-serial", "usb-cable"}),
        ("firmware", {"pn532", "tags", "rp2040", "usb-cable"}),
    ],
)
def test_each_kind_of_reader_brings_its_own_parts(kind: str, bought: set[str]) -> None:
    without = {line.part for line in bom.bill(Config(reader=()))}
    lines = {line.part: line for line in bom.bill(Config(reader=(ReaderSettings(kind=kind),)))}
    assert lines.keys() - without - {"screw-arm", "screw-halves"} == bought
    if "tags" in bought:
        assert ("125 kHz" in lines["tags"].what) == (kind == "rdm6300")
    on_header = {line.part for line in bom.bill(Config(reader=(ReaderSettings(kind=kind, device="/dev/serial0"),)))}
    assert not on_header & {"usb-serial", "usb-cable"}


@pytest.mark.parametrize("build", [*BUILDS, "seats"])
def test_jumpers_are_enough_for_every_plug(build: str) -> None:
    """Modules take whole ones; whatever is soldered at its end takes half of one, which has one socket."""
    config = load(HARDWARE / f"{build}.toml")
    soldered = ("LIVES", "STARS", "SEAT_", "STAR", "PIEZO")
    whole = half = 0
    for _, cable, right in diagram.draw(config, "test").connections:
        part, pins = next(iter(right.items()))
        if "RIBBON" in cable or pins == [1]:  # one wire: USB
            continue
        if part.startswith(soldered) and "SCREEN" not in part:
            half += len(pins)
        else:
            whole += len(pins)
    (line,) = (line for line in bom.bill(config) if line.part == "jumpers")
    assert whole + -(-half // 2) <= 40 * line.quantity
    assert (whole, half) == {"standard": (8, 24), "full": (12, 26), "seats": (28, 26)}[build]


def test_totals_are_sums() -> None:
    prices = []
    for build in BUILDS:
        rows = (HARDWARE / f"bom-{build}.csv").read_text(encoding="utf-8").splitlines()
        config = load(HARDWARE / f"{build}.toml")
        assert rows[-1] == f"total,,,,,{sum(line.quantity * line.each for line in bom.bill(config)):.2f},,,"
        prices.append(bom.total(config))
    assert all(100 < price < 200 for price in prices)


def test_hole_text_names_the_hole() -> None:
    """The list's column is what a maker drills by when he makes his own case."""
    lines = {line.part: line.hole for line in bom.bill(Config())}
    assert lines["button-seat"] == "24.2 round"
    assert lines["led-clip"] == "6.5 round"
    assert lines["oled-ssd1306-64"] == "window 25 x 14"
