"""Serial scanners: framing, silence, rubbish, and a code that stays in view."""

from __future__ import annotations

import binascii
import functools
import itertools
import operator
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind_box.devices.readers.driver import Misset, Resting, Say, Seen
from mind_box.devices.readers.lines import LONGEST, NO_CODE, NO_END, PAUSE, SILENCE, LineDriver, LineFramer
from mind_box.table.payload import encode
from tests.readers.bounds import held
from tests.readers.test_pauses import Line


def framed(data: bytes, end: bool = False) -> list[str]:
    framer = LineFramer()
    found = list(framer.feed(data))
    return found + list(framer.settle()) + list(framer.end()) if end else found


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\x03", b"\t", b"\r\n\r\n", b"\x03\r\n"])
def test_every_end_of_a_code_ends_it_once(end: bytes) -> None:
    """WebSerialBarcodeScanner#1: CR, LF, CRLF."""
    assert framed(b"42" + end + b"43" + end, end=True) == ["42", "43"]


def test_a_frame_of_stx_and_etx_drops_what_came_before_it() -> None:
    assert framed(b"4\x0242\x03") == ["42"]


def checked(text: str, kind: str) -> bytes:
    """A code in a frame with a check sum behind it, as scanners and label printers send them."""
    body = text.encode()
    lrc = functools.reduce(operator.xor, body + b"\x03")
    sums = {
        "LRC": bytes((lrc,)),
        "LRC with STX": bytes((lrc ^ 0x02,)),
        "sum": bytes((sum(body + b"\x03") & 0xFF,)),
        "hex": b"%02X" % lrc,
        "CRC": b"%04X" % binascii.crc_hqx(body + b"\x03", 0),
    }
    return b"\x02" + body + b"\x03" + sums[kind]


@pytest.mark.parametrize("kind", ["LRC", "LRC with STX", "sum", "hex", "CRC"])
@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n", b"\t", b"", b"\x03"])
@pytest.mark.parametrize("pause", [0.0, 0.1, 0.5])
def test_a_check_sum_behind_a_frame_is_no_card(kind: str, end: bytes, pause: float) -> None:
    """In one piece, and where a pause comes between any two bytes: each card once, and nothing is complained of."""
    cards = [str(card) for card in range(1, 101)] + ["W7", "R42", encode(42)]
    for at in range(-1, -len(end) - 5, -1):
        line = Line()
        for card in cards:
            data = checked(card, kind) + end
            line.send(2.0, data[:at], pause, data[at:])
        line.wait(5)
        behind = data.index(b"\x03") < len(data) + at
        if behind or not pause:
            assert (line.seen, line.said) == (cards, []), (at, kind)
        else:
            assert {*line.seen} <= {*cards}, (at, kind)
        assert not [a for a in line.actions if isinstance(a, Misset)]


def test_an_end_behind_the_check_sum_of_a_code_without_a_beginning() -> None:
    """The STX was lost, or the scanner has none: 4 is the check sum of 7. Where ETX is the only end, all are codes."""
    assert framed(b"7\x034\r\n" * 2, end=True) == ["7", "7"]
    assert framed(b"7\x034\x035\x03", end=True) == ["7", "4", "5"]


def test_frames_one_right_behind_the_other_are_codes() -> None:
    assert framed(checked("7", "LRC") + checked("8", "LRC") + b"\x029\x03", end=True) == ["7", "8", "9"]
    assert framed(checked("7", "LRC") + b"MB1:042:F2\r") == ["7", "MB1:042:F2"], "a label with its check is one"


def test_a_scanner_that_frames_no_more_is_heard_after_a_pause() -> None:
    driver = LineDriver(0.5)
    driver.opened(0.0)
    driver.received(b"\x0217\x03", 1.0)
    assert driver.received(b"18\r", 1.0 + PAUSE + 0.1) == [Seen("18", 1.0 + PAUSE + 0.1)]


def test_rubbish_on_connect_is_dropped_up_to_the_next_end() -> None:
    """Printrun#276, pynmea2#25, lizard#42: bytes that are not UTF-8, half a code, control characters."""
    assert framed(b"\xff\xfe\x00\x8042\r43\r") == ["43"]
    assert framed(b"\x1b[2J42\n43\n") == ["43"]
    assert framed("Grüße\r".encode()) == ["Grüße"]


def test_a_code_without_an_end_never_grows() -> None:
    assert framed(b"1" * LONGEST + b"\r2\r") == ["1" * LONGEST, "2"]
    assert framed(b"1" * (LONGEST + 1) + b"\r2\r") == ["2"]
    framer = LineFramer()
    assert list(framer.feed(b"1" * 100_000)) == []
    assert held(framer) <= 2 * LONGEST
    assert list(framer.feed(b"\r42\r")) == ["42"]
    assert framer.dropped == 1


def test_one_byte_at_a_time_is_the_same_as_all_at_once() -> None:
    """pylabrobot#1101: read() returned one byte."""
    data = b"\x0242\x03\r\nMB1:043:5B\r\xff7\n8\r"
    whole = framed(data)
    framer = LineFramer()
    assert [p for b in data for p in framer.feed(bytes((b,)))] == whole == ["42", "MB1:043:5B", "8"]


def test_silence_ends_a_code_that_has_no_end() -> None:
    """WebSerialBarcodeScanner#1, GM65: nothing at all at the end; then 50-100 ms of silence."""
    assert 0.05 <= SILENCE <= 0.1
    driver = LineDriver(1.0)
    driver.opened(10.0)
    assert driver.deadline is None
    assert driver.received(b"4", 11.0) == []
    assert driver.received(b"2", 11.05) == []
    assert list(driver.wake(11.0 + SILENCE)) == []
    assert driver.deadline == 11.05 + SILENCE
    assert driver.wake(11.05 + SILENCE) == [Seen("42", 11.05)]
    assert driver.deadline is None


@pytest.mark.parametrize(
    ("code", "later"),
    [
        pytest.param(b"\xe6\x9e\x00\xf8", NO_CODE, id="another speed"),
        pytest.param(bytes(b | (b.bit_count() & 1) << 7 for b in b"MB1:042:F2\r"), NO_CODE, id="7E1"),
        pytest.param(b"42\x00", NO_CODE, id="NUL at the end"),
        pytest.param(b"42\x7f", NO_CODE, id="DEL at the end"),
        pytest.param("42\r".encode("utf-16"), NO_CODE, id="UTF-16"),
        pytest.param(b"1" * 300, NO_END, id="no end"),
    ],
)
def test_a_scanner_whose_bytes_make_no_code_is_said_once_until_a_good_one(code: bytes, later: str) -> None:
    driver = LineDriver(1.0)
    driver.opened(0.0)
    now = 0.0

    def shown(data: bytes) -> list[object]:
        nonlocal now
        now += 2
        return [*driver.received(data, now), *driver.wake(now + SILENCE), *driver.wake(now + PAUSE)]

    assert shown(code) == [Say(NO_CODE)]
    assert [a for a in [*shown(code), *shown(code)] if not isinstance(a, Misset)] == []
    assert shown(b"42\r")[0] == Seen("42", now)
    assert shown(code) == [Say(later)]  # by then the port is known for its line ends


def test_a_card_in_view_is_one_scan_until_it_has_been_away() -> None:
    """GM805 repeats a code for as long as it is in view; Phoniebox #910 #1042 #196: every 0.1-3 s."""
    resting = Resting(1.0)
    assert resting.is_new("42", 0.0)
    for tick in range(1, 100):
        assert not resting.is_new("42", tick * 0.9)
    assert resting.is_new("42", 99 * 0.9 + 1.0)


def test_two_cards_in_view_are_two_scans_not_an_endless_row() -> None:
    resting = Resting(1.0)
    seen = [card for tick in range(100) for card in ("42", "43") if resting.is_new(card, tick * 0.3)]
    assert seen == ["42", "43"]


def test_a_damaged_read_between_two_good_ones_does_not_make_a_second_scan() -> None:
    driver = LineDriver(1.0)
    driver.opened(0.0)
    seen = [a for n, code in enumerate((b"MB1:042:F2\r", b"MB1:0\r", b"MB1:042:F2\r"))
            for a in driver.received(code, n * 0.2)]  # fmt: skip
    assert [a.payload for a in seen if isinstance(a, Seen)] == ["MB1:042:F2", "MB1:0"]


def test_what_rests_is_remembered_for_a_few_cards_only() -> None:
    resting = Resting(1.0)
    for number in range(10_000):
        resting.is_new(str(number), 0.0)
    assert held(resting) <= 16 * len("1 9999")


@given(st.binary(max_size=600), st.lists(st.integers(0, 600), max_size=6))
def test_nothing_raises_and_cutting_anywhere_changes_nothing(data: bytes, cuts: list[int]) -> None:
    framer = LineFramer()
    places = [0, *sorted(c for c in cuts if c < len(data)), len(data)]
    found = [p for a, b in itertools.pairwise(places) for p in framer.feed(data[a:b])]
    assert found == framed(data)
    assert all(p == p.strip() and p and len(p.encode()) <= LONGEST for p in found)


@given(st.randoms(use_true_random=False), st.lists(st.integers(1, 100), min_size=1, max_size=20))
def test_good_codes_come_through_whatever_stands_between_them(rng: random.Random, cards: list[int]) -> None:
    data = b""
    for card in cards:
        data += rng.randbytes(rng.randint(0, 30)) + b"\r" + encode(card).encode() + b"\r"
    assert [p for p in framed(data) if p.startswith("MB1:")] == [encode(card) for card in cards]
