"""What a reader says (docs/table.md): every way to write a card, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mind_box.table.payload import crc8, encode, identity, parse

CARDS = st.one_of(st.integers(0, 10**17), st.builds("{}{}".format, st.sampled_from("WR"), st.integers(0, 10**17)))


@pytest.mark.parametrize(
    ("payload", "card"),
    [
        ("42", 42), ("042", 42), ("  42\r\n", 42), ("\x0242\x03", 42), ("0", 0), ("000", 0), ("101", 101),
        ("999", 999), ("4012345678901", 4012345678901), ("W07", "W7"), ("r31", "R31"), ("w50", "W50"),
        ("W0", "W0"), ("W51", "W51"), ("MB1:42", 42), ("mb1:042", 42), ("MB1:042:F2", 42), ("mb1:042:f2", 42),
        (" MB1:W07:6E\n", "W7"), ("mb1:w07:6e", "W7"), ("MB1:0", 0),
    ],
)  # fmt: skip
def test_every_way_to_write_a_card(payload: str, card: int | str) -> None:
    assert parse(payload) == card
    assert type(parse(payload)) is type(card)


@pytest.mark.parametrize(
    "payload",
    [
        "", " ", "-1", "+4", "4_2", "4 2", "4.0", "0x2a", "٤٢", "４２", "²", "W", "W-1", "WW1", "G7", "W 7", "7W",
        "MB1:", "MB1:42:", "MB1:042:F3", "MB1:042:F", "MB1:042:F2A", "MB1:042:F2:F2", "MB1::42", "MB1: 42", "MB2:42",
        "MB1:4_2", "MB1:042:G0", "42:F2", "4\x002", "\u00a042", "ſ", "04:A1:B2:C3", "https://example.org/42",
    ],
)  # fmt: skip
def test_anything_else_is_no_card(payload: str) -> None:
    assert parse(payload) is None


def test_the_check_is_the_published_crc_8() -> None:
    assert crc8("123456789") == 0xF4
    assert crc8("") == 0
    assert encode(42) == f"MB1:042:{crc8('MB1:042'):02X}" == "MB1:042:F2"
    assert encode("W7") == "MB1:W07:6E"
    assert encode(100, check=False) == "MB1:100"


def test_the_check_is_over_the_text_as_it_stands() -> None:
    assert parse(f"MB1:42:{crc8('MB1:42'):02x}") == 42
    assert parse(f"MB1:42:{crc8('MB1:042'):02x}") is None


@pytest.mark.parametrize("card", [-1, True, "W", "X7", "W-1", "", "4 2"])
def test_what_is_no_card_has_no_label(card: int | str) -> None:
    with pytest.raises(ValueError, match="is no card"):
        encode(card)


def test_a_number_too_long_for_any_deck_is_still_a_number() -> None:
    assert parse("9" * 18) == 10**18 - 1
    assert parse("1" + "0" * 5000) == parse("9" * 19) == 10**18
    assert parse("0" * 5000 + "42") == 42


def test_an_enrolled_tag_comes_first_however_it_is_written() -> None:
    enrolled: dict[str, int | str] = {identity("04:a1:b2:c3:d4:e5:f6"): 17, identity("42"): 3, identity("Hello"): "W7"}
    for written in ("04A1B2C3D4E5F6", "04-a1-b2-c3-d4-e5-f6", " 04:A1:B2:C3:D4:E5:F6\r", "04 a1 b2 c3 d4 e5 f6"):
        assert parse(written, enrolled) == 17
    assert parse("42", enrolled) == 3
    assert parse("042", enrolled) == 42
    assert parse("hello", enrolled) == "W7"
    assert parse("04A1B2C3D4E5F7", enrolled) is None


def test_only_the_letters_of_ascii_are_the_same_large_and_small() -> None:
    assert identity("abcdefghijklmnopqrstuvwxyz") == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert identity("straße, ſ, ä, `{") == "STRAßE, ſ, ä, `{"


@given(CARDS, st.booleans(), st.sampled_from(("", "\r", "\n", "\r\n", " ", "\x03")), st.booleans())
def test_a_label_reads_back(card: int | str, check: bool, end: str, low: bool) -> None:
    text = encode(card, check)
    assert parse("\x02" + (text.lower() if low else text) + end) == card


@given(CARDS, st.integers(0, 200), st.integers(1, 255))
def test_a_damaged_label_with_a_check_is_no_other_card(card: int | str, place: int, flip: int) -> None:
    text = encode(card)
    start = len("MB1:")
    at = start + place % (len(text) - start)
    damaged = text[:at] + chr(ord(text[at]) ^ flip) + text[at + 1 :]
    # Every single wrong byte is caught, but for the one that makes the check part of the number.
    assert parse(damaged) in (None, card) or ":" not in damaged[start:]


@given(st.text(max_size=40))
@example("MB1:1:\u0660\u0660")
@example("\ud800")
@example("MB1:\ud800:00")
def test_nothing_raises_and_nothing_odd_comes_out(payload: str) -> None:
    card = parse(payload, {"X": 1})
    assert card is None or type(card) is int or (type(card) is str and card[0] in "WR" and card[1:].isdigit())
    if card is not None and identity(payload) != "X":
        assert parse(str(card)) == card


@given(st.text(alphabet="0123456789abcdefABCDEF:- WRMB\r\n\x02", max_size=20))
def test_an_identity_stays_the_same(payload: str) -> None:
    assert identity(identity(payload)) == identity(payload)
    assert parse(payload, {identity(payload): 5}) == 5
