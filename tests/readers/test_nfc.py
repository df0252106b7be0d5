"""PN532 frames, tag memory and answers: pure codecs, fed with anything."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind_box.devices.nfc import ndef
from mind_box.devices.nfc.frames import ACK, ERROR, LONGEST, Decoder, command, size
from mind_box.devices.nfc.watch import targets
from tests.readers.bounds import held

VERSION = bytes.fromhex("0000ff06fad50332010607e800")


def answer(data: bytes) -> bytes:
    """A frame from the chip, extended when it must be."""
    n = len(data)
    head = bytes((n, -n & 255)) if n < 255 else bytes((255, 255, n >> 8, n & 255, -((n >> 8) + (n & 255)) & 255))
    return b"\x00\x00\xff" + head + data + bytes((-sum(data) & 255, 0))


def test_frames_of_the_user_manual() -> None:
    assert command(0x02) == bytes.fromhex("0000ff02fed4022a00")
    assert command(0x4A, b"\x01\x00") == bytes.fromhex("0000ff04fcd44a0100e100")
    assert Decoder().feed(ACK + VERSION) == [b"", bytes.fromhex("d50332010607")]
    assert Decoder().feed(bytes.fromhex("0000ff01ff7f8100")) == [ERROR]


def test_a_command_too_long_for_a_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="too many"):
        command(0x40, bytes(253))


@pytest.mark.parametrize("length", [1, 60, 254, 255, LONGEST])
def test_an_answer_is_read_by_its_length_field(length: int) -> None:
    """CircuitPython_PN532#13: answers longer than the fixed read."""
    data = bytes((0xD5,)) + random.Random(length).randbytes(length - 1)
    assert Decoder().feed(answer(data)) == [data]
    assert size(answer(data)) == len(answer(data))
    assert size(answer(data)[:3]) == 0


@given(st.binary(max_size=80), st.integers(0, 255), st.binary(max_size=30))
def test_a_frame_is_found_behind_any_rubbish(rubbish: bytes, tail: int, data: bytes) -> None:
    data = b"\xd5" + data
    decoder = Decoder()
    found = []
    for byte in rubbish + answer(data) + bytes((tail,)):
        found += decoder.feed(bytes((byte,)))
    while decoder.pending:
        found += decoder.give_up()
    assert data in found


@given(st.binary(max_size=2000))
def test_the_decoder_never_holds_more_than_a_frame(data: bytes) -> None:
    decoder = Decoder()
    decoder.feed(data)
    assert held(decoder) <= LONGEST + 10
    while decoder.pending:
        decoder.give_up()


@given(st.integers(0, 40), st.integers(1, 255))
def test_a_damaged_frame_is_no_frame(at: int, flip: int) -> None:
    frame = bytearray(answer(b"\xd5\x4b\x01\x01\x00\x44\x00\x07\x04\xa1\xb2\xc3\xd4\xe5\xf6"))
    at = 3 + at % (len(frame) - 4)
    frame[at] ^= flip
    assert [f for f in Decoder().feed(bytes(frame)) if len(f) > 3] == []


# -- tags


def test_the_text_of_a_tag_as_phones_write_it() -> None:
    memory = bytes.fromhex("0103a00c34") + ndef.encode("MB1:042:F2") + bytes(100)
    assert ndef.text(memory) == "MB1:042:F2"


@pytest.mark.parametrize("text", ["", "42", "MB1:042:F2", "Grüße", "x" * 140])
def test_text_reads_back_and_only_as_much_is_read_as_it_takes(text: str) -> None:
    data = ndef.encode(text)
    memory = data + bytes(200)
    have = 0
    while missing := ndef.missing(memory[:have] if have else b""):
        assert missing > 0
        have += 16
    assert ndef.text(memory[:have]) == text
    assert have < len(data) + 16


@pytest.mark.parametrize(
    "memory",
    [
        b"\xfe" + bytes(15), b"\x03\x00\xfe" + bytes(13), bytes(160), b"\xff" * 160, b"\x03\xff\xff\xff" + bytes(156),
        bytes.fromhex("0303d00000fe") + bytes(10),  # an empty record
        bytes.fromhex("030bd101075503") + b"card.x" + bytes(16),  # a link
        bytes.fromhex("0306d101ff5402656e") + bytes(16),  # longer than it is
        bytes.fromhex("0309d1010554c3fffeff00") + bytes(16),  # neither UTF-8 nor UTF-16
    ],
)  # fmt: skip
def test_a_tag_without_a_text_has_none(memory: bytes) -> None:
    assert ndef.text(memory) is None
    assert ndef.missing(memory[:160]) == 0


def test_a_text_behind_another_record_is_found() -> None:
    link = b"\x91\x01\x04U\x03a.b"
    text = b"\x51\x01\x05T\x02en42"
    memory = b"\x00\x00" + bytes((3, len(link + text))) + link + text + b"\xfe"
    assert ndef.text(memory) == "42"


def test_utf_16_is_understood_as_far_as_a_card_needs_it() -> None:
    for words in (b"\x00W\x000\x007", b"\xfe\xff\x00W\x000\x007", b"\xff\xfeW\x000\x007\x00"):
        record = bytes((0xD1, 1, 3 + len(words))) + b"T\x82en" + words
        assert ndef.text(bytes((3, len(record))) + record) == "W07"


@given(st.binary(max_size=200))
def test_no_memory_raises(memory: bytes) -> None:
    ndef.missing(memory)
    text = ndef.text(memory)
    assert text is None or len(text) <= len(memory)


@given(st.lists(st.binary(min_size=16, max_size=16), max_size=20))
def test_reading_a_tag_always_ends(blocks: list[bytes]) -> None:
    memory = b""
    reads = 0
    while ndef.missing(memory) and reads < 50:
        memory += blocks[reads] if reads < len(blocks) else bytes(16)
        reads += 1
    assert reads <= ndef.LONGEST // 16 + 1


def test_one_and_two_tags_of_every_length() -> None:
    four, seven, ten = b"\x12\x34\x56\x78", b"\x04" + bytes(range(6)), b"\x04" + bytes(range(9))
    assert targets(b"\x01\x01\x00\x04\x08\x04" + four) == [(1, four, 8)]
    assert targets(b"\x02\x01\x00\x44\x00\x07" + seven + b"\x02\x00\x84\x00\x0a" + ten) == [(1, seven, 0), (2, ten, 0)]
    ats = b"\x05\x78\x80\x70\x02"
    assert targets(b"\x02\x01\x03\x44\x20\x07" + seven + ats + b"\x02\x00\x04\x08\x04" + four) == [
        (1, seven, 0x20), (2, four, 8),
    ]  # fmt: skip
    assert targets(b"\x00") == []


def test_the_bytes_that_only_say_that_a_number_goes_on_are_no_part_of_it() -> None:
    """A PN531 and some copies leave them in; the number of a tag must not depend on who reads it."""
    seven, ten = b"\x04" + bytes(range(6)), b"\x04" + bytes(range(9))
    eight = b"\x88" + seven
    twelve = b"\x88" + ten[:3] + b"\x88" + ten[3:]
    assert targets(b"\x01\x01\x00\x44\x00\x08" + eight) == [(1, seven, 0)]
    assert targets(b"\x01\x01\x00\x84\x00\x0c" + twelve) == [(1, ten, 0)]
    assert targets(b"\x01\x01\x00\x44\x00\x08" + bytes(8)) is None


def test_an_answer_that_lost_a_byte_of_nought_is_none() -> None:
    """Its checksum is right all the same, if the bytes behind the frame are noughts."""
    seven = b"\x04" + bytes(range(1, 7))
    assert targets(b"\x01\x01\x00\x44\x07" + seven + b"\x55") is None


@given(st.binary(max_size=60))
def test_no_answer_raises(data: bytes) -> None:
    found = targets(data)
    assert found is None or all(len(uid) in (4, 7, 10) for _, uid, _ in found)
