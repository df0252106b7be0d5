"""Labels and inserts: printed, looked at as a reader does, and read back, every one."""

from pathlib import Path
from types import ModuleType

import numpy
import pypdfium2
import pytest
import zxingcpp

from mind_box.cards import labels, ndef, qr, sleeves
from mind_box.cards.sheets import PAPERS, PRECUT, Sheet
from mind_box.commands.cli import main
from mind_box.table.payload import TRAY, encode, parse

HARDWARE = Path(__file__).parents[2] / "hardware"
QR_CODES = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
DECKS = ("original", "extreme")


def run(module: ModuleType, *args: object) -> int:
    return main(["cards", module.__name__.rpartition(".")[2], *map(str, args)])


def read(path: Path, dpi: int) -> list[str]:
    """Every QR code on every page, as text."""
    found = []
    with pypdfium2.PdfDocument(path) as document:
        for page in document:
            image = page.render(scale=dpi / 72, grayscale=True).to_pil()
            found += [code.text for code in zxingcpp.read_barcodes(image, formats=QR_CODES)]
    return found


def wanted(deck: str) -> list[str]:
    return sorted(encode(card) for card in qr.deck(deck))


def labelled(deck: str) -> list[str]:
    """With the one for the floor of the tray."""
    return sorted([*wanted(deck), TRAY])


@pytest.mark.parametrize("dpi", [150, 300])
@pytest.mark.parametrize("size", [12, 15])
@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("deck", DECKS)
def test_hundred_of_hundred_read_back(tmp_path: Path, deck: str, paper: str, size: int, dpi: int) -> None:
    out = tmp_path / "labels.pdf"
    assert run(labels, out, "--deck", deck, "--paper", paper, "--size", size) == 0
    assert sorted(read(out, dpi)) == labelled(deck)


@pytest.mark.parametrize("dpi", [150, 300])
@pytest.mark.parametrize(("sheet", "pages"), [("l7651", 2), ("l7159", 3), ("5160", 2)])
def test_precut_sheets_read_back(tmp_path: Path, sheet: str, pages: int, dpi: int) -> None:
    out = tmp_path / "labels.pdf"
    assert run(labels, out, "--sheet", sheet, "--size", 15) == 0
    assert sorted(read(out, dpi)) == labelled("original")
    with pypdfium2.PdfDocument(out) as document:
        assert len(document) == pages


@pytest.mark.parametrize("dpi", [150, 300])
@pytest.mark.parametrize("deck", DECKS)
def test_inserts_read_back_from_either_end(tmp_path: Path, deck: str, dpi: int) -> None:
    out = tmp_path / "inserts.pdf"
    assert run(sleeves, out, "--deck", deck) == 0
    assert sorted(read(out, dpi)) == sorted(2 * wanted(deck))


@pytest.mark.parametrize("path", sorted((HARDWARE / "labels").glob("*.pdf")), ids=lambda p: p.stem)
def test_committed_sheets_read_back(path: Path) -> None:
    assert sorted(read(path, 150)) == labelled("original")


def sheets(tmp_path: Path) -> dict[str, Path]:
    """One of each kind that the commands make."""
    made = {}
    for name, args in {
        "a4": (),
        "letter": ("--paper", "letter", "--size", 15),
        "large": ("--size", 31.2),
        **{name: ("--sheet", name, "--size", 15) for name in PRECUT},
    }.items():
        made[name] = tmp_path / f"{name}.pdf"
        assert run(labels, made[name], *args) == 0
    for paper in PAPERS:
        made[f"inserts {paper}"] = tmp_path / f"inserts-{paper}.pdf"
        assert run(sleeves, made[f"inserts {paper}"], "--paper", paper) == 0
    return made | {path.stem: path for path in (HARDWARE / "labels").glob("*.pdf")}


def test_no_print_dialogue_scales_a_sheet(tmp_path: Path) -> None:
    for name, path in sheets(tmp_path).items():
        assert b"/PrintScaling /None" in path.read_bytes(), name
        with pypdfium2.PdfDocument(path) as document:
            assert not pypdfium2.raw.FPDF_VIEWERREF_GetPrintScaling(document), name


def test_each_page_has_a_ruler_of_its_length_where_a_printer_reaches_and_no_label_is(tmp_path: Path) -> None:
    dpi, mm = 254, 10
    for name, path in sheets(tmp_path).items():
        with pypdfium2.PdfDocument(path) as document:
            for page in document:
                assert "this line is 100 mm long" in page.get_textpage().get_text_bounded(), name
                image = numpy.asarray(page.render(scale=dpi / 72, grayscale=True).to_pil())
                foot = image[-60 * mm :]
                dark = [(row, (foot[row] < 160).sum()) for row in range(len(foot))]
                line = max((row for row, count in dark if 995 <= count <= 1010), default=None)
                assert line is not None, name
                columns = (foot[line] < 160).nonzero()[0]
                assert columns.min() == pytest.approx(10 * mm, abs=3) and columns.max() == pytest.approx(
                    110 * mm, abs=3
                )
                from_edge = (len(foot) - line) / mm
                assert from_edge >= (10 if "-" in name or name in PAPERS or "inserts" in name else 6), (name, from_edge)
                white = foot[line - 38 : line - 32]  # between the line over it and the last row
                assert white.min() > 200, name


def test_number_is_in_print(tmp_path: Path) -> None:
    out = tmp_path / "labels.pdf"
    run(labels, out, "--deck", "extreme")
    with pypdfium2.PdfDocument(out) as document:
        words = document[0].get_textpage().get_text_bounded().split()
    assert {str(card) for card in qr.deck("extreme")} <= set(words)


@pytest.mark.parametrize("deck", DECKS)
def test_codes_are_version_1_level_h(deck: str) -> None:
    """The coarsest code there is; a payload that outgrew it would raise."""
    for card in qr.deck(deck):
        assert len(encode(card)) <= 10
        matrix = qr.matrix(card)
        assert len(matrix) == 21
        assert all(len(row) == 21 for row in matrix)
        level = matrix[8][0], matrix[8][1]  # format bits 14 and 13: H is 10, masked with 10
        assert level == (False, False)


def test_runs_are_the_matrix() -> None:
    for card in (1, 100, "W7", "R50"):
        drawn = {(y, x + i) for y, x, n in qr.runs(card) for i in range(n)}
        assert drawn == {(y, x) for y, row in enumerate(qr.matrix(card)) for x, dark in enumerate(row) if dark}


@pytest.mark.parametrize("sheet", PRECUT.values(), ids=PRECUT)
def test_precut_cells_lie_on_their_page(sheet: Sheet) -> None:
    for x, y in sheet.cells():
        assert x >= 0
        assert y >= 0
        assert x + sheet.cell[0] <= sheet.page[0] + 0.01
        assert y + sheet.cell[1] <= sheet.page[1] + 0.01
    assert sheet.pitch[0] >= sheet.cell[0]
    assert sheet.pitch[1] >= sheet.cell[1]
    right = sheet.page[0] - (sheet.left + (sheet.columns - 1) * sheet.pitch[0] + sheet.cell[0])
    assert right == pytest.approx(sheet.left, abs=0.1), "pre-cut sheets are symmetrical"


def test_copies_and_skipped_labels(tmp_path: Path) -> None:
    out = tmp_path / "labels.pdf"
    assert run(labels, out, "--copies", 2, "--skip", 59, "--sheet", "l7651") == 0
    assert sorted(read(out, 150)) == sorted([*wanted("original"), *labelled("original")])
    with pypdfium2.PdfDocument(out) as document:
        assert len(document) == 4
        first = document[0].render(scale=150 / 72, grayscale=True).to_pil()
    assert len(zxingcpp.read_barcodes(first)) == 6


def test_shift_moves_the_print(tmp_path: Path) -> None:
    places = []
    for shift in ("0,0", "3,-2"):
        out = tmp_path / "labels.pdf"
        run(labels, out, "--shift", shift)
        with pypdfium2.PdfDocument(out) as document:
            image = document[0].render(scale=300 / 72, grayscale=True).to_pil()
        code = next(c for c in zxingcpp.read_barcodes(image) if c.text == encode(1))
        places.append((code.position.top_left.x, code.position.top_left.y))
    moved = [(b - a) / 300 * 25.4 for a, b in zip(*places, strict=True)]
    assert moved == pytest.approx([3, -2], abs=0.2)


def test_same_sheet_twice_is_the_same_file(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.pdf", "b.pdf")]
    for path in files:
        run(labels, path)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--size", "5"], "--size 5"),
        (["--size", "nan"], "--size nan"),
        (["--size", "30", "--sheet", "5160"], "room for 19.8 mm"),
        (["--copies", "0"], "--copies 0"),
        (["--skip", "5000"], "--skip 5000"),
        (["--shift", "1"], "--shift 1"),
        (["--shift", "99,0"], "at most 10 mm"),
        (["--shift", "nan,0"], "--shift nan,0"),
    ],
)
def test_senseless_options_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], says: str
) -> None:
    out = tmp_path / "labels.pdf"
    assert run(labels, out, *args) == 2
    assert says in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("card", ["57", "10x87", "57x40", "axb", "57x400"])
def test_senseless_card_sizes_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], card: str) -> None:
    assert run(sleeves, tmp_path / "s.pdf", "--card", card) == 2
    assert f"--card {card}" in capsys.readouterr().err


def test_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(labels, tmp_path / "no" / "such" / "folder.pdf") == 2
    assert "folder.pdf" in capsys.readouterr().err


@pytest.mark.parametrize("deck", DECKS)
def test_tags_hold_the_card(deck: str) -> None:
    """Decoded by the very code that reads tags at the table."""
    from mind_box.devices.nfc.ndef import text

    for card in qr.deck(deck):
        payload = encode(card)
        memory = ndef.memory(payload)
        assert text(memory) == payload
        assert parse(text(memory) or "") == card
        assert len(memory) <= 144, "an NTAG213 has 144 bytes"
        assert "".join(ndef.pages(payload).values()) == memory.hex().upper()


def test_tag_lists_are_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(ndef) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 101
    assert rows[42].startswith(f"42,{encode(42)},D1010D54")
    out = tmp_path / "tags.json"
    assert run(ndef, out, "--deck", "extreme", "--format", "json") == 0
    assert out.read_text().count('"text"') == 100
    assert run(ndef, tmp_path / "no" / "tags.csv") == 2
