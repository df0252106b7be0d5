"""The perfboard's layout: every hole once, and what it joins is what the settings say."""

from pathlib import Path

import diagram
import perfboard
import pytest
from board import design, insertion
from board.saved import Pad, Placed, Saved

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

    ground, rail = net(perfboard.header_hole(14)), net(perfboard.header_hole(1))
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
    for pin in (1, 2, 14, 27, 39, 40):
        turned = 41 - pin
        here, there = (next(n for n in nets if perfboard.header_hole(p) in n) for p in (pin, turned))
        assert here is not there
    at = {pin: next(n for n in nets if perfboard.header_hole(pin) in n) for pin in (1, 40)}
    rail = {h for h, what in layout.pins.items() if "3V3" in what}
    assert rail <= at[1] and not rail & at[40]


def as_saved(layout: perfboard.Board) -> Saved:
    """The perfboard as the carrier's computation reads boards: J1 the header, plugs by name, parts by their values."""
    group = {hole: str(i) for i, net in enumerate(perfboard.nets(layout)) for hole in net}
    out = Saved()
    for n, part in enumerate(layout.parts):
        ref = f"{'C' if 'nF' in part.what else 'R'}{n + 1}"
        out.parts.append(Placed(ref, "", part.what, (0, 0), 0))
        out.pads += [Pad(ref, str(i), group[hole], (0, 0), (1, 1), 1, True) for i, hole in ((1, part.a), (2, part.b))]
    for hole, what in layout.pins.items():
        if what.startswith("header"):
            out.pads.append(Pad("J1", what.split()[1], group[hole], (0, 0), (1, 1), 1, True))
    plugs: dict[str, list[str]] = {}
    for hole, what in layout.pins.items():
        if ": " in what:
            plugs.setdefault(what.split(":")[0], []).append(group[hole])
    for name, nets in plugs.items():
        ref = f"J{name}"
        called = name.replace("TABLE_SCREEN", "SCREEN").replace("MUX_70", "MUX")
        if called == "MUX":  # its order is another
            nets = [nets[3], nets[2], nets[1], nets[0]]
        if len(nets) < 4 and "SCREEN" in name:  # behind the multiplexer: only its supply comes from here
            continue
        out.parts.append(Placed(ref, design.xh(len(nets)), called, (0, 0), 0))
        out.pads += [Pad(ref, str(i), net, (0, 0), (1, 1), 1, True) for i, net in enumerate(nets, 1)]
    return out


def test_turned_ribbon_destroys_nothing(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one that is a row or a column off; with every GND and 3V3 pin joined it would."""
    ways = {h.how for h in insertion.ribbon(as_saved(perfboard.board(config)))}
    exchanged = {how for how in ways if how.startswith("ribbon rows exchanged")}
    assert ways - exchanged <= {"ribbon +1 columns, +1 rows"}
    assert insertion.ribbon(as_saved(perfboard.board(config)), cables=False) == []
    found = [how for how, pins in insertion.ways() if not insertion.free_end(as_saved(perfboard.board(config)), pins)]
    assert found == ["ribbon +0 columns, +0 rows"], "measured at its free end, every other one is found"
    assert set(perfboard.GROUNDS) == set(design.GROUND_PINS) and perfboard.RAILS == (design.RAIL_PIN,)
    monkeypatch.setattr(perfboard, "GROUNDS", (6, 9, 14, 20, 25, 30, 34, 39))
    old = insertion.ribbon(as_saved(perfboard.board(config)))
    assert any("turned, +0 columns, +0 rows" in h.how and h.ohms < 1 for h in old)
