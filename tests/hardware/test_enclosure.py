"""The enclosure: watertight, printable without supports, and every part of the list fits where it goes."""

import itertools
import math
from pathlib import Path
from typing import Any

import bom
import enclosure
import fitting
import mounts
import numpy as np
import pytest
from layout import BED, Layout, Shape

from mind_box.settings.loading import load, parse
from mind_box.settings.schema import Config

HARDWARE = Path(__file__).parents[2] / "hardware"
BUILDS = ("standard", "full")
Solids = dict[str, Any]
"""By name; the library that cuts them has no types."""
Built = dict[str, tuple[Layout, Solids]]
NOTHING = 0.01
"""Cubic millimetres that rounding may leave."""
PINS = [5, 6, 13, 19, 12, 16, 20, 21]


def plan(build: str) -> Layout:
    return Layout(load(HARDWARE / f"{build}.toml"))


def with_seats(n: int) -> Config:
    return parse(
        f'[box]\nseats = {n}\n[gpio]\nexpander = "mcp23017"\nseat_buttons = {PINS[:n]}\n'
        f"seat_lamps = {list(range(100, 100 + n))}\n"
    )


@pytest.fixture(scope="module")
def built() -> Built:
    return {b: (plan(b), enclosure.parts(plan(b))) for b in BUILDS}


def clashes(p: Layout, solids: Solids, bracket: str = "bracket-flat") -> list[str]:
    printed = {k: v for k, v in solids.items() if not k.startswith("bracket") or k == bracket}
    everything = [*printed.items(), *fitting.bought(p).items()]
    return [f"{a} in {b}" for (a, x), (b, y) in itertools.combinations(everything, 2) if (x ^ y).volume() > NOTHING]


def committed() -> list[Path]:
    return sorted((HARDWARE / "stl").glob("*.stl"))


def test_committed_files_are_those_of_the_builds(built: Built) -> None:
    expected = {f"{b}-{name}.stl" for b, (_, solids) in built.items() for name in solids}
    assert {path.name for path in committed()} == expected


@pytest.mark.parametrize("path", committed(), ids=lambda p: p.stem)
def test_committed_file_is_watertight(path: Path) -> None:
    """Every edge belongs to exactly two facets that run along it in opposite directions."""
    corners = enclosure.read_stl(path)
    _, names = np.unique(corners.reshape(-1, 3).round(4), axis=0, return_inverse=True)
    facets = names.reshape(-1, 3)
    edges: dict[tuple[int, int], int] = {}
    for a, b, c in facets:
        for edge in ((a, b), (b, c), (c, a)):
            edges[edge] = edges.get(edge, 0) + 1
    assert all(count == 1 and edges.get((b, a)) == 1 for (a, b), count in edges.items())
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume > 0


def test_committed_files_are_today_s(built: Built) -> None:
    for build, (_, solids) in built.items():
        for name, solid in solids.items():
            now = enclosure.triangles(enclosure.for_printing(name, solid))
            then = enclosure.read_stl(HARDWARE / "stl" / f"{build}-{name}.stl")
            assert len(now) == len(then), f"stl/{build}-{name}.stl is stale: run `make hardware` and commit"
            assert np.allclose(now.min((0, 1)), then.min((0, 1)), atol=1e-3)
            assert np.allclose(now.max((0, 1)), then.max((0, 1)), atol=1e-3)


@pytest.mark.parametrize("build", BUILDS)
def test_one_solid_each_on_the_bed(build: str, built: Built) -> None:
    _, solids = built[build]
    for name, solid in solids.items():
        assert len(solid.decompose()) == 1, f"{name} falls apart"
        box = enclosure.for_printing(name, solid).bounding_box()
        assert box[3] - box[0] <= BED
        assert box[4] - box[1] <= BED
        assert box[2] == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("build", BUILDS)
def test_prints_without_supports(build: str, built: Built) -> None:
    """What hangs over is steeper than 45 degrees, or a bridge of at most 15 mm, or the roof of a small hole."""
    _, solids = built[build]
    for name, solid in solids.items():
        for patch in overhangs(enclosure.triangles(enclosure.for_printing(name, solid)).astype(float)):
            span = np.ptp(patch.reshape(-1, 3), axis=0)
            flat = span[2] < 0.01
            assert min(span[0], span[1]) <= (15 if flat else 6), f"{name}: overhang {span} at {patch.mean((0, 1))}"


def overhangs(corners: np.ndarray) -> list[np.ndarray]:
    """Groups of connected facets that look down more than 45 degrees and do not lie on the bed."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    down = normals[:, 2] < -math.cos(math.radians(44)) * areas
    off_bed = corners[:, :, 2].min(axis=1) > 0.05
    hanging = corners[down & off_bed & (areas > 1e-6)]
    groups: list[list[int]] = []
    points = [{tuple(p) for p in facet.round(3)} for facet in hanging]
    for i, mine in enumerate(points):
        touching = [g for g in groups if any(points[j] & mine for j in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([i, *itertools.chain.from_iterable(touching)])
    return [hanging[g] for g in groups]


def test_overhang_is_found_where_there_is_one() -> None:
    table = enclosure.box(-2, -2, 0, 2, 2, 20) + enclosure.box(-20, -20, 20, 20, 20, 22)
    spans = [np.ptp(patch.reshape(-1, 3), axis=0) for patch in overhangs(enclosure.triangles(table).astype(float))]
    assert any(min(span[0], span[1]) > 15 for span in spans)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("bracket", ["bracket-flat", "none"])
def test_every_part_fits_beside_every_other(build: str, bracket: str, built: Built) -> None:
    p, solids = built[build]
    assert clashes(p, solids, bracket) == []


@pytest.mark.parametrize("n", range(2, 9))
def test_every_number_of_seats_fits(n: int) -> None:
    p = Layout(with_seats(n))
    solids = enclosure.parts(p)
    assert clashes(p, solids) == []
    assert len([s for s in p.spots() if s.mount == "seat-button"]) == n
    see = fitting.sight(p)
    assert all((see ^ solid).volume() < NOTHING for name, solid in solids.items() if name != "bracket-upright")


def test_clash_is_found_where_there_is_one() -> None:
    p = Layout(load(HARDWARE / "standard.toml"), Shape(slot=(54.0, 75.0), reader_distance=60.0))
    assert "lid in seat-button seat 3" not in clashes(p, enclosure.parts(p))
    p = Layout(load(HARDWARE / "standard.toml"), Shape(slot=(20.0, 80.0)))
    assert "seat-button seat 3 in card" in clashes(p, enclosure.parts(p))


@pytest.mark.parametrize("build", BUILDS)
def test_holes_are_snug(build: str, built: Built) -> None:
    """The part passes; one a millimetre thicker does not."""
    p, solids = built[build]
    for spot in p.spots():
        if spot.mount in ("seat-button", "star-button", "led"):
            size = mounts.LED if spot.mount == "led" else mounts.BUTTON
            through = [
                enclosure.rod(spot.x, spot.y, p.body_height - 1, p.top + 1, d) for d in (size.body, size.body + 1)
            ]
            assert (through[0] ^ solids["lid"]).volume() < NOTHING
            assert (through[1] ^ solids["lid"]).volume() > 1
            assert size.flange > size.hole + 1


@pytest.mark.parametrize("build", BUILDS)
def test_lit_part_of_each_screen_is_in_its_window(build: str, built: Built) -> None:
    p, solids = built[build]
    screens = [s for s in p.spots() if s.screen is not None]
    assert len(screens) == len(p.config.screen)
    for spot in screens:
        panel = p.panel(spot)
        w, h = panel.lit[0] / 2, panel.lit[1] / 2
        column = enclosure.box(-w, panel.shift - h, p.body_height - 0.5, w, panel.shift + h, p.top + 1)
        column = column.rotate((0, 0, spot.turn)).translate((spot.x, spot.y, 0))
        assert (column ^ solids["lid"]).volume() < NOTHING
        module = enclosure.box(
            -panel.width / 2, -panel.height / 2, p.body_height, panel.width / 2, panel.height / 2, p.top
        )
        module = module.rotate((0, 0, spot.turn)).translate((spot.x, spot.y, 0))
        assert (module ^ solids["lid"]).volume() > 100, "the module would fall through its window"


def test_scanner_sees_the_label_from_six_to_ten_centimetres(built: Built) -> None:
    p, solids = built["standard"]
    x, y, z = p.lens
    assert 60 <= p.shape.slot[1] - y <= 100
    see = fitting.sight(p)
    blockers = {**{k: v for k, v in solids.items() if k != "bracket-upright"}, **fitting.bought(p)}
    for name, solid in blockers.items():
        assert (see ^ solid).volume() < NOTHING, f"{name} is in the way"
    label = enclosure.box(x - 7.5, p.shape.slot[1] - 0.7, z - 7.5, x + 7.5, p.shape.slot[1] - 0.5, z + 7.5)
    assert (label ^ fitting.card(p)).volume() > 0.8 * 15 * 15 * 0.1
    ends = [8.0, -8.0]  # of the slots in the floor
    assert all(60 <= p.shape.reader_distance + end <= 100 for end in ends)


def test_card_goes_in_and_can_be_taken_out(built: Built) -> None:
    for p, solids in built.values():
        card = fitting.card(p)
        for lifted in range(0, 60, 10):
            moved = card.translate((0, 0, lifted))
            assert all((moved ^ s).volume() < NOTHING for name, s in solids.items())
        assert card.bounding_box()[5] - p.top >= 35, "too little to grip"


def test_antenna_lies_against_the_tag_and_away_from_the_pile(built: Built) -> None:
    p, _ = built["full"]
    antenna, card = fitting.bought(p)["pn532"].bounding_box(), fitting.card(p).bounding_box()
    assert 0 < card[1] - antenna[4] <= 6
    assert antenna[2] < p.label_height < antenna[5]
    seats_wall = -p.shape.size / 2
    assert antenna[1] - seats_wall >= 100


@pytest.mark.parametrize("build", BUILDS)
def test_everything_on_the_list_that_sits_somewhere_has_a_place(build: str, built: Built) -> None:
    p, _ = built[build]
    places = {s.mount for s in p.spots()} | {"lid-screw", "pi", "perfboard", "power", "usb-cable"}
    places |= {"scanner", "bracket"} if p.optical else {"nfc"}
    wanted = {m for line in bom.bill(p.config) for m in line.mount.split("/") if m}
    assert wanted == places
    counts = {s.mount: sum(t.mount == s.mount for t in p.spots()) for s in p.spots()}
    for line in bom.bill(p.config):
        if line.mount in counts:
            assert line.quantity == counts[line.mount], line.part
    assert next(x for x in bom.bill(p.config) if x.part == "screw-lid").quantity == len(p.screws())


@pytest.mark.parametrize("build", BUILDS)
def test_screws_find_plastic(build: str, built: Built) -> None:
    """A ring around each pilot hole is solid for the length of the thread."""
    p, solids = built[build]
    rings = [("body", x, y, p.body_height - 9, p.body_height, enclosure.PILOT, 4.4) for x, y in p.screws()]
    for board, corner in ((mounts.PI, p.pi), (mounts.PERFBOARD, p.perfboard)):
        top = p.shape.floor + board.post
        rings += [
            ("body", corner[0] + x, corner[1] + y, top - 3.5, top, board.pilot, board.pilot + 1.6)
            for x, y in board.holes
        ]
    if p.optical:
        x, y, _ = p.lens
        low = p.shape.floor
        for bracket in ("bracket-flat", "bracket-upright"):
            rings += [
                (bracket, x, y - along, low, low + 5.5, enclosure.PILOT, 5.0) for along in enclosure.BRACKET_SCREWS
            ]
    for name, x, y, z0, z1, inner, outer in rings:
        ring = enclosure.rod(x, y, z0 + 0.01, z1 - 0.01, outer) - enclosure.rod(x, y, z0 - 1, z1 + 1, inner + 0.1)
        assert (ring ^ solids[name]).volume() > 0.98 * ring.volume(), f"{name} at {x:g}, {y:g}"


def test_power_plug_passes_the_wall(built: Built) -> None:
    for p, solids in built.values():
        plug = fitting.bought(p)["power plug"]
        assert (plug ^ solids["body"]).volume() < NOTHING
        assert plug.bounding_box()[1] < -p.shape.size / 2


def test_too_many_screens_for_the_lid_are_refused() -> None:
    text = (
        "[box]\nseats = 5\n[gpio]\nseat_buttons = [5, 6, 13, 19, 18]\nseat_lamps = [12, 16, 20, 21, 10]\n[[screen]]\n"
    )
    with pytest.raises(ValueError, match="leave the screens out"):
        Layout(parse(text + "[[screen]]\nseat = 1\naddress = 0x3D\n"))
