"""No plug, ribbon or socket of the carrier destroys anything, however it goes in: computed from the committed board."""

import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import enclosure
import fitting
import loose
import mounts
import printed
import pytest
import solids
from board import insertion, place, saved
from board.saved import Saved
from layout import Layout

from mind_box.settings.loading import load

HARDWARE = Path(__file__).parents[2] / "hardware"
BUILDS = ("standard", "full", "seats")
NOTHING = 0.01
HARMFUL = {
    "ribbon +1 columns, +1 rows",
    *(f"ribbon rows exchanged, {dx:+d} columns, +0 rows" for dx in (-1, 0, 1)),
}


@functools.cache
def committed() -> Saved:
    return saved.read(HARDWARE / "board" / "carrier.kicad_pcb")


@functools.cache
def plan(build: str) -> Layout:
    return Layout(load(HARDWARE / f"{build}.toml"))


@functools.cache
def surroundings(build: str) -> dict[str, Any]:
    p = plan(build)
    out = {**printed.parts(p), **fitting.bought(p), "shelf": loose.shelf(p, mounts.CARRIER), "guide": place.guide(p)}
    for name in ("perfboard", "pi", "pi's power plug"):  # the Pis are drawn closer, and fed from the board
        out.pop(name)
    return out | {f"Pi {kind}": place.computer(p, kind) for kind in place.PIS}


def rewired(changes: dict[tuple[str, str], str], free: tuple[tuple[str, str], ...] = ()) -> Saved:
    """The committed board with pads on other nets."""
    pads = [
        replace(p, net=changes.get((p.ref, p.number), "" if (p.ref, p.number) in free else p.net))
        for p in committed().pads
    ]
    return replace(committed(), pads=pads)


def ref(value: str) -> str:
    return next(p.ref for p in committed().parts if p.value == value)


def test_any_ribbon_turned_or_a_row_or_column_off_is_harmless() -> None:
    """Both at once is the one way that is left, half of the plug then hangs in the air; and swapped pairs of wires."""
    assert {h.how for h in insertion.ribbon(committed())} == HARMFUL


def test_no_way_harms_while_no_cable_is_in_the_board() -> None:
    """It takes a screen: over its 20 Ω the Pi's 5 V reaches what is wired as GND. So the bench mode comes first."""
    assert insertion.ribbon(committed(), cables=False) == []
    shorted = rewired({("J1", "3"): "3V3"})
    assert {h.how for h in insertion.ribbon(shorted, cables=False)}, "a board where it would harm all the same"


def test_measuring_at_the_free_end_finds_every_wrong_ribbon() -> None:
    """BUILD.md's table: crimped wrong, or off by a place at the board's end."""
    found = {how: insertion.free_end(committed(), pins) for how, pins in insertion.ways()}
    assert len(found) == 36
    assert [how for how, what in found.items() if not what] == ["ribbon +0 columns, +0 rows"]
    assert "2 is not open" in found["ribbon rows exchanged, +0 columns, +0 rows"]
    assert "40 is not open" in found["ribbon turned, +0 columns, +0 rows"]
    assert "1 is not on 3V3" in found["ribbon +1 columns, +1 rows"]


def test_measuring_ground_on_the_pi_finds_every_ribbon_that_would_harm() -> None:
    """Off by a place at the Pi's end is seen by no measurement before that."""
    met = {how: insertion.grounded(committed(), pins) for how, pins in insertion.ways()}
    assert met["ribbon +0 columns, +0 rows"]
    assert HARMFUL and not any(met[how] for how in HARMFUL)
    straight = [how for how in met if re.fullmatch(r"ribbon [-+]\d columns, [-+]\d rows", how)]
    assert len(straight) == 9 and sum(met[how] for how in straight) == 1, "and every straight one that is off"
    more = rewired({("J1", "17"): "GND"})
    assert any(insertion.grounded(more, pins) for how, pins in insertion.ways() if how in HARMFUL), (
        "it takes these pins"
    )


@pytest.mark.parametrize(
    ("pad", "net", "how"),
    [
        ("39", "GND", "ribbon turned, +0 columns, +0 rows"),
        ("6", "GND", "ribbon -1 columns, +0 rows"),
        ("17", "3V3", "ribbon +0 columns, +1 rows"),
        ("9", "GND", "ribbon +0 columns, +1 rows"),
    ],
)
def test_a_pin_more_of_ground_or_3v3_would_not_be(pad: str, net: str, how: str) -> None:
    assert how in {h.how for h in insertion.ribbon(rewired({("J1", pad): net}))}


def test_the_perfboard_s_ground_pins_would_destroy_a_pi_that_its_ribbon_is_turned_on() -> None:
    old = rewired({("J1", str(p)): "GND" for p in (6, 9, 14, 20, 25, 30, 34, 39)} | {("J1", "17"): "3V3"})
    assert {h.where for h in insertion.ribbon(old) if h.how == "ribbon turned, +0 columns, +0 rows"} >= {
        "pin 11",
        "pin 21",
    }


def test_any_cable_in_any_socket_that_it_fits_turned_or_not_is_harmless() -> None:
    assert insertion.swapped(committed()) == []
    names = insertion.plugs(committed())
    assert len(names) == 19 and names["READER"][0] == "XH-7" and names["SEAT_3"][0] == "XH-3"


def test_a_reader_s_plug_in_another_order_would_not_be() -> None:
    poles = ["5V", "GND", "READER_TXD", "READER_RXD", "3V3", "GND", "GND"]
    changed = {(ref("READER"), str(i)): net for i, net in enumerate(poles, 1)}
    assert "READER in READER, turned" in {h.how for h in insertion.swapped(rewired(changed))}


def test_5_v_on_a_screen_s_plug_would_not_be() -> None:
    harms = insertion.swapped(rewired({(ref("SCREEN_0"), "2"): "5V"}))
    assert any(h.where.startswith("GPIO") or h.where == "3V3" for h in harms)


def test_only_the_supply_s_plugs_have_another_family() -> None:
    supply = {name for name, (family, _) in insertion.plugs(committed()).items() if family.startswith("VH")}
    assert supply == {"POWER", "SWITCH"}
    sizes = [family for family, _ in insertion.plugs(committed()).values() if family.startswith("VH")]
    assert len(set(sizes)) == 2, "neither fits the other"
    first, middle, last = insertion.plugs(committed())["SWITCH"][1]
    assert middle.startswith("free") and first != last, "a switch reads the same from both ends"


def test_reversed_supply_is_blocked() -> None:
    """The transistor's body diode points to the supply's minus; its gate is opened by plus."""
    nets = committed().pad_nets()
    assert (nets["Q1", "1"], nets["Q1", "2"], nets["Q1", "3"]) == ("GATE", "GND_IN", "GND")
    assert {nets[ref("POWER"), "1"], nets[ref("POWER"), "2"]} == {"GND_IN", "5V_IN"}
    on_minus = {p for (p, _), net in nets.items() if net == "GND_IN"}
    assert on_minus == {ref("POWER"), "Q1"}, "no other way around the transistor"
    gate = {p for (p, _), net in nets.items() if net == "GATE"} - {"Q1"}
    assert len(gate) == 1 and {nets[gate.copy().pop(), "1"], nets[gate.pop(), "2"]} == {"GATE", "5V_IN"}


def test_fuse_and_switch_are_in_the_way_of_every_ampere() -> None:
    edges = insertion.on_board(committed(), True)
    nets = committed().pad_nets()
    reached = insertion.reach([e for e in edges if "GATE" not in e[:2]], ["5V_IN"])
    assert set(reached) == {"5V_IN"}, "5V_IN leads into the fuse alone"
    assert {nets["F1", "1"], nets["F1", "2"]} == {"5V_IN", "5V_FUSED"}


# -- mechanics


@pytest.mark.parametrize("build", BUILDS)
def test_enclosure_and_every_pi_leave_the_board_its_room(build: str) -> None:
    p = plan(build)
    mine = {"plate": place.plate(p, committed()), **place.bodies(p, committed())}
    assert clashes(mine, surroundings(build)) == []
    assert place.plate(p, committed()).volume() > 0.95 * 99 * 79.5 * 1.6


def clashes(mine: dict[str, Any], others: dict[str, Any]) -> list[str]:
    out = [f"{a} in {b}" for a, x in mine.items() for b, y in others.items() if (x ^ y).volume() > NOTHING]
    return [text for text in out if text != "J1 in guide"]  # the box header: only where there is no spacer


def test_a_plug_under_a_button_is_found() -> None:
    """The star button hangs beside the board: a plug moved there would meet it."""
    p = plan("standard")
    there = enclosure.pi_holes(p)[0]
    assert clashes({"plug": solids.box(-48, -40, 30, -36, -30, 45)}, surroundings("standard")) == [
        "plug in star-button star"
    ]
    high = {"tall": solids.box(there[0] - 3, there[1] - 3, 30, there[0] + 3, there[1] + 3, 70)}
    assert any("lid" in text for text in clashes(high, surroundings("standard")))


@pytest.mark.parametrize("build", BUILDS)
def test_pillars_stand_under_the_holes(build: str) -> None:
    p = plan(build)
    holes = {place.in_box(*pad.at) for pad in committed().pads if not pad.plated}
    assert {(round(x, 2), round(y, 2)) for x, y in holes} == {
        (round(x, 2), round(y, 2)) for x, y in enclosure.shelf_holes(p)
    }
    assert surroundings(build)["shelf"].bounding_box()[5] == pytest.approx(place.underside(p), abs=0.02)
    top = place.underside(p)
    for x, y in holes:
        head = solids.rod(x, y, top - 1.9, top - 0.1, 6.4)
        assert (head ^ place.bodies(p, committed())["joints"]).volume() < NOTHING, "solder on a pillar"


def test_socket_goes_on_one_way_only() -> None:
    p = plan("standard")
    ways = [(turned, dx, dy) for turned in (False, True) for dx in range(-2, 3) for dy in range(-2, 3)]
    fits = [w for w in ways if place.goes_on(p, committed(), w[0], w[1] * 2.54, w[2] * 2.54)]
    assert fits == [(False, 0, 0)]


def test_a_second_hole_would_let_it_on_turned() -> None:
    (x, y), wide = committed().cut_out[0]
    mirrored = (2 * (90.63 - 9.5 * 2.54) - x, 2 * (58.23 + 1.27) - y)
    two = replace(committed(), cut_out=[((x, y), wide), (mirrored, wide)])
    assert place.goes_on(plan("standard"), two, turned=True)


def test_a_slot_would_let_it_on_one_column_off() -> None:
    (x, y), wide = committed().cut_out[0]
    slot = replace(committed(), cut_out=[((x, y), wide), ((x - 2.54, y), wide), ((x - 1.3, y), wide)])
    assert place.goes_on(plan("standard"), slot, dx=2.54)


def test_socket_s_pins_reach_through_the_board() -> None:
    """2.5 mm of plastic, 8.5 mm of socket; of pins of 11 mm the rest, the board, and half a millimetre of joint."""
    free = place.STACK - 2.54 - 8.5
    assert free + place.THICK <= 11.0 - 0.5
    tallest = max(z1 for _, blocks in place.PIS.values() for *_, z1 in blocks)
    assert place.STACK - place.JOINTS - tallest >= 1.0
