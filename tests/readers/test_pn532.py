"""The PN532 driver against the chip model: one card is one scan, whatever the air and the wire do."""

from __future__ import annotations

import random
from functools import partial

import pytest

from mind_box.devices.nfc.frames import WAKE
from mind_box.devices.readers.pn532 import Pn532Driver, tag_payload
from tests.models.pn532_chip import Faults, Pn532Chip
from tests.models.tags import Field, Ntag, Tag
from tests.readers.pair import Pair
from tests.readers.test_nfc import answer

FOUR, SEVEN, TEN = bytes.fromhex("12345678"), bytes.fromhex("04a1b2c3d4e5f6"), bytes.fromhex("04a1b2c3d4e5f6a7b8c9")
BYTE = 1 / 11520
PATIENCE = 3.0
"""Seconds after which the driver asks a chip that finds nothing whether it still lives."""


def setup(faults: Faults | None = None) -> tuple[Pair, Field, Pn532Chip]:
    field = Field()
    chip = Pn532Chip(field, BYTE, faults)
    pair = Pair(Pn532Driver(1.0), chip)
    pair.run(0.5)
    return pair, field, chip


def test_it_wakes_the_chip_sets_it_up_and_says_that_it_works() -> None:
    pair, _, chip = setup()
    assert pair.changes == [True]
    assert pair.sent[0].startswith(WAKE)
    assert [c[0] for c in chip.commands[:4]] == [0x14, 0x02, 0x32, 0x4A]


def test_it_says_so_again_when_its_port_was_opened_again() -> None:
    pair, _, _ = setup()
    pair.open()
    pair.run(0.5)
    assert pair.changes == [True, True]


@pytest.mark.parametrize(
    ("tag", "payload"),
    [
        (Ntag(SEVEN, "MB1:042:F2"), "MB1:042:F2"),
        (Ntag(TEN, "w07"), "w07"),
        (Ntag(SEVEN), "04:A1:B2:C3:D4:E5:F6"),
        (Ntag(SEVEN, "MB1:042:F3"), "04:A1:B2:C3:D4:E5:F6"),
        (Ntag(SEVEN, "https://example.org"), "04:A1:B2:C3:D4:E5:F6"),
        (Tag(FOUR), "12:34:56:78"),
        (Tag(TEN), "04:A1:B2:C3:D4:E5:F6:A7:B8:C9"),
        (Tag(bytes.fromhex("08aabbcc"), 0x20, b"\x05\x78\x80\x70\x02"), "08:00:00:00"),
    ],
)
def test_text_that_names_a_card_else_the_number(tag: Tag, payload: str) -> None:
    pair, field, _ = setup()
    field.put(tag)
    shown = pair.now
    pair.run(0.3)
    assert pair.payloads == [payload]
    assert shown <= pair.cards[0][1] <= shown + 0.1


def test_a_card_that_lies_there_is_one_scan_and_counts_again_when_it_was_away() -> None:
    """Phoniebox #910 #1042 #196: a card lying on the reader reads again every 0.1-3 s."""
    pair, field, _ = setup()
    tag = Ntag(SEVEN, "MB1:042:F2")
    field.put(tag)
    pair.run(60)
    assert len(pair.cards) == 1
    field.take(tag)
    pair.run(0.6)
    field.put(tag)
    pair.run(5)
    assert len(pair.cards) == 1
    field.take(tag)
    pair.run(1.5)
    field.put(tag)
    pair.run(1)
    assert len(pair.cards) == 2


def test_a_tag_missed_on_every_other_poll_is_one_card() -> None:
    """A tag that was just read ignores the next call (ISO 14443-3); the model's tags do, and the chip tries once."""
    pair, field, chip = setup()
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(0.2)
    chip.retries = 0
    before = len(chip.commands)
    pair.run(30)
    assert len(chip.commands) - before > 200
    assert pair.payloads == ["MB1:042:F2"]


def test_a_card_at_the_edge_of_the_field_is_one_card() -> None:
    pair, field, _ = setup(Faults(random.Random(1), missed=0.7))
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(60)
    assert pair.payloads == ["MB1:042:F2"]


def test_two_tags_are_two_cards_and_are_said_once() -> None:
    pair, field, _ = setup()
    first, second = Ntag(SEVEN, "MB1:042:F2"), Ntag(TEN, "MB1:043:F5")
    field.put(first)
    field.put(second)
    pair.run(20)
    assert sorted(pair.payloads) == ["MB1:042:F2", "MB1:043:F5"]
    assert len(pair.said) == 1
    assert "two tags" in pair.said[0]


def test_cards_shown_quickly_keep_their_order() -> None:
    pair, field, _ = setup()
    tags = [Ntag(bytes((4, n, 1, 2, 3, 4, 5)), f"MB1:{n:03d}") for n in range(20)]
    for n, tag in enumerate(tags):
        pair.at(n * 0.25, partial(field.put, tag))
        pair.at(n * 0.25 + 0.15, partial(field.take, tag))
    pair.run(8)
    assert pair.payloads == [f"MB1:{n:03d}" for n in range(20)]
    times = [at for _, at in pair.cards]
    assert times == sorted(times)


def test_a_silent_chip_is_said_once_and_found_again() -> None:
    """nfcpy#45, libnfc#460: no ACK after wake-up: wake again, bounded."""
    pair, field, chip = setup()
    tag = Ntag(SEVEN, "MB1:042:F2")
    field.put(tag)
    pair.run(1)
    chip.dead = True
    before = len(pair.sent)
    pair.run(20)
    assert pair.changes == [True, False]
    assert "does not answer" in pair.said[-1]
    assert len(pair.sent) - before < 20 * 12
    chip.dead = False
    chip.restart()
    pair.run(2)
    assert pair.changes == [True, False, True]
    assert len(pair.cards) == 1


def test_a_chip_that_needs_a_second_wake_up_gets_it() -> None:
    field = Field()
    chip = Pn532Chip(field, BYTE)
    chip.dead = True
    pair = Pair(Pn532Driver(1.0), chip)
    pair.run(0.25)
    chip.dead = False
    pair.run(0.5)
    assert pair.changes == [True]


def test_a_chip_that_restarted_unseen_is_set_up_again() -> None:
    pair, field, chip = setup()
    chip.restart()
    pair.run(PATIENCE + 2)
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(1)
    assert pair.payloads == ["MB1:042:F2"]
    assert False not in pair.changes


def test_another_chip_is_named() -> None:
    pair, _, chip = setup()
    chip.trouble = lambda command: answer(b"\xd5\x03\x33\x01\x06\x07") if command[0] == 2 else None
    chip.restart()
    pair.run(PATIENCE + 5)
    assert "no PN532" in pair.said[-1]


def test_an_error_frame_is_answered_by_asking_again() -> None:
    pair, field, chip = setup()
    refused: list[bytes] = []

    def once(command: bytes) -> bytes | None:
        if command[0] != 0x40 or refused:
            return None
        refused.append(command)
        return bytes.fromhex("0000ff01ff7f8100")

    chip.trouble = once
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(1)
    assert refused
    assert pair.payloads == ["MB1:042:F2"]


def test_an_idle_reader_wakes_the_pi_less_than_once_a_second() -> None:
    pair, _, _ = setup()
    pair.run(60)
    before = pair.wakes
    pair.run(600)
    assert (pair.wakes - before) / 600 < 1


def test_card_in_field_to_scan_on_the_pis_own_serial_line() -> None:
    """Median at most 60 ms with the model's air times, cards shown at any moment."""
    pair, field, _ = setup()
    rng = random.Random(5)
    waits = []
    for n in range(50):
        pair.run(rng.uniform(1.2, 2.0))
        tag = Ntag(bytes((4, n, 1, 2, 3, 4, 5)), f"MB1:{n:03d}")
        field.put(tag)
        shown = pair.now
        while len(pair.cards) <= n:
            pair.run(0.001)
        waits.append(pair.now - shown)
        pair.run(0.5)
        field.take(tag)
    assert sorted(waits)[25] <= 0.060


def test_what_a_tag_says() -> None:
    assert tag_payload(SEVEN, " mb1:042 ") == " mb1:042 "
    assert tag_payload(SEVEN, "4_2") == tag_payload(SEVEN, None) == "04:A1:B2:C3:D4:E5:F6"
