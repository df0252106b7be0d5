"""The edges of the codecs: one byte, poll or millisecond to either side of where they decide."""

from __future__ import annotations

import pytest

from mind_box.devices.nfc import ndef
from mind_box.devices.nfc.frames import ACK, LONGEST, NACK, Decoder, command, size
from mind_box.devices.nfc.presence import Presence
from mind_box.devices.readers.driver import Misset, Say, Seen
from mind_box.devices.readers.lines import (
    CUT,
    KEYS,
    NO_CODE,
    NO_END,
    NO_ENTER,
    PAUSE,
    SILENCE,
    LineDriver,
    LineFramer,
)  # fmt: skip
from mind_box.devices.readers.rdm6300 import STRAY, RdmFramer
from tests.readers.keys import CODES, DOWN, LEFT_ALT, UP, tap
from tests.readers.test_keyboard import decoded
from tests.readers.test_lines import framed
from tests.readers.test_nfc import VERSION

# -- PN532 frames


def test_the_longest_command_fits() -> None:
    frame = command(0x40, bytes(252))
    assert (len(frame), frame[3:5]) == (261, b"\xfe\x02")


@pytest.mark.parametrize(
    ("data", "length"),
    [
        (b"", 0),
        (b"\x55\x55", 0),
        (ACK, 6),
        (ACK[:4], 0),
        (b"\x55" + ACK, 7),
        (NACK, 0),
        (VERSION, 13),
        (VERSION[1:], 12),
        (VERSION[:5], 13),
        (VERSION[:4], 0),
        (bytes.fromhex("0000ff06fb"), 0),
        (bytes.fromhex("0000ff0000"), 0),
        (bytes.fromhex("0000ffffff0109f6"), LONGEST + 10),
        (bytes.fromhex("0000ffffff0109"), 0),
        (bytes.fromhex("0000ffffff0109f5"), 0),
        (bytes.fromhex("0000ffffff010af5"), 0),
        (bytes.fromhex("0000ffffff000000"), 0),
        (bytes.fromhex("0000ffffff0001ff"), 11),
    ],
)
def test_the_size_of_a_frame_is_told_as_soon_as_its_header_is_there(data: bytes, length: int) -> None:
    assert size(data) == length


def test_what_is_no_frame_costs_none_behind_it() -> None:
    spoilt = VERSION[:-2] + b"\xe9\x00"
    for rubbish in (NACK, spoilt, b"\x00\xff\x00\x00", b"\x00\xff\xff\xff\x01\x0a\xf5", b"\x00", b"\x55"):
        assert Decoder().feed(rubbish + VERSION + ACK) == [VERSION[5:11], b""], rubbish


def test_a_frame_counts_without_the_byte_behind_its_checksum() -> None:
    assert Decoder().feed(VERSION[:-2]) == []
    assert Decoder().feed(VERSION[:-1]) == Decoder().feed(VERSION[:-1] + b"\x55") == [VERSION[5:11]]
    assert Decoder().feed(VERSION[:-1] + VERSION[1:]) == 2 * [VERSION[5:11]]
    assert Decoder().feed(ACK[:-1]) == [b""]


def test_a_frame_that_ends_like_a_start_code_begins_none() -> None:
    decoder = Decoder()
    assert decoder.feed(bytes.fromhex("0000ff03fdd52c00ff")) == [b"\xd5\x2c\x00"]
    assert not decoder.pending


def test_silence_gives_up_what_only_looked_like_a_beginning() -> None:
    decoder = Decoder()
    assert decoder.give_up() == []
    assert not decoder.pending
    assert decoder.feed(b"\x00\xff\xc8\x38" + VERSION) == []
    assert decoder.pending
    assert decoder.give_up() == [VERSION[5:11]]
    assert not decoder.pending
    decoder.feed(b"\x00\xff\xc8\x38")
    decoder.reset()
    assert not decoder.pending
    assert decoder.feed(VERSION) == [VERSION[5:11]]


def test_what_stood_behind_a_start_code_that_was_none_may_begin_the_next() -> None:
    decoder = Decoder()
    decoder.feed(b"\x00\xff\x00")
    assert decoder.give_up() == []
    assert decoder.feed(VERSION[2:]) == [VERSION[5:11]]


# -- the text of a tag


@pytest.mark.parametrize(
    ("memory", "missing"),
    [
        (b"", 4),
        (bytes(4), 4),
        (b"\x03", 4),
        (b"\x03\x05", 5),
        (b"\x03\x05" + bytes(5), 0),
        (b"\x03\x05" + bytes(4), 1),
        (b"\x03\xff\x00", 4),
        (b"\x03\xff\x00\x20", 32),
        (b"\x03\xff\x01\x00", 156),
        (b"\x01\x03\xa0\x0c\x34", 4),
        (b"\x01\x20", 36),
        (b"\x01\xff\x00\x20", 36),
        (bytes(159), 1),
        (bytes(160), 0),
        (b"\xfe", 0),
        (b"\x01\x00\xfe", 0),
    ],
)
def test_how_much_more_has_to_be_read(memory: bytes, missing: int) -> None:
    assert ndef.missing(memory) == missing


def tlv(*records: bytes, head: bytes | None = None) -> bytes:
    message = b"".join(records)
    return (head or bytes((3, len(message)))) + message


TEXT = b"T\x02en42"


def test_what_is_written_is_a_short_text_record() -> None:
    assert ndef.encode("42") == b"\x03\x09\xd1\x01\x05T\x02en42\xfe"
    assert ndef.encode("7", "d") == b"\x03\x07\xd1\x01\x03T\x01d7\xfe"
    assert ndef.text(ndef.encode("7", "d")) == "7"


@pytest.mark.parametrize(
    "memory",
    [
        tlv(b"\xd1\x01\x05" + TEXT),
        tlv(b"\xd1\x01\x05" + TEXT, head=b"\x03\xff\x00\x09"),
        tlv(b"\xc1\x01\x00\x00\x00\x05" + TEXT),
        tlv(b"\xd9\x01\x05\x03Tabc" + TEXT[1:]),
        tlv(b"\x81\x01\x00\x00\x00\x02Uab", b"\x51\x01\x05" + TEXT),
        tlv(b"\x99\x01\x02\x01UiXY", b"\x51\x01\x05" + TEXT),
        tlv(b"\x91\x01\x00T", b"\x51\x01\x05" + TEXT),
        tlv(b"\x10\x00\x00", b"\x51\x01\x05" + TEXT),
        b"\x00\x01\x03\xa0\x0c\x34" + tlv(b"\xd1\x01\x05" + TEXT),
    ],
)
def test_every_form_of_record_is_understood(memory: bytes) -> None:
    assert ndef.text(memory) == "42"
    assert ndef.text(memory[:-1]) is None


@pytest.mark.parametrize(
    "memory",
    [
        tlv(b"\xf1\x01\x05" + TEXT),
        tlv(b"\xd2\x01\x05" + TEXT),
        tlv(b"\xd5\x01\x05" + TEXT),  # in pieces, other kinds
        tlv(b"\xd1\x01\x05" + b"U\x02en42"),
        tlv(b"\xd1\x01\x02Uab", b"\x51\x01\x05" + TEXT),  # behind the last one
        tlv(b"\xd9\x01\x05"),
        tlv(b"\xc1\x01\x00\x00"),
        tlv(b"\xc1\x01\x00\x00\x00"),
        tlv(b"\xd1\x01\x06" + TEXT),
        tlv(b"\xc1\x01\x01\x00\x00\x05" + TEXT),
        tlv(b"\xc1\x01\x00\x01\x00\x05" + TEXT),
        tlv(b"\xc1\x01\x00\x00\x01\x05" + TEXT),
    ],
)
def test_other_records_are_no_text(memory: bytes) -> None:
    assert ndef.text(memory + bytes(8)) is None


def test_a_message_counts_when_it_was_read_to_its_end() -> None:
    memory = tlv(b"\x91\x01\x05" + TEXT, b"\x51\x01\x02Uab")
    assert ndef.text(memory) == "42"
    assert ndef.text(memory[:-1]) is None


def test_a_long_record_has_four_bytes_of_length() -> None:
    record = b"\xc1\x01\x00\x00\x01\x05T\x02en" + b"x" * 258
    assert ndef.text(tlv(record, head=b"\x03\xff" + len(record).to_bytes(2, "big"))) == "x" * 258


@pytest.mark.parametrize("text", ["4", "42", "MB1:042:F2"])
def test_utf_16_in_either_order_of_bytes(text: str) -> None:
    for mark, words in ((b"", "utf-16-be"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le")):
        body = b"T\x82en" + mark + text.encode(words)
        assert ndef.text(tlv(bytes((0xD1, 1, len(body) - 1)) + body)) == text


@pytest.mark.parametrize("words", [b"\x01W\x000", b"\x00W\x010", b"\x00W\x00"])
def test_utf_16_with_another_letter_is_no_text(words: bytes) -> None:
    record = bytes((0xD1, 1, 3 + len(words))) + b"T\x82en" + words
    assert ndef.text(tlv(record)) is None


# -- which tags lie there

A, B = b"\x04\x01\x02\x03\x04\x05\x06", b"\x04\x11\x12\x13\x14\x15\x16"


class Told:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def card(self, uid: bytes, words: str | None, at: int) -> None:
        self.calls.append(("card", uid, words, at))

    def gone(self, uid: bytes) -> None:
        self.calls.append(("gone", uid))

    def two(self, first: bytes, second: bytes) -> None:
        self.calls.append(("two", first, second))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def presence(told: Told) -> Presence:
    return Presence(told, away=500)  # type: ignore[arg-type]


def shown(presence: Presence, uid: bytes, words: str | None, now: int = 0, kind: int = 0) -> None:
    """A tag that is found twice, 10 ms apart, and read."""
    presence.poll([(uid, kind)], now)
    for tag in presence.poll([(uid, kind)], now + 10):
        presence.take(tag, words)


def test_a_tag_is_gone_after_ten_misses_and_its_time(presence: Presence, told: Told) -> None:
    shown(presence, A, "42")
    assert told.calls == [("card", A, "42", 0)]
    for n in range(9):
        presence.poll([], 600 + n)
    assert len(told.calls) == 1
    presence.poll([], 609)
    assert told.calls[1:] == [("gone", A)]
    assert presence.tags == []


def test_ten_misses_before_its_time_are_no_going(presence: Presence, told: Told) -> None:
    shown(presence, A, "42")
    for n in range(30):
        presence.poll([], 20 + n)
    presence.poll([], 10 + 499)
    assert len(told.calls) == 1
    presence.poll([], 10 + 500)
    assert told.calls[1:] == [("gone", A)]


def test_that_a_tag_has_no_text_is_believed_the_second_time(presence: Presence, told: Told) -> None:
    shown(presence, A, None)
    assert told.calls == []
    presence.take(presence.tags[0], None)
    assert told.calls == [("card", A, None, 0)]
    assert presence.tags[0].reads == 0


def test_a_number_that_was_seen_once_may_be_misread(presence: Presence, told: Told) -> None:
    (tag,) = presence.poll([(A, 0)], 0)
    presence.take(tag, None)
    presence.take(tag, None)
    assert told.calls == []


def test_a_tag_taken_away_before_it_was_read_counts_by_its_number(presence: Presence, told: Told) -> None:
    presence.poll([(A, 0)], 0)
    presence.poll([(A, 0)], 10)
    for n in range(10):
        presence.poll([], 600 + n)
    assert told.calls == [("card", A, None, 0), ("gone", A)]


@pytest.mark.parametrize(("back", "words", "calls"), [(99, "7", 0), (100, "42", 0), (100, "7", 2)])
def test_a_hand_can_put_another_copy_there_in_a_tenth_of_a_second(
    presence: Presence, told: Told, back: int, words: str, calls: int
) -> None:
    shown(presence, A, "42")
    presence.poll([], 20)
    for tag in presence.poll([(A, 0)], 10 + back):
        presence.take(tag, words)
    assert told.calls[1:] == [("gone", A), ("card", A, "7", 10 + back)][:calls]


def test_another_kind_with_the_same_number_is_another_tag(presence: Presence, told: Told) -> None:
    shown(presence, A, "42", kind=8)
    for tag in presence.poll([(A, 0)], 20):
        assert (tag.told, tag.doubted, tag.first, tag.reads) == (False, True, 20, 8)
        presence.take(tag, "7")
    assert told.calls[1:] == [("gone", A), ("card", A, "7", 20)]


def test_two_at_once_are_told_once_whichever_comes_first(presence: Presence, told: Told) -> None:
    presence.poll([(B, 0), (A, 0)], 0)
    presence.poll([(A, 0), (B, 0)], 10)
    assert told.calls == [("two", B, A)]
    for n in range(10):
        presence.poll([(A, 0)], 600 + n)
    assert told.calls == [("two", B, A), ("card", B, None, 0), ("gone", B)]
    presence.poll([(A, 0), (B, 0)], 700)
    assert told.calls[3:] == [("two", A, B)]


@pytest.mark.parametrize("misses", [1, 9, 10])
def test_a_tag_that_is_back_after_ten_polls_was_taken_away_and_lies_not_beside_another(
    presence: Presence, told: Told, misses: int
) -> None:
    presence.poll([(A, 0)], 0)
    for n in range(misses):
        presence.poll([(B, 0)], 10 + n)
    presence.poll([(A, 0)], 30)
    assert [call for call in told.calls if call[0] == "two"] == ([("two", A, B)] if misses < 10 else [])


def test_a_poll_that_misses_a_tag_brings_none_back_that_was_taken_away(presence: Presence, told: Told) -> None:
    presence.poll([(A, 0)], 0)
    for found in ([(B, 0)], [], [(B, 0)]):
        presence.poll(found, 10)
    assert not [call for call in told.calls if call[0] == "two"]


def test_a_number_made_up_for_each_call_is_one_tag(presence: Presence) -> None:
    presence.poll([(b"\x08\x01\x02\x03", 0x20)], 0)
    presence.poll([(b"\x08\x04\x05\x06", 0x20)], 10)
    assert [(tag.uid, tag.sights) for tag in presence.tags] == [(b"\x08\x00\x00\x00", 2)]
    for kind in (8, 0x18, 1):  # MIFARE Classic, and its kin
        uid = bytes((8, 7, 7, kind))
        presence.poll([(uid, kind)], 20)
        assert presence.tags[-1].uid == uid


def test_eight_tags_are_remembered(presence: Presence) -> None:
    for n in range(9):
        presence.poll([(bytes((4, n)) + bytes(5), 0)], n)
    assert [tag.uid[1] for tag in presence.tags] == list(range(1, 9))


@pytest.mark.parametrize(("words", "again"), [("42", 99), ("42", 100), (None, 99)])
def test_two_numbers_with_one_text_may_be_one_that_was_misread(
    presence: Presence, told: Told, words: str | None, again: int
) -> None:
    shown(presence, A, words)
    presence.by_number(presence.tags[0])
    shown(presence, B, words, now=10 + again)
    presence.by_number(presence.tags[1])
    both = [("card", A, words, 0), ("card", B, words, 10 + again)]
    assert [call for call in told.calls if call[0] == "card"] == (both[:1] if words and again < 100 else both)


def test_a_text_that_was_read_from_a_number_seen_once_is_not_told_of_another_number(
    presence: Presence, told: Told
) -> None:
    (tag,) = presence.poll([(A, 0)], 0)
    presence.take(tag, "42")
    shown(presence, B, "42", now=200)
    assert [call[:2] for call in told.calls if call[0] == "card"] == [("card", A)]


def test_an_empty_text_is_a_text_of_its_own(presence: Presence, told: Told) -> None:
    presence.poll([(A, 0)], 0)  # not read yet
    shown(presence, B, "", now=200)
    assert ("card", B, "", 200) in told.calls


def test_a_tag_that_may_be_another_one_has_to_be_seen_twice_again(presence: Presence, told: Told) -> None:
    shown(presence, A, "42", kind=8)
    (tag,) = presence.poll([(A, 0)], 20)
    presence.take(tag, None)
    presence.take(tag, None)
    assert len(told.calls) == 1
    presence.poll([(A, 0)], 30)
    presence.by_number(tag)
    assert told.calls[1:] == [("gone", A), ("card", A, None, 20)]


# -- lines


def test_what_manuals_print_for_an_answers_checksum_counts_as_one() -> None:
    """They show 33 31, which is that of 00 00 01 00, behind any answer."""
    assert framed(b"\x02\x00\x00\x01\x05\x33\x3142\r") == ["42"]
    assert framed(b"\x02\x00\x00\x01\x05\x33\x3242\r") == []


def test_a_code_under_way_or_spoilt_is_dropped_by_a_reset_and_counted() -> None:
    framer = LineFramer()
    framer.reset()
    assert (framer.dropped, framer.why) == (0, "")
    for n, data in enumerate((b"4", b"\x00", b"4\x00"), 1):
        assert list(framer.feed(data)) == []
        framer.reset()
        assert (framer.dropped, framer.why, framer.pending) == (n, CUT, False)


def test_line_ends_are_counted_but_for_those_of_rubbish() -> None:
    framer = LineFramer()
    assert list(framer.feed(b"1\r2\r\x00\r3\n")) == ["1", "2", "3"]
    assert framer.ends == 3


@pytest.mark.parametrize(
    ("typed", "why"), [(b"\x00", NO_CODE), (b"1" * 300, NO_ENTER), (b"1" * 256 + b" ", NO_ENTER), (b"42", NO_ENTER)]
)
def test_what_a_keyboard_leaves_unended_is_given_up_and_said(typed: bytes, why: str) -> None:
    driver = LineDriver(0.0, typed=True)
    driver.opened(0.0)
    assert driver.received(typed, 1.0) == []
    assert driver.wake(1.0 + KEYS - 0.01) == ()
    said = [action for action in driver.wake(1.0 + KEYS) if isinstance(action, Say)]
    assert said == [Say(why)]


def test_that_a_scanner_is_set_right_is_said_once() -> None:
    driver = LineDriver(0.0)
    driver.opened(0.0)
    driver.received(b"1\r", 1.0)
    missets = []
    for n, code in enumerate((b"MB1:042:F2", b"MB1:043:5B", b"44\r", b"45\r"), 1):
        now = 10.0 * n
        for act in (*driver.received(code, now), *driver.wake(now + SILENCE), *driver.wake(now + SILENCE + PAUSE)):
            missets += [act.why] if isinstance(act, Misset) else []
    assert missets == [NO_END, ""]


def test_where_bytes_make_no_code_nothing_else_is_said_until_one_does() -> None:
    driver = LineDriver(0.0)
    driver.opened(0.0)
    said = []
    for now, code in (
        (1.0, b"1\r"),
        (10.0, b"\xff\r"),
        (20.0, b"4"),
        (20.5, b"2\r"),
        (30.0, b"1\r"),
        (40.0, b"4"),
        (40.5, b"2\r"),
    ):
        for act in (*driver.received(code, now), *driver.wake(now + SILENCE)):
            said += [(now, act.text)] if isinstance(act, Say) else []
    assert said == [(10.0, NO_CODE), (40.5, CUT)]


def test_one_code_without_an_end_is_no_wrong_setting_yet() -> None:
    driver = LineDriver(0.0)
    driver.opened(0.0)
    for now, misset in ((1.0, []), (10.0, [Misset(NO_END)])):
        driver.received(b"MB1:042", now)
        acts = [*driver.wake(now + SILENCE), *driver.wake(now + PAUSE)]
        assert [act for act in acts if isinstance(act, Misset)] == misset


@pytest.mark.parametrize(("typed", "pause"), [(False, PAUSE), (True, KEYS)])
def test_a_check_sum_comes_within_the_pause_of_a_code(typed: bool, pause: float) -> None:
    driver = LineDriver(0.0, typed)
    driver.opened(0.0)
    assert driver.received(b"\x027\x03", 5.0) == [Seen("7", 5.0)]
    assert driver.received(b"4\r", 5.0 + pause - 0.1) == []
    assert driver.received(b"\x027\x03", 9.0) == [Seen("7", 9.0)]
    assert driver.received(b"4\r", 9.0 + pause + 0.1) == [Seen("4", 9.0 + pause + 0.1)]


@pytest.mark.parametrize(("typed", "pause"), [(False, PAUSE), (True, KEYS)])
def test_what_comes_within_the_pause_of_a_cut_code_may_be_its_rest(typed: bool, pause: float) -> None:
    for more, seen in ((pause - 0.1, []), (pause + 0.1, ["42"])):
        driver = LineDriver(0.0, typed)
        driver.opened(0.0)
        driver.received(b"MB1:04", 5.0)
        now = 5.0
        while driver.deadline is not None:
            now = driver.deadline
            driver.wake(now)
        assert [act.payload for act in driver.received(b"42\r", now + more) if isinstance(act, Seen)] == seen


def test_a_frame_may_end_like_a_line() -> None:
    assert framed(b"\x0242\r") == ["42"]
    assert framed(b"7\x03\x0242\r43\r") == ["7", "42", "43"]


def test_a_code_right_behind_a_label_that_silence_has_ended_counts() -> None:
    driver = LineDriver(0.0)
    driver.opened(0.0)
    driver.received(b"MB1:042:F2", 0.1)
    assert [act.payload for act in driver.wake(0.1 + SILENCE) if isinstance(act, Seen)] == ["MB1:042:F2"]
    assert driver.received(b"7\r", 0.3) == [Seen("7", 0.3)]


# -- RDM6300


def test_the_twelfth_byte_outside_of_frames_counts_as_one_frame() -> None:
    framer = RdmFramer()
    assert list(framer.feed(b"\x03\r\n" + b"x" * (STRAY - 1))) == []
    assert framer.dropped == 0
    assert list(framer.feed(b"x")) == []
    assert framer.dropped == 1
    assert list(framer.feed(b"x" * 50)) == []
    assert framer.dropped == 1


def test_a_tag_begins_the_count_of_stray_bytes_anew() -> None:
    framer = RdmFramer()
    for _ in range(3):
        assert len(list(framer.feed(b"x" * (STRAY - 1) + b"\x020A00D45B5FDA\x03"))) == 1
    assert framer.dropped == 0
    assert list(framer.feed(b"x" * STRAY)) == []
    assert framer.dropped == 1


def test_each_frame_that_is_none_counts_once() -> None:
    framer = RdmFramer()
    assert list(framer.feed(b"\x020A\x020A00D45B5FDB\x03\x020G")) == []
    assert framer.dropped == 3
    framer.reset()
    assert framer.dropped == 3
    assert list(framer.feed(b"\x020A")) == []
    framer.reset()
    assert framer.dropped == 4
    assert list(framer.feed(b"\x02" + b"0" * 12)) == []
    assert framer.dropped == 4
    assert list(framer.feed(b"0")) == []  # no tag has so many digits
    assert framer.dropped == 5


# -- a keyboard's ALT mode


@pytest.mark.parametrize("key", [CODES["7"], 74, 83])
def test_alt_takes_only_the_keypads_digits_for_a_number(key: int) -> None:
    """74 and 83 are the keypad's minus and point."""
    assert decoded([(1, LEFT_ALT, DOWN), *tap(key), (1, LEFT_ALT, UP)]) == "\x00"
