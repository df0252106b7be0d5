"""What silence may end, and what not: codes in pieces, without an end, in mid-stream, among a module's answers."""

from __future__ import annotations

import random

import pytest

from mind_box.devices.readers.driver import Misset, Say, Seen, Working
from mind_box.devices.readers.lines import (
    CHANGED,
    CUT,
    KEYS,
    NO_END,
    NO_ENTER,
    SILENCE,
    UNDER_WAY,
    LineDriver,
)
from mind_box.table.payload import encode, parse
from tests.readers.faults import answer


class Line:
    """A driver on a line, in virtual time."""

    def __init__(self, typed: bool = False) -> None:
        self.driver = LineDriver(0.5, typed)
        self.now = 0.0
        self.actions = list(self.driver.opened(0.0))

    def reopen(self, seconds: float) -> None:
        """The port was lost and is open again for so long."""
        self.actions = list(self.driver.opened(self.now))
        self.wait(seconds)

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while (deadline := self.driver.deadline) is not None and deadline < until:
            self.now = deadline
            self.actions += self.driver.wake(self.now)
        self.now = until

    def send(self, *parts: bytes | float) -> list[str]:
        """Bytes, and seconds of pause; what has been seen in all."""
        for part in parts:
            if isinstance(part, bytes):
                self.actions += self.driver.received(part, self.now)
            else:
                self.wait(part)
        return self.seen

    @property
    def seen(self) -> list[str]:
        return [a.payload for a in self.actions if isinstance(a, Seen)]

    @property
    def said(self) -> list[str]:
        return [a.text for a in self.actions if isinstance(a, Say)]


ENDS = (b"17\r", 1.0, b"18\r", 1.0, b"19\r", 1.0)
"""A port that shows its line ends."""
LONG = 10.0


@pytest.mark.parametrize("before", [(), ENDS], ids=["new", "ends known"])
@pytest.mark.parametrize("pause", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("at", range(1, len("MB1:042:F2")))
def test_a_label_that_comes_in_pieces_is_put_together(before: tuple[bytes | float, ...], pause: float, at: int) -> None:
    line = Line()
    known = line.send(*before)
    code = b"MB1:042:F2\r"
    assert line.send(code[:at], pause, code[at:], LONG)[len(known) :] == ["MB1:042:F2"]
    assert line.said == []


@pytest.mark.parametrize("before", [(), ENDS], ids=["new", "ends known"])
@pytest.mark.parametrize(
    "part", [b"MB1:0", b"MB1:04", b"MB1:042", b"MB1:042:", b"MB1:042:F", b"MB1:W0", b"mb1:1", b"M"]
)
def test_a_label_that_silence_ends_before_its_check_is_no_card(before: tuple[bytes | float, ...], part: bytes) -> None:
    line = Line()
    known = line.send(*before)
    assert line.send(part, LONG) == known
    assert line.said == [NO_END]
    assert line.send(b"42\r", LONG)[-1] == "42"


def test_a_port_that_has_shown_line_ends_lays_no_half_code() -> None:
    for first, rest in ((b"4", b"2\r"), (b"10", b"0\n"), (b"W0", b"7\r\n"), (b"R3", b"1\t"), (b"04A1", b"B2C3\r")):
        for pause in (0.1, 0.3, 0.9):
            line = Line()
            known = line.send(*ENDS)
            assert line.send(first, pause, rest, LONG) == known
            assert line.said == [CUT]
            assert line.send(b"42\r")[-1] == "42"
        line = Line()
        assert line.send(*ENDS, first, LONG) == ["17", "18", "19"]
        assert line.said == [NO_END]


@pytest.mark.parametrize(
    ("typed", "pause"), [(False, 1.1), (False, 1.5), (False, 1.9), (True, 2.1), (True, 3.0), (True, 3.9)]
)
@pytest.mark.parametrize("code", [b"42\r", b"10\r", b"W07\r", b"\x0242\x03", b"MB1:042\r"])
def test_the_rest_of_a_code_that_was_given_up_is_no_card(typed: bool, pause: float, code: bytes) -> None:
    """The line stalls for longer than a code is waited for."""
    for at in range(1, len(code) - 1):
        if code[:at] == b"\x02":
            continue  # nothing of the code is lost
        line = Line(typed)
        known = line.send(*ENDS)
        assert line.send(code[:at], pause, code[at:], LONG) == known, at
        assert line.said == [NO_ENTER if typed else NO_END, CUT]
        assert line.send(b"42\r")[-1] == "42"


def test_labels_without_line_ends_and_without_a_pause_between_them_are_one_card() -> None:
    """A scanner that repeats its code as fast as it reads, for as long as the card is in view."""
    for count in (2, 5, 40):
        for pause in (0.0, SILENCE / 2):
            line = Line()
            for _ in range(count):
                line.send(b"MB1:042:F2", pause)
            assert line.send(LONG) == ["MB1:042:F2"]
            assert line.said == []


def test_line_ends_in_front_of_each_code_and_none_behind_it_are_told_as_a_wrong_setting() -> None:
    line = Line()
    for card in (b"42", b"43", b"44"):
        line.send(b"\r" + card, 3.0)
    assert Misset(NO_END) in line.actions


def test_what_a_port_has_shown_is_known_when_it_is_opened_again() -> None:
    line = Line()
    line.send(*ENDS)
    line.reopen(1.0)
    assert line.send(b"4", 0.1, b"2\r", LONG) == []


def test_a_line_end_after_the_first_code_of_all_shows_that_silence_has_cut_it() -> None:
    """Nothing is known of the port then. The rest at least is no card."""
    assert Line().send(b"4", 0.1, b"2\r", 2.0, b"42\r") == ["4", "42"]


@pytest.mark.parametrize("code", [b"42", b"W07", b"MB1:042:F2", b"04A1B2C3"])
def test_a_scanner_without_line_ends_is_read_at_once_each_time(code: bytes) -> None:
    line = Line()
    for n in range(1, 6):
        assert line.send(code, SILENCE + 0.001) == [code.decode()] * n
        line.send(0.1, code, 0.1, code, 2.0)  # it stays in view for a while
    assert line.said == []


def test_a_scanner_that_sends_line_ends_no_more_is_told_and_then_believed() -> None:
    line = Line()
    line.send(*ENDS)
    for card in (b"42", b"MB1:043:5B", b"44"):
        line.send(card, LONG)
    assert (line.seen, line.said) == (["17", "18", "19"], [NO_END])
    assert [a for a in line.actions if isinstance(a, Misset)] == [Misset(NO_END)]
    assert line.send(b"45", LONG)[3:] == ["45"]
    assert line.actions[-1] == Misset("")
    assert CHANGED == 3


def test_labels_without_check_need_a_line_end_and_the_players_are_told() -> None:
    line = Line()
    for card in (b"MB1:042", b"MB1:043", b"MB1:044"):
        assert line.send(card, 3.0) == []
    assert line.actions[1:] == [Say(NO_END), Misset(NO_END)]
    assert line.send(b"MB1:042\r") == ["MB1:042"]
    assert line.actions[-1] == Misset("")


@pytest.mark.parametrize("pause", [0.1, 1.0])
def test_a_line_end_of_two_bytes_may_come_in_two(pause: float) -> None:
    line = Line()
    assert line.send(b"42\r", pause, b"\n43\r", pause, b"\n", LONG) == ["42", "43"]
    assert line.said == []


@pytest.mark.parametrize("pause", [0.1, 0.3, 0.9])
def test_a_line_end_that_comes_late_ends_its_code(pause: float) -> None:
    line = Line()
    assert line.send(*ENDS, b"42", pause, b"\r", 0.1, b"W07", pause, b"\r\n", LONG)[3:] == ["42", "W07"]
    assert line.said == []


def test_what_follows_a_rest_at_once_is_whole() -> None:
    assert Line().send(b"4", 0.1, b"2\r1", 0.01, b"7\r", LONG) == ["4", "17"]


def test_a_frame_has_begun_and_silence_does_not_end_it() -> None:
    assert Line().send(b"\x024", 0.1, b"2\x03", LONG) == []
    assert Line().send(b"\x02MB1:04", 0.1, b"2:F2\x03", LONG) == ["MB1:042:F2"]
    assert Line().send(b"\x0242\x03", LONG, b"43\x03", LONG) == ["42", "43"]


def test_rubbish_and_half_a_code_behind_it_are_no_card() -> None:
    for before in ((), ENDS):
        line = Line()
        known = line.send(*before)
        assert line.send(b"4\x00", 0.1, b"2\r", LONG) == known
        assert line.send(b"\x00\xffMB1:0", 0.1, b"2\r", LONG) == known


def test_a_code_that_was_cut_before_a_label_does_not_take_it_along() -> None:
    for typed in (False, True):
        line = Line(typed)
        assert line.send(b"MB1:0", 0.5, b"MB1:042:F2\r", LONG) == ["MB1:042:F2"]


def test_a_label_with_a_wrong_check_is_an_unknown_card_and_not_a_cut_one() -> None:
    line = Line()
    assert line.send(b"MB1:042:00", 0.1) == ["MB1:042:00"]
    assert parse(line.seen[0]) is None


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("between", [b" ", b"\r\n", b" \n "])
def test_blanks_between_codes_are_nothing(typed: bool, between: bytes) -> None:
    line = Line(typed)
    for n in range(1, 6):
        assert len(line.send(b"42\r" + between, 5.0)) == n
    assert line.said == []


def test_a_nul_behind_each_line_end_costs_no_card() -> None:
    line = Line()
    for n, card in enumerate((b"42", b"43", b"44", b"45"), 1):
        line.send(card + b"\r\0", 0.15, card + b"\r\0", 0.15)
        assert len(line.seen) == n


# -- a port that is opened in mid-code


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("rest", [b"2\r", b"07\r", b"42:F2\r", b"2:F2\n", b"B2C3\r"])
def test_the_rest_of_a_code_that_began_before_the_port_was_open_is_no_card(typed: bool, rest: bytes) -> None:
    line = Line(typed)
    line.reopen(0.01)
    assert line.send(rest, LONG) == []
    assert line.said == [UNDER_WAY]
    assert line.send(b"2\r") == ["2"]


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("code", [b"MB1:042:F2\r", b"MB1:042\r", b"\x0242\x03", b"\r42\r", b"\r\nW07\r\n"])
def test_a_code_that_shows_its_beginning_counts_however_early_it_comes(typed: bool, code: bytes) -> None:
    line = Line(typed)
    line.reopen(0.0)
    line.send(code, LONG)
    assert [parse(text) for text in line.seen] in ([42], ["W7"])
    assert line.said == []


def test_a_pause_before_it_is_a_beginning() -> None:
    line = Line()
    line.reopen(SILENCE)
    assert line.send(b"42\r") == ["42"]


def test_a_code_under_way_when_the_port_was_lost_is_forgotten() -> None:
    line = Line()
    line.send(b"MB1:0", 0.01)
    line.reopen(0.2)
    assert line.send(b"2\r", LONG) == []
    assert line.actions == [Working(), Say(UNDER_WAY)]


# -- keyboards


@pytest.mark.parametrize("pause", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("code", [b"MB1:042:F2\r", b"42\r", b"W07\t"])
def test_a_slow_keyboard_types_one_code(pause: float, code: bytes) -> None:
    line = Line(typed=True)
    for n in (1, 2):
        for byte in code:
            line.send(bytes((byte,)), pause)
        assert line.send(LONG) == [code.decode().strip()] * n
    assert line.said == []


def test_a_keyboard_that_sends_no_enter_lays_nothing_and_is_told_once() -> None:
    line = Line(typed=True)
    for _ in range(3):
        assert line.send(b"MB1:042:F2", LONG) == []
    assert line.actions[1:] == [Say(NO_ENTER), Misset(NO_ENTER)]
    assert line.driver.deadline is None
    assert line.send(b"MB1:042:F2\r") == ["MB1:042:F2"]
    assert line.actions[-1] == Misset("")


def test_a_keyboard_that_types_without_end_and_without_rest_is_told_too() -> None:
    line = Line(typed=True)
    for _ in range(100):
        line.send(b"MB1:042:F2", KEYS / 2)
    assert (line.seen, line.said) == ([], [NO_ENTER])
    assert Misset(NO_ENTER) in line.actions


def test_an_enter_that_was_lost_once_is_no_wrong_setting() -> None:
    line = Line(typed=True)
    line.send(b"42\r", LONG, b"43", LONG, b"44\r", LONG, b"45", LONG)
    assert (line.seen, line.said) == (["42", "44"], [NO_ENTER, NO_ENTER])
    assert not any(isinstance(a, Misset) for a in line.actions)


# -- what a module answers to a command


ANSWERS = [answer(), answer(b"\x0e"), answer(b"\xd6"), answer(b"\x02\x03\r42\r"), answer(head=3), answer(bytes(200))]


def test_the_answer_that_the_manuals_print() -> None:
    assert answer() == bytes.fromhex("02 00 00 01 00 33 31")
    assert answer(head=3) == bytes.fromhex("03 00 00 01 00 33 31")


@pytest.mark.parametrize("before", [(), ENDS], ids=["new", "ends known"])
@pytest.mark.parametrize("data", ANSWERS)
def test_an_answer_is_no_part_of_a_code(before: tuple[bytes | float, ...], data: bytes) -> None:
    for code in (b"MB1:042:F2\r", b"42\r"):
        for pause in (0.0, 0.01, SILENCE - 0.001, 0.08, 0.1, 0.5):
            line = Line()
            known = len(line.send(*before))
            want = [code.decode().strip()]
            assert line.send(data, pause, code, LONG)[known:] == want
            assert line.send(code, data, LONG)[known:] == want * 2  # and glued behind it
            assert line.send(code[:1], data, code[1:], LONG)[known:] == want * 3  # and in its middle
            assert line.said == []


@pytest.mark.parametrize("data", ANSWERS)
def test_an_answer_in_pieces_is_one(data: bytes) -> None:
    for at in range(1, len(data)):
        for pause in (0.01, 0.3) if at > 1 else (0.01,):
            line = Line()
            assert line.send(data[:at], pause, data[at:], 0.01, b"42\r", LONG) == ["42"]
    line = Line()
    line.send(*(bytes((byte,)) for byte in data + b"42\r"))
    assert line.seen == ["42"]


@pytest.mark.parametrize("data", ANSWERS[:3])
def test_a_damaged_answer_costs_no_label_behind_it_and_makes_no_card(data: bytes) -> None:
    rng = random.Random(4)
    for _ in range(200):
        bad = bytearray(data)
        del bad[rng.randrange(len(bad))]
        line = Line()
        line.send(bytes(bad), rng.choice((0.0, 0.1, 0.5)), encode(42).encode() + b"\r", 2.0, b"43\r", LONG)
        cards = [card for text in line.seen if (card := parse(text)) is not None]
        assert cards in ([42, 43], [43]), bytes(bad)
