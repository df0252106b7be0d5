"""A PN532 that answers and does not do its work: it is set up again, or said to be lost and found again."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.models.pn532_chip import ERROR, Faults, Pn532Chip
from tests.models.tags import Ntag, Tag
from tests.readers.test_nfc import answer
from tests.readers.test_pn532 import SEVEN, TEN, setup

Command = Callable[[bytes], bytes | None]
REWRITTEN = 20.0
"""Seconds within which what was lost in the chip is there again, though it says nothing of it."""
LIST, TWO = b"\x4a", b"\x4a\x02"


def only(start: bytes, then: bytes) -> Command:
    """Trouble with the commands that begin so."""
    return lambda data: then if data.startswith(start) else None


def told(chip: Pn532Chip, retries: int) -> Command:
    """A chip that tries so often, whatever it is told."""

    def tell(_: bytes) -> None:
        chip.retries = retries

    return tell


def lose_field(chip: Pn532Chip) -> None:
    chip.field_on = False


def lose_mode(chip: Pn532Chip) -> None:
    chip.normal = False


def lose_retries(chip: Pn532Chip) -> None:
    chip.retries = 0


LOSSES = pytest.mark.parametrize("lose", [lose_field, lose_mode, lose_retries, Pn532Chip.restart])


@LOSSES
def test_what_a_chip_lost_in_silence_is_written_again(lose: Callable[[Pn532Chip], None]) -> None:
    pair, field, chip = setup()
    pair.run(40)
    lose(chip)
    pair.run(REWRITTEN)
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(0.3)
    assert pair.payloads == ["MB1:042:F2"]
    assert pair.changes == [True]


@LOSSES
def test_a_card_that_is_held_there_is_read_when_it_is_written_again(lose: Callable[[Pn532Chip], None]) -> None:
    pair, field, chip = setup()
    lose(chip)
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(REWRITTEN)
    assert pair.payloads == ["MB1:042:F2"]


@LOSSES
def test_a_card_lying_there_when_it_was_lost_is_still_the_same_showing(lose: Callable[[Pn532Chip], None]) -> None:
    pair, field, chip = setup()
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(2)
    for _ in range(10):
        lose(chip)
        pair.run(3)
    assert pair.payloads == ["MB1:042:F2"]
    assert pair.changes == [True]


def test_writing_it_again_misses_no_card() -> None:
    """Cards of 100 ms, at any moment of an hour in which the set-up is written hundreds of times."""
    pair, field, chip = setup()
    rng = random.Random(2)
    want = []
    for n in range(150):
        tag = Ntag(bytes((4, n, 1, 2, 3, 4, 5)), f"MB1:{n:03d}")
        want.append(f"MB1:{n:03d}")
        pair.run(rng.uniform(1.2, 15))
        field.put(tag)
        pair.run(0.1)
        field.take(tag)
    pair.run(2)
    assert pair.payloads == want
    assert [c[:2] for c in chip.commands].count(b"\x32\x01") > 150


@pytest.mark.parametrize(
    "trouble",
    [
        only(LIST, b""),
        only(LIST, ERROR),
        only(LIST, answer(b"\xd5\x4b\x09\x00")),
        only(LIST, answer(b"\xd5\x4b")),
        only(b"\x32\x05", b""),
        only(b"\x32\x05", ERROR),
        lambda _: ERROR,
        lambda _: answer(b"\xd5\x03\x32\x01\x06\x07"),  # the same old answer, whatever it is asked
        lambda _: answer(b"\xd5\x4b\x01\x01\x00\x44\x00\x07" + SEVEN),
    ],
)
@pytest.mark.parametrize("from_the_start", [False, True])
def test_a_chip_that_answers_and_does_not_look_for_tags_is_lost_and_found_again(
    trouble: Command, from_the_start: bool
) -> None:
    pair, field, chip = setup()
    if from_the_start:
        chip.trouble = trouble
        chip.restart()
        pair.open()
    else:
        chip.trouble = trouble
        field.put(tag := Ntag(TEN, "w07"))
        pair.run(1)
        field.take(tag)
    pair.run(REWRITTEN)
    assert pair.working is False
    assert pair.changes.count(False) == 1
    before = pair.wakes
    pair.run(120)
    assert pair.changes.count(False) == 1, "said once"
    assert (pair.wakes - before) / 120 < 15
    chip.trouble = lambda _: None
    pair.run(2)
    assert pair.working is True
    seen = len(pair.payloads)
    field.put(Ntag(bytes((4, 9, 9, 9, 9, 9, 9)), "MB1:042:F2"))
    pair.run(0.3)
    assert pair.payloads[seen:] == ["MB1:042:F2"]


@pytest.mark.parametrize("then", [b"", ERROR])
def test_a_chip_that_does_not_say_what_it_is_is_no_reader(then: bytes) -> None:
    pair, _, chip = setup()
    chip.trouble = only(b"\x02", then)
    pair.open()
    pair.run(5)
    assert pair.working is False


@pytest.mark.parametrize("then", [b"", ERROR, answer(b"\xd5\x4b")])
def test_a_chip_that_refuses_two_tags_is_asked_for_one(then: bytes) -> None:
    pair, field, chip = setup()
    chip.trouble = only(TWO, then)
    for n in range(5):
        tag = Ntag(bytes((4, n, 1, 2, 3, 4, 5)), f"MB1:{n:03d}")
        field.put(tag)
        pair.run(2)
        field.take(tag)
        pair.run(1.5)
    assert pair.payloads == [f"MB1:{n:03d}" for n in range(5)]
    assert pair.changes == [True]


def test_a_chip_that_will_not_be_told_to_switch_its_field_on_is_asked_for_tags_all_the_same() -> None:
    pair, field, chip = setup()
    chip.trouble = only(b"\x32\x01", ERROR)
    pair.run(60)
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(60)
    assert pair.payloads == ["MB1:042:F2"]
    assert pair.changes == [True]


def test_a_chip_that_never_gives_up_looking_lets_go_of_a_card_that_was_taken_away() -> None:
    """Retries for ever, whatever it was told: a poll that finds nothing does not return."""
    pair, field, chip = setup()
    chip.trouble = told(chip, 0xFF)
    tag = Ntag(SEVEN, "MB1:042:F2")
    for _ in range(3):
        field.put(tag)
        pair.run(3)
        field.take(tag)
        pair.run(3)
    assert pair.payloads == ["MB1:042:F2"] * 3
    assert pair.changes == [True]


def test_a_chip_that_always_gives_up_looking_is_polled() -> None:
    pair, field, chip = setup()
    chip.trouble = told(chip, 0)
    pair.run(30)
    before = pair.wakes
    pair.run(60)
    assert (pair.wakes - before) / 60 < 80
    field.put(Ntag(SEVEN, "MB1:042:F2"))
    pair.run(0.3)
    assert pair.payloads == ["MB1:042:F2"]


def test_an_idle_reader_wakes_the_pi_less_than_once_a_second_though_the_set_up_is_written_again() -> None:
    pair, _, chip = setup()
    pair.run(60)
    before, commands = pair.wakes, len(chip.commands)
    pair.run(600)
    assert (pair.wakes - before) / 600 < 0.9
    assert [c[:2] for c in chip.commands[commands:]].count(b"\x32\x01") >= 600 / REWRITTEN


@pytest.mark.slow
def test_a_chip_that_loses_everything_now_and_then_on_a_bad_line() -> None:
    """No losses are said that are none, and each card that lies there long enough is read once."""
    rng = random.Random(9)
    faults = Faults(rng, cut=0.05, flip=0.05, noise=0.05, mute=0.02, late=0.02, missed=0.3)
    pair, field, chip = setup(faults)
    pair.run(5)
    want = []
    for n in range(40):
        rng.choice((lose_field, lose_mode, lose_retries))(chip)
        tag: Tag = Ntag(bytes((4, n, 1, 2, 3, 4, 5)), f"MB1:{n:03d}")
        want.append(f"MB1:{n:03d}")
        field.put(tag)
        pair.run(REWRITTEN)
        rng.choice((lose_field, lose_mode, lose_retries))(chip)
        pair.run(3)
        field.take(tag)
        pair.run(rng.uniform(1.5, 4))
    assert pair.payloads == want
    assert pair.changes == [True]
