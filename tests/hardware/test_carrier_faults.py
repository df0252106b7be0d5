"""What a fab makes, what is printed, what the board was made from: right on the committed one, found on worse ones."""

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from board import checks, design, saved
from board.saved import Saved, Words

BOARD = Path(__file__).parents[2] / "hardware" / "board" / "carrier.kicad_pcb"


@functools.cache
def committed() -> Saved:
    return saved.read(BOARD)


def other(**changes: object) -> Saved:
    """The committed board with something else in it."""
    return replace(committed(), **changes)  # type: ignore[arg-type]


# -- holes, rings, tracks, edge


def test_committed_board_can_be_made() -> None:
    assert checks.unmakeable(committed()) == []


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"drill": 0.5, "size": (1.7, 1.7)}, "hole of 0.5 mm"),
        ({"drill": 6.5, "size": (8.0, 8.0)}, "hole of 6.5 mm"),
        ({"drill": 1.0, "size": (1.5, 1.7)}, "ring of 0.25 mm"),
    ],
)
def test_a_pad_that_cannot_be_made_is_found(change: dict[str, object], what: str) -> None:
    pads = [replace(p, **change) if (p.ref, p.number) == ("J1", "29") else p for p in committed().pads]  # type: ignore[arg-type]
    assert checks.unmakeable(other(pads=pads)) == [f"pad J1.29: {what}"]


@pytest.mark.parametrize(
    ("change", "what"),
    [({"drill": 0.2}, "hole of 0.2 mm"), ({"drill": 0.4, "size": 0.6}, "ring of 0.10 mm")],
)
def test_a_via_that_cannot_be_made_is_found(change: dict[str, float], what: str) -> None:
    first, *rest = committed().vias
    assert checks.unmakeable(other(vias=[replace(first, **change), *rest])) == [f"via at {first.at}: {what}"]  # type: ignore[arg-type]


def test_a_hair_of_track_is_found() -> None:
    first, *rest = committed().tracks
    found = checks.unmakeable(other(tracks=[replace(first, width=0.15), *rest]))
    assert found == [f"{first.net} at {first.a}: track of 0.15 mm"]


@pytest.mark.parametrize("by", [0.9, 1.01])
def test_another_size_is_found(by: float) -> None:
    edge = [((a[0] * by, a[1]), (b[0] * by, b[1])) for a, b in committed().edge]
    found = checks.unmakeable(other(edge=edge))
    assert len(found) == 1 and found[0].startswith(f"edge: from 0 to {99 * by:g} mm")
    assert len(checks.unmakeable(other(edge=[]))) == 2


# -- print


def test_every_plug_s_name_is_printed_large_on_both_sides() -> None:
    assert checks.unnamed(committed()) == []


def written(name: str, below: bool, **change: object) -> Saved:
    """The board with one of a plug's two names changed."""

    def new(w: Words) -> Words:
        return replace(w, **change) if (w.text, w.below) == (name, below) else w  # type: ignore[arg-type]

    return other(words=[new(w) for w in committed().words])


@pytest.mark.parametrize(
    ("below", "change", "what"),
    [
        (True, {"text": "SEAT"}, "SEAT 2: printed above 1, below 0 times"),
        (False, {"text": ""}, "SEAT 2: printed above 0, below 1 times"),
        (False, {"height": 1.0}, "SEAT 2: 1 mm high above"),
        (True, {"mirrored": False}, "SEAT 2: mirror writing below"),
        (False, {"mirrored": True}, "SEAT 2: mirror writing above"),
    ],
)
def test_a_name_that_cannot_be_read_is_found(below: bool, change: dict[str, object], what: str) -> None:
    assert checks.unnamed(written("SEAT 2", below, **change)) == [what]


def test_two_names_exchanged_are_found() -> None:
    swap = {"SEAT 2": "SEAT 3", "SEAT 3": "SEAT 2"}
    words = [w if w.below else replace(w, text=swap.get(w.text, w.text)) for w in committed().words]
    found = checks.unnamed(other(words=words))
    assert found == [f"SEAT {n}: above it stands beside another plug" for n in (2, 3)]


def test_cables_differ_in_poles_unless_they_may_be_swapped() -> None:
    """`test_carrier_insertion.py` has these."""
    assert checks.alike(committed()) == [["MUX", "SCREEN"], ["PIEZO", "STAR"]]


def test_a_cable_with_the_poles_of_another_is_found() -> None:
    stars = next(p.footprint for p in committed().parts if p.value == "STARS")
    parts = [replace(p, footprint=stars) if p.value == "LIVES" else p for p in committed().parts]
    assert ["LIVES", "STARS"] in checks.alike(other(parts=parts))


# -- the design


def test_every_part_lies_where_the_design_puts_it() -> None:
    assert checks.misplaced(committed()) == []


@pytest.mark.parametrize("change", [{"at": (10.0, 10.0)}, {"turn": 45.0}, {"value": "47 Ω"}, {"footprint": "none"}])
def test_a_part_that_lies_otherwise_is_found(change: dict[str, object]) -> None:
    parts = [replace(p, **change) if p.ref == "R1" else p for p in committed().parts]  # type: ignore[arg-type]
    assert set(checks.misplaced(other(parts=parts))) == {"R1"}
    assert checks.misplaced(other(parts=[p for p in committed().parts if p.ref != "R1"])) == ["R1"]


def test_committed_board_is_made_from_today_s_design() -> None:
    assert checks.outdated(committed()) == ""


@pytest.mark.parametrize("comment", ["", "made from 0123456789abcdef"])
def test_a_board_of_another_design_is_found(comment: str) -> None:
    assert "run `make board`" in checks.outdated(other(comment=comment))


def a_word_more(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    monkeypatch.setattr(design, "WORDS", (*design.WORDS, ("carrier 2", 12.6, 70.0, 1.3, False)))


def a_wider_rail(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    monkeypatch.setitem(design.WIDTHS, design.RAIL, 0.7)


def another_router(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("router.py", "lay.py", "carrier.toml"):
        (tmp_path / name).write_bytes((design.HERE / name).read_bytes() + b"\n")
    monkeypatch.setattr(design, "HERE", tmp_path)


@pytest.mark.parametrize("change", [a_word_more, a_wider_rail, another_router])
def test_a_design_that_changed_since_is_found(
    change: Callable[[pytest.MonkeyPatch, Path], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    change(monkeypatch, tmp_path)
    assert "run `make board`" in checks.outdated(committed())
