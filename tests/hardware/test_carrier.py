"""The carrier board as it is committed, read back without KiCad; every check is shown to find its fault."""

import csv
import functools
import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import perfboard
import pytest
from board import bill, checks, design, drawing, saved
from board.saved import Saved, Track

from mind_box.hardware import parts
from mind_box.hardware.header import PHYSICAL
from mind_box.hardware.wiring import wires
from mind_box.settings.loading import load
from mind_box.settings.schema import Config

HARDWARE = Path(__file__).parents[2] / "hardware"
HERE = HARDWARE / "board"
BUILDS = ("standard", "full", "seats")


@functools.cache
def committed() -> Saved:
    return saved.read(HERE / "carrier.kicad_pcb")


def configs() -> list[Config]:
    return [load(HARDWARE / f"{b}.toml") for b in BUILDS]


def other(**changes: object) -> Saved:
    """The committed board with something else in it."""
    return replace(committed(), **changes)  # type: ignore[arg-type]


def moved(t: Track, by: float) -> Track:
    return replace(t, a=(t.a[0] + by, t.a[1]), b=(t.b[0] + by, t.b[1]))


def refs(value: str) -> str:
    return next(p.ref for p in committed().parts if p.value == value)


# -- the board is that of the design


def test_every_pad_is_on_its_net() -> None:
    assert checks.wrong_nets(committed()) == []


def test_swapped_nets_are_found() -> None:
    swap = {"SEAT_1_BUTTON": "SEAT_1_LAMP", "SEAT_1_LAMP": "SEAT_1_BUTTON"}
    pads = [replace(p, net=swap.get(p.net, p.net)) if p.ref == refs("SEAT_1") else p for p in committed().pads]
    found = checks.wrong_nets(other(pads=pads))
    assert len(found) == 2 and "SEAT_1_LAMP, should be SEAT_1_BUTTON" in found[0]


def test_header_s_holes_lie_over_the_pi_s_pins() -> None:
    """Pin 1 at the microSD's end and away from the board's edge, the row 3.5 mm from the edge."""
    pins = {int(p.number): p.at for p in committed().pads if p.ref == "J1"}
    left, top = -49.5, 50.0
    for pin, (x, y) in pins.items():
        across, along = (left + x, top - y)
        assert 49.5 - across == pytest.approx(32.5 - 24.13 + 2.54 * ((pin - 1) // 2), abs=0.02), pin
        assert 43.0 - along == pytest.approx(52.5 + (-1.27 if pin % 2 else 1.27), abs=0.02), pin


# -- copper


def test_nothing_is_too_near() -> None:
    assert checks.too_near(committed()) == []


def test_a_moved_track_is_found() -> None:
    tracks = committed().tracks
    at = next(p.at for p in committed().pads if (p.ref, p.number) == ("J1", "29"))
    i = next(i for i, t in enumerate(tracks) if t.net == "GPIO5" and at in (t.a, t.b))
    found = checks.too_near(other(tracks=[moved(t, 2.0) if i == n else t for n, t in enumerate(tracks)]))
    assert found and all("GPIO5" in text for text in found)


def test_every_net_is_joined() -> None:
    assert checks.unjoined(committed()) == []


@pytest.mark.parametrize("net", ["GPIO26", "LIVES_3", "3V3"])
def test_a_deleted_track_is_found(net: str) -> None:
    tracks = committed().tracks
    longest = max((t for t in tracks if t.net == net), key=lambda t: abs(t.a[0] - t.b[0]) + abs(t.a[1] - t.b[1]))
    assert checks.unjoined(other(tracks=[t for t in tracks if t is not longest])) == [f"{net}: in 2 pieces"]


def test_ground_without_its_pour_and_tracks_is_found() -> None:
    bare = other(poured=[], tracks=[t for t in committed().tracks if t.net != "GND"])
    assert [text.split(":")[0] for text in checks.unjoined(bare)] == ["GND"]


def test_tracks_carry_their_currents() -> None:
    """3 A through the supply, the screens' 3V3, a reader's 5 V: IPC-2221, 20 K warmer."""
    assert checks.least_width(3.0) == pytest.approx(0.9, abs=0.02), "35 square mils of 1.38 mil copper a row: 35 mil"
    assert checks.too_thin(committed(), configs()) == []


@pytest.mark.parametrize("net", [design.FIVE, design.FUSED, design.IN_MINUS, design.TO_PI[2]])
def test_a_thin_track_is_found(net: str) -> None:
    thin = [replace(t, width=0.3) if t.net == net else t for t in committed().tracks]
    found = checks.too_thin(other(tracks=thin), configs())
    assert found and all(text.startswith(f"{net} from") for text in found)


# -- the same wiring as the perfboard's


def by_board(board: Saved, config: Config) -> dict[int, set[tuple[str, ...]]]:
    """Header pin to what hangs on it: (values of the parts in between, plug or rail)."""
    nets = board.pad_nets()
    plugs = {p.ref: p.value for p in board.parts if "JST" in p.footprint}
    values = {p.ref: p.value for p in board.parts}
    two = [(r, nets[r, "1"], nets[r, "2"]) for r in values if r[0] in "RC" and (r, "2") in nets]

    def ends(net: str) -> set[str]:
        return {plugs[ref] for (ref, _), n in nets.items() if n == net and ref in plugs}

    out = {}
    for w in wires(config):
        net = nets["J1", str(w.physical)]
        found: set[tuple[str, ...]] = {(end,) for end in ends(net)} if w.kind != "bus" else {("bus",)}
        for r, *sides in two:
            if net in sides and w.kind != "bus":
                far = sides[1 - sides.index(net)]
                found.add((values[r], *(ends(far) if far not in ("GND", "3V3") else (far,))))
                for q, *more in two:
                    if far in more and q != r and far not in ("GND", "3V3"):
                        found.add((values[r], values[q], more[1 - more.index(far)]))
        out[w.physical or 0] = found
    return out


def by_perfboard(config: Config) -> dict[int, set[tuple[str, ...]]]:
    """The same, walked over the perfboard."""
    layout = perfboard.board(config)
    group = {hole: i for i, net in enumerate(perfboard.nets(layout)) for hole in net}
    names = {group[h]: what for h, what in layout.pins.items() if ": GND" in what or ": 3V3" in what}

    def ends(net: int) -> set[str]:
        return {what.split(":")[0] for h, what in layout.pins.items() if group[h] == net and ":" in what}

    def rail(net: int) -> str:
        return ("GND" if "GND" in names[net] else "3V3") if net in names else next(iter(rails[net]))

    rails = {group[perfboard.header_hole(1)]: {"3V3"}, group[perfboard.header_hole(14)]: {"GND"}}
    fixed = set(rails) | set(names)
    out = {}
    for w in wires(config):
        net = group[perfboard.header_hole(w.physical or 0)]
        found: set[tuple[str, ...]] = {(end,) for end in ends(net)} if w.kind != "bus" else {("bus",)}
        for part in layout.parts:
            sides = [group[part.a], group[part.b]]
            if net in sides:
                far = sides[1 - sides.index(net)]
                found.add((part.what, *(ends(far) if far not in fixed else (rail(far),))))
                for q in layout.parts:
                    more = [group[q.a], group[q.b]]
                    if far in more and q is not part and far not in fixed:
                        found.add((part.what, q.what, rail(more[1 - more.index(far)])))
        out[w.physical or 0] = found
    return out


@pytest.mark.parametrize("build", BUILDS)
def test_board_and_perfboard_are_wired_alike(build: str) -> None:
    """Both give the same table of `mind-box pins`: pin by pin the same parts in between, the same plug at the end."""
    config = load(HARDWARE / f"{build}.toml")
    on_board = by_board(committed(), config)
    assert on_board == by_perfboard(config)
    assert set(on_board) == {PHYSICAL[w.pin] for w in wires(config)}
    assert on_board[29] == {("1 kΩ", "SEAT_1"), ("1 kΩ", "10 kΩ", "3V3"), (f"{parts.FILTER_NF} nF", "GND")}


def test_another_resistor_is_another_table() -> None:
    wrong = [replace(p, value="1 kΩ") if p.value == "680 Ω" else p for p in committed().parts]
    assert by_board(other(parts=wrong), configs()[0]) != by_perfboard(configs()[0])


def test_buttons_have_their_clamps() -> None:
    """A Zener at the plug's end, cathode up: what a spark leaves meets the 1 kΩ, and it stops no 3.3 V."""
    nets = committed().pad_nets()
    clamped = {nets[p.ref, "1"] for p in committed().parts if p.value == design.ZENER and nets[p.ref, "2"] == "GND"}
    assert clamped == {f"SEAT_{n}_BUTTON" for n in range(1, 7)} | {"STAR_BUTTON"}


# -- what is ordered


def drilled() -> list[tuple[float, float, float]]:
    """Holes of the drill files: place and diameter."""
    out = []
    for path in (HERE / "gerber").glob("*.drl"):
        tools: dict[str, float] = {}
        size = 0.0
        for line in path.read_text().splitlines():
            if tool := re.fullmatch(r"T(\d+)C([\d.]+)", line):
                tools[tool[1]] = float(tool[2])
            elif tool := re.fullmatch(r"T(\d+)", line):
                size = tools.get(tool[1], 0.0)
            elif place := re.match(r"X([-\d.]+)Y([-\d.]+)", line):
                out.append((round(float(place[1]) - 50, 2), round(-float(place[2]) - 50, 2), size))
    return out


def test_drill_files_have_the_board_s_holes() -> None:
    wanted = [(round(p.at[0], 2), round(p.at[1], 2), p.drill) for p in committed().pads if p.drill]
    wanted += [(round(v.at[0], 2), round(v.at[1], 2), v.drill) for v in committed().vias]
    near = [[round(10 * x) for x in hole] for hole in sorted(drilled())]
    assert sorted(near) == sorted([round(10 * x) for x in hole] for hole in wanted)


@pytest.mark.parametrize(("layer", "name"), [(0, "F_Cu"), (1, "B_Cu")])
def test_gerber_files_have_the_board_s_tracks(layer: int, name: str) -> None:
    text = next((HERE / "gerber").glob(f"*-{name}.*")).read_text()
    drawn = re.findall(r"X(-?\d+)Y(-?\d+)D0[12]\*", text)
    seen = {(round(int(x) / 1000) - 50_000, round(-int(y) / 1000) - 50_000) for x, y in drawn}
    tracks = [t for t in committed().tracks if t.layer == layer]
    ends = {(round(1000 * x), round(1000 * y)) for t in tracks for x, y in (t.a, t.b)}
    assert len(ends - seen) == 0 and len(ends) > 50


def test_archive_holds_the_gerber_files() -> None:
    with zipfile.ZipFile(HERE / "carrier-gerber.zip") as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert inside == {path.name: path.read_bytes() for path in (HERE / "gerber").iterdir()}
    kinds = {name.partition("-")[2].rpartition(".")[0] for name in inside}
    assert {"F_Cu", "B_Cu", "F_Mask", "B_Mask", "F_Silkscreen", "B_Silkscreen", "Edge_Cuts", "PTH", "NPTH"} <= kinds


@pytest.mark.parametrize(
    ("name", "made"), [("carrier-bom.csv", bill.as_csv), ("carrier-assembly.html", lambda: drawing.page(committed()))]
)
def test_list_and_drawing_are_today_s(name: str, made: Callable[[], str]) -> None:
    assert (HERE / name).read_text(encoding="utf-8") == made(), "run `make board` and commit"


def test_list_counts_every_part_once_with_an_order_number() -> None:
    rows = list(csv.DictReader(io.StringIO(bill.as_csv())))
    listed = [ref for row in rows for ref in row["Designator"].split(",")]
    assert sorted(listed) == sorted(p.ref for p in committed().parts if p.ref[0] not in "HT")
    assert all(row["Order number"] and int(row["Quantity"]) == row["Designator"].count(",") + 1 for row in rows)
    placed = list(csv.DictReader(io.StringIO((HERE / "carrier-placement.csv").read_text(encoding="utf-8"))))
    assert {row["Ref"] for row in placed} >= set(listed)


def test_file_reader_refuses_what_is_cut_off() -> None:
    text = (HERE / "carrier.kicad_pcb").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="left open"):
        saved.parse(text[: len(text) // 2])
    with pytest.raises(ValueError, match="never opened"):
        saved.parse("(a))")


# -- its page


def test_page_has_today_s_plugs_sizes_and_costs() -> None:
    text = (HARDWARE / "carrier.md").read_text(encoding="utf-8")
    assert "\n".join(bill.plug_rows()) in text
    assert f"{design.WIDTH:g} x {design.HEIGHT:g} mm" in text
    ways = [f"{bill.board_way():.0f} EUR", *(f"{bill.perfboard_way(c):.0f} EUR" for c in configs()[:2])]
    assert f"| board, parts, cables, about | {' | '.join(ways)} |" in text
    joints = [
        str(sum(p.plated and not p.ref.startswith("TP") for p in committed().pads)) + ", each in a hole of its own"
    ]
    for config in configs()[:2]:
        layout = perfboard.board(config)
        joints.append(f"{len(layout.pins) + 2 * len(layout.parts)}, and {len(layout.joints)} wires")
    assert f"| joints by hand | {' | '.join(joints)} |" in text
    building = (HARDWARE / "BUILD.md").read_text(encoding="utf-8")
    assert f"about {ways[0]} with its parts and cables" in building
    assert ways[1] == ways[2] and f"For about {ways[1]}, and without a week's wait" in building
    assert building.index("## 3a. The carrier board") < building.index("## 3b. The perfboard")
    least = min([t.width for t in committed().tracks])
    assert f"{least:g} mm and {checks.CLEAR:g} mm; {min(v.drill for v in committed().vias):g} mm" in text
