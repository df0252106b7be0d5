"""The enclosure: watertight, printable without supports, and every part of the list fits where it goes."""

import functools
import itertools
import math
from pathlib import Path
from typing import Any

import arm
import bezels
import bom
import enclosure
import fitting
import inlays
import loose
import mounts
import numpy as np
import printed
import pytest
import solids
from layout import BED, Layout, Shape

from mind_box.settings.loading import load, parse
from mind_box.settings.schema import Config

HARDWARE = Path(__file__).parents[2] / "hardware"
BUILDS = ("standard", "full")
FIT = (*BUILDS, "seats")
"""Those of which no printed files are committed too."""
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


@functools.cache
def made(build: str) -> Solids:
    """The files of a build."""
    return printed.files(plan(build), build)


@pytest.fixture(scope="module")
def built() -> Built:
    return {b: (plan(b), printed.parts(plan(b))) for b in FIT}


def clashes(p: Layout, parts: Solids) -> list[str]:
    everything = [(name, x, x.bounding_box()) for name, x in (parts | fitting.bought(p)).items()]
    return [
        f"{a} in {b}"
        for (a, x, low), (b, y, other) in itertools.combinations(everything, 2)
        if all(low[i] < other[i + 3] and other[i] < low[i + 3] for i in range(3)) and (x ^ y).volume() > NOTHING
    ]


def committed() -> list[Path]:
    return sorted((HARDWARE / "stl").glob("*.stl"))


def test_committed_files_are_those_of_the_builds() -> None:
    expected = {f"{name}.stl" for b in BUILDS for name in made(b)}
    assert {path.name for path in committed()} == expected


@pytest.mark.parametrize("path", committed(), ids=lambda p: p.stem)
def test_committed_file_is_watertight(path: Path) -> None:
    """Every edge belongs to exactly two facets that run along it in opposite directions."""
    corners = solids.read_stl(path)
    _, names = np.unique(corners.reshape(-1, 3).round(4), axis=0, return_inverse=True)
    facets = names.reshape(-1, 3)
    edges: dict[tuple[int, int], int] = {}
    for a, b, c in facets:
        for edge in ((a, b), (b, c), (c, a)):
            edges[edge] = edges.get(edge, 0) + 1
    assert all(count == 1 and edges.get((b, a)) == 1 for (a, b), count in edges.items())
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume > 0


@pytest.mark.parametrize("build", BUILDS)
def test_committed_files_are_today_s(build: str) -> None:
    for name, solid in made(build).items():
        now = solids.triangles(solid)
        then = solids.read_stl(HARDWARE / "stl" / f"{name}.stl")
        assert len(now) == len(then), f"stl/{name}.stl is stale: run `make hardware` and commit"
        assert np.allclose(now.min((0, 1)), then.min((0, 1)), atol=1e-3)
        assert np.allclose(now.max((0, 1)), then.max((0, 1)), atol=1e-3)


@pytest.mark.parametrize("build", FIT)
def test_one_solid_each_on_the_bed(build: str) -> None:
    for name, solid in made(build).items():
        if not name.endswith("lid-inlays"):
            assert len(solid.decompose()) == 1, f"{name} falls apart"
        box = solid.bounding_box()
        assert box[3] - box[0] <= BED
        assert box[4] - box[1] <= BED
        if not name.endswith("aside-star"):
            assert box[2] == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("build", FIT)
def test_prints_without_supports(build: str) -> None:
    """What hangs over is steeper than 45 degrees, or a bridge of at most 15 mm, or the roof of a small hole."""
    for name, solid in made(build).items():
        for patch in overhangs(solids.triangles(solid).astype(float)):
            flat = np.ptp(patch[..., 2]) < 0.01
            assert narrow(patch) <= (15 if flat else 6), f"{name}: overhang {narrow(patch)} at {patch.mean((0, 1))}"


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


def narrow(patch: np.ndarray) -> float:
    """The least width of a patch, seen from above, in the directions that walls have."""
    flat = patch.reshape(-1, 3)[:, :2]
    turns = [(math.cos(a), math.sin(a)) for a in np.radians(range(0, 180, 15))]
    edges: dict[tuple[Any, Any], float] = {}
    area = 0.0
    for facet in patch[..., :2].round(3):
        a, b, c = facet
        area += abs(float((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))) / 2
        for p, q in ((a, b), (b, c), (c, a)):
            key = (tuple(p), tuple(q))
            if edges.pop((key[1], key[0]), None) is None:
                edges[key] = math.dist(p, q)
    long_and_thin = 4 * area / max(sum(edges.values()), 1e-9)
    return min(long_and_thin, *(float(np.ptp(flat @ t)) for t in turns))


def test_overhang_is_found_where_there_is_one() -> None:
    table = solids.box(-2, -2, 0, 2, 2, 20) + solids.box(-20, -20, 20, 20, 20, 22)
    assert any(narrow(patch) > 15 for patch in overhangs(solids.triangles(table).astype(float)))


@pytest.mark.parametrize("build", FIT)
def test_every_part_fits_beside_every_other(build: str, built: Built) -> None:
    p, parts = built[build]
    assert clashes(p, parts) == []


@pytest.mark.parametrize("n", range(2, 9))
def test_every_number_of_seats_fits(n: int) -> None:
    p = Layout(with_seats(n))
    assert clashes(p, printed.parts(p)) == []
    assert len([s for s in p.spots() if s.mount == "seat-button"]) == n


def test_clash_is_found_where_there_is_one() -> None:
    p = Layout(load(HARDWARE / "standard.toml"), Shape(bevel_top=58.0))
    assert any("seat-button" in clash for clash in clashes(p, printed.parts(p)))


@pytest.mark.parametrize("build", FIT)
def test_holes_are_snug(build: str, built: Built) -> None:
    """The part passes; one a millimetre thicker does not."""
    p, parts = built[build]
    for spot in p.spots():
        if spot.mount in ("seat-button", "star-button", "led"):
            size = mounts.LED if spot.mount == "led" else mounts.BUTTON
            through = [spot.frame.place(solids.rod(0, 0, -5, 1, d)) for d in (size.body, size.body + 1)]
            assert (through[0] ^ parts[spot.on]).volume() < NOTHING
            assert (through[1] ^ parts[spot.on]).volume() > 1
            assert size.flange > size.hole + 1


@pytest.mark.parametrize("build", FIT)
def test_button_s_rim_lies_flat_all_around(build: str, built: Built) -> None:
    p, parts = built[build]
    for spot in p.spots():
        if spot.mount in ("seat-button", "star-button"):
            size = mounts.BUTTON
            under = solids.rod(0, 0, -0.6, -0.1, size.flange) - solids.rod(0, 0, -1, 1, size.hole + 0.2)
            solid = spot.frame.place(under)
            assert (solid ^ parts[spot.on]).volume() > 0.97 * solid.volume(), spot.name


@pytest.mark.parametrize("build", FIT)
def test_screen_s_glass_lies_behind_its_bezel(build: str, built: Built) -> None:
    p, _ = built[build]
    for spot in p.spots():
        if spot.screen is None:
            continue
        panel = p.panel(spot)
        w, h = bezels.window(spot, panel)
        gw, gh = mounts.GLASS[spot.screen.driver, spot.screen.height]
        assert w >= panel.lit[0] + 2 and h >= panel.lit[1] + 2
        assert gw > w and gh > h, "the glass would fall through its window"


def test_lid_closes_with_screws_from_below_that_nobody_sees(built: Built) -> None:
    for p, parts in built.values():
        clear, head, _ = mounts.M3
        for x, y in p.posts():
            way = solids.rod(x, y, -1, p.body_height - 12, clear - 0.2) + solids.rod(
                x, y, -1, p.body_height - 17, head - 0.2
            )
            assert (way ^ parts["body"]).volume() < NOTHING
            thread = solids.rod(x, y, p.body_height - 11, p.body_height - 5, mounts.INSERT[0] - 0.1)
            assert (thread ^ parts["lid"]).volume() < NOTHING
            around = solids.rod(x, y, p.body_height - 11, p.body_height - 5, 7) - solids.rod(
                x, y, 0, 99, mounts.INSERT[0] + 0.2
            )
            assert (around ^ parts["lid"]).volume() > 0.98 * around.volume()
            above = solids.rod(x, y, p.top - 0.9, p.top + 1, 6)
            assert (above ^ (parts["lid"] + parts["lid-inlays"])).volume() > 0.9 * 0.9 * math.pi * 9, "a hole shows"


@pytest.mark.parametrize("build", FIT)
def test_screws_find_plastic(build: str, built: Built) -> None:
    """A ring around each pilot hole is solid for the length of the thread."""
    p, parts = built[build]
    floor = p.shape.floor
    rings = [("body", x, y, floor + 1, floor + mounts.PI.post, mounts.PI.pilot) for x, y in enclosure.pi_holes(p)]
    top = floor + mounts.PERFBOARD.post
    rings += [("shelf", x, y, top - 6, top, mounts.PERFBOARD.pilot) for x, y in enclosure.shelf_holes(p)]
    rings += [("shelf", x, y, floor + 0.5, floor + 8, enclosure.PILOT) for x, y in enclosure.shelf_holes(p)]
    for name, x, y, z0, z1, inner in rings:
        ring = solids.rod(x, y, z0, z1, inner + 1.8) - solids.rod(x, y, z0 - 1, z1 + 1, inner + 0.1)
        assert (ring ^ parts[name]).volume() > 0.98 * ring.volume(), f"{name} at {x:g}, {y:g}"


def test_every_pi_finds_its_holes() -> None:
    p = plan("standard")
    plate = loose.zero_plate(p)
    for x, y in enclosure.pi_holes(p):
        assert (plate ^ solids.rod(x, y, 0, 12, 2.5)).volume() < NOTHING
    assert {(round(b - a, 1), round(d - c, 1)) for (a, c), (b, d) in itertools.combinations(mounts.ZERO.holes, 2)} >= {
        (58.0, 23.0)
    }
    assert (plate ^ enclosure.body(p)).volume() < NOTHING


def test_inlays_fill_their_places_and_nothing_else(built: Built) -> None:
    for p, parts in built.values():
        colours = parts["lid-inlays"]
        assert (colours ^ parts["lid"]).volume() < NOTHING
        assert colours.bounding_box()[5] == pytest.approx(p.top)
        assert len(colours.decompose()) >= p.seats + 2, "hearts, stars and numbers"
        with_them = parts["lid"] + colours
        assert with_them.volume() == pytest.approx(parts["lid"].volume() + colours.volume(), rel=1e-4)
    assert set(inlays.DIGITS) == set(range(1, 9))


def test_card_goes_into_the_hood_and_can_be_taken_out(built: Built) -> None:
    p, parts = built["standard"]
    card = fitting.hood_card(p)
    for lifted in range(0, 80, 10):
        moved = card.translate(tuple(p.hood_card.v * lifted))
        assert [name for name, x in parts.items() if (moved ^ x).volume() > NOTHING] == []
    grip = solids.box(-10, 40, -6, 10, 70, -0.4)
    assert all((p.hood_card.place(grip) ^ x).volume() < NOTHING for x in parts.values()), "fingers reach its back"


def test_hood_stands_on_the_lid_and_lifts_off(built: Built) -> None:
    p, parts = built["standard"]
    hood = arm.hood(p).rotate((0, 0, arm.TURN))
    assert hood.bounding_box()[2] == pytest.approx(p.top)
    others = [x for name, x in parts.items() if not name.startswith("hood")]
    for forward in (0.0, 15.0, 40.0):
        x, y, _ = p.across(forward, 0)
        assert all((hood.translate((x, y, 4.0 if forward else 0.0)) ^ o).volume() < NOTHING for o in others)


def test_pile_has_its_room_under_the_arm(built: Built) -> None:
    p, parts = built["standard"]
    pile = fitting.pile(p, mounts.PILE)
    assert [n for n, x in parts.items() if not n.startswith("hood") and (pile ^ x).volume() > NOTHING] == []
    hand = p.tray_middle.place(solids.box(-40, -60, mounts.PILE * mounts.CARD[2], 40, 30, 90))
    assert all((hand ^ x).volume() < NOTHING for n, x in parts.items() if not n.startswith("hood")), "room for a hand"


def test_antenna_lies_against_the_tag_and_away_from_the_pile(built: Built) -> None:
    p, parts = built["full"]
    antenna = fitting.bought(p)["pn532"]
    tag = p.nfc.place(solids.box(-12.5, -12.5, 0, 12.5, 12.5, 0.3))
    assert antenna.min_gap(tag, 50) <= 4
    tags = p.tray_middle.place(solids.box(-12.5, -44, 0, 12.5, 44, mounts.PILE * mounts.CARD[2]))
    assert antenna.min_gap(tags, 200) >= 28
    assert abs(float(p.nfc.w[2])) < 0.4, "the coil stands upright, tags in the pile lie flat"
    assert (enclosure.mark(p, 0.8) ^ parts["body"]).volume() < NOTHING, "the ring is sunk into the wall"


@pytest.mark.parametrize("build", FIT)
def test_everything_on_the_list_that_sits_somewhere_has_a_place(build: str, built: Built) -> None:
    p, _ = built[build]
    places = {s.mount for s in p.spots()} | {"lid-screw", "pi", "perfboard", "power", "switch", "wake", "usb-cable"}
    places |= {"scanner", "arm-screw"} if p.optical else {"nfc"}
    wanted = {m for line in bom.bill(p.config) for m in line.mount.split("/") if m}
    assert wanted == places
    counts = {s.mount: sum(t.mount == s.mount for t in p.spots()) for s in p.spots()}
    for line in bom.bill(p.config):
        if line.mount in counts:
            assert line.quantity == counts[line.mount], line.part
    assert next(x for x in bom.bill(p.config) if x.part == "screw-lid").quantity == len(p.posts())


def test_power_parts_pass_the_wall(built: Built) -> None:
    for p, parts in built.values():
        for name in ("power", "switch", "wake"):
            part = fitting.bought(p)[name]
            assert (part ^ parts["body"]).volume() < NOTHING
            outside = part - enclosure.eight(p, (0, 0), (p.body_height, 0))
            assert outside.volume() > 100, f"{name} does not show"


def test_too_many_screens_are_refused() -> None:
    text = (
        "[box]\nseats = 5\n[gpio]\nseat_buttons = [5, 6, 13, 19, 18]\nseat_lamps = [12, 16, 20, 21, 10]\n[[screen]]\n"
    )
    with pytest.raises(ValueError, match="leave the screens out"):
        Layout(parse(text + "[[screen]]\nseat = 1\naddress = 0x3D\n"))
    with pytest.raises(ValueError, match="40 x 14 fit at a seat"):
        Layout(parse('[[screen]]\n[[screen]]\nseat = 1\ndriver = "sh1106"\naddress = 0x3D\n'))
