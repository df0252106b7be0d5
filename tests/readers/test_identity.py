"""Which tag is which: the same number is not always the same thing, and another number not always another one."""

from __future__ import annotations

import random

import pytest

from tests.models.pn532_chip import Faults
from tests.models.tags import Field, Ntag, Tag
from tests.readers.pair import Pair
from tests.readers.test_pn532 import SEVEN, TEN, setup

ATS = b"\x05\x78\x80\x70\x02"
NUMBER = SEVEN.hex(":").upper()
GAPS = pytest.mark.parametrize("gap", [0.15, 0.3, 0.6, 0.9])
"""Seconds between two tags, shorter than what makes a card count again."""


def hold(pair: Pair, field: Field, tag: Tag, seconds: float) -> None:
    field.put(tag)
    pair.run(seconds)
    field.take(tag)


class Mute(Ntag):
    """A tag whose memory cannot be read."""

    def answer(self, command: bytes) -> bytes | None:  # noqa: ARG002
        return None


def show(*tags: Tag, gap: float = 0.3) -> list[str]:
    """What comes of these tags, one after the other."""
    pair, field, _ = setup()
    for tag in tags:
        hold(pair, field, tag, 1.5)
        pair.run(gap)
    pair.run(2)
    return pair.payloads


@pytest.mark.parametrize("sak", [0x08, 0x18, 0x09, 0x88])
def test_classic_cards_whose_numbers_begin_with_08_are_different_cards(sak: int) -> None:
    assert show(Tag(bytes.fromhex("08123456"), sak), Tag(bytes.fromhex("08abcdef"), sak)) == [
        "08:12:34:56", "08:AB:CD:EF",
    ]  # fmt: skip


@pytest.mark.parametrize("sak", [0x20, 0x28, 0x60])
def test_a_phone_that_makes_up_a_number_each_time_is_one_card(sak: int) -> None:
    pair, field, _ = setup()
    for n in range(20):
        hold(pair, field, Tag(bytes((8, n, 2, 3)), sak, ATS), 0.2)
    assert pair.payloads == ["08:00:00:00"]


@pytest.mark.parametrize(
    "numbers",
    [
        ("0f123456", "0fabcdef"), ("88123456", "88abcdef"), ("f8123456", "f8abcdef"),
        ("0812345678abcd", "0812345678abce"), ("8812345678abcd", "8812345678abce"),
        ("04888888888888", "04888888888889"), ("08123456789abcdef012", "08123456789abcdef013"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sak", [0x08, 0x20])
def test_no_other_number_is_made_up(numbers: tuple[str, str], sak: int) -> None:
    tags = [Tag(bytes.fromhex(n), sak, ATS if sak & 0x20 else b"") for n in numbers]
    assert show(*tags) == [tag.uid.hex(":").upper() for tag in tags]


@GAPS
def test_a_copy_with_the_same_number_and_another_text_is_another_card(gap: float) -> None:
    assert show(Ntag(SEVEN, "MB1:042:F2"), Ntag(SEVEN, "MB1:043:F5"), Ntag(SEVEN, "MB1:042:F2"), gap=gap) == [
        "MB1:042:F2", "MB1:043:F5", "MB1:042:F2",
    ]  # fmt: skip


@GAPS
def test_the_same_tag_after_a_moment_is_the_same_showing(gap: float) -> None:
    tag = Ntag(SEVEN, "MB1:042:F2")
    assert show(tag, tag, tag, gap=gap) == ["MB1:042:F2"]


def test_the_time_of_a_copy_is_when_it_came() -> None:
    pair, field, _ = setup()
    hold(pair, field, Ntag(SEVEN, "MB1:042:F2"), 5)
    pair.run(0.3)
    shown = pair.now
    hold(pair, field, Ntag(SEVEN, "MB1:043:F5"), 1)
    assert shown <= pair.cards[1][1] <= shown + 0.1


def test_a_tag_that_was_written_anew_meanwhile_is_what_it_says_now() -> None:
    tag = Ntag(SEVEN, "MB1:042:F2")
    pair, field, _ = setup()
    hold(pair, field, tag, 2)
    tag.memory[:] = Ntag(SEVEN, "MB1:043:F5").memory
    pair.run(0.3)
    hold(pair, field, tag, 2)
    assert pair.payloads == ["MB1:042:F2", "MB1:043:F5"]


@pytest.mark.parametrize("first", [Ntag(SEVEN), Ntag(SEVEN, "MB1:042:F2")])
def test_a_copy_that_has_no_text_or_whose_text_cannot_be_read_is_not_taken_for_the_first(first: Ntag) -> None:
    """An unknown card, which is a word at the table; not the card that lay there before."""
    known = show(first)
    for other in (Mute(SEVEN), Ntag(SEVEN)):
        assert show(first, other) == ([*known, NUMBER] if known != [NUMBER] else known)
        assert show(other, first) == ([NUMBER, *known] if known != [NUMBER] else known)


def test_of_one_number_a_card_with_a_text_and_one_of_another_kind_are_two() -> None:
    assert show(Ntag(SEVEN, "MB1:042:F2"), Tag(SEVEN, 0x08), gap=0.02) == ["MB1:042:F2", NUMBER]


def test_two_tags_of_one_number_at_once_are_no_known_card() -> None:
    """They answer as one, and their texts drown each other."""
    pair, field, _ = setup()
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    field.put(Ntag(SEVEN, "MB1:043:F5"))
    pair.run(3)
    assert pair.payloads == [NUMBER]


def test_a_copy_that_is_laid_on_the_first_is_read_when_the_first_is_taken_away() -> None:
    pair, field, _ = setup()
    first, second = Ntag(SEVEN, "MB1:042:F2"), Ntag(SEVEN, "MB1:043:F5")
    field.put(first)
    pair.run(1)
    field.put(second)
    pair.run(1)
    field.take(first)
    pair.run(0.2)
    field.take(second)
    pair.run(0.3)
    hold(pair, field, second, 1)
    assert pair.payloads == ["MB1:042:F2", "MB1:043:F5"]


def test_two_cards_of_one_text_are_two_cards_and_a_card_with_two_tags_is_one() -> None:
    """Two decks got mixed; a tag on either side of a card, so that it can be shown either way up."""
    assert show(Ntag(SEVEN, "MB1:042:F2"), Ntag(TEN, "MB1:042:F2")) == ["MB1:042:F2"] * 2
    pair, field, _ = setup()
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    field.put(Ntag(TEN, "MB1:042:F2"))
    pair.run(5)
    assert pair.payloads == ["MB1:042:F2"]


@pytest.mark.parametrize("missed", [0.3, 0.5, 0.7])
def test_a_card_at_the_edge_of_the_field_is_read_again_and_again_and_counts_once(missed: float) -> None:
    pair, field, _ = setup(Faults(random.Random(4), missed=missed))
    hold(pair, field, Ntag(SEVEN, "MB1:042:F2"), 60)
    assert pair.payloads == ["MB1:042:F2"]


class Edgy(Ntag):
    """One that is lifted slowly: the chip still hears its number, and no longer its text."""

    far = False

    def answer(self, command: bytes) -> bytes | None:
        return None if self.far else super().answer(command)


def test_a_card_that_is_lifted_slowly_is_no_unknown_card() -> None:
    pair, field, _ = setup()
    tag = Edgy(SEVEN, "MB1:042:F2")
    hold(pair, field, tag, 2)
    tag.far = True
    pair.run(0.15)
    hold(pair, field, tag, 0.1)
    pair.run(0.15)
    hold(pair, field, tag, 0.05)
    pair.run(3)
    assert pair.payloads == ["MB1:042:F2"]
