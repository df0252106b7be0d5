"""The perfboard's layout: every hole once, and what it joins is what the settings say."""

from pathlib import Path

import diagram
import perfboard
import pytest

from mind_box.hardware import parts
from mind_box.hardware.header import PHYSICAL
from mind_box.hardware.wiring import ohms, wires
from mind_box.settings.loading import load
from mind_box.settings.schema import Config

HARDWARE = Path(__file__).parents[2] / "hardware"


@pytest.fixture(params=["standard", "full", "seats"])
def config(request: pytest.FixtureRequest) -> Config:
    return load(HARDWARE / f"{request.param}.toml")


def test_no_hole_is_taken_twice_and_all_are_on_the_board(config: Config) -> None:
    layout = perfboard.board(config)
    holes = [*layout.pins, *(h for p in layout.parts for h in (p.a, p.b))]
    assert len(holes) == len(set(holes))
    assert all(1 <= column <= perfboard.COLUMNS and row in perfboard.ROWS for column, row in holes)
    ends = {h for joint in layout.joints for h in joint}
    assert ends <= set(holes), "a wire ends in an empty hole"


def test_every_pin_of_every_plug_is_joined_as_the_settings_say(config: Config) -> None:
    layout = perfboard.board(config)
    nets = perfboard.nets(layout)

    def net(hole: perfboard.Hole) -> set[perfboard.Hole]:
        return next(n for n in nets if hole in n)

    ground, rail = net(perfboard.header_hole(6)), net(perfboard.header_hole(1))
    assert ground is not rail
    assert not {perfboard.header_hole(p) for p in (2, 4)} & (ground | rail), "5 V is joined to nothing"
    used = {w.line: w for w in wires(config)}
    plugs = {what: hole for hole, what in layout.pins.items() if ": " in what}
    for plug in diagram.plugs(config, wires(config)):
        for line, end, _ in plug.rows:
            hole = plugs[f"{plug.name}: {end if end == line else f'{line}, {end}'}"]
            if line in ("GND", "3V3"):
                assert hole in (ground if line == "GND" else rail), plug.name
                continue
            wire = used[line]
            pin = perfboard.header_hole(PHYSICAL[wire.pin])
            size = perfboard.series(wire)
            if size is None:
                assert net(hole) is net(pin)
                continue
            between = [p for p in layout.parts if {id(net(p.a)), id(net(p.b))} == {id(net(hole)), id(net(pin))}]
            assert [p.what for p in between] == [ohms(size)]
            if wire.kind == "button":
                pulls = [p.what for p in layout.parts if {id(net(p.a)), id(net(p.b))} == {id(net(hole)), id(rail)}]
                filters = [p.what for p in layout.parts if {id(net(p.a)), id(net(p.b))} == {id(net(pin)), id(ground)}]
                assert pulls == [ohms(parts.PULL_UP_OHMS)] and filters == [f"{parts.FILTER_NF} nF"]


def test_reversed_ribbon_is_found_from_its_free_end(config: Config) -> None:
    """What BUILD.md has people measure before the Pi is plugged: pin 1 is 3V3, and 40 pins further is not."""
    layout = perfboard.board(config)
    nets = perfboard.nets(layout)
    for pin in (1, 2, 6, 39, 40):
        turned = 41 - pin
        here, there = (next(n for n in nets if perfboard.header_hole(p) in n) for p in (pin, turned))
        assert here is not there
    at = {pin: next(n for n in nets if perfboard.header_hole(pin) in n) for pin in (1, 40)}
    rail = {h for h, what in layout.pins.items() if "3V3" in what}
    assert rail <= at[1] and not rail & at[40]
